/** JSON Schemas of strangers: right verdicts, readable problems, and an end to every check. @module */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type Schema, validate } from "@cfworker/json-schema";
import { checkValue, schemaProblem } from "../../lib/protocol/schema.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

function isValid(schema: unknown, value: unknown): boolean {
  const verdict = checkValue(schema, value);
  assert(verdict.kind !== "unchecked", `${JSON.stringify(verdict)} for ${JSON.stringify(schema)}`);
  return verdict.kind === "valid";
}

function problemsOf(schema: unknown, value: unknown): readonly string[] {
  const verdict = checkValue(schema, value);
  return verdict.kind === "invalid" ? verdict.problems : [verdict.kind];
}

function whyUnchecked(schema: unknown, value: unknown = null): string {
  const verdict = checkValue(schema, value);
  return verdict.kind === "unchecked" ? verdict.why : verdict.kind;
}

/** `wrap` applied to `core` that many times. */
function nested(times: number, wrap: (inner: unknown) => unknown, core: unknown = {}): unknown {
  for (let i = 0; i < times; i++) core = wrap(core);
  return core;
}

function numbered<T>(count: number, make: (i: number) => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, make(i)]));
}

Deno.test("checkValue() accepts any JSON value as the thing to check", () => {
  for (const value of [[], [1], {}, "text", "", 0, 1.5, true, false, null]) {
    assertEquals(checkValue({}, value), { kind: "valid" });
    assertEquals(checkValue(true, value), { kind: "valid" });
    assertEquals(checkValue(false, value).kind, "invalid");
  }
  assert(isValid({ type: "array", items: { type: "integer" } }, [1, 2.0, 3]));
  assert(isValid({ type: "null" }, null));
});

Deno.test("checkValue() agrees with an independent validator", () => {
  const parts: Record<string, unknown>[] = [
    { type: "object" },
    { type: ["integer", "null"] },
    { const: { a: [1, { b: 2 }] } },
    { enum: [1, "a", null, [1, 2], { a: 1 }] },
    { minLength: 2, maxLength: 3 },
    { pattern: "^[a-z]+\\d?$" },
    { minimum: 1, exclusiveMaximum: 10 },
    { multipleOf: 0.1 },
    { minItems: 1, maxItems: 2, uniqueItems: true },
    { contains: { type: "string" } },
    { properties: { a: { type: "integer" }, ["toString"]: { type: "string" } }, required: ["a"] },
    { properties: { a: {} }, patternProperties: { "^x-": { type: "string" } } },
    { propertyNames: { maxLength: 3 }, minProperties: 1, maxProperties: 2 },
    { items: { $ref: "#/$defs/leaf" } },
  ];
  const schemas = [
    ...parts,
    ...parts.map((part) => ({ not: part })),
    ...parts.map((part) => ({ additionalProperties: part, properties: { a: true } })),
    ...parts.flatMap((a) => parts.map((b) => ({ anyOf: [a, b] }))),
    ...parts.flatMap((a) => parts.map((b) => ({ oneOf: [a, b] }))),
    ...parts.map((part, i) => ({ if: part, then: parts[i + 1] ?? {}, else: parts[0]! })),
    ...parts.map((part) => ({ allOf: [part, { $ref: "#/$defs/leaf" }] })),
    ...parts.map((part) => ({
      anyOf: [part, { properties: { b: {} } }],
      unevaluatedProperties: false,
    })),
    ...parts.map((part) => ({ prefixItems: [part], unevaluatedItems: false })),
  ].map((schema) => ({ $defs: { leaf: { type: ["integer", "string"] } }, ...schema }));
  const values: unknown[] = [
    ...[null, true, 0, 1, 5, 10, 0.3, 0.35, 1e21, "", "a", "ab", "abc1", "😀😀", "ABC"],
    ...[[], [1], [1, 1], [1, "a"], ["a", "b", "c"], [1, 2], [{ a: 1 }, { a: 1 }], [[1], [1.0]]],
    ...[{}, { a: 1 }, { a: "1" }, { b: 1 }, { a: [1, { b: 2 }] }, { "x-y": "s" }, { "x-y": 1 }],
    ...[{ a: 1, toString: 1 }, { long: 1, longer: 2 }, { a: 1, b: 2, c: 3 }],
  ];
  for (const schema of schemas) {
    for (const value of values) {
      // The library writes into the schemas it is given.
      const { valid } = validate(value, structuredClone<Schema>(schema), "2020-12");
      const pair = `${JSON.stringify(schema)} and ${JSON.stringify(value)}`;
      assertEquals(isValid(schema, value), valid, pair);
    }
  }
});

