import assert from "node:assert/strict";
import { readArguments } from "../../lib/cli/arguments.ts";
import { UsageError } from "../../lib/kit/usage.ts";

const SCHEMA = {
  type: "object",
  properties: {
    text: { type: "string" },
    count: { type: "integer" },
    ratio: { type: ["number", "null"] },
    on: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
    ids: { type: "array", items: { type: "integer" } },
    more: { type: "object" },
    any: {},
    level: { enum: ["low", "high"] },
    either: { anyOf: [{ type: "integer" }, { type: "string" }] },
    opt: { anyOf: [{ type: "integer" }, { type: "null" }] },
  },
};

const CASES: [words: string[], wanted: unknown][] = [
  [[], {}],
  [['{"a": {"b": [1]}}'], { a: { b: [1] } }],
  [["text=42"], { text: "42" }],
  [["text="], { text: "" }],
  [["text=a=b"], { text: "a=b" }],
  [["count=42", "ratio=-1.5", "on=true"], { count: 42, ratio: -1.5, on: true }],
  [["ratio=null"], { ratio: null }],
  [["tags=a,b"], { tags: ["a", "b"] }],
  [["tags=a", "tags=b,c"], { tags: ["a", "b,c"] }],
  [["tags="], { tags: [] }],
  [['tags=["x,y"]'], { tags: ["x,y"] }],
  [["ids=1,2"], { ids: [1, 2] }],
  [['more={"a":1}'], { more: { a: 1 } }],
  [["any=7", "any=8", "unknown=a", "unknown=b"], { any: [7, 8], unknown: ["a", "b"] }],
  [["any=7", "unknown=text", "flag=true"], { any: 7, unknown: "text", flag: true }],
  [["level=low"], { level: "low" }],
  [["either=7"], { either: "7" }],
  [["opt=7"], { opt: 7 }],
  [["opt=null"], { opt: null }],
  [["toString=x"], { toString: "x" }],
];

for (const [words, wanted] of CASES) {
  Deno.test(`readArguments() reads ${words.join(" ") || "nothing"}`, () => {
    assert.deepEqual(readArguments(words, SCHEMA), wanted);
  });
}

Deno.test("readArguments() takes __proto__ for a key like any other", () => {
  const read = readArguments(["__proto__=1"], { type: "object" });
  assert.equal(JSON.stringify(read), '{"__proto__":1}');
  assert.equal(Object.getPrototypeOf(read), Object.prototype);
});

const WRONG: [words: string[], message: RegExp][] = [
  [["{oops"], /Cannot read ARGS/],
  [["[1]"], /"\[1\]": it is JSON, but no object/],
  [["null"], /JSON, but no object/],
  [['{"text": "a=b"}', "count=1"], /a JSON object is all of them, and stands alone/],
  [["count=1", "-"], /stdin is all of them/],
  [["text=a", "text=b"], /text is given twice/],
  [["word"], /neither JSON nor key=value/],
  [["=x"], /neither JSON nor key=value/],
  [["count=many"], /count takes integer/],
  [["count=1.5"], /count takes integer/],
  [["on=yes"], /on takes boolean/],
  [["more=x"], /more takes a JSON object/],
];

for (const [words, message] of WRONG) {
  Deno.test(`readArguments() refuses ${words.join(" ")}`, () => {
    assert.throws(
      () => readArguments(words, SCHEMA),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}

Deno.test("readArguments() suggests a parameter where the tool allows no others", () => {
  const schema = { ...SCHEMA, additionalProperties: false };
  assert.throws(
    () => readArguments(["coutn=1"], schema),
    (error) => error instanceof UsageError && /Did you mean count\?/.test(error.hint ?? ""),
  );
});
