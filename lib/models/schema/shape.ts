/** A subschema, understood: what a stranger wrote, in the one form that we work on. @module */

/** Keywords that hold a subschema, a list of them, and named ones. */
export const ONE: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
export const MANY: ReadonlySet<string> = new Set([
  "allOf",
  "anyOf",
  "items",
  "oneOf",
  "prefixItems",
]);
export const NAMED: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

/** Why a schema can't be sent; the message goes on after "its schema". */
export class Fault extends Error {
  constructor(why: string, where = "") {
    const place = where.length > 80 ? `…${where.slice(-79)}` : where;
    super(place === "" ? why : `${why} (at ${place})`);
  }
}

/**
 * A subschema. Values that fit what it was read from fit it too: where both are not the same, this
 * says less. `not`, `if`, `contains`, `patternProperties` and their kind are words in `told`.
 */
export interface Shape {
  /** Nothing fits: the schema `false`. */
  never: boolean;
  /** What must fit as well, wherever that stands. */
  ref?: Shape;
  /** `undefined`: any. Never empty. */
  types?: readonly string[];
  /** The values of `enum`, or of `const`. */
  values?: readonly unknown[];
  /** Numbers, lengths, annotations. */
  facts: ReadonlyMap<string, unknown>;
  properties: ReadonlyMap<string, Shape>;
  required: ReadonlySet<string>;
  /** Of the other properties; the schema `false` when there may be none. */
  rest?: Shape;
  /** Some of the other properties have a form by pattern, which `told` has. */
  patterned: boolean;
  prefix: readonly Shape[];
  /** Of the items behind the prefix. */
  items?: Shape;
  /** Of each group one must fit: `anyOf`, `oneOf`. */
  groups: readonly (readonly Shape[])[];
  /** All of these must fit. */
  all: readonly Shape[];
  /** Those of which it depends whether they must fit: `then`, `else`, `dependentSchemas`. */
  maybe: readonly Shape[];
  /** Rules that have no place here, in words. */
  told: readonly string[];
  /** What a definition is called when this is one. */
  name?: string;
}

export function anything(): Shape {
  return {
    never: false,
    facts: new Map(),
    properties: new Map(),
    required: new Set(),
    patterned: false,
    prefix: [],
    groups: [],
    all: [],
    maybe: [],
    told: [],
  };
}

/** Whether there is nothing but a reference, and words about it. */
export function isBareRef(shape: Shape): shape is Shape & { ref: Shape } {
  return shape.ref !== undefined && isUnbound(shape);
}

/** Whether anything fits, but for its reference. */
export function isUnbound(shape: Shape): boolean {
  return !shape.never && shape.types === undefined && shape.values === undefined &&
    shape.properties.size === 0 && shape.required.size === 0 && shape.rest === undefined &&
    shape.prefix.length === 0 && shape.items === undefined && shape.groups.length === 0 &&
    shape.all.length === 0 && shape.maybe.length === 0 &&
    [...shape.facts.keys()].every((keyword) => ANNOTATIONS.has(keyword));
}

/** Keywords that bind no value. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
]);

/** Which type of value a keyword is about; absent: all. */
export const ABOUT: ReadonlyMap<string, string> = new Map([
  ["minLength", "string"],
  ["maxLength", "string"],
  ["pattern", "string"],
  ["format", "string"],
  ["minimum", "number"],
  ["maximum", "number"],
  ["exclusiveMinimum", "number"],
  ["exclusiveMaximum", "number"],
  ["multipleOf", "number"],
  ["minItems", "array"],
  ["maxItems", "array"],
  ["uniqueItems", "array"],
  ["minProperties", "object"],
  ["maxProperties", "object"],
]);

/** The JSON Schema type of a value; an integer is one. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}
