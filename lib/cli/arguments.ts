/** What follows `call NAME`: JSON, `key=value` typed by the tool's schema, or `-` for stdin. @module */
import { nearest } from "../kit/near.ts";
import { UsageError } from "../kit/usage.ts";
import { isObject } from "../protocol/codec.ts";
import type { Params } from "../protocol/types.ts";

const WRITE = `Write '{"key": "value"}', key=value, or - for JSON on stdin`;

/**
 * The arguments as an object. Repeated keys make a list, where the schema takes one. A key the schema
 * does not know is passed on as text, unless the schema allows no others.
 * @throws {UsageError}
 */
export function readArguments(words: readonly string[], schema: Params): Params {
  const [first] = words;
  if (first === undefined) return {};
  if (words.length === 1 && first.trimStart().startsWith("{")) return parseObject(first, "ARGS");
  const given = new Map<string, string[]>();
  for (const word of words) {
    const isWhole = word === "-" || word.trimStart().startsWith("{");
    if (isWhole && words.length > 1) {
      const what = word === "-" ? "stdin" : "a JSON object";
      throw new UsageError(`Cannot read ARGS: ${what} is all of them, and stands alone`, {
        hint: `Put the others into it, or write each as key=value`,
      });
    }
    const at = word.indexOf("=");
    if (at < 1) {
      const why = isJson(word) ? "JSON, but no object" : "neither JSON nor key=value";
      throw new UsageError(`Cannot read the argument "${word}": it is ${why}`, { hint: WRITE });
    }
    const key = word.slice(0, at);
    given.set(key, [...given.get(key) ?? [], word.slice(at + 1)]);
  }
  const properties = isObject(schema.properties) ? schema.properties : {};
  // Object.fromEntries defines "__proto__" as a key like any other.
  return Object.fromEntries([...given].map(([key, values]) => {
    if (!Object.hasOwn(properties, key) && schema.additionalProperties === false) {
      const [near] = nearest(key, Object.keys(properties), 1);
      throw new UsageError(`Cannot use the argument "${key}": the tool has no such parameter`, {
        hint: near
          ? `Did you mean ${near}?`
          : `It has: ${Object.keys(properties).join(", ") || "none"}`,
      });
    }
    const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
    return [key, readValue(key, values, isObject(own) ? own : {})];
  }));
}

/** @throws {UsageError} when the text is not a JSON object */
export function parseObject(text: string, where: string): Params {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`Cannot read ${where}: ${(error as Error).message}`, {
      hint: `A JSON object is wanted, like '{"key": "value"}'`,
    });
  }
  if (isObject(value)) return value;
  throw new UsageError(`Cannot read ${where}: it is JSON, but no object`, {
    hint: `A JSON object is wanted, like '{"key": "value"}'`,
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readValue(key: string, values: readonly string[], schema: Params): unknown {
  const [text] = values as [string];
  const types = typesOf(schema);
  if (values.length > 1 && types.length > 0 && !types.includes("array")) {
    throw new UsageError(`Cannot read ${key}=${values[1]}: ${key} is given twice`, {
      hint: `It takes one ${types.join(" or ")}`,
    });
  }
  if (types.includes("array")) {
    if (values.length === 1 && text.trimStart().startsWith("[")) {
      return parseJson(key, text, "a list");
    }
    const items = isObject(schema.items) ? schema.items : {};
    const parts = values.length > 1 ? values : text === "" ? [] : text.split(",");
    return parts.map((part) => readOne(key, part, items));
  }
  return values.length > 1
    ? values.map((value) => readOne(key, value, schema))
    : readOne(key, text, schema);
}

function readOne(key: string, text: string, schema: Params): unknown {
  const types = typesOf(schema);
  if (types.includes("string")) return text;
  if (types.includes("null") && text === "null") return null;
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  const number = text.trim() === "" ? NaN : Number(text);
  if (types.includes("integer") && Number.isSafeInteger(number)) return number;
  if (types.includes("number") && Number.isFinite(number)) return number;
  if (types.includes("object")) return parseJson(key, text, "a JSON object");
  if (types.length === 0) return guess(text);
  const wanted = types.join(" or ");
  throw new UsageError(`Cannot read ${key}=${text}: ${key} takes ${wanted}`, {
    hint: `fusebox tools --json shows the schema`,
  });
}

/** The types a schema names, also behind anyOf and oneOf; empty when it names none. */
function typesOf(schema: Params): string[] {
  const branches = [schema.anyOf, schema.oneOf].flatMap((list) => Array.isArray(list) ? list : []);
  const own = Array.isArray(schema.type) ? schema.type : [schema.type];
  const values = Array.isArray(schema.enum) ? schema.enum.map((value) => typeof value) : [];
  const named = own.some((type) => type !== undefined) ? own : values;
  const all = [...named, ...branches.filter(isObject).flatMap((branch) => branch.type)];
  return all.filter((type): type is string => typeof type === "string");
}

function guess(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function parseJson(key: string, text: string, wanted: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`Cannot read ${key}=${text}: ${key} takes ${wanted}`);
  }
}
