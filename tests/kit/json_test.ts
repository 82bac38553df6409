import assert from "node:assert/strict";
import { canonical, printableJson, toJson } from "../../lib/kit/json.ts";

Deno.test("canonical() writes the same value in the same bytes, whatever the order of its keys", () => {
  assert.equal(
    canonical({ b: 1, a: { d: [{ f: 1, e: 2 }], c: null } }),
    '{"a":{"c":null,"d":[{"e":2,"f":1}]},"b":1}',
  );
  assert.equal(canonical(JSON.parse('{"__proto__":1,"a":2}')), '{"__proto__":1,"a":2}');
});

Deno.test("canonical() and toJson() give a note for what is no JSON, and never throw", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const write of [canonical, toJson]) {
    assert.match(write(circle), /no JSON|nested too deep/);
    assert.equal(write(undefined), "null");
  }
});

Deno.test("toJson() and printableJson() lose no more than the deep part of a document, indented or not", () => {
  let deep: unknown = 0;
  for (let n = 0; n < 10_000; n++) deep = { a: [deep] };
  const joined = ["text", "that", "is", "not", "flat"].join(" ");
  for (const write of [toJson, printableJson]) {
    for (const indent of [undefined, 2]) {
      const read = JSON.parse(write({ before: [1], deep, joined, after: { b: 2 } }, indent));
      assert.deepEqual([read.before, read.joined, read.after], [[1], joined, { b: 2 }]);
    }
  }
});

Deno.test("printableJson() says the same in escapes, lone surrogates among them", () => {
  const value = { "\u202e\x1b[2J": ["\ud800", "\u{e0041}", "\u200b", "\x7f", "😀"] };
  for (const indent of [undefined, 2]) {
    const written = printableJson(value, indent);
    assert.deepEqual(JSON.parse(written), value);
    // deno-lint-ignore no-control-regex -- looking for what must not be there
    assert.doesNotMatch(written, /[\x00-\x09\x0b-\x1f\x7f\u200b\u202e]|[\u{e0000}-\u{e0fff}]/u);
  }
});