Deno.test("checkValue() treats a schema without $schema as 2020-12", () => {
  const pair = { prefixItems: [{ type: "integer" }, { type: "string" }], items: false };
  assert(isValid(pair, [1, "a"]));
  assert(!isValid(pair, [1, "a", 2]));
  assert(isValid({ ...pair, $schema: DRAFT_07 }, []), "draft-07 does not know prefixItems");
  assertStringIncludes(whyUnchecked({ items: [{}] }), "prefixItems");
});

Deno.test("checkValue() reads draft-07 as draft-07", () => {
  const schema = {
    $schema: DRAFT_07,
    definitions: { word: { type: "string", minLength: 1 } },
    properties: {
      pair: {
        items: [{ type: "integer" }, { $ref: "#/definitions/word" }],
        additionalItems: false,
      },
      // Beside a $ref, nothing counts.
      word: { $ref: "#/definitions/word", maxLength: 1 },
    },
    dependencies: { card: ["holder"], holder: { required: ["name"] } },
  };
  assert(isValid(schema, { pair: [1, "a"], word: "long", card: 1, holder: 2, name: "n" }));
  for (
    const value of [
      { pair: ["a", 1] },
      { pair: [1, "a", 3] },
      { word: "" },
      { card: 1 },
      { holder: 1 },
    ]
  ) assert(!isValid(schema, value), JSON.stringify(value));
});

Deno.test("checkValue() finds the draft by $schema, with or without the trailing # and the s", () => {
  const tuple = (uri: string) => ({ $schema: uri, items: [{ type: "string" }] });
  for (const host of ["http://json-schema.org", "https://json-schema.org"]) {
    for (
      const path of [
        "draft-04/schema",
        "draft-06/schema",
        "draft-07/schema",
        "draft/2019-09/schema",
      ]
    ) {
      for (const end of ["", "#"]) assert(!isValid(tuple(`${host}/${path}${end}`), [1]));
    }
  }
  assertStringIncludes(
    whyUnchecked(tuple("https://json-schema.org/draft/2020-12/schema")),
    "prefixItems",
  );
  const above = {
    $schema: "http://json-schema.org/draft-04/schema#",
    minimum: 3,
    exclusiveMinimum: true,
  };
  assert(!isValid(above, 3));
  assert(isValid(above, 4));
});

Deno.test("checkValue() refuses a dialect it does not know, by name", () => {
  const schema = { $schema: "https://example.com/my-schema", type: "object" };
  assertEquals(
    whyUnchecked(schema),
    'its $schema is "https://example.com/my-schema", which is no dialect known here',
  );
  assertEquals(whyUnchecked({ $schema: 7 }), "its $schema is 7, which is no dialect known here");
  const part = { $defs: { a: { $id: "a", $schema: DRAFT_07 } }, $ref: "a" };
  assertEquals(whyUnchecked(part), "a part of the schema has another $schema (at /$defs/a)");
});

Deno.test("schemaProblem() says why before any value is seen, and nothing when all is well", () => {
  const cases: [schema: unknown, why: string | undefined][] = [
    [{}, undefined],
    [true, undefined],
    [{ type: "object", "x-vendor": { type: 5 }, format: "no-such-format" }, undefined],
    [null, "a schema is an object, not null"],
    [[], "a schema is an object, not an array"],
    ["string", 'a schema is an object, not "string"'],
    [undefined, "a schema is an object, not undefined"],
    [{ type: "strin" }, '"type" must be a type of JSON, not "strin"'],
    [
      { properties: { a: { required: true } } },
      '"required" must be a list of names (at /properties/a)',
    ],
    [{ properties: [] }, '"properties" must be an object'],
    [{ allOf: {} }, '"allOf" must be a list'],
    [{ anyOf: [] }, '"anyOf" must be a list of schemas'],
    [{ not: 5 }, "a subschema must be an object (at /not)"],
    [{ minLength: -1 }, '"minLength" must be a whole number, zero or more'],
    [{ minimum: "1" }, '"minimum" must be a number'],
    [{ multipleOf: 0 }, '"multipleOf" must be more than zero'],
    [{ enum: "a" }, '"enum" must be a list'],
    [
      { pattern: "^(?!x)" },
      'pattern "^(?!x)" looks ahead or behind, which takes more than linear time',
    ],
    [
      { properties: { a: { patternProperties: { "(a)\\1": {} } } } },
      'pattern "(a)\\\\1" refers back to a group, which takes more than linear time (at /properties/a)',
    ],
  ];
  for (const [schema, why] of cases) assertEquals(schemaProblem(schema), why);
});

