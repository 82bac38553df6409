/** Faults of a process that ends, or is ended, at a moment of our choosing. @module */
import { type Fault, forever, isOf, whole } from "./fault.ts";

export const DEATH: Record<string, Fault> = {
  "die-on": {
    about: "exits with 3 when METHOD arrives, without a word",
    arg: "METHOD",
    hooks: (method, box) => ({
      handle: (next) => (message, out) => isOf(method, message) ? box.exit(3) : next(message, out),
    }),
  },
  "die-after": {
    about: "answers METHOD and exits with 0 in the same breath",
    arg: "METHOD",
    hooks: (method, box) => ({
      handle: (next) => async (message, out) => {
        const reply = await next(message, out);
        if (!isOf(method, message)) return reply;
        box.print(JSON.stringify(reply) + "\n");
        return box.exit(0);
      },
    }),
  },
  "signal-on": {
    about: "sends itself SIGKILL when METHOD arrives",
    arg: "METHOD",
    hooks: (method, box) => ({
      handle: (next) => async (message, out) => {
        if (!isOf(method, message)) return await next(message, out);
        box.signal("SIGKILL");
        return await forever();
      },
    }),
  },
  "signal-at-start": {
    about: "sends itself SIGNAL at the start: SIGKILL ends it, SIGSTOP puts it to sleep",
    arg: "SIGNAL",
    hooks: (signal, box) => ({
      async start() {
        box.signal(signal);
        await forever();
      },
    }),
  },
  "exit-at-end": {
    about: "exits with CODE when its stdin ends, with a line on stderr",
    arg: "CODE",
    hooks(arg, box) {
      const code = whole(arg);
      return {
        end() {
          box.log("flaky: crashed on the way out\n");
          box.exit(code);
        },
      };
    },
  },
};
