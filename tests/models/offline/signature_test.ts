import assert from "node:assert/strict";
import { readSignature, splitLine } from "../../../lib/models/offline/signature.ts";
import type { Params } from "../../../lib/protocol/types.ts";
import { signature } from "../../../lib/registry/search/signature.ts";

const TEXT = { type: "string" };

function back(properties: Params, required: string[] = []) {
  return readSignature(signature({
    name: "t",
    inputSchema: { type: "object", properties, required },
  }));
}

Deno.test("readSignature() reads back what signature() wrote", () => {
  const properties = {
    query: TEXT,
    limit: { type: "integer", default: 5 },
    state: { type: "string", enum: ["open", "closed", "in progress, or so"] },
    level: { enum: [1, 2] },
    deep: { type: "boolean", default: false },
    tags: { type: "array", items: TEXT },
    kinds: { type: "array", items: { type: "string", enum: ["a", "b"] } },
    "odd: name": { type: "string", default: "x = y, z" },
    at: { type: "object", properties: { lat: { type: "number" } }, required: ["lat"] },
    __proto__x: TEXT,
  };
  assert.deepEqual(back(properties, ["query"]), {
    type: "object",
    properties,
    required: ["query"],
  });
  assert.deepEqual(back({}), { type: "object", properties: {}, required: [] });
  const union = { due: { type: ["string", "null"] }, id: { anyOf: [TEXT, { const: 1 }] } };
  assert.deepEqual(back(union).properties, { due: TEXT, id: TEXT });
});

Deno.test("readSignature() makes nothing up where a line leaves something out", () => {
  assert.deepEqual(back({ a: {} }).properties, { a: {} });
  const long = Array.from({ length: 30 }, (_, i) => [`parameter_${i}`, TEXT]);
  const read = Object.entries(back(Object.fromEntries(long)).properties as Params);
  assert.ok(read.length > 5 && read.length < 30);
  assert.deepEqual(read, long.slice(0, read.length));
  const choices = { type: "string", enum: [..."abcdefghijkl"] };
  assert.deepEqual(back({ a: choices }).properties, { a: TEXT });
});

Deno.test("splitLine() is not misled by brackets in quotes", () => {
  assert.deepEqual(splitLine('mcp__a__b("x) – no": string, y: {z: int}) – Yes (so).'), {
    name: "mcp__a__b",
    inside: '"x) – no": string, y: {z: int}',
    rest: " – Yes (so).",
  });
  assert.equal(splitLine("mcp__a__b(x"), undefined);
  assert.equal(splitLine("(x)"), undefined);
});
