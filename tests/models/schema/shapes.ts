/** The shapes of tools' schemas as servers in the wild send them, what fits them, and what must become of them. @module */
import type { Dialect } from "../../../lib/models/schema/rules.ts";

type Json = Record<string, unknown>;

export interface Case {
  name: string;
  schema: Json;
  /** Arguments that the raw schema lets through, and so must what is sent. */
  fits?: readonly Json[];
  /** What is sent, where the bytes matter; `all` for every API. */
  sent?: Partial<Record<Dialect | "all", Json>>;
  heldBack?: RegExp;
}

const text = { type: "string" };
const object = (properties: Json, more: Json = {}): Json => ({
  type: "object",
  properties,
  ...more,
});
const $schema = "http://json-schema.org/draft-07/schema#";

export const CASES: readonly Case[] = [
  // The official servers.
  {
    name: "read a file",
    schema: object({ path: text }, { required: ["path"], $schema }),
    fits: [{ path: "a" }],
    sent: { all: object({ path: text }, { required: ["path"] }) },
  },
  {
    name: "head or tail, closed",
    schema: object({ path: text, head: { type: "number", description: "First lines" } }, {
      required: ["path"],
      additionalProperties: false,
      $schema,
    }),
    fits: [{ path: "a", head: 3 }],
    sent: {
      anthropic: object({ path: text, head: { type: "number", description: "First lines" } }, {
        required: ["path"],
        additionalProperties: false,
      }),
    },
  },
  {
    name: "edits in a list",
    schema: object({
      path: text,
      dryRun: { type: "boolean", default: false },
      edits: {
        type: "array",
        items: object({ oldText: text, newText: text }, { required: ["oldText", "newText"] }),
      },
    }),
    fits: [{ path: "a", edits: [{ oldText: "x", newText: "y" }], dryRun: true }],
  },
  {
    name: "no arguments at all",
    schema: { type: "object" },
    fits: [{}],
    sent: {
      anthropic: object({}),
      openai: object({}),
      plain: object({}),
      gemini: { type: "object" },
    },
  },
  {
    name: "no arguments, empty properties",
    schema: object({}, { additionalProperties: false }),
    fits: [{}],
    sent: { gemini: { type: "object", additionalProperties: false } },
  },
  {
    name: "entities of a memory",
    schema: object({
      entities: {
        type: "array",
        items: object(
          { name: text, entityType: text, observations: { type: "array", items: text } },
          { required: ["name", "entityType", "observations"], additionalProperties: false },
        ),
      },
    }, { required: ["entities"] }),
    fits: [{ entities: [{ name: "a", entityType: "b", observations: ["c"] }] }],
  },
  {
    name: "limits on a number",
    schema: object({ thoughtNumber: { type: "integer", minimum: 1, exclusiveMaximum: 100 } }),
    fits: [{ thoughtNumber: 99 }],
    sent: {
      gemini: object({ thoughtNumber: { type: "integer", minimum: 1, maximum: 99 } }),
      openai: object({ thoughtNumber: { type: "integer", minimum: 1, exclusiveMaximum: 100 } }),
    },
  },
  {
    name: "an enum with a default",
    schema: object({ sort: { type: "string", enum: ["name", "size"], default: "name" } }),
    fits: [{ sort: "size" }, {}],
    sent: {
      gemini: object({
        sort: { type: "string", description: '(default "name")', enum: ["name", "size"] },
      }),
    },
  },
  {
    name: "formats",
    schema: object({
      at: { type: "string", format: "date-time" },
      url: { type: "string", format: "uri" },
    }),
    fits: [{ at: "2026-11-30T00:00:00Z", url: "https://example.com" }],
    sent: {
      gemini: object({
        at: { type: "string", format: "date-time" },
        url: { type: "string", description: '(format "uri")' },
      }),
    },
  },
  // F29: forms at the root.
  {
    name: "oneOf at the root",
    schema: {
      type: "object",
      oneOf: [
        { properties: { path: text }, required: ["path"] },
        { properties: { url: text }, required: ["url"] },
      ],
    },
    fits: [{ path: "a" }, { url: "b" }],
    sent: {
      all: {
        type: "object",
        description: "(give (path) or (url))",
        properties: { path: text, url: text },
      },
    },
  },
  {
    name: "anyOf at the root over known properties",
    schema: object({ id: text, name: text, all: { type: "boolean" } }, {
      required: ["all"],
      anyOf: [{ required: ["id"] }, { required: ["name"] }],
    }),
    fits: [{ all: true, id: "x" }, { all: false, name: "y" }],
    sent: {
      anthropic: {
        type: "object",
        description: "(give (id) or (name))",
        properties: { id: text, name: text, all: { type: "boolean" } },
        required: ["all"],
      },
    },
  },
  {
    name: "a union told apart by a constant",
    schema: {
      type: "object",
      oneOf: [
        object({ kind: { const: "file" }, path: text }, { required: ["kind", "path"] }),
        object({ kind: { const: "dir" }, deep: { type: "boolean" } }, { required: ["kind"] }),
      ],
    },
    fits: [{ kind: "file", path: "a" }, { kind: "dir" }],
    sent: {
      openai: {
        type: "object",
        description: '(give (kind "file", path) or (kind "dir"))',
        properties: { kind: { enum: ["file", "dir"] }, path: text, deep: { type: "boolean" } },
        required: ["kind"],
      },
    },
  },
  {
    name: "a property of two forms",
    schema: {
      type: "object",
      anyOf: [
        object({ id: text }, { required: ["id"] }),
        object({ id: { type: "integer" } }, { required: ["id"] }),
      ],
    },
    fits: [{ id: "a" }, { id: 1 }],
    sent: {
      gemini: {
        type: "object",
        properties: { id: { anyOf: [text, { type: "integer" }] } },
        required: ["id"],
      },
    },
  },
  {
    name: "allOf at the root",
    schema: {
      type: "object",
      allOf: [
        object({ a: text }, { required: ["a"] }),
        object({ b: text }, { required: ["b"] }),
      ],
    },
    fits: [{ a: "1", b: "2" }],
    sent: { all: { type: "object", properties: { a: text, b: text }, required: ["a", "b"] } },
  },
  {
    name: "closed forms at the root",
    schema: {
      type: "object",
      oneOf: [
        object({ a: text }, { additionalProperties: false, required: ["a"] }),
        object({ b: text }, { additionalProperties: false, required: ["b"] }),
      ],
    },
    fits: [{ a: "1" }, { b: "2" }],
  },
  {
    name: "forms by reference",
    schema: {
      type: "object",
      oneOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }],
      $defs: {
        A: object({ a: text }, { required: ["a"] }),
        B: object({ b: text }, { required: ["b"] }),
      },
    },
    fits: [{ a: "1" }, { b: "2" }],
  },
  {
    name: "enum and not at the root",
    schema: object({ a: text }, { enum: [{ a: "x" }, {}], not: { required: ["b"] } }),
    fits: [{ a: "x" }, {}],
  },
  {
    name: "if, then, else at the root",
    schema: object({ kind: text }, {
      if: { properties: { kind: { const: "a" } } },
      then: object({ x: text }),
      else: object({ y: text }),
    }),
    fits: [{ kind: "a", x: "1" }, { kind: "b", y: "1" }],
  },
  {
    name: "a root that is a reference",
    schema: {
      type: "object",
      $ref: "#/$defs/Args",
      $defs: { Args: object({ q: text }, { required: ["q"] }) },
    },
    fits: [{ q: "x" }],
    sent: { all: object({ q: text }, { required: ["q"] }) },
  },
  {
    name: "forms that hold the root again",
    schema: {
      type: "object",
      properties: { a: text },
      anyOf: [{ $ref: "#" }, { required: ["a"] }],
    },
  },
  {
    name: "one form alone",
    schema: { type: "object", anyOf: [object({ a: text }, { required: ["a"] })] },
    fits: [{ a: "x" }],
    sent: { all: object({ a: text }, { required: ["a"] }) },
  },
  {
    name: "a form that is no object",
    schema: { type: "object", anyOf: [text, object({ a: text })] },
    fits: [{ a: "x" }],
    sent: { all: object({ a: text }) },
  },
  // F31: what is missing.
  {
    name: "an object without properties inside",
    schema: object({ env: { type: "object" } }),
    fits: [{ env: { A: 1 } }],
    sent: { openai: object({ env: object({}) }), gemini: object({ env: { type: "object" } }) },
  },
  {
    name: "a list without items",
    schema: object({ args: { type: "array" } }),
    fits: [{ args: [1, "a"] }],
    sent: { all: object({ args: { type: "array", items: {} } }) },
  },
  {
    name: "a list that may be null, without items",
    schema: object({ args: { type: ["array", "null"] } }),
    fits: [{ args: null }, { args: [1] }],
    sent: { openai: object({ args: { type: ["array", "null"], items: {} } }) },
  },
  {
    name: "required without a property",
    schema: object({ a: text }, { required: ["a", "b"] }),
    fits: [{ a: "x", b: 1 }],
    sent: {
      gemini: object({ a: text, b: {} }, { required: ["a", "b"] }),
      openai: object({ a: text }, { required: ["a", "b"] }),
    },
  },
  {
    name: "required twice",
    schema: object({ a: text }, { required: ["a", "a"] }),
    fits: [{ a: "x" }],
    sent: { all: object({ a: text }, { required: ["a"] }) },
  },
  // F32: what some APIs refuse.
  {
    name: "a type that may be null",
    schema: object({ due: { type: ["string", "null"], description: "When" } }),
    fits: [{ due: null }, { due: "x" }],
    sent: {
      openai: object({ due: { type: ["string", "null"], description: "When" } }),
      gemini: object({ due: { description: "When", anyOf: [text, { type: "null" }] } }),
    },
  },
  {
    name: "a list of one type",
    schema: object({ a: { type: ["string"] } }),
    fits: [{ a: "x" }],
    sent: { all: object({ a: text }) },
  },
  {
    name: "null by anyOf, as pydantic writes it",
    schema: object({
      limit: {
        anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }],
        default: null,
        title: "Limit",
      },
    }),
    fits: [{ limit: null }, { limit: 3 }, {}],
  },
  {
    name: "a constant",
    schema: object({ v: { const: 2 }, k: { const: "x" } }),
    fits: [{ v: 2, k: "x" }],
    sent: {
      anthropic: object({ v: { enum: [2] }, k: { enum: ["x"] } }),
      gemini: object({ v: { type: "integer", enum: [2] }, k: { type: "string", enum: ["x"] } }),
    },
  },
  {
    name: "an enum of several types",
    schema: object({ v: { enum: ["auto", 0, null] } }),
    fits: [{ v: "auto" }, { v: 0 }, { v: null }],
    sent: {
      gemini: object({
        v: {
          anyOf: [{ type: "string", enum: ["auto"] }, { type: "integer", enum: [0] }, {
            type: "null",
          }],
        },
      }),
      openai: object({ v: { enum: ["auto", 0, null] } }),
    },
  },
  {
    name: "an enum with an empty text",
    schema: object({ v: { type: "string", enum: ["", "a"] } }),
    fits: [{ v: "" }, { v: "a" }],
    sent: { gemini: object({ v: { type: "string", description: '(enum ["", "a"])' } }) },
  },
  {
    name: "a boolean enum",
    schema: object({ v: { type: "boolean", enum: [true] } }),
    fits: [{ v: true }],
  },
  {
    name: "an empty enum",
    schema: object({ v: { type: "string", enum: [] } }),
    sent: { all: object({ v: text }) },
  },
  {
    name: "5,000 values",
    schema: object({
      tz: { type: "string", enum: Array.from({ length: 5000 }, (_, n) => `zone-${n}`) },
    }),
    fits: [{ tz: "zone-4999" }],
  },
  {
    name: "a pattern that Python compiles",
    schema: object({ id: { type: "string", pattern: "^[a-z]{2}-\\d+$" } }),
    fits: [{ id: "ab-1" }],
    sent: {
      openai: object({ id: { type: "string", pattern: "^[a-z]{2}-\\d+$" } }),
      plain: object({ id: { type: "string", description: '(pattern "^[a-z]{2}-\\\\d+$")' } }),
    },
  },
  {
    name: "a pattern that looks around",
    schema: object({ mail: { type: "string", format: "email", pattern: "^(?!\\.)[^@]+@x$" } }),
    sent: {
      anthropic: object({
        mail: { type: "string", description: '(pattern "^(?!\\\\.)[^@]+@x$")', format: "email" },
      }),
    },
  },
  {
    name: "a pattern of Unicode properties",
    schema: object({ n: { type: "string", pattern: "^\\p{L}+$" } }),
    sent: { openai: object({ n: { type: "string", description: '(pattern "^\\\\p{L}+$")' } }) },
  },
  {
    name: "keys by pattern",
    schema: object({
      labels: { type: "object", additionalProperties: false, patternProperties: { "^l_": text } },
    }),
    fits: [{ labels: { l_a: "x" } }],
  },
  {
    name: "a map",
    schema: object({ env: { type: "object", additionalProperties: text } }),
    fits: [{ env: { A: "b" } }],
    sent: {
      anthropic: object({ env: { type: "object", properties: {}, additionalProperties: text } }),
      gemini: object({ env: { type: "object", additionalProperties: text } }),
      plain: object({
        env: {
          type: "object",
          description: '(other properties: {"type":"string"})',
          properties: {},
        },
      }),
    },
  },
  {
    name: "a map of anything",
    schema: object({ data: { type: "object", additionalProperties: {} } }),
    fits: [{ data: { a: [1] } }],
    sent: { openai: object({ data: object({}) }) },
  },
  {
    name: "a tuple",
    schema: object({
      at: {
        type: "array",
        prefixItems: [{ type: "number" }, { type: "number" }],
        minItems: 2,
        items: false,
      },
    }),
    fits: [{ at: [1, 2] }],
    sent: {
      openai: object({
        at: { type: "array", minItems: 2, maxItems: 2, items: { type: "number" } },
      }),
    },
  },
  {
    name: "a tuple of draft-07",
    schema: object({
      at: { type: "array", items: [text, { type: "number" }], additionalItems: false },
    }, { $schema }),
    fits: [{ at: ["x", 2] }],
  },
  {
    name: "nested forms without a type",
    schema: object({ to: { oneOf: [text, { type: "array", items: text }], description: "Who" } }),
    fits: [{ to: "a" }, { to: ["a", "b"] }],
    sent: {
      all: object({ to: { description: "Who", anyOf: [text, { type: "array", items: text }] } }),
    },
  },
  {
    name: "nested forms beside limits",
    schema: object({ n: { type: "number", minimum: 0, anyOf: [{ maximum: 5 }, { minimum: 50 }] } }),
    fits: [{ n: 3 }, { n: 60 }],
    sent: {
      gemini: object({
        n: { anyOf: [{ type: "number", minimum: 0, maximum: 5 }, { type: "number", minimum: 50 }] },
      }),
    },
  },
  {
    name: "nested forms over known properties",
    schema: object({
      q: object({ a: text, b: text }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
    }),
    fits: [{ q: { a: "1" } }],
  },
  {
    name: "additional rules of a dialect",
    schema: object({
      a: { ...text, "x-order": 1, nullable: true, example: "e", $comment: "c", readOnly: true },
    }, { "x-server": true, $id: "https://example.com/a.json", $anchor: "top" }),
    fits: [{ a: "x" }],
    sent: { all: object({ a: text }) },
  },
  {
    name: "unevaluated and dependent",
    schema: object({ card: text, code: text }, {
      dependentRequired: { card: ["code"] },
      unevaluatedProperties: false,
    }),
    fits: [{ card: "1", code: "2" }],
  },
  // F33 and references.
  {
    name: "a tree",
    schema: object({ root: { $ref: "#/$defs/Node" } }, {
      $defs: {
        Node: object(
          { name: text, children: { type: "array", items: { $ref: "#/$defs/Node" } } },
          { required: ["name"] },
        ),
      },
    }),
    fits: [{ root: { name: "a", children: [{ name: "b", children: [{ name: "c" }] }] } }],
    sent: {
      gemini: object({
        root: object({
          name: text,
          children: {
            type: "array",
            items: { type: "object", description: '(the same form "Node" again)' },
          },
        }, { required: ["name"] }),
      }),
    },
  },
  {
    name: "a circle of two",
    schema: object({ a: { $ref: "#/$defs/A" } }, {
      $defs: {
        A: object({ b: { $ref: "#/$defs/B" } }),
        B: object({ a: { $ref: "#/$defs/A" } }),
      },
    }),
    fits: [{ a: { b: { a: {} } } }],
  },
  {
    name: "a reference to itself alone",
    schema: object({ a: { $ref: "#/$defs/A" } }, {
      $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } },
    }),
  },
  {
    name: "a reference to the root",
    schema: object({ name: text, child: { $ref: "#" } }),
    fits: [{ name: "a", child: { child: {} } }],
  },
  {
    name: "shared definitions, most of them unused",
    schema: object({ parent: { oneOf: [{ $ref: "#/$defs/page" }, { $ref: "#/$defs/space" }] } }, {
      $defs: {
        page: object({ page_id: { type: "string", format: "uuid" } }, {
          required: ["page_id"],
          additionalProperties: true,
        }),
        space: object({ workspace: { const: true } }, { required: ["workspace"] }),
        unused: object({ page: { $ref: "#/$defs/page" } }),
      },
    }),
    fits: [{ parent: { page_id: "x" } }],
  },
  {
    name: "a reference to nowhere in a definition that nobody uses",
    schema: object({ a: text }, { $defs: { unused: { $ref: "#/$defs/gone" } } }),
    sent: { all: object({ a: text }) },
  },
  {
    name: "definitions of draft-07",
    schema: object({
      m: { allOf: [{ $ref: "#/definitions/Mode" }], default: "r", description: "How" },
    }, { definitions: { Mode: { type: "string", enum: ["r", "w"], title: "Mode" } }, $schema }),
    fits: [{ m: "w" }],
    sent: {
      openai: object(
        { m: { description: "How", default: "r", anyOf: [{ $ref: "#/$defs/Mode" }] } },
        { $defs: { Mode: { type: "string", title: "Mode", enum: ["r", "w"] } } },
      ),
      plain: object({ m: { type: "string", description: "How", enum: ["r", "w"], default: "r" } }),
    },
  },
  {
    name: "a reference into properties",
    schema: object({
      headers: { type: "object" },
      actions: { type: "array", items: { $ref: "#/properties/headers" } },
    }),
    fits: [{ headers: {}, actions: [{ a: 1 }] }],
  },
  {
    name: "a reference by anchor and by $id",
    schema: object({ a: { $ref: "#here" }, b: { $ref: "own.json#/properties/x" } }, {
      $id: "https://example.com/t.json",
      $defs: {
        one: { $anchor: "here", type: "integer" },
        two: { $id: "own.json", ...object({ x: text }) },
      },
    }),
    fits: [{ a: 1, b: "x" }],
  },
  {
    name: "a definition with a name of its own kind",
    schema: object({ a: { $ref: "#/$defs/Foo%5Bint%5D" }, b: { $ref: "#/$defs/a~1b" } }, {
      $defs: { "Foo[int]": text, "a/b": { type: "integer" } },
    }),
    fits: [{ a: "x", b: 1 }],
    sent: {
      anthropic: object({ a: { $ref: "#/$defs/Foo_int_" }, b: { $ref: "#/$defs/a_b" } }, {
        $defs: { Foo_int_: text, a_b: { type: "integer" } },
      }),
    },
  },
  {
    name: "a remote reference",
    schema: object({ a: { $ref: "https://example.com/a.json" } }),
    heldBack: /^refers to "https:.*nothing is fetched \(at \/properties\/a\)$/,
  },
  {
    name: "a file beside it",
    schema: object({ a: { $ref: "a.json#/x" } }),
    heldBack: /^refers to "a\.json#\/x"/,
  },
  {
    name: "a reference to nowhere",
    schema: object({ a: { $ref: "#/$defs/Gone" } }),
    heldBack: /^refers to "#\/\$defs\/Gone", which is nowhere in it/,
  },
  // P2 and its siblings: no JSON Schema at all.
  {
    name: "required: null",
    schema: object({ a: object({}, { required: null }) }),
    heldBack: /^has no list of names as "required" \(at \/properties\/a\)$/,
  },
  {
    name: "required: true, as in draft-03",
    schema: object({ a: { type: "string", required: true } }),
    heldBack: /"required"/,
  },
  {
    name: "properties as a list",
    schema: object({ a: { type: "object", properties: [] } }),
    heldBack: /"properties"/,
  },
  {
    name: "a property that is no schema",
    schema: object({ a: "string" }),
    heldBack: /^has something that is no schema \(at \/properties\/a\)$/,
  },
  { name: "a root that is no object", schema: { type: "string" }, heldBack: /^takes no object$/ },
  {
    name: "types that nobody knows",
    schema: object({ a: { type: "any" }, b: { type: ["date", "null"] } }),
    sent: {
      openai: object({ a: { description: '(type "any")' }, b: { description: '(type "date")' } }),
    },
  },
  {
    name: "limits that are no numbers",
    schema: object({ a: { type: "integer", minimum: "1", maximum: null, minLength: -1 } }),
    sent: { all: object({ a: { type: "integer" } }) },
  },
  {
    name: "an exclusive limit of draft-04",
    schema: object({ a: { type: "number", minimum: 0, exclusiveMinimum: true } }),
    sent: { openai: object({ a: { type: "number", exclusiveMinimum: 0 } }) },
  },
  // Names.
  {
    name: "names of prototypes",
    schema: JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
    ),
    fits: [JSON.parse('{"__proto__":"a","constructor":"b"}')],
  },
  {
    name: "properties called like keywords",
    schema: object({
      type: text,
      properties: { type: "object" },
      $ref: { type: "integer" },
      enum: { type: "array" },
    }, { required: ["type"] }),
    fits: [{ type: "x", properties: {} }],
  },
  {
    name: "half a surrogate pair",
    schema: object({ a: { type: "string", description: "x \ud800 y", enum: ["ok"] } }),
    fits: [{ a: "ok" }],
    sent: { openai: object({ a: { type: "string", description: "x \ufffd y", enum: ["ok"] } }) },
  },
  // Size.
  {
    name: "300 properties with much to say",
    schema: object(
      Object.fromEntries(
        Array.from(
          { length: 300 },
          (_, n) => [`p${n}`, { type: "string", description: "word ".repeat(400) }],
        ),
      ),
    ),
    fits: [{ p0: "a", p299: "b" }],
  },
  {
    name: "50 levels",
    schema: object({
      a: Array.from({ length: 50 }).reduce<Json>((inner) => object({ a: inner }), text),
    }),
  },
  {
    name: "20,000 properties",
    schema: object(Object.fromEntries(Array.from({ length: 19_000 }, (_, n) => [`p${n}`, text]))),
    heldBack: /^is too large$/,
  },
];
