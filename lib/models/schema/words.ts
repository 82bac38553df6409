/** What of a subschema is words: its description, and the rules that only words can tell. @module */
import { cut } from "../../kit/printable.ts";

const MAX_TOLD = 600;
const MAX_LITERAL = 1000;

/** A description, with what the API does not take behind it in brackets; `undefined` for none. */
export function describe(
  description: unknown,
  told: readonly string[],
  max: number,
): string | undefined {
  const notes = told.length > 0 ? `(${short(told.join("; "), Math.min(MAX_TOLD, max - 2))})` : "";
  const left = max - notes.length - 1;
  const text = typeof description === "string" && left > 0 ? short(description.trim(), left) : "";
  return [text, notes].filter((part) => part !== "").join(" ") || undefined;
}

/** The value as JSON may hold it for every API; `undefined` when it is too long to be worth it. */
export function literal(value: unknown): { value: unknown; json: string } | undefined {
  try {
    const json = JSON.stringify(value);
    if (json.length > MAX_LITERAL) return undefined;
    // APIs refuse half a surrogate pair, wherever it stands.
    const clean = JSON.parse(json, (_, it) => typeof it === "string" ? it.toWellFormed() : it);
    return { value: clean, json: JSON.stringify(clean) };
  } catch {
    return undefined;
  }
}

/** JSON of a value that is known to be small once it is written; `undefined` when it is not. */
export function brief(value: unknown, max: number): string | undefined {
  let left = max;
  try {
    // Stops early: a stranger nests large values in each other, and each is tried.
    const json = JSON.stringify(value, (_, item) => {
      if (--left < 0) throw new RangeError();
      return item;
    });
    return json.length <= max ? json : undefined;
  } catch {
    return undefined;
  }
}

/** `enum ["a", "b", …]`, with as many of the values as are worth it. */
export function tellValues(values: readonly unknown[]): string {
  const shown = values.slice(0, 20).flatMap((value) => literal(value)?.json ?? []).join(", ");
  return `enum [${short(shown, 300)}${values.length > 20 ? `, … of ${values.length}` : ""}]`;
}

/** At most `max` UTF-16 units, well-formed, with an ellipsis where it is cut. */
export function short(text: string, max: number): string {
  const whole = text.toWellFormed();
  return whole.length > max ? `${cut(whole, max - 1)}…` : whole;
}
