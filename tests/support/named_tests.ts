/** Tests by their names, for tables that say which test proves what: a table that rots fails. @module */
import { ROOT } from "./paths.ts";

/** A file below `tests/`, and how the name of a test in it begins; `*` stands for what a loop puts there. */
export type Where = readonly [file: string, sentence: string];

/** The name of a test as it stands in the source, at the beginning of a text. */
function pattern(sentence: string): RegExp {
  const parts = sentence.split("*").map((part) => RegExp.escape(part));
  return new RegExp(`["\`]${parts.join('(?:\\$\\{[^}]+\\}|[^"`])+')}`);
}

/** Why there is no such test; undefined when there is. */
export function missing([file, sentence]: Where): string | undefined {
  let source: string;
  try {
    source = Deno.readTextFileSync(`${ROOT}tests/${file}`);
  } catch {
    return `tests/${file} is not there`;
  }
  const found = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "").match(pattern(sentence));
  return found ? undefined : `tests/${file} has no test "${sentence}…"`;
}
