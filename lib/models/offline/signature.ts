/** Reads a tool's parameters back from the short line that a search shows. @module */
import type { Params } from "../../protocol/types.ts";

const TYPES: ReadonlyMap<string, Params> = new Map([
  ...["string", "number", "object", "null", "array"].map((type): [string, Params] => [
    type,
    { type },
  ]),
  ["int", { type: "integer" }],
  ["bool", { type: "boolean" }],
  ["any", {}],
  ["never", {}],
]);

/** Splits `name(signature)rest`, where the signature may hold any characters in quotes. */
export function splitLine(
  line: string,
): { name: string; inside: string; rest: string } | undefined {
  const [, name] = /^([\w-]{1,64})\(/.exec(line) ?? [];
  if (name === undefined) return undefined;
  const from = name.length + 1;
  let end = -1;
  walk(line.slice(from), (char, at, depth) => {
    if (end === -1 && depth < 0 && char === ")") end = from + at;
  });
  if (end === -1) return undefined;
  return { name, inside: line.slice(from, end), rest: line.slice(end + 1) };
}

/**
 * `query*: string, limit: int = 5, state: open|closed|all` as a JSON Schema. What the line leaves out is
 * left out, and what it leaves open is anything.
 */
export function readSignature(text: string): Params {
  const properties: [string, Params][] = [];
  const required: string[] = [];
  for (const part of split(text, ", ")) {
    const [label = "", ...more] = split(part, ": ");
    const name = unquoted(label.replace(/\*$/, ""));
    if (name === "" || name.startsWith("[any name]") || name.endsWith("…")) continue;
    if (label.endsWith("*")) required.push(name);
    const [type = "", value] = split(more.join(": "), " = ");
    const schema = readType(type);
    const own = value === undefined ? {} : { default: literal(value, schema.type === "string") };
    properties.push([name, { ...schema, ...own }]);
  }
  // Not by assignment: a parameter may be called __proto__.
  return { type: "object", properties: Object.fromEntries(properties), required };
}

function readType(text: string): Params {
  if (text.endsWith("[]")) {
    return { type: "array", items: readType(text.slice(0, -2).replace(/^\((.*)\)$/s, "$1")) };
  }
  if (text.startsWith("{") && text.endsWith("}")) return readSignature(text.slice(1, -1));
  const parts = split(text, "|").filter((part) => part !== "null");
  const [first = "any", ...others] = parts;
  if (others.length === 0 && TYPES.has(first)) return TYPES.get(first)!;
  // "string|auto" takes any string; "string|string[]" takes a string.
  const typed = parts.find((part) => TYPES.has(part) || /[\]}]$/.test(part));
  if (typed !== undefined) return others.length === 0 ? {} : readType(typed);
  // Not all the values are told.
  if (parts.some((part) => /…"?$/.test(part))) return { type: "string" };
  const values = parts.map((part) => literal(part, false));
  const type = values.every((value) => typeof value === "string") ? { type: "string" } : {};
  return { ...type, enum: values };
}

function literal(text: string, isText: boolean): unknown {
  if (isText) return unquoted(text);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function unquoted(text: string): string {
  const value = text.startsWith('"') ? literal(text, false) : text;
  return typeof value === "string" ? value : text;
}

/** Splits at what stands outside of quotes and brackets. */
function split(text: string, at: string): string[] {
  const parts: string[] = [];
  let from = 0;
  walk(text, (_, i, depth) => {
    if (depth !== 0 || i < from || !text.startsWith(at, i)) return;
    parts.push(text.slice(from, i));
    from = i + at.length;
  });
  return [...parts, text.slice(from)];
}

/** Each character outside of quotes, with how deep in brackets it stands behind it. */
function walk(text: string, visit: (char: string, at: number, depth: number) => void): void {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (quoted) {
      if (char === "\\") at++;
      else if (char === '"') quoted = false;
      continue;
    }
    if (char === '"') quoted = true;
    else if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    visit(char, at, depth);
  }
}
