/** A tar archive whose bytes depend on names and contents alone: no time, no owner, no order of a disk. @module */

export interface Entry {
  /** ASCII, 100 characters at most. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  executable?: boolean;
}

const BLOCK = 512;

/** The parts of the archive, in the ustar format that every tar reads. */
export function tar(entries: readonly Entry[]): Uint8Array<ArrayBuffer>[] {
  const parts = entries.flatMap((entry) => [
    header(entry),
    entry.bytes,
    new Uint8Array(-entry.bytes.length & (BLOCK - 1)),
  ]);
  return [...parts, new Uint8Array(2 * BLOCK)];
}

function header({ name, bytes, executable }: Entry): Uint8Array<ArrayBuffer> {
  if (name.length > 100) throw new RangeError(`Cannot pack "${name}": its name is too long`);
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(new TextEncoder().encode(text), at);
  const octal = (at: number, width: number, value: number) =>
    put(at, value.toString(8).padStart(width - 1, "0"));
  put(0, name);
  octal(100, 8, executable ? 0o755 : 0o644);
  octal(108, 8, 0); // Owner and group.
  octal(116, 8, 0);
  octal(124, 12, bytes.length);
  octal(136, 12, 0); // The time; whoever unpacks sets its own.
  put(148, " ".repeat(8)); // The sum is taken over blanks in its own place.
  put(156, "0");
  put(257, "ustar\0" + "00");
  const sum = block.reduce((sum, byte) => sum + byte, 0);
  put(148, sum.toString(8).padStart(6, "0") + "\0 ");
  return block;
}
