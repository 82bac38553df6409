import assert from "node:assert/strict";
import { saysTheSame } from "../../lib/agent/same.ts";

const SAME: [what: string, texts: string[], value: unknown][] = [
  ["JSON in another order and with blanks", ['\n{ "b" : 1.0, "a" : [ ] }\n'], { a: [], b: 1 }],
  ["a word in quotes", ['"word"'], "word"],
  ["a plain word", ["word"], "word"],
  ["a number in another spelling", ["1e2"], 100],
  ["null", ["null"], null],
  ["a member called __proto__", ['{"__proto__":1}'], JSON.parse('{"__proto__":1}')],
  ["letters as escapes", ['{"\\u0061":"\\ud83d\\ude00"}'], { a: "😀" }],
  ["JSON in many lines", ['{\n  "a": [\n    1,\n    2\n  ]\n}'], { a: [1, 2] }],
  ["JSON in a code fence", ['```json\n{"a":1}\n```\n'], { a: 1 }],
  ["one part among others", ["Found one.", '{"a":1}'], { a: 1 }],
  ["a list wrapped by the server", ["[1,2]"], { result: [1, 2] }],
  ["a word wrapped by the server", ["word"], { result: "word" }],
  ["a part for each item", ['{"n":1}', '{"n":2}'], { result: [{ n: 1 }, { n: 2 }] }],
  ["a part for each word", ["a", "b"], ["a", "b"]],
  ["a line for each item", ['{"n":1}\n{"n":2}\n'], [{ n: 1 }, { n: 2 }]],
  ["JSON in pieces", ['{"a":', "1}"], { a: 1 }],
];
for (const [what, texts, value] of SAME) {
  Deno.test(`saysTheSame() knows ${what}`, () => assert.equal(saysTheSame(texts, value), true));
}

const OTHER: [texts: string[], value: unknown][] = [
  [['{"a":[2,1]}'], { a: [1, 2] }],
  [['{"a":1}'], { a: "1" }],
  [['{"a":null}'], {}],
  [["{}"], []],
  [["0"], false],
  [['{"a":1} '], [{ a: 1 }]],
  [["word"], { result: "word", more: 1 }],
  [["word"], { answer: "word" }],
  [["a", "c"], ["a", "b"]],
  [["a"], ["a", "b"]],
  [["[]"], { result: {} }],
  [[], []],
  [["Here it is: 7"], 7],
];
for (const [texts, value] of OTHER) {
  Deno.test(`saysTheSame() tells ${JSON.stringify(texts)} from ${JSON.stringify(value)}`, () =>
    assert.equal(saysTheSame(texts, value), false));
}

Deno.test("saysTheSame() does not look where values are nested too deep to be told apart", () => {
  const nested = (inner: unknown) => {
    let value = inner;
    for (let n = 0; n < 200; n++) value = [value];
    return value;
  };
  assert.equal(saysTheSame([JSON.stringify(nested(1))], nested(2)), false);
});
