/** Faults of the process: what it does not hear, and what it leaves behind. @module */
import { type Box, type Fault, forever, type Hooks, isOf, whole } from "./fault.ts";

const DEAF_SCRIPT = "trap '' TERM HUP INT; while :; do sleep 1; done";

/** Starts a child that inherits stdout and stderr, as a child does; `quiet` gives it neither. */
function starting(script: string, arg: string, box: Box): Hooks {
  if (arg !== "" && arg !== "quiet") throw new Error(`"${arg}" is not "quiet"`);
  return {
    start() {
      const pid = box.spawn(script, arg === "quiet" ? "null" : "inherit");
      box.log(`flaky: started ${pid}\n`);
    },
  };
}

export const PROCESS: Record<string, Fault> = {
  deaf: {
    about: "ignores SIGTERM, SIGINT, SIGHUP and the end of stdin",
    hooks: (_, box) => ({ start: () => box.ignoreSignals(), end: forever }),
  },
  lingers: {
    about: "lives on when its stdin ends, until it is told by a signal",
    hooks: () => ({ end: forever }),
  },
  "slow-end": {
    about: "takes MS milliseconds to leave when its stdin ends",
    arg: "MS",
    hooks(arg) {
      const ms = whole(arg);
      return { end: () => new Promise((resolve) => setTimeout(resolve, ms)) };
    },
  },
  grandchild: {
    about: "starts sh, which starts sleep 1000, in its own process group, and leaves them behind",
    arg: "quiet?",
    hooks: (arg, box) => starting("sleep 1000 & wait", arg, box),
  },
  "deaf-grandchild": {
    about: "like grandchild, with an sh that ignores SIGTERM, SIGINT and SIGHUP",
    arg: "quiet?",
    hooks: (arg, box) => starting(DEAF_SCRIPT, arg, box),
  },
  "close-stdout": {
    about: "closes stdout when METHOD arrives, at the start if none is given, and lives on (Linux)",
    arg: "METHOD?",
    hooks(arg, box) {
      let closed = false;
      const close = () => {
        box.closeStdout();
        closed = true;
      };
      return {
        start: () => arg === "" ? close() : undefined,
        wire: (next) => ({
          ...next,
          write: (bytes) => closed ? Promise.resolve(bytes.length) : next.write(bytes),
        }),
        handle: (next) => (message, out) => {
          if (isOf(arg, message)) close();
          return next(message, out);
        },
      };
    },
  },
};