Deno.test("schemaProblem() refuses a $ref that leads outside, and nothing is fetched", () => {
  for (
    const [root, ref] of [
      [{}, "https://example.com/schema.json"],
      [{}, "http://json-schema.org/draft-07/schema#"],
      [{}, "//example.com/schema.json"],
      [{}, "file:///etc/passwd"],
      [{}, "other.json#/definitions/a"],
      [{}, "/absolute"],
      [{ $id: "https://example.com/tool.json" }, "types.json"],
    ] as const
  ) {
    const schema = { ...root, properties: { a: { $ref: ref } } };
    assertEquals(
      schemaProblem(schema),
      `$ref ${
        JSON.stringify(ref)
      } leads outside the schema, and nothing is fetched (at /properties/a)`,
    );
  }
  for (const ref of ["#/$defs/none", "#none", "#/$defs/__proto__", "#/toString", "#%zz"]) {
    assertStringIncludes(schemaProblem({ $ref: ref, $defs: {} }) ?? "", "leads nowhere");
  }
  assertStringIncludes(schemaProblem({ $ref: "http://[" }) ?? "", "is not an address");
});

Deno.test("checkValue() follows references within the document", () => {
  const word = { type: "string" };
  for (
    const schema of [
      { $ref: "#/$defs/word", $defs: { word } },
      { $ref: "#/$defs/a~1b%20c~0", $defs: { "a/b c~": word } },
      { $ref: "#word", $defs: { word: { $anchor: "word", ...word } } },
      { $ref: "word", $defs: { word: { $id: "word", ...word } } },
      { $dynamicRef: "#word", $defs: { word: { $dynamicAnchor: "word", ...word } } },
      { $id: "https://example.com/s", $ref: "https://example.com/s#/$defs/word", $defs: { word } },
      { $id: "urn:example:s", $ref: "#/$defs/word", $defs: { word } },
      { $ref: "#/components/schemas/word", components: { schemas: { word } } },
      { $schema: DRAFT_07, $ref: "#w", definitions: { word: { $id: "#w", ...word } } },
    ]
  ) {
    assert(isValid(schema, "text"), JSON.stringify(schema));
    assert(!isValid(schema, 1), JSON.stringify(schema));
  }
  assert(
    !isValid({ $ref: "#/$defs/word", maxLength: 1, $defs: { word } }, "text"),
    "beside a $ref",
  );
});

Deno.test("checkValue() follows recursion along the value", () => {
  const tree = {
    type: "object",
    required: ["name"],
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
  };
  const leaf = { name: "leaf" };
  assert(isValid(tree, nested(100, (inner) => ({ name: "n", children: [inner, leaf] }), leaf)));
  assertEquals(problemsOf(tree, { name: "a", children: [leaf, { name: "b", children: [{}] }] }), [
    'children[1].children[0]: missing property "name"',
  ]);
});

