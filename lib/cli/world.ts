/** The world as the program sees it: the one place that reads arguments, environment and terminal. @module */
import { abortable } from "../kit/abort.ts";
import { alarms } from "../kit/alarms.ts";
import type { Clock } from "../kit/clock.ts";
import { someText } from "../kit/encoding.ts";
import { Secrets } from "../kit/secrets.ts";
import type { Drop } from "../kit/drop.ts";
import { signalGroup } from "../transport/process.ts";
import { hidingSink, hidingTerminal, type Out } from "./hiding.ts";
import {
  type Cache,
  cacheFolder,
  inWords,
  openCache,
  openFolder,
  openSpill,
  openState,
  plain,
  readWhole,
  type State,
  stateFolder,
  unlessMissing,
} from "./disk.ts";
import { type Keyboard, nextLine } from "./keyboard.ts";
import { type Address, type Answer, listen, type Listener } from "./listener.ts";
import { type Log, openLog } from "./log.ts";
import { partEnvironment, selfCommand, type Start } from "./self.ts";
import type { Tracing } from "./trace/tracing.ts";

/** Somewhere to print. Texts come out whole and in order, whether or not they are waited for. */
export interface Sink {
  /** @throws {ReaderLeft} when the other end of the pipe is closed; {@linkcode WriteFailed} */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
}

/** A person who can be asked, wherever stdin and stdout lead. */
export interface Terminal {
  /** What was typed, without its newline; undefined at the end of input. @throws the signal's reason */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
}

/** Something on the disk. */
export interface Found {
  /** Absolute, with every link followed. */
  path: string;
  isFile: boolean;
  /** In bytes. */
  size: number;
}

export interface World {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `linux`, `darwin`, `windows`, … */
  readonly platform: string;
  readonly version: string;
  readonly clock: Clock;
  /** What is printed, asked or kept by us shows none of them. Filled by whoever reads what holds some. */
  readonly secrets: Secrets;
  readonly out: Out;
  readonly err: Sink;
  readonly stdin: { readonly isTerminal: boolean; readonly readable: ReadableStream<Uint8Array> };
  /** Undefined where nobody can be asked. */
  readonly terminal: Terminal | undefined;
  /** Aborted with {@linkcode UserLeft}. */
  readonly signal: AbortSignal;
  /** Process groups that live: ended by {@linkcode endAll} should everything else fail. */
  readonly groups: Set<number>;
  /** How to start this very program once more. */
  self(args: readonly string[]): Start;
  /** Undefined when there is no such file. @throws {Error} with why it can't be read, in plain words */
  readFile(path: string): Promise<string | undefined>;
  /** The same, undecoded. */
  readBytes(path: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** What is there, links followed; undefined when there is nothing. @throws {Error} in plain words */
  look(path: string): Promise<Found | undefined>;
  /** The folder we were started in. */
  readonly folder: string;
  /** Where we may keep things between runs; undefined where there is no such place. @throws {Error} */
  openCache(): Promise<Cache | undefined>;
  /** Where the user's decisions are kept; undefined where there is no such place. @throws {Error} */
  openState(): Promise<State | undefined>;
  /** A file to write to as things happen, unless what is there is not `ours`. @throws {Error} in plain words */
  openLog(path: string, ours: RegExp): Promise<Log>;
  /** Told of all that crosses and is decided, with `--trace`. */
  readonly trace?: Tracing;
  /** A new folder for what this run keeps, the user's alone. @throws {Error} where there is no place */
  openSpill(): Promise<Drop>;
  /** A folder that the user names; undefined when there is none. @throws {Error} in plain words */
  openFolder(path: string): Promise<Drop | undefined>;
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  /**
   * Answers HTTP at this address until it is closed; port 0 is any that is free. `onFault` is told when
   * it had to let everybody go, and goes on.
   * @throws {CannotListen}
   */
  listen(address: Address, answer: Answer, onFault?: (why: string) => void): Listener;
  /** 0 ≤ n < 1 */
  random(): number;
}

/** The user asked us to stop: exit code 130, 143 or 129. */
export class UserLeft extends Error {
  override readonly name = "UserLeft";
  readonly exitCode: number;
  constructor(signal: string, exitCode: number) {
    super(`the user left (${signal})`);
    this.exitCode = exitCode;
  }
}

/** Whoever read our output has seen enough: exit code 0, quietly. */
export class ReaderLeft extends Error {
  override readonly name = "ReaderLeft";
}

/** What we print to is full, or broken: exit code 74. */
export class WriteFailed extends Error {
  override readonly name = "WriteFailed";
}

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof EXIT_CODES;
/** A goodbye that takes longer than this after a signal is cut short. */
const GOODBYE_MS = 1_700;

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  after: alarms((ms, wake) => {
    // Longer waits would end at once.
    const timer = setTimeout(wake, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  }, () => performance.now()),
};

/** The real one. `entry` is the URL of the program's main file. */
export function realWorld(entry: string, version: string): World {
  const groups = new Set<number>();
  const platform = Deno.build.os;
  const { theirs: env, own } = partEnvironment(entry, Deno.env.toObject());
  const program = { executable: Deno.execPath(), standalone: Deno.build.standalone, entry, own };
  let asker: Terminal | undefined;
  const secrets = new Secrets();
  return {
    args: Deno.args,
    env,
    platform,
    version,
    clock: realClock,
    secrets,
    out: hidingSink(sink(Deno.stdout), secrets),
    err: hidingSink(quietly(sink(Deno.stderr)), secrets),
    // Looked for when they are wanted: a call of one tool reads nothing and asks nobody.
    stdin: {
      isTerminal: Deno.stdin.isTerminal(),
      get readable() {
        return Deno.stdin.readable;
      },
    },
    get terminal() {
      return asker ??= hidingTerminal(terminal(platform), secrets);
    },
    signal: trapSignals(groups),
    groups,
    self: (args) => selfCommand(program, args),
    async readFile(path) {
      const bytes = await inWords(unlessMissing(() => readWhole(path)));
      if (bytes === undefined) return undefined;
      const text = someText(bytes);
      if (text === undefined) throw new Error("it is no text");
      return text;
    },
    readBytes: (path) => inWords(unlessMissing(() => readWhole(path))),
    look: (path) => inWords(unlessMissing(() => look(path))),
    folder: Deno.cwd(),
    async openCache() {
      const folder = cacheFolder(platform, env);
      return folder === undefined ? undefined : await inWords(openCache(folder));
    },
    async openState() {
      const folder = stateFolder(platform, env);
      return folder === undefined ? undefined : await inWords(openState(folder));
    },
    async openLog(path, ours) {
      const log = await inWords(openLog(path, ours));
      return { ...log, write: (bytes) => inWords(log.write(bytes)) };
    },
    openSpill: () => openSpill(cacheFolder(platform, env), realClock.now()),
    openFolder,
    fetch: (input, init) => fetch(input, init),
    listen,
    random: () => Math.random(),
  };
}

async function look(path: string): Promise<Found> {
  const { isFile, size } = await Deno.stat(path);
  return { path: await Deno.realPath(path), isFile, size };
}

/** SIGKILL to all that we started and that still lives. */
export function endAll(groups: Set<number>): void {
  for (const pid of groups) signalGroup(pid, "SIGKILL");
  groups.clear();
}

/** Leaves, and leaves nothing behind. */
export function leave(code: number, groups: Set<number>): never {
  endAll(groups);
  Deno.exit(code);
}

/**
 * Servers run in process groups of their own, so a Ctrl-C of the terminal reaches us alone. The first
 * signal asks everything to end; a second one, or a slow goodbye, ends it here.
 */
function trapSignals(groups: Set<number>): AbortSignal {
  const leaving = new AbortController();
  const trap = (signal: Signal) => {
    const code = EXIT_CODES[signal];
    if (leaving.signal.aborted) leave(code, groups);
    leaving.abort(new UserLeft(signal, code));
    const timer = setTimeout(() => leave(code, groups), GOODBYE_MS);
    Deno.unrefTimer(timer);
  };
  const signals: Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM", "SIGHUP"];
  // The runtime catches all of them once it catches one: what was ignored is to be asked before, and
  // has to be ignored by us from then on.
  const mask = ignoredMask();
  const ignored = signals.filter((signal) => (mask >> BigInt(NUMBERS[signal] - 1) & 1n) === 1n);
  for (const signal of signals) {
    Deno.addSignalListener(signal, () => ignored.includes(signal) || trap(signal));
  }
  return leaving.signal;
}

const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A bit for each signal that whoever started us wants ignored, as nohup and `&` in scripts do. */
function ignoredMask(): bigint {
  if (Deno.build.os !== "linux") return 0n; // Nowhere else can this be seen.
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)/m.exec(Deno.readTextFileSync("/proc/self/status"))?.[1];
    return BigInt(`0x${mask ?? 0}`);
  } catch {
    return 0n;
  }
}

