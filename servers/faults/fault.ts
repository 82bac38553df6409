/** What a fault is: a named way to misbehave, and the places where it can take hold. @module */
import { errorReply, type Handler, type Message, type Wire } from "../serve.ts";
import type { Description } from "../server.ts";

export interface Fault {
  /** What it does, in one line. */
  about: string;
  /** What stands behind "=", in capitals; with a "?" it may be left out. */
  arg?: string;
  /** Called once per connection. @throws {Error} if `arg` makes no sense. */
  hooks(arg: string, box: Box): Hooks;
}

/** Where a fault can take hold; of several faults the one named first is outermost. */
export interface Hooks {
  /** Changes the server before there is one. A dialect given on the command line goes first. */
  setup?(description: Description): void;
  /** Stands between the client and the server. */
  handle?(next: Handler): Handler;
  /** Stands between messages and bytes. */
  wire?(next: Wire): Wire;
  /** Runs before the first byte is read. */
  start?(): void | Promise<void>;
  /** Runs when the client has closed stdin; the process lives for as long as this takes. */
  end?(): void | Promise<void>;
}

/** The process, as far as a fault may touch it. */
export interface Box {
  readonly pid: number;
  env(): Record<string, string>;
  /** Straight to stdout, past the queue, and blocking. */
  print(text: string | Uint8Array): void;
  /** Straight to stderr, and blocking: it waits for as long as nobody reads. */
  log(text: string): void;
  exit(code: number): never;
  ignoreSignals(): void;
  /** Sends itself a signal. */
  signal(name: string): void;
  /** Starts `sh -c script` in our process group and returns its pid. It outlives us. */
  spawn(script: string, stdio: "inherit" | "null"): number;
  closeStdout(): void;
}

/** A box without a process, for a flaky server in memory. What needs a process throws. */
export function memoryBox(): Box {
  const never = (what: string) => (): never => {
    throw new Error(`Cannot ${what}: this flaky server has no process of its own`);
  };
  return {
    pid: 0,
    env: () => ({}),
    print: () => {},
    log: () => {},
    exit: never("exit"),
    ignoreSignals: never("ignore signals"),
    signal: never("send itself a signal"),
    spawn: never("spawn"),
    closeStdout: never("close stdout"),
  };
}

/** @throws {Error} unless the text is a whole number. */
export function whole(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new Error(`"${text}" is not a whole number`);
  return Number(text);
}

/** Never settles, and keeps the process alive meanwhile. */
export function forever(): Promise<never> {
  return new Promise(() => setInterval(() => {}, 1 << 30));
}

/** Tools that stay honest under faults of calls, so that a test can always look at the wire. */
const WITNESSES = ["received", "pid"];

/** Whether a message is a call of a tool that a fault may spoil. */
export function isSpoilable(message: Message): boolean {
  return message.method === "tools/call" && !WITNESSES.includes(message.params?.name);
}

/** Whether a message is a call of METHOD that a fault may spoil. */
export function isOf(method: string, message: Message): boolean {
  return message.method === method && (method !== "tools/call" || isSpoilable(message));
}

/** Answers these calls with this error, or with nothing at all. */
export function answering(
  which: (message: Message) => boolean,
  error?: { code: number; data?: unknown },
): Hooks {
  return {
    handle: (next) => (message, out) => {
      if (message.id === undefined || !which(message)) return next(message, out);
      if (!error) return Promise.resolve(undefined);
      const text = `flaky: ${message.method} fails with ${error.code}`;
      return Promise.resolve(errorReply(message.id, error.code, text, error.data));
    },
  };
}

/** Rewrites the results of these calls. */
export function rewriting(
  which: (message: Message) => boolean,
  rewrite: (result: Message, message: Message) => Message,
): Hooks {
  return {
    handle: (next) => async (message, out) => {
      const reply = await next(message, out);
      if (reply?.result === undefined || !which(message)) return reply;
      return { ...reply, result: rewrite(reply.result, message) };
    },
  };
}

/** Adds tools that are like any other. */
export function adding(...tools: Description["tools"]): Hooks {
  return { setup: (description) => void description.tools.push(...tools) };
}

/** Speaks this dialect unless the command line asked for another. */
export function speaking(dialect: NonNullable<Description["dialect"]>): Hooks {
  return { setup: (description) => void (description.dialect ??= dialect) };
}