Deno.test("checkValue() says what is wrong and where, shortly", () => {
  const task = {
    required: ["id", "toString"],
    additionalProperties: false,
    properties: {
      id: { type: "integer" },
      due: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\d$" },
      state: { enum: ["open", "closed"] },
      owner: { anyOf: [{ type: "string" }, { type: "null" }] },
      tags: { uniqueItems: true, maxItems: 2 },
      "a b": { oneOf: [{ minimum: 1 }, { type: "integer" }] },
      size: { exclusiveMinimum: 0, multipleOf: 0.1 },
    },
  };
  const cases: [value: unknown, problems: string[]][] = [
    [{}, ['missing property "id"', 'missing property "toString"']],
    [{ id: 1.5 }, ["id: expected an integer, got 1.5"]],
    [{ id: "x" }, ["id: expected an integer, got a string"]],
    [{ due: 5 }, ["due: expected a string, got a number"]],
    [{ due: "soon" }, ['due: expected text that matches ^\\d{4}-\\d\\d-\\d\\d$, got "soon"']],
    [{ state: "done" }, ['state: expected "open" or "closed", got "done"']],
    [{ owner: 1 }, [
      "owner: fits no allowed form: expected a string, got a number; or expected null, got a number",
    ]],
    [{ tags: [1, 2, 1] }, [
      "tags: expected 2 or fewer items, got 3",
      "tags: items 0 and 2 are the same",
    ]],
    [{ "a b": 1 }, ['["a b"]: fits several forms where only one may fit']],
    [{ size: 0 }, ["size: expected more than 0, got 0"]],
    [{ size: 0.25 }, ["size: expected a multiple of 0.1, got 0.25"]],
    [{ extra: 1 }, ["extra: not allowed here"]],
  ];
  for (const [value, problems] of cases) {
    const missing = ["id", "toString"].filter((name) => !Object.hasOwn(value as object, name))
      .map((name) => `missing property "${name}"`);
    assertEquals(problemsOf(task, value), [...new Set([...missing, ...problems])]);
  }
  assertEquals(problemsOf({ type: "object" }, []), ["expected an object, got an array"]);
});

Deno.test("checkValue() keeps its problems few, short and on one line", () => {
  const name = "\u001b[31m" + "x\n".repeat(500);
  const problems = problemsOf(
    { additionalProperties: { const: name }, required: Array(100).fill(name) },
    numbered(50, () => name + "y"),
  );
  assertEquals(problems.length, 5);
  for (const line of problems) assert(line.length <= 200 && !/\p{Cc}/u.test(line), line);
});

Deno.test("checkValue() counts characters as code points and multiples in decimal", () => {
  assert(isValid({ minLength: 2, maxLength: 2 }, "😀😀"));
  assert(!isValid({ maxLength: 1 }, "\ude00\ud83d"));
  for (const [value, step] of [[0.3, 0.1], [19.99, 0.01], [1e21, 1000], [0, 0.7], [-4.5, 1.5]]) {
    assert(isValid({ multipleOf: step }, value), `${value} / ${step}`);
  }
  for (const [value, step] of [[0.35, 0.1], [1e21, 3], [1.7e308, 7], [5e-324, 1]]) {
    assert(!isValid({ multipleOf: step }, value), `${value} / ${step}`);
  }
});

Deno.test("checkValue() treats __proto__, constructor and toString as names like any other", () => {
  const proto = JSON.parse('{ "__proto__": 1 }');
  const schema = JSON.parse('{ "properties": { "__proto__": { "type": "string" } } }');
  assertEquals(problemsOf(schema, proto), ["__proto__: expected a string, got a number"]);
  assert(isValid(schema, {}));
  assert(!isValid({ additionalProperties: false, properties: { a: {} } }, proto));
  assert(!isValid({ unevaluatedProperties: false, properties: { a: {} } }, proto));
  for (const name of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
    assert(!isValid({ required: [name] }, {}), name);
    assert(isValid({ properties: { [name]: false } }, {}), name);
    assert(isValid({ dependentRequired: { [name]: ["a"] } }, {}), name);
  }
  const reference =
    '{ "$ref": "#/$defs/__proto__", "$defs": { "__proto__": { "type": "array" } } }';
  assert(!isValid(JSON.parse(reference), {}));
  assert(!isValid({ enum: [{}] }, proto));
  assertEquals(Object.hasOwn(Object.prototype, "type"), false);
});

Deno.test("checkValue() takes format and unknown keywords for annotations", () => {
  assert(isValid({ format: "email", contentEncoding: "base64", nullable: false, foo: 1 }, "?"));
});

Deno.test("checkValue() changes neither the schema nor the value", () => {
  const schema = {
    $defs: { a: { pattern: "a" } },
    items: { $ref: "#/$defs/a" },
    uniqueItems: true,
  };
  const value = ["b", "a", "c"];
  const before = JSON.stringify([schema, value]);
  freeze(schema);
  freeze(value);
  assertEquals(checkValue(schema, value).kind, "invalid");
  assertEquals(JSON.stringify([schema, value]), before);
  assertEquals(Reflect.ownKeys(schema.items), ["$ref"]);
});

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}

// The rest would hang, overflow the stack, or fill the memory if it did not end.

