/** Schemas at random, and the same ones in every run: wild ones, and sane ones with a value that fits. @module */

type Json = Record<string, unknown>;
export type Next = (below: number) => number;

/** Whole numbers below a limit: xorshift32. */
export function numbers(seed: number): Next {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

const NAMES = [
  ...["a", "b", "id", "page_size", "filter.id", "__proto__", "constructor", "toString"],
  ...["filter[id]", "filter_id_", "$x", "@type", "a b", "a_b", "", "é", "👋", "\ud800"],
  ...["x".repeat(64), "x".repeat(65), "x".repeat(66), "1st", "-", "items", "properties", "$ref"],
];
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];
const VALUES = ["a", "", "b\ud800", 1, 0.5, -1, true, false, null, [1], { a: 1 }];
const PATTERNS = ["^a+$", "(?=a)", "\\p{L}", "[", "a{2,3}", "\\d\\/x", "(?<n>a)", "[^]"];
const REFS = [
  ...["#/$defs/A", "#/$defs/B", "#/$defs/a b", "#/definitions/C", "#", "#anchor", "#/properties/a"],
  ...["#/nowhere", "https://example.com/x.json", "other.json"],
];

/** Anything that a server may send as a schema, much of it wrong. */
export function wildSchema(next: Next): Json {
  const pick = <T>(from: readonly T[]): T => from[next(from.length)]!;
  const odds = (one: number) => next(one) === 0;
  const many = <T>(make: () => T, most: number): T[] =>
    Array.from({ length: next(most + 1) }, make);
  let left = 60;

  function named(depth: number): Json {
    return Object.fromEntries(many(() => [pick(NAMES), schema(depth)], 4));
  }

  function schema(depth: number): unknown {
    if (odds(40)) return odds(2);
    if (odds(400)) return pick([null, 1, "x", []]);
    const node: [string, unknown][] = [];
    const put = (keyword: string, value: () => unknown, one: number) => {
      if (odds(one)) node.push([keyword, value()]);
    };
    put("type", () => odds(5) ? many(() => pick(TYPES), 3) : pick(TYPES), 1 + next(2));
    put("type", () => pick(["any", "date", ["string", "file"]]), 60);
    put("description", () => pick(["What it is", "half \ud800", 7, null]), 4);
    put("description", () => "x".repeat(20_000), 100);
    put("title", () => pick(["T", 7]), 8);
    put("enum", () => many(() => pick(VALUES), 4), 9);
    put("enum", () => Array.from({ length: 2000 }, (_, n) => `v${n}`), 200);
    put("const", () => pick(VALUES), 20);
    put("default", () => pick([...VALUES, "x".repeat(5000)]), 12);
    put("pattern", () => pick(PATTERNS), 12);
    put("format", () => pick(["date", "uri", "int64", "", 3]), 12);
    for (const keyword of ["minLength", "maxItems", "minItems"]) {
      put(keyword, () => pick([0, 3, -1, "1"]), 15);
    }
    for (const keyword of ["minimum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]) {
      put(keyword, () => pick([0, 1, -2.5, 1e9, "1", null, true]), 15);
    }
    put("required", () => many(() => pick(NAMES), 3), 6);
    put("required", () => pick([null, true, "a"]), 500);
    put("additionalProperties", () => odds(2), 10);
    put("$id", () => pick(["https://example.com/own.json", "#old", "sub/", ":::"]), 40);
    put("$anchor", () => "anchor", 40);
    put("x-order", () => 1, 20);
    if (depth > 0 && left-- > 0) {
      put("properties", () => named(depth - 1), 2);
      put("properties", () => pick([null, []]), 500);
      put("items", () => odds(6) ? many(() => schema(depth - 1), 3) : schema(depth - 1), 4);
      for (const keyword of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
        put(keyword, () => many(() => schema(depth - 1), 3), 9);
      }
      for (const keyword of ["not", "if", "then", "else", "contains", "propertyNames"]) {
        put(keyword, () => schema(depth - 1), 25);
      }
      put("additionalProperties", () => schema(depth - 1), 10);
      for (const keyword of ["patternProperties", "dependentSchemas"]) {
        put(keyword, () => named(depth - 1), 25);
      }
    }
    put("$ref", () => odds(30) ? pick(REFS) : pick(REFS.slice(0, 4)), 10);
    return Object.fromEntries(node);
  }

  const root = schema(2 + next(5));
  const top = typeof root === "object" && root !== null && !Array.isArray(root) ? root : {};
  return {
    ...top,
    type: "object",
    properties: named(3),
    required: [],
    $defs: { A: schema(3), B: schema(3), "a b": schema(2) },
    definitions: { C: schema(2) },
    ...(odds(10) && { $schema: "http://json-schema.org/draft-07/schema#" }),
  };
}

/** A schema as sensible servers write them, and arguments that fit it. */
export function saneSchema(next: Next): { schema: Json; value: Json } {
  const pick = <T>(from: readonly T[]): T => from[next(from.length)]!;
  const odds = (one: number) => next(one) === 0;
  const names = NAMES.slice(0, 17);
  type Pair = { schema: Json; value: unknown };

  const leaves: (() => Pair)[] = [
    () => ({ schema: { type: "string", minLength: 1, maxLength: 5 }, value: "abc" }),
    () => ({ schema: { type: "string", pattern: pick(["^a", "a|b", "\\w"]) }, value: "abc" }),
    () => ({ schema: { type: "string", enum: ["", "x", "y"] }, value: pick(["", "x"]) }),
    () => ({ schema: { enum: ["x", 1, null, true, 2.5] }, value: pick(["x", 1, null, true, 2.5]) }),
    () => ({ schema: { enum: [{ a: 1 }, ["b"]] }, value: pick<unknown>([{ a: 1 }, ["b"]]) }),
    () => ({ schema: { const: pick([7, "k"]) }, value: undefined }),
    () => ({ schema: { type: "integer", exclusiveMinimum: 2, maximum: 9 }, value: 3 }),
    () => ({ schema: { type: "integer", exclusiveMinimum: 2.5, exclusiveMaximum: 4 }, value: 3 }),
    () => ({ schema: { type: "number", exclusiveMaximum: 2, multipleOf: 0.5 }, value: 1.5 }),
    () => ({ schema: { type: ["string", "null"], minLength: 2 }, value: pick([null, "ab"]) }),
    () => ({ schema: { type: ["integer", "boolean"], minimum: 3 }, value: pick([true, 3]) }),
    () => ({ schema: {}, value: pick<unknown>([1, "x", [1], { q: 1 }]) }),
    () => ({ schema: { type: "object" }, value: { free: { q: [1] } } }),
    () => ({ schema: { type: "array" }, value: [1, "x"] }),
    () => ({ schema: { $ref: "#/$defs/Leaf", description: "A leaf" }, value: "leaf" }),
    () => ({
      schema: { $ref: "#/$defs/Tree" },
      value: { name: "r", "sub trees": [{ name: "l" }] },
    }),
    () => ({
      schema: { type: "array", prefixItems: [{ type: "string" }, { type: "null" }], items: false },
      value: ["x", null],
    }),
  ];

  function pair(depth: number): Pair {
    const kind = depth === 0 ? 9 : next(10);
    if (kind < 3) return object(depth);
    if (kind === 3) {
      const { schema, value } = pair(depth - 1);
      return { schema: { type: "array", items: schema, minItems: 1 }, value: [value, value] };
    }
    if (kind === 4) {
      const { schema, value } = pair(depth - 1);
      const keyword = pick(["anyOf", "oneOf"]);
      return { schema: { [keyword]: [{ type: "array", minItems: 99 }, schema] }, value };
    }
    if (kind === 5) {
      const { schema, value } = pair(depth - 1);
      return { schema: { allOf: [schema, { description: "Also" }], title: "Both" }, value };
    }
    if (kind === 6) {
      const { schema, value } = pair(depth - 1);
      return { schema: { type: "object", additionalProperties: schema }, value: { any: value } };
    }
    const leaf = pick(leaves)();
    return { ...leaf, value: leaf.value === undefined ? leaf.schema.const : leaf.value };
  }

  function object(depth: number): { schema: Json; value: Json } {
    const own = Array.from(
      { length: next(5) },
      (): [string, Pair] => [pick(names), pair(depth - 1)],
    );
    const pairs = [...new Map(own)];
    const schema: Json = {
      type: "object",
      properties: Object.fromEntries(pairs.map(([name, { schema }]) => [name, schema])),
      required: pairs.map(([name]) => name).filter(() => odds(2)),
    };
    const value = Object.fromEntries(pairs.map(([name, { value }]) => [name, value]));
    if (odds(3)) schema.additionalProperties = false;
    if (odds(4)) schema.not = { required: ["never there"] };
    if (odds(4)) schema.patternProperties = { "^q": { type: "string" } };
    if (odds(4)) {
      schema.anyOf = [{ required: pairs.slice(0, 1).map(([name]) => name) }, { required: ["zz"] }];
    }
    return { schema, value };
  }

  const { schema, value } = object(4);
  const tree = {
    type: "object",
    properties: {
      name: { type: "string" },
      "sub trees": { type: "array", items: { $ref: "#/$defs/Tree" } },
    },
    required: ["name"],
  };
  return { schema: { ...schema, $defs: { Leaf: { type: "string" }, Tree: tree } }, value };
}
