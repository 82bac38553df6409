/** Property names as an API takes them, and the way back. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";

/** Where in arguments which names were changed: it has the form of the schema that was written. */
export interface Trail {
  /** By the name on the wire. */
  properties: Map<string, { raw: string; trail: Trail }>;
  rest?: Trail;
  prefix?: readonly Trail[];
  items?: Trail;
  /** What describes the same value: branches, definitions. */
  also: Trail[];
}

const MAX_NAME = 64;
/** Arguments that are nested deeper are left as they are. */
const MAX_NESTING = 500;

export function emptyTrail(): Trail {
  return { properties: new Map(), also: [] };
}

/**
 * Gives every name that does not match `legal` one that does and that no other property of the
 * schema has, so that the way back is clear wherever the name stands.
 */
export function wireNames(names: Iterable<string>, legal: RegExp): ReadonlyMap<string, string> {
  const all = new Set(names);
  const wire = new Map([...all].filter((name) => legal.test(name)).map((name) => [name, name]));
  const taken = new Set(wire.keys());
  /** How often a name was given already: four thousand that are cut alike are soon told apart. */
  const counts = new Map<string, number>();
  for (const name of all) {
    if (wire.has(name)) continue;
    const safe = safeName(name, legal);
    const stem = safe.slice(0, MAX_NAME - 8);
    let count = counts.get(stem) ?? 1;
    let unique = safe;
    while (taken.has(unique)) unique = `${stem}_${++count}`;
    counts.set(stem, count);
    taken.add(unique);
    wire.set(name, unique);
  }
  return wire;
}

function safeName(name: string, legal: RegExp): string {
  const letters = [...name].slice(0, MAX_NAME);
  const safe = letters.map((letter) => legal.test(`_${letter}`) ? letter : "_").join("");
  return legal.test(safe) ? safe : `_${safe}`.slice(0, MAX_NAME);
}

/** The arguments with the names that the server knows. */
export function restored(args: Params, trail: Trail): Params {
  return restoreObject(args, follow([trail]), 0);
}

function restore(value: unknown, trails: readonly Trail[], depth: number): unknown {
  if (trails.length === 0 || depth > MAX_NESTING) return value;
  if (Array.isArray(value)) {
    return value.map((item, at) => {
      const next = trails.map(({ prefix, items }) => prefix?.[at] ?? items);
      return restore(item, follow(next), depth + 1);
    });
  }
  return isObject(value) ? restoreObject(value, trails, depth) : value;
}

function restoreObject(value: Params, trails: readonly Trail[], depth: number): Params {
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const known = trails.flatMap(({ properties }) => properties.get(name) ?? []);
    const next = known.length > 0
      ? known.map(({ trail }) => trail)
      : trails.map(({ rest }) => rest);
    return [known[0]?.raw ?? name, restore(member, follow(next), depth + 1)];
  });
  return Object.fromEntries(entries);
}

/** These trails and all that describe the same values. */
function follow(trails: readonly (Trail | undefined)[]): Trail[] {
  const found = new Set<Trail>();
  for (const trail of trails) if (trail) found.add(trail);
  for (const { also } of found) for (const trail of also) found.add(trail);
  return [...found];
}
