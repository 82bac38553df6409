/** A configuration file between text and meaning: values, each with the line it stands on. @module */
import type { Issue } from "../kit/usage.ts";

/** Numbers keep the text they were written in, for `012` and `1.0` are also arguments. */
export type Tree =
  & { line?: number }
  & (
    | { kind: "map"; entries: ReadonlyMap<string, Tree> }
    | { kind: "list"; items: readonly Tree[] }
    | { kind: "string"; text: string }
    | { kind: "number"; text: string }
    | { kind: "boolean"; text: string; value: boolean }
    | { kind: "null" }
  );

/** What became of a text: a tree where there is one, and everything that is wrong with it. */
export interface Reading {
  tree?: Tree;
  issues: Issue[];
}

const NAMES = {
  map: "a mapping",
  list: "a list",
  string: "a string",
  number: "a number",
  boolean: "true or false",
  null: "nothing",
};

/** "a list", "a number": for "Expected …, got …". */
export function nameOf(kind: Tree["kind"]): string {
  return NAMES[kind];
}

/** `servers.notes.args[0]`; a key that would be misread that way is quoted: `servers["a.b"]`. */
export function join(path: string, key: string | number): string {
  if (typeof key === "number") return `${path}[${key}]`;
  if (!/^[\p{L}\p{N}_$-]+$/u.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path ? `${path}.${key}` : key;
}

/** The path of a list of keys from the top. */
export function pathOf(keys: readonly string[]): string {
  return keys.reduce(join, "");
}

/** The message for a key that stands twice in one mapping; parsers would silently take the last. */
export function duplicate(
  file: string,
  path: string,
  key: string,
  line: number | undefined,
  first: number | undefined,
): Issue {
  const where = first === undefined
    ? ""
    : first === line
    ? " on one line"
    : `, first on line ${first}`;
  return {
    file,
    path,
    ...(line === undefined ? {} : { line }),
    message: `Key ${JSON.stringify(key)} stands twice${where}`,
    hint: "Keep one of them, or give the other a name of its own",
  };
}
