/** One line of JSON ⇄ one message: what a peer may have meant by what it wrote. @module */
import { jsonLength } from "../kit/json.ts";
import { cut } from "../kit/printable.ts";
import type { Call, Id, Notice, Params, Reply, WireError } from "./types.ts";

export type Incoming =
  | { kind: "reply"; reply: Reply }
  | { kind: "call"; call: Call }
  | { kind: "notice"; notice: Notice }
  /** An answer to `id` that is none: that call fails, its siblings go on. */
  | { kind: "garbled"; id: Id; why: string }
  /** A banner, a log line, a scalar, a batch. Not for us. */
  | { kind: "noise" };

const NOISE: Incoming = { kind: "noise" };

/** One line on the wire. `JSON.stringify` escapes newlines, so none can be inside. */
export function encode(message: Call | Notice | Reply): string {
  return JSON.stringify(message) + "\n";
}

/** A line of this many characters is looked at before it is parsed. */
const LONG = 1_000_000;
const DEEPEST = 10_000;

/** What is nested a million times costs the parser seconds, in which no timer and no signal comes. */
function isTooDeep(line: string): boolean {
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(line, at);
      if (at < 0) return false;
    } else if (code === 0x5b || code === 0x7b) {
      if (++depth > DEEPEST) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
}

/** Where the string that begins here ends; −1 when it does not. */
function endOfString(line: string, start: number): number {
  for (let end = line.indexOf('"', start + 1); end >= 0; end = line.indexOf('"', end + 1)) {
    let slashes = 0;
    while (line.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

/** UTF-16 units of an error's message, and characters of its data as JSON: the one is cut, the other left out. */
export const ERROR_MESSAGE_MAX = 10_000;
export const ERROR_DATA_MAX = 65_536;

/** Never throws: whatever a peer writes is something. */
export function decode(line: string): Incoming {
  // Servers print banners. What does not start like an object is not for us, and not worth parsing.
  if (!/^\s*\{/.test(line)) return NOISE;
  if (line.length > LONG && isTooDeep(line)) return NOISE;
  let value: unknown;
  try {
    value = JSON.parse(line.trimStart()); // A byte order mark counts as blank, but not for JSON.
  } catch {
    return NOISE;
  }
  return classify(value);
}

export function classify(value: unknown): Incoming {
  if (!isObject(value)) return NOISE;
  const id = value.id;
  const hasId = typeof id === "number" || typeof id === "string";
  const params = isObject(value.params) ? { params: value.params } : {};
  if (typeof value.method === "string") {
    return hasId
      ? { kind: "call", call: { jsonrpc: "2.0", id, method: value.method, ...params } }
      : { kind: "notice", notice: { jsonrpc: "2.0", method: value.method, ...params } };
  }
  // Servers log in JSON, too: what is no answer by its members is none, whatever id it has.
  if (!hasId || !("result" in value || "error" in value)) return NOISE;
  if (value.error !== undefined && value.error !== null) {
    const error = value.error;
    if (!isObject(error) || typeof error.code !== "number") {
      return { kind: "garbled", id, why: "an error without a code" };
    }
    return { kind: "reply", reply: { jsonrpc: "2.0", id, error: readError(error.code, error) } };
  }
  if (isObject(value.result)) {
    // As it came: a copy would cost every call. Only an old-style "error": null has to go.
    const reply = "error" in value ? { jsonrpc: "2.0", id, result: value.result } : value;
    return { kind: "reply", reply: reply as Reply };
  }
  return { kind: "garbled", id, why: "a result that is no object" };
}

function readError(code: number, { message, data }: Params): WireError {
  const said = typeof message === "string" ? message : `Error ${code}`;
  const isKept = data !== undefined && jsonLength(data, ERROR_DATA_MAX) <= ERROR_DATA_MAX;
  return {
    code,
    message: said.length > ERROR_MESSAGE_MAX ? `${cut(said, ERROR_MESSAGE_MAX)}…` : said,
    ...(isKept && { data }),
  };
}

/** A JSON object: not null, not an array. */
export function isObject(value: unknown): value is Params {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
