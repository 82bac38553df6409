/** The part of the disk that is ours: what is kept between runs, what one run keeps, and what a command is. @module */
import type { Drop } from "../kit/drop.ts";
import type { TextStore } from "../kit/store.ts";
import { outdated } from "./spills.ts";

const IS_WINDOWS = Deno.build.os === "windows";

export interface Cache {
  store: TextStore;
  /** Of this machine's user alone; made once. */
  secret: string;
}

/** Where what a user decided is kept: filed under names that nobody can guess without the secret. */
export interface State extends TextStore {
  /** Of this machine's user alone; made once. */
  readonly secret: string;
}

export interface Executable {
  path: string;
  size: number;
  modifiedMs: number;
}

type Env = Readonly<Record<string, string>>;

/** Where caches belong on this platform; undefined where the environment names no place. */
export function cacheFolder(platform: string, env: Env): string | undefined {
  if (platform === "windows") {
    return env.LOCALAPPDATA && `${env.LOCALAPPDATA}\\fusebox\\cache`;
  }
  // The XDG specification has relative paths ignored.
  if (env.XDG_CACHE_HOME?.startsWith("/")) return `${env.XDG_CACHE_HOME}/fusebox`;
  const home = env.HOME;
  if (!home) return undefined;
  return platform === "darwin" ? `${home}/Library/Caches/fusebox` : `${home}/.cache/fusebox`;
}

/** Where what a user decided is kept on this platform; undefined where the environment names no place. */
export function stateFolder(platform: string, env: Env): string | undefined {
  if (platform === "windows") return env.LOCALAPPDATA && `${env.LOCALAPPDATA}\\fusebox\\state`;
  if (env.XDG_STATE_HOME?.startsWith("/")) return `${env.XDG_STATE_HOME}/fusebox`;
  const home = env.HOME;
  if (!home) return undefined;
  return platform === "darwin"
    ? `${home}/Library/Application Support/fusebox/state`
    : `${home}/.local/state/fusebox`;
}

/**
 * What must outlive a cleaned cache: answers, trust, pins. Nothing of it is anybody else's to read.
 * @throws when the folder can't be made or written, or is somebody else's
 */
export async function openState(folder: string): Promise<State> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  if (!IS_WINDOWS) await own(folder);
  return { ...folderStore(folder), secret: await readSecret(`${folder}/secret`, folder) };
}

/** What others can write into a folder was decided by nobody. Root may bring some, in an image. */
async function own(folder: string): Promise<void> {
  const { uid, mode } = await Deno.stat(folder);
  const us = Deno.uid();
  if (us !== 0 && uid !== 0 && uid !== us) throw new Error(`${folder} belongs to somebody else`);
  if (((mode ?? 0) & 0o022) !== 0) await Deno.chmod(folder, 0o700);
}

/** @throws when the folder can't be made or written */
export async function openCache(folder: string): Promise<Cache> {
  const entries = `${folder}/catalog`;
  await Deno.mkdir(entries, { recursive: true, mode: 0o700 });
  return { store: folderStore(entries), secret: await readSecret(`${folder}/secret`, entries) };
}

function folderStore(folder: string): TextStore {
  let swept: Promise<void> | undefined;
  return {
    read: (name) => unlessMissing(() => Deno.readTextFile(`${folder}/${name}`)),
    async write(name, text, { isPrivate }) {
      await (swept ??= sweep(folder).catch(() => {}));
      await writeWhole(folder, name, new TextEncoder().encode(text), isPrivate ? 0o600 : 0o644);
    },
    remove: async (name) => void await unlessMissing(() => Deno.remove(`${folder}/${name}`)),
    list: () => Array.fromAsync(Deno.readDir(folder), ({ name }) => name),
  };
}

/**
 * A new folder for what this run keeps, below `cache` or else where temporary files go; those of runs
 * of days ago are removed. What is in it is the user's alone.
 * @throws {Error} in plain words when there is no place for it
 */
export async function openSpill(cache: string | undefined, nowMs: number): Promise<Drop> {
  const above = cache && await openResults(cache, nowMs).catch(() => undefined);
  const options = above ? { dir: above, prefix: RUN } : { prefix: "fusebox-" };
  return drop(await inWords(Deno.makeTempDir(options)), 0o600); // Made with 0700.
}

/** Where new files go that the user wants; undefined when there is none. @throws {Error} in plain words */
export async function openFolder(path: string): Promise<Drop | undefined> {
  const info = await inWords(unlessMissing(() => Deno.stat(path)));
  if (info && !info.isDirectory) throw new Error("it is no folder");
  return info && drop(await inWords(Deno.realPath(path)));
}

const RUN = "run-";

async function openResults(cache: string, nowMs: number): Promise<string> {
  const folder = `${cache}/results`;
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const runs = await Array.fromAsync(Deno.readDir(folder));
  const names = runs.filter((it) => it.isDirectory && it.name.startsWith(RUN)).map((it) => it.name);
  // Another run may remove one meanwhile.
  const spills = await Promise.all(names.map((it) => weigh(folder, it).catch(() => undefined)));
  await Promise.all(
    outdated(spills.filter((it) => it !== undefined), nowMs).map((name) =>
      Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {})
    ),
  );
  return folder;
}