Deno.test("schemaProblem() refuses a schema that is too deep or has too many parts", () => {
  const wraps: ((inner: unknown) => unknown)[] = [
    (inner) => ({ properties: { a: inner } }),
    (inner) => ({ allOf: [inner] }),
    (inner) => ({ $defs: { a: inner } }),
    (inner) => ({ dependencies: { a: inner } }),
  ];
  for (const wrap of wraps) {
    const why = "the schema is nested more than 200 levels deep";
    assertEquals(schemaProblem(nested(10_000, wrap)), why);
    assertEquals(schemaProblem(nested(150, wrap)), undefined);
  }
  assertEquals(
    schemaProblem({ const: nested(10_000, (inner) => [inner]) }),
    "the schema is too large",
  );
  assertEquals(schemaProblem({ "x-note": nested(10_000, (inner) => [inner]) }), undefined);
  assertEquals(
    schemaProblem({ properties: numbered(20_000, () => ({})) }),
    "the schema has more than 10000 subschemas",
  );
  const patterns = numbered(5_000, (i) => ({ pattern: `^[a-z]{1,900}${i}$` }));
  assertEquals(schemaProblem({ properties: patterns }), "the schema is too large");
});

Deno.test("checkValue() gives up on references that lead back to themselves", () => {
  const $defs = { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }] } };
  for (const schema of [{ $ref: "#" }, { $ref: "#/$defs/a", $defs }, { not: { $ref: "#" } }]) {
    assertStringIncludes(whyUnchecked(schema, 1), "leads back to itself");
  }
});

Deno.test("checkValue() gives up on a value nested too deeply for its schema", () => {
  const list = { properties: { next: { $ref: "#" } } };
  const value = (length: number) => nested(length, (next) => ({ next }));
  assert(isValid(list, value(200)));
  assertStringIncludes(whyUnchecked(list, value(10_000)), "nested too deeply");
  assertStringIncludes(whyUnchecked({ uniqueItems: true }, [value(10_000)]), "nested too deeply");
  assert(isValid({ type: "object" }, value(10_000)), "nobody looks that deep");
});

Deno.test("checkValue() gives up on a fan of references, whatever fans it out", () => {
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    // Two references to the next level, forty levels: 2^40 leaves.
    const levels = Array.from({ length: 40 }, (_, i) => {
      const next = { $ref: `#/$defs/${i + 1}` };
      return [i, { [keyword]: [next, next] }] as const;
    });
    const $defs = { ...Object.fromEntries(levels), 40: { type: "string" } };
    const value = keyword === "anyOf" ? 1 : "text";
    assertEquals(
      whyUnchecked({ $ref: "#/$defs/0", $defs }, value),
      "the check takes too many steps",
    );
  }
  const twice = { allOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }] };
  for (const schema of [twice, { ...twice, unevaluatedItems: false }]) {
    const deep = nested(60, (inner) => [inner], 1);
    assertEquals(whyUnchecked(schema, deep), "the check takes too many steps");
  }
  const wide = numbered(20_000, (i) => i);
  const often = Array.from({ length: 9_000 }, () => ({ minProperties: 1 }));
  assertEquals(whyUnchecked({ allOf: often }, wide), "the check takes too many steps");
});

Deno.test("checkValue() compares many and large things in linear time", () => {
  const words = Array.from({ length: 50_000 }, (_, i) => `word ${i}`);
  assert(isValid({ uniqueItems: true }, words));
  assert(isValid({ items: { enum: words } }, words));
  assert(isValid({ uniqueItems: true }, words.map((word) => ({ word }))));
  assert(isValid({ const: { words } }, { words: [...words] }));
  assert(!isValid({ maxLength: 5 }, "x".repeat(2_000_000)));
  const rows = words.map((title, id) => ({ id, title }));
  const row = {
    required: ["id"],
    properties: { id: { type: "integer" }, title: { type: "string" } },
  };
  assert(isValid({ items: row }, rows));
});

Deno.test("checkValue() runs patterns in linear time", () => {
  const text = "a".repeat(50_000) + "!";
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(a*)*b", "^(\\w+\\s?)*$"]) {
    assert(!isValid({ pattern }, text), pattern);
    assert(isValid({ patternProperties: { [pattern]: false } }, { [text]: 1 }), pattern);
    assert(!isValid({ propertyNames: { pattern } }, { [text]: 1 }), pattern);
  }
  assertEquals(
    whyUnchecked({ pattern: "a[ab]{500}c" }, "ab".repeat(100_000)),
    "the check takes too many steps",
  );
});
