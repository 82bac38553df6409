/** What a server says of a tool, as a model is told it: bounded, in nobody's name but its own, nothing hidden in it. @module */
import { legible } from "../kit/legible.ts";
import { unforged } from "../kit/note.ts";
import { cut, printable } from "../kit/printable.ts";
import { isObject } from "../protocol/codec.ts";
import type { Params, ToolInfo } from "../protocol/types.ts";

/** UTF-16 units of a description, where the configuration says nothing. */
export const DESCRIPTION_CHARS = 4_000;

export interface Offered {
  text: string;
  /** UTF-16 units that are left out at its end. */
  left: number;
}

/** Its description; its title or its name where it has none. */
export function offeredWords(info: ToolInfo, max = DESCRIPTION_CHARS): Offered {
  const said = [info.description, info.title, info.annotations?.title, info.name];
  const whole = said.map((words) => shown(words ?? "")).find((words) => words !== "") ?? "";
  const text = cut(whole, max);
  return { text, left: whole.length - text.length };
}

const known = new WeakMap<Params, Params>();

/**
 * The same schema without what hides in it: words lose such characters and have an end; a value or a
 * parameter that can't be named without them is left out. What means something to the server is
 * untouched. The same object comes for the same schema, and the very schema where nothing hides.
 */
export function offeredSchema(schema: Params): Params {
  const before = known.get(schema);
  if (before) return before;
  const clean = schemaOf(schema);
  const same = JSON.stringify(clean) === JSON.stringify(schema);
  const offered = same || !isObject(clean) ? schema : clean;
  known.set(schema, offered);
  return offered;
}

/** Keywords that hold a subschema or a list of them; those that hold some by name. */
const INNER = new Set([
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"],
  ...["additionalProperties", "unevaluatedProperties", "propertyNames"],
  ...["anyOf", "oneOf", "allOf", "not", "if", "then", "else"],
]);
const NAMED = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "$defs",
  "definitions",
]);
/** Keywords that are compared or followed, and values that a model writes down as they are. */
const EXACT = new Set([
  ...["type", "format", "pattern", "$ref", "$id", "$schema", "$anchor"],
  ...["const", "enum", "default", "examples", "required"],
]);

function schemaOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaOf);
  if (!isObject(value)) return value;
  const pairs = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    if (hides(key)) return [];
    if (INNER.has(key)) return [[key, schemaOf(each)]];
    if (NAMED.has(key)) return [[key, named(each)]];
    if (!EXACT.has(key)) return [[key, words(each)]];
    if (Array.isArray(each)) return [[key, each.filter((item) => !hides(item))]];
    return hides(each) ? [] : [[key, each]];
  });
  return Object.fromEntries(pairs);
}

function named(value: unknown): unknown {
  if (!isObject(value)) return value;
  const seen = Object.entries(value).filter(([name]) => !hides(name));
  return Object.fromEntries(seen.map(([name, each]) => [name, schemaOf(each)]));
}

function hides(value: unknown): boolean {
  if (typeof value === "string") return legible(value).hidden > 0;
  if (Array.isArray(value)) return value.some(hides);
  return isObject(value) && Object.entries(value).some((pair) => pair.some(hides));
}

function words(value: unknown): unknown {
  if (typeof value === "string") return cut(shown(value), DESCRIPTION_CHARS);
  if (Array.isArray(value)) return value.map(words);
  if (!isObject(value)) return value;
  const seen = Object.entries(value).filter(([key]) => !hides(key));
  return Object.fromEntries(seen.map(([key, each]) => [key, words(each)]));
}

/** Nobody writes a description in colours, and what is invisible in one is there to deceive. */
function shown(text: string): string {
  return unforged(printable(text)).trim();
}
