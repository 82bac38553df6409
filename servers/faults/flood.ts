/** Faults of a server that says too much, or goes on and on. @module */
import { adding, type Box, type Fault, type Hooks, isOf, isSpoilable, whole } from "./fault.ts";
import { says } from "../server.ts";

const LINE = "flaky: this line is one of very many\n";

/** So many bytes at the start and before each call. */
function flood(arg: string, say: (text: string) => void): Hooks {
  const size = whole(arg);
  const text = LINE.repeat(Math.ceil(size / LINE.length)).slice(0, size);
  return {
    start: () => say(text),
    handle: (next) => (message, out) => {
      if (message.method === "tools/call") say(text);
      return next(message, out);
    },
  };
}

/** What is written again and again, without an end. */
function endless(kind: string): Uint8Array {
  switch (kind) {
    case "lines":
      return new TextEncoder().encode(LINE.repeat(500));
    case "bytes":
      return crypto.getRandomValues(new Uint8Array(1 << 14));
    case "one-line":
      return new Uint8Array(1 << 14).fill(0x78);
    default:
      throw new Error(`"${kind}" is not lines, bytes or one-line`);
  }
}

const notice = (n: number) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: `flaky: thought number ${n}` },
});

/** Writes for as long as it is let: a pipe that nobody reads is where it waits. */
function pour(bytes: Uint8Array, ...ways: ((bytes: Uint8Array) => void)[]): Promise<never> {
  for (;;) for (const way of ways) way(bytes);
}

export const FLOOD: Record<string, Fault> = {
  garbage: {
    about: "writes lines, random bytes, or one line to stdout for ever, and reads nothing",
    arg: "lines|bytes|one-line",
    hooks(kind, box) {
      const bytes = endless(kind);
      return { start: () => pour(bytes, box.print) };
    },
  },
  "end-flood": {
    about: "writes to stdout and stderr for ever when its stdin ends",
    hooks(_, box: Box) {
      const bytes = endless("lines");
      const log = (bytes: Uint8Array) => box.log(new TextDecoder().decode(bytes));
      return { end: () => pour(bytes, box.print, log) };
    },
  },
  "stderr-flood": {
    about:
      "writes BYTES bytes to stderr at the start and before each call, and waits for the reader",
    arg: "BYTES",
    hooks: (arg, box) => flood(arg, box.log),
  },
  "stdout-flood": {
    about: "writes BYTES bytes of lines that are no messages to stdout, at the same times",
    arg: "BYTES",
    hooks: (arg, box) => flood(arg, (text) => box.print(text + "\n")),
  },
  chatter: {
    about: "does not answer METHOD, but sends a log message each 5 ms for as long as stdin is open",
    arg: "METHOD",
    hooks(method) {
      let timer: ReturnType<typeof setInterval> | undefined;
      return {
        handle: (next) => (message, out) => {
          if (!isOf(method, message)) return next(message, out);
          let n = 0;
          timer ??= setInterval(() => out?.(notice(++n)), 5);
          return Promise.resolve(undefined);
        },
        end: () => clearInterval(timer),
      };
    },
  },
  notices: {
    about: "sends N log messages before it answers a call",
    arg: "N",
    hooks(arg) {
      const many = whole(arg);
      return {
        handle: (next) => (message, out) => {
          for (let n = 1; isSpoilable(message) && n <= many; n++) out?.(notice(n));
          return next(message, out);
        },
      };
    },
  },
  "endless-progress": {
    about: "adds the tool endless, which reports progress each MS (10) until it is cancelled",
    arg: "MS?",
    hooks(arg) {
      const every = arg === "" ? 10 : whole(arg);
      return adding({
        name: "endless",
        description: "Is always about to answer.",
        inputSchema: { type: "object", properties: {} },
        run: (_, call) =>
          new Promise((resolve) => {
            let done = 0;
            const timer = setInterval(() => call.progress(++done), every);
            call.signal.addEventListener("abort", () => {
              clearInterval(timer);
              resolve(says("cancelled"));
            });
          }),
      });
    },
  },
};
