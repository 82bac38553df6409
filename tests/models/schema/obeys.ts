/** Whether a schema keeps to the rules of an API: the rules as data, read by other code than that which writes. @module */
import type { Rules } from "../../../lib/models/schema/rules.ts";

type Json = Record<string, unknown>;

const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];
const COUNTS = ["minLength", "maxLength", "minItems", "maxItems"];
const NUMBERS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/** All that is wrong with `schema` by `rules`, each with its place. */
export function obeys(schema: Json, rules: Rules): string[] {
  const found: string[] = [];
  const { bounds } = rules;
  const definitions = (schema.$defs ?? {}) as Record<string, Json>;
  const leads = new Map<string, Set<string>>();
  let nodes = 0;

  function say(where: string, what: string): void {
    found.push(`${what} at ${where || "the root"}`);
  }

  function look(node: unknown, where: string, depth: number, home: string, root = false): void {
    if (!isObject(node)) return say(where, "no schema");
    if (++nodes > bounds.nodes) return;
    // A stub may stand one below, with its `items` below that.
    if (depth > bounds.depth + 2) say(where, `depth ${depth}`);
    const allowed = root ? rules.root : rules.keywords;
    for (const keyword of Object.keys(node)) {
      if (keyword === "$defs" && root) continue;
      if (!allowed.has(keyword)) say(where, `keyword ${keyword}`);
    }
    const { type, $ref, anyOf, required, properties, items, prefixItems } = node;
    const types = type === undefined ? undefined : Array.isArray(type) ? type : [type];
    if (root && type !== "object") say(where, "type is not object");
    if (Array.isArray(type) && (!rules.typeLists || type.length < 2)) say(where, "type is a list");
    if (types?.some((it) => !TYPES.includes(it))) say(where, `type ${types}`);
    if (types && new Set(types).size < types.length) say(where, "type twice");
    for (const [keyword, value] of Object.entries(node)) {
      if (COUNTS.includes(keyword) && !(Number.isInteger(value) && value as number >= 0)) {
        say(where, `${keyword} ${value}`);
      }
      if (NUMBERS.includes(keyword) && !Number.isFinite(value)) say(where, `${keyword} ${value}`);
      if (keyword === "pattern" && !compilesAnywhere(value)) say(where, `pattern ${value}`);
      if (keyword === "format" && rules.formats && !rules.formats.has(String(value))) {
        say(where, `format ${value}`);
      }
      if (keyword === "description" || keyword === "title") {
        if (typeof value !== "string" || value.length > bounds.text) say(where, `long ${keyword}`);
      }
    }
    if ($ref !== undefined) lookAtRef(node, where, home);
    if (anyOf !== undefined) {
      if (!Array.isArray(anyOf) || anyOf.length === 0) say(where, "anyOf is no list");
      const beside = Object.keys(node).filter((it) => it !== "anyOf");
      if (rules.besideAnyOf && beside.some((it) => !rules.besideAnyOf!.has(it))) {
        say(where, `${beside} beside anyOf`);
      }
    }
    lookAtValues(node, where);
    if (required !== undefined) {
      const names = required as string[];
      if (!Array.isArray(names) || names.length === 0) say(where, "required is no list of names");
      if (new Set(names).size < names.length) say(where, "required twice");
      for (const name of names) {
        if (!rules.propertyName.test(name)) say(where, `requires ${name}`);
        if (rules.requiredDefined && !Object.hasOwn(properties ?? {}, name)) {
          say(where, `requires the undefined ${name}`);
        }
      }
    }
    if (types?.includes("object")) {
      const empty = properties === undefined;
      if (empty && rules.emptyProperties) say(where, "no properties");
    }
    if (properties !== undefined) {
      if (!isObject(properties)) return say(where, "properties is no object");
      if (!rules.emptyProperties && Object.keys(properties).length === 0) {
        say(where, "empty properties");
      }
      for (const name of Object.keys(properties)) {
        if (!rules.propertyName.test(name)) say(where, `property ${JSON.stringify(name)}`);
      }
    }
    if (types?.includes("array") && items === undefined && prefixItems === undefined) {
      say(where, "no items");
    }
    for (const [part, place] of partsOf(node)) look(part, `${where}/${place}`, depth + 1, home);
  }

  function lookAtRef(node: Json, where: string, home: string): void {
    const name = String(node.$ref).replace("#/$defs/", "");
    if (!rules.refs) say(where, "$ref");
    if (!String(node.$ref).startsWith("#/$defs/") || !Object.hasOwn(definitions, name)) {
      say(where, `$ref to ${node.$ref}`);
    }
    if (!/^[a-zA-Z0-9_.-]+$/.test(name)) say(where, `definition ${name}`);
    const beside = Object.keys(node).filter((it) => it !== "$ref" && !rules.besideRef.has(it));
    if (beside.length > 0) say(where, `${beside} beside $ref`);
    leads.set(home, (leads.get(home) ?? new Set()).add(name));
  }

  function lookAtValues({ enum: values, type, const: one }: Json, where: string): void {
    if (values === undefined) return;
    if (!Array.isArray(values) || values.length === 0) return say(where, "enum is no list");
    if (one !== undefined) say(where, "enum beside const");
    if (values.length > bounds.values) say(where, `${values.length} values`);
    if (new Set(values.map((it) => JSON.stringify(it))).size < values.length) {
      say(where, "enum has a value twice");
    }
    if (!rules.emptyEnumText && values.includes("")) say(where, "enum has an empty text");
    if (!rules.enumTypes) return;
    for (const value of values) {
      const own = Number.isInteger(value) ? "integer" : typeof value;
      const fits = own === type || (own === "integer" && type === "number");
      if (!fits || !rules.enumTypes.has(own)) say(where, `enum value ${JSON.stringify(value)}`);
    }
  }

  look(schema, "", 1, "", true);
  for (const [name, definition] of Object.entries(definitions)) {
    look(definition, `/$defs/${name}`, 1, name);
  }
  if (nodes > bounds.nodes) say("", `${nodes} subschemas`);
  const json = JSON.stringify(schema);
  if (json.length > bounds.size) say("", `${json.length} characters`);
  if (/\\ud[89a-f]/i.test(json.replace(/\\\\/g, ""))) say("", "half a surrogate pair");
  if (!rules.cycles && [...leads.keys()].some((name) => leadsTo(name, name, leads))) {
    say("", "a circle of references");
  }
  return found;
}

function* partsOf(node: Json): Generator<[unknown, string]> {
  const { properties, items, prefixItems, anyOf, additionalProperties } = node;
  if (isObject(properties)) {
    for (const [name, part] of Object.entries(properties)) yield [part, `properties/${name}`];
  }
  if (items !== undefined) yield [items, "items"];
  if (additionalProperties !== undefined && additionalProperties !== false) {
    yield [additionalProperties, "additionalProperties"];
  }
  for (const [keyword, list] of Object.entries({ prefixItems, anyOf })) {
    if (!Array.isArray(list)) continue;
    for (const [at, part] of list.entries()) yield [part, `${keyword}/${at}`];
  }
}

function leadsTo(from: string, to: string, leads: Map<string, Set<string>>): boolean {
  const seen = new Set(leads.get(from));
  for (const next of seen) for (const name of leads.get(next) ?? []) seen.add(name);
  return seen.has(to);
}

function compilesAnywhere(pattern: unknown): boolean {
  if (typeof pattern !== "string" || /\(\?[^:]|\\[pPkc1-9]|\\u\{/.test(pattern)) return false;
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