async function weigh(folder: string, name: string) {
  const run = await unlessMissing(() => Deno.stat(`${folder}/${name}`));
  if (!run) return undefined;
  let bytes = 0;
  for await (const file of Deno.readDir(`${folder}/${name}`)) {
    bytes += (await unlessMissing(() => Deno.lstat(`${folder}/${name}/${file.name}`)))?.size ?? 0;
  }
  return { name, modifiedMs: run.mtime?.getTime() ?? 0, bytes };
}

function drop(path: string, mode?: number): Drop {
  return {
    path,
    async put(name, bytes) {
      await inWords(writeWhole(path, name, bytes, mode));
      return `${path}/${name}`;
    },
    text: (name) => inWords(unlessMissing(() => Deno.readTextFile(`${path}/${name}`))),
  };
}

const DRAFT = /^[0-9a-f-]{36}\.tmp$/;
/** It is written in one go: whoever has left it for so long was killed over it. */
const DRAFT_MS = 3_600_000;

async function sweep(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!DRAFT.test(name)) continue;
    const { mtime } = await unlessMissing(() => Deno.stat(`${folder}/${name}`)) ?? {};
    if (!mtime || Date.now() - mtime.getTime() < DRAFT_MS) continue;
    await unlessMissing(() => Deno.remove(`${folder}/${name}`));
  }
}

/** All or nothing: whoever reads meanwhile has the old file or the new one. */
async function writeWhole(
  folder: string,
  name: string,
  bytes: Uint8Array,
  mode?: number,
): Promise<void> {
  const draft = `${folder}/${crypto.randomUUID()}.tmp`;
  try {
    await Deno.writeFile(draft, bytes, { createNew: true, ...(mode !== undefined && { mode }) });
    await Deno.rename(draft, `${folder}/${name}`);
  } catch (error) {
    await Deno.remove(draft).catch(() => {});
    throw error;
  }
}

const SECRET = /^[0-9a-f]{64}$/;

/** Two first starts at once agree on one secret: whoever links first has made it. */
async function readSecret(path: string, folder: string): Promise<string> {
  const known = await unlessMissing(() => Deno.readTextFile(path));
  if (known !== undefined && SECRET.test(known)) return known;
  // A disk that was full left no secret that anything could be sealed with.
  if (known !== undefined) await unlessMissing(() => Deno.remove(path));
  const draft = `${folder}/${crypto.randomUUID()}.tmp`;
  const secret = crypto.getRandomValues(new Uint8Array(32)).toHex();
  try {
    await Deno.writeTextFile(draft, secret, { mode: 0o600, createNew: true });
    // Who was faster has made it.
    return await Deno.link(draft, path).then(() => secret, () => Deno.readTextFile(path));
  } finally {
    await unlessMissing(() => Deno.remove(draft)); // On a full disk there is an empty one.
  }
}

/** Between the folders of a PATH; and what a command may leave out of a file's name. */
const [BETWEEN, ENDINGS] = IS_WINDOWS ? [";", ["", ".exe", ".cmd", ".bat"]] : [":", [""]];

/** The file that a command means: an upgrade makes another of it. Undefined when there is none. */
export async function executableOf(command: string, env: Env): Promise<Executable | undefined> {
  const path = env.PATH ?? env.Path ?? "";
  const folders = /[/\\]/.test(command) ? [""] : path.split(BETWEEN).map((it) => `${it}/`);
  const paths = folders.flatMap((folder) => ENDINGS.map((ending) => folder + command + ending));
  for (const path of paths) {
    const info = await unlessMissing(() => Deno.stat(path));
    if (info?.isFile) return { path, size: info.size, modifiedMs: info.mtime?.getTime() ?? 0 };
  }
  return undefined;
}

/** More than any file that a user names has a reason to hold. */
const FILE_MAX = 64 * 1024 * 1024;

/** All of a file, or of a pipe that has an end. @throws {Error} when it holds more than is sensible */
export async function readWhole(path: string, most = FILE_MAX): Promise<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  const { isFile, size } = await file.stat();
  let bytes = new Uint8Array(isFile ? Math.min(size, most) + 1 : 65_536);
  let length = 0;
  while (true) {
    const read = await file.read(bytes.subarray(length));
    if (read === null) return bytes.slice(0, length);
    length += read;
    if (length > most) throw new Error(`it holds over ${most / 2 ** 20} MiB`);
    if (length < bytes.length) continue;
    const larger = new Uint8Array(Math.min(bytes.length * 2, most + 1));
    larger.set(bytes);
    bytes = larger;
  }
}

/** What was read; undefined when there is no such file. */
export async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    if (missing) return undefined;
    throw error;
  }
}

/** What it gives. @throws {Error} with what the system says, in plain words */
export async function inWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Error(plain(error), { cause: error });
  }
}

/** What the system says, without its numbers and the name of the call. */
export function plain(error: unknown): string {
  if (error instanceof Deno.errors.IsADirectory) return "it is a folder";
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/ \(os error \d+\).*/s, "");
}
