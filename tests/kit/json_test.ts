import assert from "node:assert/strict";
import { canonical, toJson } from "../../lib/kit/json.ts";

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
    assert.match(write(circle), /^"\[no JSON: /);
    assert.equal(write(undefined), "null");
  }
});
