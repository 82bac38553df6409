/** JSON of values that may be a stranger's: the same bytes for the same value, and never a throw. @module */

import { escaped } from "./printable.ts";

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

/** JSON as it stands, under the same promise. What is nested deep is not indented: it would be all blanks. */
export function toJson(value: unknown, indent?: number): string {
  return write(value, undefined, indent && isDeeper(value, SHALLOW) ? undefined : indent);
}

/**
 * A text as it is, and whatever else as JSON; nothing for what was left out. `String` throws for
 * `{"toString": 1}`, which is JSON like any other.
 */
export function plainText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : toJson(value);
}

/**
 * {@linkcode toJson} in which nothing steers a terminal or hides from the eye: such characters are
 * written as escapes, which mean the same to whoever parses it.
 */
export function printableJson(value: unknown, indent?: number): string {
  return escaped(toJson(value, indent));
}

/** Whether a JSON value is nested more than `most` levels deep. Looks at no more than it has to. */
export function isDeeper(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= most; depth++) {
    level = level.flatMap((item) =>
      typeof item === "object" && item !== null ? Object.values(item) : []
    );
    if (level.length === 0) return false;
  }
  return true;
}

/**
 * About how many characters a value is as JSON, escapes left aside; any number over `most` when it is
 * more than that. Looks at no more than it has to.
 */
export function jsonLength(value: unknown, most = Infinity): number {
  let length = 0;
  const inside: unknown[] = [value];
  while (inside.length > 0 && length <= most) {
    const at = inside.pop();
    if (typeof at === "string") length += at.length + 2;
    else if (typeof at !== "object" || at === null) length += String(at).length;
    else if (Array.isArray(at)) {
      length += at.length + 2;
      if (length <= most) { for (const item of at) inside.push(item); }
    } else {
      for (const name of Object.keys(at)) {
        length += name.length + 4;
        if (length > most) break;
        inside.push((at as Record<string, unknown>)[name]);
      }
      length += 2;
    }
  }
  return length;
}

type Replacer = (key: string, value: unknown) => unknown;

function write(value: unknown, replacer?: Replacer, indent?: number): string {
  try {
    return JSON.stringify(value, replacer, indent) ?? "null";
  } catch (error) {
    // Too deep, or too long once it is indented: all but the deep part can still be told.
    if (error instanceof RangeError && isDeeper(value, SHALLOW)) {
      return write(pruned(value, SHALLOW), replacer, indent);
    }
    return JSON.stringify(`[no JSON: ${error instanceof Error ? error.message : error}]`);
  }
}

const SHALLOW = 100;

function pruned(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "[nested too deep]";
  if (Array.isArray(value)) return value.map((item) => pruned(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, pruned(item, levels - 1)]),
  );
}
