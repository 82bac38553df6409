/** Servers that no test of `servers/flaky.ts` needs: one function each, in memory or as `wild.ts NAME [ARG]`. @module */
import type { Opener } from "../../lib/client/handshake.ts";
import { realClock } from "../../lib/cli/world.ts";
import { stdioTransport } from "../../lib/transport/stdio.ts";
import { dialectFrom, type DialectOptions } from "../../servers/dialect.ts";
import {
  type Handler,
  type Message,
  serveStdio,
  stdio,
  type Wire as Bytes,
} from "../../servers/serve.ts";
import { says, server, type Tool } from "../../servers/server.ts";
import { command, inMemory, type OpenOptions, program, type Wire } from "./wire.ts";

const ANY = { type: "object", properties: {}, additionalProperties: true };

const tool = (name: string, run: Tool["run"], more: Partial<Tool> = {}): Tool => ({
  name,
  description: "A tool of a test.",
  inputSchema: ANY,
  run,
  ...more,
});
const echo = tool("echo", (args) => says(JSON.stringify(args), args));
const of = (tools: Tool[], options: DialectOptions) =>
  server({ name: "wild", version: "1.0.0", tools, ...options });

/** `{"a": {"a": …}}` or the like, so many levels deep. */
export function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

/** What a server may answer to `server/discover` that is neither a result nor an error. */
export const GARBAGE: readonly Message[] = [
  {},
  { error: "no" },
  { error: { message: "no code" } },
  { error: { code: "-32601", message: "a code in quotes" } },
  { error: null, result: null },
  { result: "yes" },
  { result: [] },
  { result: {} },
  { result: { supportedVersions: "2026-07-28" } },
  { result: { tools: [] } },
];

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const PAIR = {
  $schema: DRAFT_07,
  type: "array",
  // In 2020-12 a list of `items` is an error, and `additionalItems` means nothing.
  items: [{ $ref: "#/definitions/word" }, { type: "integer" }],
  additionalItems: false,
  definitions: { word: { type: "string" } },
};
const COUNT = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

/** Tools named for what they return, each with the `outputSchema` that promises it, or does not. */
function results(remote: string): Tool[] {
  const returning = (name: string, value: unknown, outputSchema?: Message) =>
    tool(name, () => says(`This is ${name}.`, value), { ...(outputSchema && { outputSchema }) });
  return [
    returning("array", [1, "two", null], { type: "array" }),
    returning("scalar", 7, { type: "integer" }),
    returning("text", "word", { type: "string", minLength: 1 }),
    returning("no", false, { type: "boolean" }),
    returning("null", null, { type: "null" }),
    returning("plain", { any: "thing" }),
    returning("mismatch", { count: "many" }, COUNT),
    returning("array-mismatch", [1, 2], COUNT),
    returning("null-mismatch", null, COUNT),
    returning("draft-07", ["one", 1], PAIR),
    returning("draft-07-mismatch", ["one", 1, "more"], PAIR),
    returning("dialect", { count: 1 }, { ...COUNT, $schema: "https://example.com/my-own" }),
    returning("remote", { count: 1 }, { $ref: remote }),
    returning("remote-deep", { a: 1 }, { type: "object", properties: { a: { $ref: remote } } }),
    returning("loop", { count: 1 }, { $ref: "#" }),
  ];
}

type Make = (options: DialectOptions, arg: string) => Handler;

