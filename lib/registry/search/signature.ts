/** A tool's parameters on one short line: what a model needs to know before it asks for more. @module */
import { printableLine } from "../../kit/printable.ts";
import { isObject } from "../../protocol/codec.ts";
import type { Params, ToolInfo } from "../../protocol/types.ts";

/** Parameters, members and alternatives shown of each schema: strangers write thousands. */
const MOST_PARAMETERS = 24;
const MOST_MEMBERS = 6;
const MOST_CHOICES = 8;
const DEEPEST = 3;
const MOST_HOPS = 4;
const MOST_STEPS = 16;
const NAME_MAX = 48;
const LITERAL_MAX = 24;

/**
 * `query*: string, limit: int = 5, state: open|closed|all`: the required ones first, with a star. What
 * would make it longer than `max` characters is said in short, or left out. Never throws, whatever the
 * schema is.
 */
export function signature(info: ToolInfo, max = 240): string {
  const parts = members(info.inputSchema, info.inputSchema, 0, MOST_PARAMETERS);
  let line = "";
  for (const { long, short } of parts) {
    const fits = [long, short].map((part) => line === "" ? part : `${line}, ${part}`)
      .find((longer) => longer.length <= max - ", …".length);
    if (fits === undefined) return line === "" ? "…" : `${line}, …`;
    line = fits;
  }
  return line;
}

interface Member {
  long: string;
  /** Without what is inside of it. */
  short: string;
}

function members(schema: Params, root: Params, depth: number, most: number): Member[] {
  const properties = isObject(schema?.properties) ? schema.properties : {};
  const required = new Set(Array.isArray(schema?.required) ? schema.required : []);
  const names = Object.keys(properties);
  const ordered = [
    ...names.filter((name) => required.has(name)),
    ...names.filter((name) => !required.has(name)),
  ];
  const shown = ordered.slice(0, most).map((name): Member => {
    const label = word(name, NAME_MAX) + (required.has(name) ? "*" : "");
    const of = properties[name];
    return {
      long: `${label}: ${typeOf(of, root, depth + 1)}${defaultOf(of)}`,
      short: `${label}: ${isObject(of) ? plainType(of) : "any"}`,
    };
  });
  const rest = schema?.additionalProperties;
  if (ordered.length > most) shown.push({ long: "…", short: "…" });
  else if (ordered.length === 0 && (rest === true || isObject(rest))) {
    shown.push({ long: `[any name]: ${typeOf(rest, root, depth + 1)}`, short: "[any name]: any" });
  }
  return shown;
}

function typeOf(given: unknown, root: Params, depth: number): string {
  const schema = resolved(given, root);
  if (schema === false) return "never";
  if (!isObject(schema)) return "any";
  if (depth > DEEPEST) return plainType(schema);
  if ("const" in schema) return literal(schema.const);
  if (Array.isArray(schema.enum)) return choices(schema.enum, literal);
  for (const key of ["anyOf", "oneOf"]) {
    const list = schema[key];
    if (Array.isArray(list) && list.length > 0 && !("type" in schema)) {
      return choices(list, (each) => typeOf(each, root, depth + 1));
    }
  }
  if (Array.isArray(schema.allOf) && !("type" in schema) && !("properties" in schema)) {
    const types = schema.allOf.slice(0, MOST_CHOICES).map((each) => typeOf(each, root, depth + 1));
    return types.find((type) => type !== "any") ?? "any";
  }
  if (Array.isArray(schema.type)) {
    return choices(schema.type, (type) => typeOf({ ...schema, type }, root, depth + 1));
  }
  if (schema.type === "array" || (schema.type === undefined && "items" in schema)) {
    const item = typeOf(schema.items, root, depth + 1);
    return item.includes("|") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === "object" || (schema.type === undefined && "properties" in schema)) {
    const shown = members(schema, root, depth, MOST_MEMBERS);
    return shown.length > 0 ? `{${shown.map(({ long }) => long).join(", ")}}` : "object";
  }
  return plainType(schema);
}

const SHORT: ReadonlyMap<unknown, string> = new Map([["integer", "int"], ["boolean", "bool"]]);

function plainType({ type }: Params): string {
  return SHORT.get(type) ?? (typeof type === "string" && type !== "" ? word(type, 20) : "any");
}

/** The alternatives without repetition, and a sign that there are more. */
function choices(list: readonly unknown[], show: (item: unknown) => string): string {
  const shown = new Set(list.slice(0, MOST_CHOICES).map(show));
  const more = list.length > MOST_CHOICES ? "|…" : "";
  return [...shown].join("|") + more || "never";
}

/** What a schema refers to, a few steps on: some refer to themselves. */
function resolved(schema: unknown, root: Params): unknown {
  let at = schema;
  for (let hop = 0; hop < MOST_HOPS && isObject(at) && typeof at.$ref === "string"; hop++) {
    at = target(at.$ref, root);
  }
  return at;
}

/** What `#/$defs/…` and the like means; undefined when it leads elsewhere, or nowhere. */
function target(ref: string, root: Params): unknown {
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split("/", MOST_STEPS)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Params)[name];
  }
  return at;
}

function defaultOf(schema: unknown): string {
  if (!isObject(schema)) return "";
  const value = schema.default;
  const isScalar = typeof value === "string" || typeof value === "number" ||
    typeof value === "boolean";
  if (!isScalar) return "";
  return ` = ${value === "" ? '""' : literal(value)}`;
}

function literal(value: unknown): string {
  if (typeof value === "string") return word(value, LITERAL_MAX);
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "[…]" : "{…}";
  return String(value);
}

/** As it is where it is one word, else in quotes: nothing in it can pass for a part of the line. */
function word(text: string, max: number): string {
  if (/^[\w$./@-]+$/.test(text) && text.length <= max) return text;
  return JSON.stringify(printableLine(text.slice(0, max * 4), max));
}
