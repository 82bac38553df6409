/** Reads a stranger's schema, of any draft, into shapes. @module */
import { toJson } from "../../kit/json.ts";
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { Addresses } from "./addresses.ts";
import { circlesIn } from "./definitions.ts";
import { anything, Fault, isBareRef, type Shape } from "./shape.ts";
import { brief } from "./words.ts";

/** A document, read: its root, and the names of all properties in it, in the order met. */
export interface Document {
  root: Shape;
  names: ReadonlySet<string>;
  /** What lies on a circle of references. */
  circles: ReadonlySet<Shape>;
}

const TYPES = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);
const WORDS = new Set(["title", "description", "format", "pattern"]);
const COUNTS = new Set(["minLength", "maxLength", "minItems", "maxItems"]);
const LIMITS = new Set(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]);
/** Keywords whose rules no model API is sent: in words, where they are short. */
const IN_WORDS = [
  ...["not", "if", "then", "else", "propertyNames", "patternProperties", "dependentRequired"],
  ...["dependentSchemas", "dependencies", "contains", "minContains", "maxContains"],
  ...["minProperties", "maxProperties", "contentEncoding", "contentMediaType"],
];
const LONGEST_WORDS = 200;

/** @throws {Fault} when it is no schema, or refers to what it does not hold */
export function readDocument(raw: Params): Document {
  const addresses = new Addresses(raw);
  const shapes = new Map<unknown, Shape>();
  const names = new Set<string>();
  // A list of what is still to be read, and no recursion: a stranger says how deep it goes.
  const unread: [Params, Shape, string, string][] = [];
  const alone = refsStandAlone(raw);

  function shapeOf(given: unknown, where: string, outer: string): Shape {
    if (typeof given === "boolean") return { ...anything(), never: !given };
    if (!isObject(given)) throw new Fault("has something that is no schema", where);
    const known = shapes.get(given);
    if (known) return known;
    const shape = anything();
    shapes.set(given, shape);
    unread.push([given, shape, where, addresses.baseOf(given, outer)]);
    return shape;
  }

  function read(given: Params, shape: Shape, where: string, base: string): void {
    const own = (keyword: string) => Object.hasOwn(given, keyword) ? given[keyword] : undefined;
    const part = (keyword: string, value = own(keyword)) =>
      shapeOf(value, `${where}/${keyword}`, base);
    const list = (keyword: string): Shape[] => {
      const value = own(keyword);
      if (value === undefined) return [];
      if (!Array.isArray(value)) throw new Fault(`has no list as "${keyword}"`, where);
      return value.map((item, at) => shapeOf(item, `${where}/${keyword}/${at}`, base));
    };
    const named = (keyword: string): [string, unknown][] => {
      const value = own(keyword);
      if (value === undefined) return [];
      if (!isObject(value)) throw new Fault(`has no object as "${keyword}"`, where);
      return Object.entries(value);
    };

    const told: string[] = [];
    shape.facts = readFacts(given);
    const reference = own("$ref") ?? own("$dynamicRef") ?? own("$recursiveRef");
    if (reference !== undefined) {
      if (typeof reference !== "string") throw new Fault('has no text as "$ref"', where);
      const target = addresses.follow(reference, base, where);
      const to = shapeOf(target.raw, reference, target.base);
      to.name ??= target.name;
      shape.ref = to;
      if (alone) return;
    }
    readTypes(own("type"), shape, told, where);
    readValues(given, shape, where);
    shape.properties = new Map(
      named("properties").map(([name, value]) => {
        names.add(name);
        return [name, shapeOf(value, `${where}/properties/${name}`, base)];
      }),
    );
    shape.required = readRequired(own("required"), where);
    for (const name of shape.required) names.add(name);
    shape.patterned = named("patternProperties").length > 0;
    if (own("additionalProperties") !== undefined) shape.rest = part("additionalProperties");
    const tuple = Array.isArray(own("items"));
    shape.prefix = list(tuple ? "items" : "prefixItems");
    const items = tuple ? "additionalItems" : "items";
    if (own(items) !== undefined) shape.items = part(items);
    shape.all = list("allOf");
    shape.groups = [list("anyOf"), list("oneOf")].filter((group) => group.length > 0);
    shape.maybe = [
      ...["then", "else"].filter((keyword) => own(keyword) !== undefined).map((it) => part(it)),
      ...[...named("dependentSchemas"), ...named("dependencies")]
        .filter(([, value]) => !Array.isArray(value))
        .map(([name, value]) => shapeOf(value, `${where}/${name}`, base)),
    ];
    for (const keyword of IN_WORDS) {
      const words = own(keyword) === undefined ? undefined : brief(own(keyword), LONGEST_WORDS);
      if (words !== undefined) told.push(`${keyword} ${words}`);
    }
    shape.told = told;
  }

  const root = shapeOf(raw, "", addresses.base);
  for (let at = 0; at < unread.length; at++) read(...unread[at]!);
  for (const shape of shapes.values()) lift(shape);
  return { root, names, circles: circlesIn(shapes.values()) };
}

