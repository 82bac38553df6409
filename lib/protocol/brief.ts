/** A stranger's value in a message of ours. @module */
import { toJson } from "../kit/json.ts";
import { cut } from "../kit/printable.ts";

/** UTF-16 units. */
export const BRIEF_MAX = 100;

/** The beginning of a value as JSON; `none` where there is none. */
export function brief(value: unknown): string {
  return value === undefined ? "none" : cut(toJson(value), BRIEF_MAX);
}
