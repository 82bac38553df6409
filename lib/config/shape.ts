/** Reading a tree with expectations: what does not meet them is told, and left out. @module */
import { nearest } from "../kit/near.ts";
import { join, nameOf, type Tree } from "./tree.ts";

/** What is wrong with one place, before it is known in which file. */
export interface Complaint {
  path: string;
  line?: number;
  message: string;
  hint?: string;
}

export type Tell = (complaint: Complaint) => void;

/** One value of a file, the path that leads to it, and whom to tell what is wrong with it. */
export interface Place {
  tree: Tree;
  path: string;
  tell: Tell;
}

export function complain(place: Place, message: string, hint?: string): void {
  const { line } = place.tree;
  place.tell({
    path: place.path,
    ...(line === undefined ? {} : { line }),
    message,
    ...(hint ? { hint } : {}),
  });
}

function expected(place: Place, what: string, hint?: string): undefined {
  complain(place, `Expected ${what}, got ${nameOf(place.tree.kind)}`, hint);
}

/** The entries of a mapping; what is empty (`env:` and nothing) counts as not written. */
export function entriesOf(place: Place, what = "a mapping"): Map<string, Place> {
  const found = new Map<string, Place>();
  const { tree, path, tell } = place;
  if (tree.kind === "null") return found;
  if (tree.kind !== "map") {
    expected(place, what);
    return found;
  }
  for (const [key, entry] of tree.entries) {
    if (entry.kind !== "null") found.set(key, { tree: entry, path: join(path, key), tell });
  }
  return found;
}

/** {@linkcode entriesOf} a mapping with a fixed set of keys; `hints` know better than likeness. */
export function fieldsOf(
  place: Place,
  known: readonly string[],
  hints: ReadonlyMap<string, string> = new Map(),
): Map<string, Place> {
  const fields = entriesOf(place);
  if (place.tree.kind !== "map") return fields;
  for (const [key, tree] of place.tree.entries) {
    if (known.includes(key)) continue;
    const found = { tree, path: join(place.path, key), tell: place.tell };
    const hint = hints.get(key) ?? didYouMean(key, known) ??
      `The keys here are ${known.join(", ")}`;
    complain(found, `Unknown key ${JSON.stringify(key)}`, hint);
    fields.delete(key);
  }
  return fields;
}

export function didYouMean(word: string, known: Iterable<string>): string | undefined {
  const near = nearest(word, known).map((name) => JSON.stringify(name));
  return near.length === 0 ? undefined : `Did you mean ${near.join(" or ")}?`;
}

export function textOf(place: Place | undefined, hint?: string): string | undefined {
  if (!place) return undefined;
  return place.tree.kind === "string" ? place.tree.text : expected(place, "a string", hint);
}

export function flagOf(place: Place | undefined): boolean | undefined {
  if (!place) return undefined;
  const { tree } = place;
  if (tree.kind === "boolean") return tree.value;
  const word = tree.kind === "string" ? tree.text.toLowerCase() : "";
  const meant = /^(?:yes|on|true)$/.test(word)
    ? "true"
    : /^(?:no|off|false)$/.test(word) && "false";
  return expected(place, "true or false", meant ? `Write ${meant}` : undefined);
}

/** {@linkcode flagOf} for what is said to be on or off. */
export function switchOf(place: Place | undefined): boolean | undefined {
  if (!place) return undefined;
  const { tree } = place;
  if (tree.kind === "boolean") return tree.value;
  const word = tree.kind === "string" ? tree.text : "";
  return word === "off" ? false : word === "on" ? true : expected(place, "on or off");
}

/** Where a program wants a text, `8080` and `true` are texts too, just as they were written. */
function scalarOf(place: Place, what: string): string | undefined {
  const { tree } = place;
  if (tree.kind === "string" || tree.kind === "number" || tree.kind === "boolean") return tree.text;
  return expected(place, what);
}

export function textsOf(place: Place | undefined): string[] | undefined {
  if (!place) return undefined;
  const { tree, path, tell } = place;
  if (tree.kind !== "list") {
    const hint = tree.kind === "string" ? `Write [${JSON.stringify(tree.text)}]` : undefined;
    return expected(place, "a list of strings", hint);
  }
  const texts = tree.items.map((item, i) =>
    scalarOf({ tree: item, path: join(path, i), tell }, "a string")
  );
  return texts.filter((text) => text !== undefined);
}

/** A mapping of names to texts, for variables and headers. */
export function textMapOf(place: Place | undefined): Record<string, string> | undefined {
  if (!place) return undefined;
  const entries: [string, string][] = [];
  for (const [key, value] of entriesOf(place, "a mapping of names to strings")) {
    const text = scalarOf(value, "a string");
    if (text !== undefined) entries.push([key, text]);
  }
  return Object.fromEntries(entries);
}
