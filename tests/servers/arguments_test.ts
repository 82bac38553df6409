/** What complaints() says about arguments. @module */
import assert from "node:assert/strict";
import { complaints } from "../../servers/arguments.ts";

const schema = {
  type: "object",
  properties: {
    title: { type: "string", description: "What to call it" },
    count: { type: "integer", minimum: 1, maximum: 9 },
    size: { enum: ["small", "large"] },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["title"],
  additionalProperties: false,
};

Deno.test("complaints() has none about arguments that fit", () => {
  const fits = [{ title: "a" }, { title: "", count: 9, size: "small", tags: [] }];
  for (const args of fits) assert.deepEqual(complaints(args, schema), []);
  assert.deepEqual(complaints({ what: "ever" }, { type: "object" }), []);
});

Deno.test("complaints() names each argument, what it must be, and what it was", () => {
  const cases: [Record<string, unknown>, string[]][] = [
    [{}, ['"title" is missing (What to call it)']],
    [{ title: null }, ['"title" must be a string, got null']],
    [{ title: "a", count: 1.5 }, ['"count" must be an integer, got 1.5']],
    [{ title: "a", count: 0 }, ['"count" must be at least 1, got 0']],
    [{ title: "a", count: 10 }, ['"count" must be at most 9, got 10']],
    [{ title: "a", size: "huge" }, ['"size" must be one of small, large, got "huge"']],
    [{ title: "a", tags: "b" }, ['"tags" must be an array, got "b"']],
    [{ title: "a", tags: ["b", 1] }, ['"tags" must hold only items of type string, got ["b",1]']],
    [{ title: 1, count: "1" }, [
      '"title" must be a string, got 1',
      '"count" must be an integer, got "1"',
    ]],
    [{ title: "a", tilte: "b" }, [
      '"tilte" is unknown, the arguments are "title", "count", "size", "tags"',
    ]],
  ];
  for (const [args, expected] of cases) assert.deepEqual(complaints(args, schema), expected);
});

Deno.test("complaints() is not fooled by names that every object has", () => {
  const strict = { type: "object", properties: {}, required: ["toString"] };
  assert.deepEqual(complaints({}, strict), ['"toString" is missing']);
  const args = JSON.parse('{"__proto__": 1, "constructor": 2}');
  assert.deepEqual(complaints(args, { type: "object", properties: {} }), []);
});
