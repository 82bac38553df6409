/** JSON that a model or its API wrote, and JSON that goes back: none is taken on trust. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { failed, failure } from "./failure.ts";

/** The arguments of a use; `unreadable` is what the model wrote when that was no JSON object. */
export type ReadArguments = { args: Params; unreadable?: string };

/** Nothing, white space and `null` are no arguments: so a tool without parameters is called. */
export function readArguments(written: string): ReadArguments {
  const text = written.trim();
  if (text === "") return { args: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (value === null) return { args: {} };
    if (isObject(value)) return { args: value };
  } catch {
    // Told below, as what it is.
  }
  return { args: {}, unreadable: written };
}

/** The object that the data of an event is. @throws {ModelError} for anything else */
export function readEvent(data: string): Params {
  try {
    const value: unknown = JSON.parse(data);
    if (isObject(value)) return value;
  } catch {
    // As any other line that holds no object.
  }
  throw failed(failure("garbled", `an event is no JSON object: ${data.slice(0, 80)}`));
}

/** The same JSON value; lone surrogates, for which strict parsers refuse a whole request, replaced. */
export function wellFormed<T>(value: T): T {
  return mend(value) as T;
}

function mend(value: unknown): unknown {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(mend);
  // `fromEntries` defines rather than assigns, so that `__proto__` stays a property.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.toWellFormed(), mend(item)]),
  );
}
