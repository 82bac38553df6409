/** All kinds of frames that an honest server writes, in both dialects: what a fuzzer begins with. @module */
import type { Json } from "./mutate.ts";

const META = "io.modelcontextprotocol/";
const SCHEMA = {
  type: "object",
  properties: {
    query: { type: "string", description: "What to look for", minLength: 1, pattern: "^\\w+" },
    limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
    state: { enum: ["open", "closed", null] },
    tags: { type: "array", items: { type: "string", format: "uri" }, maxItems: 5 },
    filter: { anyOf: [{ $ref: "#/$defs/filter" }, { type: "null" }] },
  },
  required: ["query"],
  additionalProperties: false,
  $defs: {
    filter: {
      type: "object",
      properties: { and: { type: "array", items: { $ref: "#/$defs/filter" } } },
      patternProperties: { "^x-": { oneOf: [{ type: "string" }, { type: "number" }] } },
    },
  },
};
const OUTPUT = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { hits: { type: "array", items: [{ type: "string" }], additionalItems: true } },
  if: { required: ["hits"] },
  then: { minProperties: 1 },
  else: false,
};

export const TOOLS: readonly Json[] = [
  {
    name: "search",
    title: "Search",
    description: "Finds things.\n\nUse it first. 漢字 👋",
    inputSchema: SCHEMA,
    outputSchema: OUTPUT,
    annotations: { title: "Find", readOnlyHint: true, openWorldHint: false },
    icons: [{ src: "data:image/png;base64,AA==", mimeType: "image/png" }],
    _meta: { "example.com/rank": 1 },
  },
  { name: "delete_all", inputSchema: { type: "object" }, annotations: { destructiveHint: true } },
  { name: "a.b/c d", description: "", inputSchema: { type: "object", properties: {} } },
];

export const RESULTS: readonly Json[] = [
  { content: [{ type: "text", text: "plain" }] },
  {
    content: [{ type: "text", text: '{"hits":["a",1]}' }],
    structuredContent: { hits: ["a", 1] },
    isError: false,
  },
  {
    content: [
      { type: "text", text: "first", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "in it" } },
      { type: "resource", resource: { uri: "file:///b", blob: "AAEC" } },
      { type: "resource_link", uri: "https://example.com/r", name: "report", size: 7 },
      { type: "hologram", data: "…" },
    ],
    _meta: { took: 1 },
  },
  { content: [{ type: "text", text: "no such thing" }], isError: true },
  { content: [], structuredContent: null },
];

const result = (id: Json, result: Json) => ({ jsonrpc: "2.0", id, result });
const error = (id: Json, code: number, message: string, data?: Json) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, ...(data !== undefined && { data }) },
});
const info = { name: "frames", title: "Frames", version: "1.0.0" };
const capabilities = { tools: { listChanged: true }, logging: {} };

export type Kind = "modern" | "legacy";
export type Choose = <T>(from: readonly T[]) => T;

/** What a server of this kind writes when it is sent this, the answer last; nothing to a notice. */
export function answers(kind: Kind, message: Json, choose: Choose): Json[] {
  const { id, method, params = {} } = message;
  if (id === undefined || method === undefined) return [];
  const complete = kind === "modern" ? { resultType: "complete" } : {};
  switch (method) {
    case "server/discover":
      return kind === "legacy" ? [error(id, -32601, "Method not found")] : [result(id, {
        ...complete,
        supportedVersions: ["2026-07-28"],
        capabilities,
        instructions: "Be kind.",
        ttlMs: 1_000,
        cacheScope: "public",
        _meta: { [`${META}serverInfo`]: info },
      })];
    case "initialize":
      return [result(id, {
        protocolVersion: "2025-11-25",
        capabilities,
        serverInfo: info,
        instructions: "Be kind.",
      })];
    case "tools/list": {
      const page = Number(params.cursor ?? 1);
      const next = page < 4 ? { nextCursor: `${page + 1}` } : {};
      const tools = page === 1 ? TOOLS : [{ ...choose(TOOLS), name: `tool_${page}` }];
      return [result(id, { ...complete, tools, ...next, ttlMs: 5, cacheScope: "private" })];
    }
    case "tools/call": {
      const progressToken = params._meta?.progressToken;
      const progress = [1, 2].map((progress) => ({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken, progress, total: 2, message: `step ${progress}` },
      }));
      const refusal = error(id, -32602, "Unknown tool", { tool: params.name });
      const kept = choose([true, true, true, false]);
      return [...progress, kept ? result(id, { ...complete, ...choose(RESULTS) }) : refusal];
    }
    default:
      return [error(id, -32601, "Method not found")];
  }
}

/** What a server writes unasked, and answers to calls that nobody made. */
export function strays(id: number): Json[] {
  return [
    { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "hello" } },
    {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: id, progress: 1 },
    },
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } },
    { jsonrpc: "2.0", id: 0, method: "ping" },
    { jsonrpc: "2.0", id: "r1", method: "roots/list" },
    { jsonrpc: "2.0", id, method: "sampling/createMessage", params: { messages: [] } },
    { jsonrpc: "2.0", id: -7, method: "elicitation/create", params: { message: "password?" } },
    result(999, { content: [{ type: "text", text: "late" }] }),
    error(999, -32000, "late"),
    { jsonrpc: "2.0", error: { code: -32700, message: "Parse error" }, id: null },
    [result(1, {}), result(2, {})],
    { level: 30, time: 1, msg: "listening", id: 3 },
  ];
}
