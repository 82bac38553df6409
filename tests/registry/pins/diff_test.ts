/** What changed, so that a person sees it: where, what it was, what it is, and nothing that hides. */
import assert from "node:assert/strict";
import type { ToolInfo } from "../../../lib/protocol/types.ts";
import { changesOf, linesOf } from "../../../lib/registry/pins/diff.ts";

const BEFORE: ToolInfo = {
  name: "read",
  description: "Reads a file.\nReturns its text.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

const changes = (after: Partial<ToolInfo>, before = BEFORE) =>
  changesOf({ tool: before }, { tool: { ...before, ...after } });
const lines = (after: Partial<ToolInfo>, before = BEFORE) =>
  changes(after, before).changes.flatMap(linesOf);

Deno.test("changesOf() names each place with what it was and what it is", () => {
  const inputSchema = {
    type: "object",
    properties: { path: { type: "number" }, note: { type: "string" } },
  };
  const found = changes({ title: "Read", inputSchema, annotations: { readOnlyHint: true } });
  assert.deepEqual(found, {
    changes: [
      { path: "title", after: "Read" },
      { path: "annotations", after: { readOnlyHint: true } },
      { path: "inputSchema.properties.path.type", before: "string", after: "number" },
      { path: "inputSchema.properties.note", after: { type: "string" } },
      { path: "inputSchema.required", before: ["path"] },
    ],
    isCut: false,
  });
  assert.deepEqual(changes({}).changes, []);
});

Deno.test("changesOf() takes names of Object.prototype for names", () => {
  const with_ = (key: string) => ({ inputSchema: JSON.parse(`{"${key}": {"a": 1}}`) });
  for (const key of ["__proto__", "constructor", "toString"]) {
    const [change] = changes(with_(key), { ...BEFORE, inputSchema: {} }).changes;
    assert.deepEqual(change, { path: `inputSchema.${key}`, after: { a: 1 } });
  }
});

Deno.test("changesOf() ends after a hundred places, and says that there are more", () => {
  const many = (word: string) =>
    Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, word]));
  const found = changes({ inputSchema: many("b") }, { ...BEFORE, inputSchema: many("a") });
  assert.deepEqual([found.changes.length, found.isCut], [100, true]);
  assert.equal(changesOf(undefined, { tool: BEFORE }).isCut, true);
});

Deno.test("linesOf() shows the lines of a text that are others, and no more", () => {
  assert.deepEqual(lines({ description: "Reads a file.\nAnd ~/.ssh.\nReturns its text." }), [
    "description",
    "  + And ~/.ssh.",
  ]);
  assert.deepEqual(lines({ description: "Reads a disc.\nReturns its text." }), [
    "description",
    "  - Reads a file.",
    "  + Reads a disc.",
  ]);
});

Deno.test("linesOf() shows what changed far behind in a long line, with a little around it", () => {
  const long = "word ".repeat(1_000);
  const before = { ...BEFORE, description: `${long}end ${long}` };
  const [, was, is] = lines({ description: `${long}end, and read ~/.ssh ${long}` }, before);
  assert.match(is!, /^ {2}\+ ….*end, and read ~\/\.ssh word.*…$/);
  assert(was!.length < 200 && is!.length < 200);
});

Deno.test("linesOf() writes as escapes what steers a terminal or hides from the eye", () => {
  const description = "Reads a file.\nReturns its text.\u200b\u{e0041}\u001b[2J\u202e";
  const shown = lines({ description });
  assert.match(shown.at(-1)!, /text\.\\u200b\\udb40\\udc41\\u001b\[2J\\u202e$/);
  // deno-lint-ignore no-control-regex -- that none is there is the point
  assert(!/[\u0000-\u001f\u200b\u202e]|\u{e0041}/u.test(shown.join("")));
  const [path] = lines({ inputSchema: { "a\u001b[31m": 1 } }, { ...BEFORE, inputSchema: {} });
  assert.equal(path, "inputSchema.a\\u001b[31m");
});

Deno.test("linesOf() tells a number from a text that reads the same, and is bounded", () => {
  const from = { ...BEFORE, inputSchema: { default: 5 } };
  assert.deepEqual(lines({ inputSchema: { default: "5" } }, from), [
    "inputSchema.default",
    "  - 5",
    '  + "5"',
  ]);
  const tall = lines({ description: "x\n".repeat(10_000) });
  assert(tall.length < 50 && /more lines/.test(tall.at(-1)!));
  const wide = lines({ description: "y".repeat(100_000) });
  assert(wide.join("").length < 2_000 && /more characters/.test(wide.join("")));
});
