/** JSON values: their kinds, their equality, and how they are called in a message. @module */
import { printableLine } from "../../kit/printable.ts";
import { Exhausted, type Meter } from "./meter.ts";

/** A JSON object. */
export type Members = Record<string, unknown>;

/** The types of JSON Schema, as they are called in a sentence. */
export const KINDS = new Map([
  ["null", "null"],
  ["boolean", "a boolean"],
  ["integer", "an integer"],
  ["number", "a number"],
  ["string", "a string"],
  ["array", "an array"],
  ["object", "an object"],
]);

const MAX_NESTING = 500;

/** The type of `value`, one of {@linkcode KINDS} if it is JSON at all; an integer is a number here. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A short description of `value`. */
export function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(clip(value, 40));
  return KINDS.has(kindOf(value)) && typeof value !== "object" ? `${value}` : nounOf(value);
}

/** The kind of `value` with its article. */
export function nounOf(value: unknown): string {
  const kind = kindOf(value);
  return KINDS.get(kind) ?? kind;
}

/** The beginning of a stranger's text, on one line. */
export function clip(text: string, max: number): string {
  return printableLine(text.slice(0, max + 1), max);
}

/** `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/**
 * A text that two values share exactly when JSON Schema calls them equal: the order of members does
 * not matter, and 1 is 1.0.
 *
 * @throws {Exhausted}
 */
export function identityOf(value: unknown, meter: Meter, depth = 0): string {
  if (depth > MAX_NESTING) throw new Exhausted("the value is nested too deeply");
  meter.spend(typeof value === "string" ? 1 + (value.length >> 4) : 1);
  if (Array.isArray(value)) {
    return `[${value.map((item) => identityOf(item, meter, depth + 1)).join()}]`;
  }
  if (!isObject(value)) return JSON.stringify(value) ?? typeof value;
  const names = Object.keys(value).sort();
  const members = names.map((name) => {
    meter.spend(name.length >> 4);
    return `${JSON.stringify(name)}:${identityOf(value[name], meter, depth + 1)}`;
  });
  return `{${members.join()}}`;
}
