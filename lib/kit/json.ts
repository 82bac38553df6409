/** JSON of values that may be a stranger's: the same bytes for the same value, and never a throw. @module */

import { UNSAFE } from "./printable.ts";

/** JSON with sorted keys; a note in brackets for what can't be written (nested too deep, a cycle). */
export function canonical(value: unknown): string {
  return write(
    value,
    (_, item) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0))
        : item,
  );
}

/** JSON as it stands, under the same promise. */
export function toJson(value: unknown, indent?: number): string {
  return write(value, undefined, indent);
}

/**
 * {@linkcode toJson} in which nothing steers a terminal or hides from the eye: such characters are
 * written as escapes, which mean the same to whoever parses it.
 */
export function printableJson(value: unknown, indent?: number): string {
  return toJson(value, indent).replace(
    UNSAFE,
    (char) =>
      Array.from(
        { length: char.length },
        (_, at) => "\\u" + char.charCodeAt(at).toString(16).padStart(4, "0"),
      ).join(""),
  );
}

type Replacer = (key: string, value: unknown) => unknown;

function write(value: unknown, replacer?: Replacer, indent?: number): string {
  try {
    return JSON.stringify(value, replacer, indent) ?? "null";
  } catch (error) {
    return JSON.stringify(`[no JSON: ${error instanceof Error ? error.message : error}]`);
  }
}
