/** What each kind of model API takes of JSON Schema: data, and nothing else. @module */

/** Who reads the schema; `plain` is for servers of which nothing is known (Ollama, llama.cpp, …). */
export type Dialect = "anthropic" | "openai" | "gemini" | "plain";

export interface Rules {
  /** Keywords that may stand in a subschema. What else a schema says goes into its description. */
  keywords: ReadonlySet<string>;
  /** Keywords that may stand at the root. */
  root: ReadonlySet<string>;
  /** Property names as they may be on the wire. */
  propertyName: RegExp;
  /** Whether `$ref` to `#/$defs/…` is written, or what it leads to. */
  refs: boolean;
  /** Whether a definition may lead back to itself. Where not, the second round is cut. */
  cycles: boolean;
  /** What may stand beside a `$ref`; the rest moves to an `anyOf` around it, or is left out. */
  besideRef: ReadonlySet<string>;
  /** What may stand beside an `anyOf`; the rest moves into its branches. `undefined`: anything. */
  besideAnyOf: ReadonlySet<string> | undefined;
  /** Whether `type` may be a list. Where not, `anyOf` says the same. */
  typeLists: boolean;
  /** Whether `type` is written where it is only implied, by `properties` or `items`. */
  impliedTypes: boolean;
  /** Types of values that an `enum` may hold, one type per `enum`. `undefined`: any, mixed. */
  enumTypes: ReadonlySet<string> | undefined;
  /** Whether `""` may be a value of an `enum`. */
  emptyEnumText: boolean;
  /** Values of `format` that may be written. `undefined`: any. */
  formats: ReadonlySet<string> | undefined;
  /** What an object without properties has: `properties: {}`, or no such keyword. */
  emptyProperties: boolean;
  /** Whether every name in `required` must be one of `properties`. */
  requiredDefined: boolean;
  bounds: Bounds;
}

/** What is larger is cut, from the inside out; a tool that is still larger then is held back. */
export interface Bounds {
  /** Subschemas inside each other, the root being the first. Definitions count anew. */
  depth: number;
  /** Subschemas in all. */
  nodes: number;
  /** UTF-16 units of the schema as JSON. */
  size: number;
  /** UTF-16 units of one description. */
  text: number;
  /** Values of one `enum`. */
  values: number;
}

const SHAPE = ["type", "title", "description", "properties", "required", "additionalProperties"];
const ROOT = new Set([...SHAPE, "$defs"]);
const NUMBERS = ["minimum", "maximum"];
const LISTS = ["items", "minItems", "maxItems"];
const FACTS = [
  ...NUMBERS,
  ...LISTS,
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "uniqueItems",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "default",
];
const NONE: ReadonlySet<string> = new Set();

export const RULES: Readonly<Record<Dialect, Rules>> = {
  // Any JSON Schema 2020-12 below the root, checked against its meta-schema.
  anthropic: {
    keywords: new Set([...SHAPE, ...FACTS, "$ref", "enum", "anyOf", "prefixItems"]),
    root: ROOT,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    refs: true,
    cycles: true,
    besideRef: new Set(["title", "description", "default"]),
    besideAnyOf: undefined,
    typeLists: true,
    impliedTypes: false,
    enumTypes: undefined,
    emptyEnumText: true,
    formats: undefined,
    emptyProperties: true,
    requiredDefined: false,
    bounds: { depth: 32, nodes: 3000, size: 100_000, text: 8000, values: 1000 },
  },
  // Functions that are not strict. An array must have `items`; `pattern` must compile in Python.
  openai: {
    keywords: new Set([...SHAPE, ...FACTS, "$ref", "enum", "anyOf"]),
    root: ROOT,
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    refs: true,
    cycles: true,
    besideRef: NONE,
    besideAnyOf: undefined,
    typeLists: true,
    impliedTypes: false,
    enumTypes: undefined,
    emptyEnumText: true,
    formats: undefined,
    emptyProperties: true,
    requiredDefined: false,
    bounds: { depth: 20, nodes: 2000, size: 100_000, text: 8000, values: 1000 },
  },
  // `parametersJsonSchema`; the keywords are those documented for `responseJsonSchema`.
  gemini: {
    keywords: new Set([...SHAPE, ...NUMBERS, ...LISTS, "$ref", "enum", "anyOf", "format"]),
    root: ROOT,
    propertyName: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    refs: true,
    cycles: false,
    besideRef: new Set(["description"]),
    besideAnyOf: new Set(["title", "description"]),
    typeLists: false,
    impliedTypes: true,
    enumTypes: new Set(["string", "integer", "number"]),
    emptyEnumText: false,
    formats: new Set(["date-time", "date", "time", "int32", "int64", "float", "double"]),
    emptyProperties: false,
    requiredDefined: true,
    bounds: { depth: 20, nodes: 2000, size: 100_000, text: 8000, values: 500 },
  },
  // The least that is worth sending. What is not understood confuses small models.
  plain: {
    keywords: new Set([
      ...["type", "description", "properties", "required", "enum", "anyOf", "default"],
      ...NUMBERS,
      ...LISTS,
      ...["minLength", "maxLength"],
    ]),
    root: new Set(["type", "description", "properties", "required"]),
    propertyName: /^[a-zA-Z0-9_.-]{1,64}$/,
    refs: false,
    cycles: false,
    besideRef: NONE,
    besideAnyOf: new Set(["description", "default"]),
    typeLists: false,
    impliedTypes: true,
    enumTypes: new Set(["string", "integer", "number"]),
    emptyEnumText: true,
    formats: NONE,
    emptyProperties: true,
    requiredDefined: true,
    bounds: { depth: 16, nodes: 1000, size: 60_000, text: 4000, values: 200 },
  },
};
