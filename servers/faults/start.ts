/** Faults of the start and of the handshake. @module */
import { isModern, LEGACY, MODERN } from "../dialect.ts";
import { errorReply, type Message } from "../serve.ts";
import { answering, type Fault, forever, rewriting, speaking, whole } from "./fault.ts";

const isDiscover = (message: Message) => message.method === "server/discover";
const MODERN_CODES = [-32020, -32021, -32022];

function requestedBy(message: Message): unknown {
  return message.params?._meta?.["io.modelcontextprotocol/protocolVersion"];
}

export const START: Record<string, Fault> = {
  banner: {
    about: "prints lines of text, a JSON string, a number and [] to stdout before anything else",
    hooks: (_, box) => ({
      start: () => box.print('Flaky server, version 1.0\nReady.\n"listening"\n42\n[]\n'),
    }),
  },
  "exit-at-start": {
    about: "writes three lines to stderr and exits with CODE",
    arg: "CODE",
    hooks(arg, box) {
      const code = whole(arg);
      return {
        start() {
          box.log("flaky: reading settings\nflaky: no such file: flaky.toml\nflaky: giving up\n");
          box.exit(code);
        },
      };
    },
  },
  "slow-start": {
    about: "reads nothing for the first MS milliseconds",
    arg: "MS",
    hooks(arg) {
      const ms = whole(arg);
      return { start: () => new Promise((resolve) => setTimeout(resolve, ms)) };
    },
  },
  "stdin-unread": {
    about: "never reads its stdin, not even the end of it",
    hooks: () => ({
      wire: (next) => ({ ...next, readable: new ReadableStream({ pull: () => forever() }) }),
    }),
  },
  mute: {
    about: "reads everything and answers nothing",
    hooks: () => answering(() => true),
  },
  "mute-discover": {
    about: "does not answer server/discover; else legacy",
    hooks: () => ({ ...answering(isDiscover), ...speaking("legacy") }),
  },
  "die-on-discover": {
    about:
      "exits when the first call is not initialize, as servers on the Rust SDK do; else legacy",
    hooks(_, box) {
      let first = true;
      return {
        ...speaking("legacy"),
        handle: (next) => (message, out) => {
          if (message.id !== undefined && first) {
            first = false;
            if (message.method !== "initialize") {
              box.log(`flaky: expected initialize, got ${message.method}\n`);
              box.exit(1);
            }
          }
          return next(message, out);
        },
      };
    },
  },
  "discover-error": {
    about: "answers server/discover with error CODE; else legacy, or modern for -32020 to -32022",
    arg: "CODE",
    hooks(arg) {
      const code = whole(arg);
      const data = code === -32021
        ? { requiredCapabilities: { elicitation: {} } }
        : code === -32022
        ? { supported: [MODERN], requested: MODERN }
        : undefined;
      return {
        ...answering(isDiscover, { code, data }),
        ...speaking(MODERN_CODES.includes(code) ? "modern" : "legacy"),
      };
    },
  },
  unsupported: {
    about:
      "answers the first server/discover, and all modern calls of other versions, with -32022 and this list; " +
      "serves the versions of the list that exist",
    arg: "V1,V2",
    hooks(arg) {
      const supported = arg.split(",");
      let first = true;
      return {
        ...speaking(supported.some((version) => LEGACY.includes(version)) ? "dual" : "modern"),
        handle: (next) => (message, out) => {
          const requested = requestedBy(message);
          const refused = isModern(message.params) && !supported.includes(requested as string) ||
            isDiscover(message) && first;
          if (message.id === undefined || !refused) return next(message, out);
          if (isDiscover(message)) first = false;
          const why = `Unsupported protocol version: ${requested}`;
          return Promise.resolve(
            errorReply(message.id, -32022, why, { supported, requested }),
          );
        },
      };
    },
  },
  "unsupported-bare": {
    about: "answers server/discover with -32022 and no data",
    hooks: () => answering(isDiscover, { code: -32022 }),
  },
  "discover-then-legacy": {
    about: "answers server/discover, but is legacy for good once initialize has arrived",
    hooks() {
      let pinned = false;
      return {
        ...speaking("dual"),
        handle: (next) => (message, out) => {
          if (message.method === "initialize") pinned = true;
          if (!pinned) return next(message, out);
          if (isDiscover(message)) {
            return Promise.resolve(errorReply(message.id, -32601, "Method not found"));
          }
          const { _meta, ...params } = message.params ?? {};
          const kept = _meta?.progressToken === undefined
            ? params
            : { ...params, _meta: { progressToken: _meta.progressToken } };
          return next({ ...message, params: kept }, out);
        },
      };
    },
  },
  "refuse-handshake": {
    about: "answers server/discover and initialize with error CODE",
    arg: "CODE",
    hooks: (arg) =>
      answering((message) => isDiscover(message) || message.method === "initialize", {
        code: whole(arg),
      }),
  },
  "init-version": {
    about: "answers initialize with protocol version VERSION; legacy",
    arg: "VERSION",
    hooks: (protocolVersion) => ({
      ...speaking("legacy"),
      ...rewriting(
        (message) => message.method === "initialize",
        (result) => ({ ...result, protocolVersion }),
      ),
    }),
  },
  "no-handshake-needed": {
    about: "legacy, but serves tools before initialize, as most servers do",
    hooks: () => ({
      setup(description) {
        description.dialect ??= "legacy";
        description.handshake = "optional";
      },
    }),
  },
};
