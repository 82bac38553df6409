import assert from "node:assert/strict";
import { fitSchema } from "../../lib/models/schema.ts";
import { type Dialect, RULES } from "../../lib/models/schema/rules.ts";
import { checkValue } from "../../lib/protocol/schema.ts";
import { obeys } from "./schema/obeys.ts";
import { CASES } from "./schema/shapes.ts";

const DIALECTS = Object.keys(RULES) as Dialect[];

for (const { name, schema, fits = [], sent = {}, heldBack } of CASES) {
  Deno.test(`fitSchema() of ${name}, for every API`, () => {
    const before = JSON.stringify(schema);
    for (const dialect of DIALECTS) {
      const fitted = fitSchema(schema, RULES[dialect]);
      if (heldBack) {
        assert("heldBack" in fitted, `${dialect}: not held back`);
        assert.match(fitted.heldBack, heldBack);
        continue;
      }
      assert("schema" in fitted, `${dialect}: ${JSON.stringify(fitted)}`);
      assert.deepEqual(obeys(fitted.schema, RULES[dialect]), [], dialect);
      const wanted = sent[dialect] ?? sent.all;
      if (wanted) assert.deepEqual(fitted.schema, wanted, dialect);
      for (const args of fits) {
        assert.deepEqual(checkValue(schema, args), { kind: "valid" }, "the raw schema");
        assert.deepEqual(checkValue(fitted.schema, args), { kind: "valid" }, dialect);
      }
    }
    assert.equal(JSON.stringify(schema), before);
  });
}

Deno.test("fitSchema() has more than 60 shapes to prove itself on", () => {
  assert(CASES.length > 60);
});

Deno.test("fitSchema() maps names that an API refuses, and restore() maps them back, however deep", () => {
  const schema = {
    type: "object",
    properties: {
      "filter[id]": { type: "string" },
      filter_id_: { type: "string" },
      $page: {
        type: "object",
        properties: { "per page": { type: "integer" } },
        required: ["per page"],
      },
      rows: {
        type: "array",
        items: {
          anyOf: [
            { type: "object", properties: { "@type": { const: "a" } }, required: ["@type"] },
            { $ref: "#/$defs/Row" },
          ],
        },
      },
      free: { type: "object", additionalProperties: { $ref: "#/$defs/Row" } },
    },
    required: ["filter[id]"],
    $defs: {
      Row: {
        type: "object",
        properties: { "x/y": { type: "number" }, next: { $ref: "#/$defs/Row" } },
      },
    },
  };
  const raw = {
    "filter[id]": "1",
    filter_id_: "2",
    $page: { "per page": 3 },
    rows: [{ "@type": "a" }, { "x/y": 4, next: { "x/y": 5, next: { "x/y": 6 } } }],
    free: { "x/y": { "x/y": 7 }, per_page: {} },
  };
  for (const dialect of DIALECTS) {
    const fitted = fitSchema(schema, RULES[dialect]);
    assert("schema" in fitted);
    const properties = fitted.schema.properties as Record<string, unknown>;
    assert.deepEqual(Object.keys(properties), [
      "filter_id__2",
      "filter_id_",
      "_page",
      "rows",
      "free",
    ]);
    assert.deepEqual(fitted.schema.required, ["filter_id__2"]);
    const written = {
      filter_id__2: "1",
      filter_id_: "2",
      _page: { per_page: 3 },
      rows: [{ _type: "a" }, { x_y: 4, next: { x_y: 5, next: { x_y: 6 } } }],
      // What is no property of the schema keeps its name, whatever it looks like.
      free: { "x/y": { x_y: 7 }, per_page: {} },
    };
    assert.deepEqual(fitted.restore(written), raw, dialect);
    assert.deepEqual(fitted.restore(raw), raw, `${dialect}: a model that knows the real names`);
  }
});

Deno.test("fitSchema() tells the model the real name of a property that it renames", () => {
  const schema = { type: "object", properties: { "a b": { type: "string", description: "Both" } } };
  const fitted = fitSchema(schema, RULES.openai);
  assert("schema" in fitted);
  assert.deepEqual(fitted.schema.properties, {
    a_b: { type: "string", description: 'Both (sent as "a b")' },
  });
});

Deno.test("fitSchema() writes less and less of what is too large, and says where it stopped", () => {
  const deep = (n: number): Record<string, unknown> =>
    n === 0
      ? { type: "string" }
      : { type: "object", properties: { a: deep(n - 1), b: deep(n - 1) } };
  const fitted = fitSchema(deep(12), RULES.openai);
  assert("schema" in fitted);
  assert(JSON.stringify(fitted.schema).includes("(not shown in full)"));
  assert.deepEqual(obeys(fitted.schema, RULES.openai), []);
});

Deno.test("fitSchema() gives the same object for the same schema: a run has many turns", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  assert.equal(fitSchema(schema, RULES.gemini), fitSchema(schema, RULES.gemini));
  assert.notEqual(fitSchema(schema, RULES.gemini), fitSchema(schema, RULES.openai));
});
