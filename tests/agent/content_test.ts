import assert from "node:assert/strict";
import { contentForModel } from "../../lib/agent/content.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import type { Content } from "../../lib/protocol/types.ts";

const CAP = 1_000;
const told = (result: Partial<ToolResult>, cap = CAP): Content[] =>
  contentForModel({ content: [], isError: false, ...result }, cap);
const text = (text: string): Content => ({ type: "text", text });

Deno.test("contentForModel() writes structured content out, unless a text part says the same", () => {
  const structuredContent = { b: 1, a: [2] };
  assert.deepEqual(told({ structuredContent }), [text('{"b":1,"a":[2]}')]);
  assert.deepEqual(
    told({ structuredContent, content: [text('{ "a": [2],\n "b": 1 }')] }).length,
    1,
  );
  assert.deepEqual(told({ structuredContent, content: [text("two things")] }).length, 2);
  assert.deepEqual(told({ structuredContent: "plain", content: [text("plain")] }).length, 1);
});

for (const value of [[1, 2], "text", 7, false, null]) {
  Deno.test(`contentForModel() takes structured content that is ${JSON.stringify(value)}`, () => {
    assert.deepEqual(told({ structuredContent: value }), [text(JSON.stringify(value))]);
  });
}

Deno.test("contentForModel() says when there is nothing", () => {
  assert.deepEqual(told({}), [text("(the tool returned nothing)")]);
});

Deno.test("contentForModel() cuts text at a character, and says how much was left out", () => {
  const [part] = told({ content: [text("👋".repeat(600))] }, 1_001);
  const shown = String(part!.text);
  assert(shown.isWellFormed());
  assert.match(shown, /\[… 200 of 1200 characters left out\]$/);
});

Deno.test("contentForModel() caps all parts together", () => {
  const parts = told({ content: [text("x".repeat(900)), text("y".repeat(900))] });
  assert.match(String(parts[1]!.text), /^y{100}\n\[… 800 of 900 characters left out\]$/);
});

Deno.test("contentForModel() keeps images and audio as they are, and never as text", () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png" };
  const audio = { type: "audio", data: "aGk=", mimeType: "audio/wav" };
  assert.deepEqual(told({ content: [image, audio] }), [image, audio]);
  assert.deepEqual(told({ content: [{ type: "image" }] }), [text("(an image part without data)")]);
});

Deno.test("contentForModel() puts resources, links and parts of tomorrow into words", () => {
  const words = told({
    content: [
      { type: "resource", resource: { uri: "file:///a", text: "inside" } },
      { type: "resource", resource: { uri: "file:///b", blob: "aGkh", mimeType: "x/y" } },
      { type: "resource" },
      { type: "resource_link", uri: "https://x", name: "X" },
      { type: "hologram", data: "secret" },
      { type: "text" },
    ],
  }).map((part) => String(part.text));
  assert.deepEqual(words, [
    "(resource file:///a)\ninside",
    "(resource file:///b, x/y, 3 bytes, not shown)",
    "(a resource part without a resource)",
    '(a link to the resource https://x, "X")',
    '(a part of unknown type "hologram")',
    "(a text part without text)",
  ]);
});

Deno.test("contentForModel() mends lone surrogates, which no model API takes", () => {
  assert.deepEqual(told({ content: [text("a\ud800b")] }), [text("a\ufffdb")]);
});

Deno.test("contentForModel() appends our notes, and survives content nested 100,000 deep", () => {
  let deep: unknown = 0;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  const parts = told({ structuredContent: deep, notes: ["odd"] });
  assert.match(String(parts[0]!.text), /^\[{1000}\n\[… \d+ of \d+ characters left out\]$/);
  assert.deepEqual(parts.at(-1), text("[note by fusebox: odd]"));
});
