/** A file that one run writes, from its beginning, and nobody else meanwhile. @module */
import { unlessMissing } from "./disk.ts";

/** A file that grows at its end. */
export interface Log {
  /** All of it, or nothing that stays. @throws when the disk is full, or the reader of a pipe has left */
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

const IS_WINDOWS = Deno.build.os === "windows";
const HEAD_BYTES = 200;

/**
 * An empty file of the user's alone, or whatever else stands under this path: a pipe, a device. Nothing
 * is overwritten whose beginning is not `ours`, or that another run is writing.
 * @throws when it can't be opened
 */
export async function openLog(path: string, ours: RegExp): Promise<Log> {
  const known = await unlessMissing(() => Deno.stat(path));
  const isFile = known?.isFile ?? true;
  // What is read and what is emptied is one and the same file, whatever its path leads to by then; and
  // a link that somebody left makes no file where it leads.
  const how = known ? { read: isFile } : { read: true, createNew: true };
  let file: Deno.FsFile;
  try {
    file = await Deno.open(path, { ...how, write: true, mode: 0o600 });
  } catch (error) {
    if (known || !(error instanceof Deno.errors.AlreadyExists)) throw error;
    // Another run may have made it in this very moment.
    if (await unlessMissing(() => Deno.stat(path))) return await openLog(path, ours);
    throw new Error("it is a link to a file that is not there");
  }
  try {
    if (isFile) await begin(file, path, ours);
  } catch (error) {
    release(file);
    throw error;
  }
  let size = 0;
  return {
    async write(bytes) {
      try {
        for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
        size += bytes.length;
      } catch (error) {
        // No half of a line stays, so that whatever is written later begins its own.
        if (isFile) await file.truncate(size).then(() => file.seek(size, Deno.SeekMode.Start));
        throw error;
      }
    },
    close: () => release(file),
  };
}

/**
 * Closes a file that may be locked. A process that is just being started holds a copy of all that is
 * open until it is another program: closing alone would leave the lock to it for that moment.
 */
function release(file: Deno.FsFile): void {
  try {
    file.unlockSync();
  } catch {
    // There was no lock, or its disk knows none.
  }
  file.close();
}

/** Empties a file that is ours, or new. It is locked until it is closed. @throws when it is not */
async function begin(file: Deno.FsFile, path: string, ours: RegExp): Promise<void> {
  // Some disks know no locks. On Windows nobody could read along.
  const isAlone = IS_WINDOWS || await file.tryLock(true).catch(() => true);
  if (!isAlone) throw new Error("another run is writing it");
  const bytes = new Uint8Array(HEAD_BYTES);
  const size = await file.read(bytes);
  if (size && !ours.test(new TextDecoder().decode(bytes.subarray(0, size)))) {
    throw new Error("there is another file of this name");
  }
  await file.truncate(0);
  await file.seek(0, Deno.SeekMode.Start);
  // A file that was there keeps its mode.
  if (!IS_WINDOWS) await Deno.chmod(path, 0o600);
}
