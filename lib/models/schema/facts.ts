/** Numbers, lengths, patterns, values and defaults: as keywords where the API takes them, else in words. @module */
import { isPortable } from "./pattern.ts";
import type { Rules } from "./rules.ts";
import { ABOUT, type Shape } from "./shape.ts";
import { literal } from "./words.ts";

export interface Facts {
  out: Map<string, unknown>;
  told: string[];
}

/** The order on the wire. */
const ORDER = [
  ...["format", "pattern", "minLength", "maxLength", "minimum", "maximum"],
  ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems"],
  ...["default", "examples", "deprecated"],
];

/** `keywords` are those that may stand here. */
export function writeFacts(shape: Shape, rules: Rules, keywords: ReadonlySet<string>): Facts {
  const facts: Facts = { out: new Map(), told: [] };
  writeValues(shape, keywords, facts);
  const given = inclusive(shape, keywords);
  for (const keyword of ORDER) {
    const value = given.get(keyword);
    if (value === undefined || !concerns(shape, keyword)) continue;
    const clean = literal(value);
    if (!clean) continue;
    const fits = keywords.has(keyword) &&
      (keyword !== "pattern" || isPortable(String(value))) &&
      (keyword !== "format" || (rules.formats?.has(String(value)) ?? true));
    if (fits) facts.out.set(keyword, clean.value);
    else if (keyword === "deprecated") facts.told.push("deprecated");
    else if (clean.json.length <= 200) facts.told.push(`${keyword} ${clean.json}`);
  }
  return facts;
}

function writeValues({ values }: Shape, keywords: ReadonlySet<string>, { out, told }: Facts): void {
  if (!values) return;
  if (keywords.has("enum")) out.set("enum", values);
  else told.push(`enum ${JSON.stringify(values).slice(0, 200)}`);
}

/** Exclusive limits as inclusive ones, where the API has no others: for integers that is the same. */
function inclusive(shape: Shape, keywords: ReadonlySet<string>): Map<string, unknown> {
  const facts = new Map(shape.facts);
  const integral = shape.types?.join() === "integer";
  for (
    const [keyword, plain, sign] of [
      ["exclusiveMinimum", "minimum", 1],
      ["exclusiveMaximum", "maximum", -1],
    ] as const
  ) {
    const limit = facts.get(keyword);
    if (typeof limit !== "number" || keywords.has(keyword) || !keywords.has(plain)) continue;
    const nearest = integral ? sign * (Math.floor(sign * limit) + 1) : limit;
    const own = facts.get(plain);
    const binds = typeof own !== "number" || sign * nearest > sign * own;
    facts.set(plain, binds ? nearest : own);
    if (integral) facts.delete(keyword);
  }
  return facts;
}

/** A limit for texts says nothing about numbers, and only makes a schema longer. */
function concerns({ types }: Shape, keyword: string): boolean {
  const about = ABOUT.get(keyword);
  if (!types || about === undefined) return true;
  return types.includes(about) || (about === "number" && types.includes("integer")) ||
    keyword === "format"; // Numbers have formats, too.
}
