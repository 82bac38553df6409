/** Whether the text of a result says what its structured content says: then it is said once. @module */
import { canonical, isDeeper } from "../kit/json.ts";

/** Beyond this, two values may be told apart only where {@linkcode canonical} does not look. */
const DEEPEST = 90;

/**
 * One of the texts is the value as JSON, in whatever spelling, in a code fence, or as a plain word;
 * or all of them together are: a text for each item, a line for each, JSON in pieces. What stands
 * alone in `{"result": …}` is meant too: so servers wrap what is no object.
 */
export function saysTheSame(texts: readonly string[], value: unknown): boolean {
  if (isDeeper(value, DEEPEST)) return false;
  const values = [value, ...unwrapped(value)];
  const wanted = new Set(values.map((each) => canonical(each)));
  const says = (text: string) => values.includes(text) || wanted.has(canonOf(text) ?? "");
  if (texts.some(says)) return true;
  if (texts.length > 1 && ["", "\n"].some((glue) => says(texts.join(glue)))) return true;
  return values.some((each) =>
    Array.isArray(each) && each.length > 1 &&
    [texts, texts.length === 1 ? texts[0]!.trim().split("\n") : []].some((items) =>
      items.length === each.length &&
      items.every((item, at) => item === each[at] || canonOf(item) === canonical(each[at]))
    )
  );
}

function unwrapped(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const [key, ...others] = Object.keys(value);
  return key === "result" && others.length === 0 ? [(value as { result: unknown }).result] : [];
}

/** Of the JSON that a text is; undefined when it is none. */
function canonOf(text: string): string | undefined {
  const [, fenced = text] = /^\s*```(?:json)?\s*\n([^]*?)\n?\s*```\s*$/i.exec(text) ?? [];
  if (!/^\s*[[{"\d\-tfn]/.test(fenced)) return undefined;
  try {
    const value: unknown = JSON.parse(fenced);
    return isDeeper(value, DEEPEST) ? undefined : canonical(value);
  } catch {
    return undefined;
  }
}
