import assert from "node:assert/strict";
import { readArguments, readEvent, wellFormed } from "../../../lib/models/format/arguments.ts";
import { errorOf } from "../../support/format.ts";

Deno.test("readArguments() reads objects, and nothing as an empty one", () => {
  for (const written of ["", " \n", "null", "{}"]) {
    assert.deepEqual(readArguments(written), { args: {} });
  }
  assert.deepEqual(readArguments(' { "a": [1, "ä"] }\n'), { args: { a: [1, "ä"] } });
  assert.equal(JSON.stringify(readArguments('{"__proto__":1}').args), '{"__proto__":1}');
  for (const written of ["[]", "1", '"{}"', '{"a"', "{}{}", "nul"]) {
    assert.deepEqual(readArguments(written), { args: {}, unreadable: written });
  }
});

Deno.test("readEvent() takes JSON objects and nothing else", () => {
  assert.deepEqual(readEvent('{"a":1}  '), { a: 1 });
  for (const data of ["[]", "null", '"a"', "{", "x".repeat(9000)]) {
    const error = errorOf(() => readEvent(data));
    assert.equal(error.retryable, true);
    assert(error.message.length < 200);
  }
});

Deno.test("wellFormed() mends half pairs in texts and names, and leaves all else", () => {
  assert.deepEqual(wellFormed({ "\ud83d": ["a\udc00", { b: "🌍" }], n: 1, t: true, z: null }), {
    "\ufffd": ["a\ufffd", { b: "🌍" }],
    n: 1,
    t: true,
    z: null,
  });
  assert.equal(JSON.stringify(wellFormed(JSON.parse('{"__proto__":1}'))), '{"__proto__":1}');
});