/** Up to draft-07, what stands beside a `$ref` does not count. */
function refsStandAlone({ $schema }: Params): boolean {
  return typeof $schema === "string" && /\/draft-0[4-7]\//.test($schema);
}

/** `allOf: [{$ref}]` and its like are a way to put words beside a reference. */
function lift(shape: Shape): void {
  const singles = [...shape.all, ...shape.groups.filter(({ length }) => length === 1).flat()];
  const [only] = singles;
  if (shape.ref || singles.length !== 1 || !isBareRef(only!) || only.facts.size > 0) return;
  shape.ref = only.ref;
  shape.all = [];
  shape.groups = shape.groups.filter(({ length }) => length > 1);
}

function readTypes(given: unknown, shape: Shape, told: string[], where: string): void {
  if (given === undefined) return;
  const names: readonly unknown[] = Array.isArray(given) ? given : [given];
  const types = [...new Set(names)].filter((name): name is string => {
    if (typeof name !== "string") throw new Fault('has a "type" that is no name', where);
    if (TYPES.has(name)) return true;
    told.push(`type ${toJson(name.slice(0, 40))}`); // "any", "date", "file": servers invent these.
    return false;
  });
  // A list with a name that nobody knows may mean anything.
  if (types.length > 0 && told.length === 0) shape.types = types;
}

function readValues(given: Params, shape: Shape, where: string): void {
  const { enum: choices } = given;
  if (choices !== undefined) {
    if (!Array.isArray(choices)) throw new Fault('has no list as "enum"', where);
    if (choices.length > 0) shape.values = choices;
  }
  if (Object.hasOwn(given, "const")) shape.values = [given.const];
}

function readRequired(given: unknown, where: string): Set<string> {
  if (given === undefined) return new Set();
  if (Array.isArray(given) && given.every((name) => typeof name === "string")) {
    return new Set(given);
  }
  throw new Fault('has no list of names as "required"', where);
}

/** What is malformed here binds nothing and is left out: it would only get the whole refused. */
function readFacts(given: Params): Map<string, unknown> {
  const facts = new Map<string, unknown>();
  for (const keyword of Object.keys(given)) {
    const value = given[keyword];
    const number = typeof value === "number" && Number.isFinite(value);
    const good = WORDS.has(keyword)
      ? typeof value === "string"
      : COUNTS.has(keyword)
      ? number && Number.isInteger(value) && value >= 0
      : LIMITS.has(keyword)
      ? number
      : keyword === "multipleOf"
      ? number && value > 0
      : keyword === "uniqueItems" || keyword === "deprecated"
      ? value === true
      : keyword === "examples"
      ? Array.isArray(value)
      : keyword === "default";
    if (good) facts.set(keyword, value);
  }
  // Draft-04 says with a flag that a limit is exclusive.
  for (const [limit, flag] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]]) {
    if (given[flag!] === true && facts.has(limit!)) {
      facts.set(flag!, facts.get(limit!));
      facts.delete(limit!);
    }
  }
  return facts;
}
