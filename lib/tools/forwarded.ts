/** What a model meant by a forwarded call, in whichever of the usual ways it wrote it. @module */
import { isObject } from "../protocol/codec.ts";
import type { Params } from "../protocol/types.ts";

export interface Request {
  action: typeof ACTIONS[number];
  /** For search, and to search in a result; else empty. */
  query: string;
  /** For all but search: a tool, or a result; else empty. */
  name: string;
  /** All that was given, for the arguments have several places. */
  given: Params;
}

export type Reading<T> = T | { why: string };

export const ACTIONS = ["search", "describe", "call", "read_result"] as const;
/** Where models put the arguments of the inner tool. */
const PLACES = ["args", "arguments", "input", "parameters"];
const OWN = ["action", "query", "name", ...PLACES];

export function readRequest(given: Params): Reading<Request> {
  const reads = given.action === "read_result";
  const name = wordIn(given, "name", ...reads ? ["result"] : []);
  const query = wordIn(given, "query", ...reads ? ["search"] : []);
  const action = given.action === undefined
    // What was left out is plain where only one action takes what was given.
    ? name ? "call" : query ? "search" : undefined
    : ACTIONS.find((each) => each === given.action);
  if (!action) return { why: `"action" has to be one of ${ACTIONS.join(", ")}` };
  if (action === "search" && !query.trim()) return { why: 'search needs a "query"' };
  if (action !== "search" && !name.trim()) {
    const shows = action === "read_result" ? "the note beside the result" : "search";
    return { why: `${action} needs a "name", as ${shows} shows it` };
  }
  return { action, query, name, given };
}

/**
 * The arguments for the inner tool: an object, JSON of one, flat beside the name, or wrapped twice,
 * where there is no doubt. Only where none were given at all they are empty.
 */
export function readArgs({ given }: Request, schema: Params): Reading<{ args: Params }> {
  const properties = isObject(schema.properties) ? schema.properties : {};
  // What the tool itself has a parameter for stands flat, whatever it is called; "args" is ours.
  const isOwn = (key: string) => key !== "args" && Object.hasOwn(properties, key);
  const places = PLACES.filter((place) => Object.hasOwn(given, place) && !isOwn(place));
  const flat = Object.entries(given).filter(([key]) =>
    !OWN.includes(key) || (key !== "action" && key !== "name" && isOwn(key))
  );
  if (places.length > 1) return { why: `arguments stand in ${places.join(" and in ")}` };
  const [place] = places;
  if (place === undefined) return { args: Object.fromEntries(flat) };
  if (flat.length > 0) {
    return {
      why: `arguments stand in "${place}" and beside it (${flat.map(([key]) => key).join(", ")})`,
    };
  }
  const value = unwritten(given[place]);
  if (!isObject(value)) return { why: `"${place}" has to be an object` };
  return { args: unwrapped(value, schema) };
}

/** The first of these that is a text. */
function wordIn(given: Params, ...keys: string[]): string {
  return keys.map((key) => given[key]).find((value) => typeof value === "string") ?? "";
}

/** JSON in a string is taken for what it says. */
function unwritten(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

/** `{args: {args: …}}` is one envelope too many, unless the tool has such a parameter itself. */
function unwrapped(value: Params, schema: Params): Params {
  const [key, ...others] = Object.keys(value);
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (key === undefined || others.length > 0 || !PLACES.includes(key)) return value;
  if (Object.hasOwn(properties, key) || !isObject(value[key])) return value;
  return value[key];
}
