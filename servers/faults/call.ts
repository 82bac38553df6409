/** Faults of a call on its way: silence, death, endless talk, questions back. @module */
import { isModern } from "../dialect.ts";
import { errorReply, type Id } from "../serve.ts";
import { adding, answering, type Fault, isSpoilable, whole } from "./fault.ts";

const none = { type: "object", properties: {} };

export const CALL: Record<string, Fault> = {
  hang: {
    about: "adds the tool hang, which never answers",
    hooks: () =>
      adding({
        name: "hang",
        description: "Never answers.",
        inputSchema: none,
        run: () => new Promise(() => {}),
      }),
  },
  "die-on-call": {
    about: "writes to stderr and exits with 3 in the midst of calls (of TOOL only, if given)",
    arg: "TOOL?",
    hooks: (arg, box) => ({
      handle: (next) => (message, out) => {
        const meant = arg === "" || message.params?.name === arg;
        if (!isSpoilable(message) || !meant) return next(message, out);
        box.log(`flaky: ${message.params.name} began\nflaky: out of luck\nflaky: core dumped\n`);
        return box.exit(3);
      },
    }),
  },
  late: {
    about: "answers the tool echo MS milliseconds late, whether or not it was cancelled",
    arg: "MS",
    hooks(arg) {
      const ms = whole(arg);
      return {
        handle: (next) => async (message, out) => {
          const reply = await next(message, out);
          if (message.params?.name === "echo") {
            await new Promise((resolve) => setTimeout(resolve, ms));
          }
          return reply;
        },
      };
    },
  },
  amnesia: {
    about: "forgets its tools once they are listed: calls are refused, and the list is empty",
    hooks: () => ({
      handle(next) {
        let listed = false;
        return async (message, out) => {
          if (listed && isSpoilable(message)) {
            return errorReply(message.id, -32602, `Unknown tool: ${message.params.name}`);
          }
          const reply = await next(message, out);
          if (message.method !== "tools/list" || !reply?.result) return reply;
          if (listed) reply.result.tools = [];
          listed = true;
          return reply;
        };
      },
    }),
  },
  "server-ping": {
    about:
      'sends ping (id 0) and roots/list (id "r1") before a call; legacy waits for both answers',
    hooks() {
      const waiting = new Map<Id, (() => void)[]>();
      const reply = (id: Id) =>
        new Promise<void>((resolve) => waiting.set(id, [...waiting.get(id) ?? [], resolve]));
      return {
        handle: (next) => async (message, out) => {
          if (message.method === undefined) {
            for (const resolve of waiting.get(message.id) ?? []) resolve();
            waiting.delete(message.id);
          } else if (isSpoilable(message) && out) {
            const both = [reply(0), reply("r1")];
            out({ jsonrpc: "2.0", id: 0, method: "ping" });
            out({ jsonrpc: "2.0", id: "r1", method: "roots/list" });
            if (!isModern(message.params)) await Promise.all(both);
          }
          return await next(message, out);
        },
      };
    },
  },
  "call-error": {
    about: "answers calls with error CODE",
    arg: "CODE",
    hooks: (arg) => answering(isSpoilable, { code: whole(arg) }),
  },
};