function sink(file: typeof Deno.stdout): Sink {
  const encoder = new TextEncoder();
  // One after the other: a slow reader must not make two texts overlap.
  let last: Promise<void> = Promise.resolve();
  const write = async (bytes: Uint8Array) => {
    try {
      for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    } catch (cause) {
      if (cause instanceof Deno.errors.BrokenPipe) throw new ReaderLeft();
      throw new WriteFailed(`Cannot write: ${plain(cause)}`, { cause });
    }
  };
  return {
    isTerminal: file.isTerminal(),
    write: (text) => last = last.catch(() => {}).then(() => write(encoder.encode(text))),
  };
}

/** Nobody reading stderr, or nowhere to put it, is no reason to stop. */
function quietly(sink: Sink): Sink {
  return {
    isTerminal: sink.isTerminal,
    write: (text) => sink.write(text).catch(() => {}),
  };
}

function keyboard(tty: Deno.FsFile, platform: string): Keyboard {
  return {
    // The terminal hands over a line at a time.
    async read() {
      const buffer = new Uint8Array(4096);
      const size = await tty.read(buffer);
      if (size === null) return undefined;
      return new TextDecoder().decode(buffer.subarray(0, size)).replace(/\r?\n$/, "");
    },
    keyByKey(isOn) {
      if (platform === "windows") return; // There Ctrl-C would be a key like any other.
      try {
        tty.setRaw(isOn, { cbreak: isOn });
      } catch {
        // Whose terminal has gone reads nothing from it.
      }
    },
  };
}

/** Undefined when there is none: in a cron job, in CI, behind `setsid`. */
function terminal(platform: string): Terminal | undefined {
  const open = () =>
    Deno.openSync(platform === "windows" ? "CON" : "/dev/tty", { read: true, write: true });
  try {
    open().close();
  } catch {
    return undefined;
  }
  return {
    async ask(question, signal) {
      signal.throwIfAborted();
      // One of each: what is written through a file waits for what is read through it.
      const [tty, screen] = [open(), open()];
      try {
        const answer = await nextLine(keyboard(tty, platform), realClock);
        await screen.write(new TextEncoder().encode(question));
        const line = await abortable(answer.line, signal);
        // The end of input is no Enter: what comes next begins a line of its own all the same.
        if (line === undefined) await screen.write(new TextEncoder().encode("\n"));
        return line;
      } finally {
        for (const each of [tty, screen]) each.close();
      }
    },
  };
}