const SERVERS: Readonly<Record<string, Make>> = {
  /** Answers discover with the nth piece of {@linkcode GARBAGE}; else legacy. */
  garbage: (options, arg) => {
    const next = of([echo], { dialect: "legacy", ...options });
    return (message, out) =>
      message.method === "server/discover"
        ? Promise.resolve({ jsonrpc: "2.0", id: message.id, ...GARBAGE[Number(arg)] })
        : next(message, out);
  },
  /** Answers `late` when it is told that nobody wants the answer any more, and then once more. */
  late: (options) => {
    const next = of([echo, tool("late", () => says("never"))], options);
    return (message, out) => {
      if (message.params?.name === "late") return Promise.resolve(undefined);
      if (message.method === "notifications/cancelled") {
        const content = [{ type: "text", text: "too late" }];
        const result = { resultType: "complete", content };
        for (let twice = 0; twice < 2; twice++) {
          out?.({ jsonrpc: "2.0", id: message.params.requestId, result });
        }
      }
      return next(message, out);
    };
  },
  /** Its result has the resultType that the argument `as` names. */
  "result-type": (options) => {
    const next = of([echo], options);
    return async (message, out) => {
      const reply = await next(message, out);
      if (message.method === "tools/call") reply.result.resultType = message.params.arguments.as;
      return reply;
    };
  },
  /** Its replies have both members, as in JSON-RPC 1.0: the one that is not meant is null. */
  "old-style": (options) => {
    const next = of([echo], options);
    return async (message, out) => {
      const reply = await next(message, out);
      return reply && { result: null, error: null, ...reply };
    };
  },
  /** Calls its client before it answers anything at all, with id 1, which is in use on our side. */
  curious: (options) => {
    const next = of([echo], options);
    let asked = false;
    return (message, out) => {
      if (!asked) {
        asked = true;
        out?.({ jsonrpc: "2.0", id: 1, method: "ping" });
        out?.({ jsonrpc: "2.0", id: "", method: "sampling/createMessage", params: {} });
      }
      return next(message, out);
    };
  },
  results: (options, arg) => of(results(arg || "https://127.0.0.1:9/schema.json"), options),
  /** Tools that say no without a word of text. */
  noes: (options) =>
    of([
      tool("mute", () => ({ content: [], isError: true })),
      tool("structured", () => ({ content: [], structuredContent: { why: 1 }, isError: true })),
      tool("picture", () => ({
        content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
        isError: true,
      })),
    ], options),
  /** Schemas and values 10,000 levels deep. */
  deep: (options) => {
    const outputSchema = nested(10_000, (inner) => ({ properties: { a: inner } })) as Message;
    const value = nested(10_000, (inner) => ({ a: inner }));
    const list = { properties: { a: { $ref: "#" } }, additionalProperties: false };
    return of([
      echo,
      tool("deep-schema", () => says("shallow", { a: { a: {} } }), { outputSchema }),
      tool("deep-value", () => says("deep", value), { outputSchema: list }),
    ], options);
  },
  /** Names that differ in case only, and one that another server has too. */
  alike: (options, arg) => {
    const named = ["search", "Search", "SEARCH"].map((name) =>
      tool(name, () => says(`${name} of ${arg}`))
    );
    return of(named, options);
  },
  /** A cursor that goes to and fro between two pages. */
  pendulum: (options) => {
    const next = of([tool("one", () => says("1")), tool("two", () => says("2"))], options);
    return async (message, out) => {
      if (message.method !== "tools/list") return await next(message, out);
      const { cursor, ...params } = message.params;
      const reply = await next({ ...message, params }, out);
      const [one, two] = reply.result.tools;
      reply.result.tools = [cursor === "b" ? two : one];
      reply.result.nextCursor = cursor === "b" ? "a" : "b";
      return reply;
    };
  },
  /** Talks `count` times before it answers `talk`: a notice for each number, in order. */
  talkative: (options) =>
    of([
      echo,
      tool("talk", ({ count }, call) => {
        for (let n = 1; n <= count; n++) call.progress(n, count, `line ${n}`);
        return says("said all");
      }),
    ], options),
};

/** The server `name` over this wire. */
export function wild(
  wire: Wire,
  name: string,
  options: OpenOptions & { arg?: string } = {},
): Opener {
  const { era, arg = "" } = options;
  if (wire === "memory") {
    return () => inMemory(SERVERS[name]!(era ? { dialect: era } : {}, arg), options.log);
  }
  const args = ["tests/support/wild.ts", name, arg, ...era ? [`--${era}`] : []];
  return () => program(args, options);
}

/** What `sh` does to shake hands in this era, line by line. The next id is 2, or 3 in the legacy one. */
const GREETINGS: Readonly<Record<"modern" | "legacy", string>> = {
  modern: `read -r line
echo '{"id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}'`,
  legacy: `read -r line
echo '{"id":1,"error":{"code":-32601,"message":"Method not found"}}'
read -r line
echo '{"id":2,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{}}}'
read -r line`,
};

/**
 * A server that is a few lines of `sh`: it shakes hands, and then does just this. What crosses to one
 * that is not `watched` is kept nowhere, for it is too much.
 */
export function shell(
  script: string,
  { watched = true, ...options }: OpenOptions & { watched?: boolean } = {},
): Opener {
  const greeting = GREETINGS[options.era === "legacy" ? "legacy" : "modern"];
  const args = ["-c", `${greeting}\n${script}`];
  if (watched) return () => command("sh", args, options);
  const { clock = realClock } = options;
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  return () => stdioTransport({ command: "sh", args, env, clock });
}

/** All that is said in one turn of the event loop leaves in one write, as from a server in a hurry. */
function inOneGo(wire: Bytes): Bytes {
  let held: Uint8Array<ArrayBuffer>[] = [];
  const flush = async () => {
    const all = new Uint8Array(await new Blob(held).arrayBuffer());
    held = [];
    for (let at = 0; at < all.length;) at += await wire.write(all.subarray(at));
  };
  return {
    ...wire,
    write(part) {
      if (held.length === 0) setTimeout(() => flush().catch(() => {}), 0);
      held.push(new Uint8Array(part));
      return Promise.resolve(part.length);
    },
  };
}

if (import.meta.main) {
  const [name, arg, ...flags] = Deno.args;
  await serveStdio(SERVERS[name!]!(dialectFrom(flags), arg ?? ""), inOneGo(stdio()));
}
