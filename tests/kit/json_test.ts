import assert from "node:assert/strict";
import { canonical, jsonLength, printableJson, toJson } from "../../lib/kit/json.ts";

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

Deno.test("jsonLength() is about as long as the JSON, and stops where it is more than was asked for", () => {
  const values = [null, "", "text", 7, -1.5, true, [], {}, [1, "a", null], { a: { b: [1, 2] } }];
  for (const value of values) {
    const [about, real] = [jsonLength(value), JSON.stringify(value).length];
    assert(about >= real && about <= real + 6, `${real} is ${about}`);
  }
  const large = Array.from({ length: 1_000_000 }, () => "x".repeat(10));
  assert(jsonLength(large, 100) > 100);
  assert.equal(jsonLength(["x".repeat(50)], 100), 55);
});

Deno.test("jsonLength() looks into what is nested a hundred thousand times", () => {
  let value: unknown = {};
  for (let level = 0; level < 100_000; level++) value = { a: value };
  assert(jsonLength(value) >= 600_000);
  assert(jsonLength(value, 1_000) < 2_000);
});

Deno.test("toJson() does not indent what is nested deep: blanks would be a thousand times the rest", () => {
  let value: unknown = 1;
  for (let level = 0; level < 5_000; level++) value = [value];
  assert.equal(toJson(value, 2).length, 10_001);
  assert.equal(toJson([[1]], 2), "[\n  [\n    1\n  ]\n]");
});
