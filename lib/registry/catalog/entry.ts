/** One entry of the catalogue, and the text that it is on disk. @module */
import { isObject } from "../../protocol/codec.ts";
import type { ReasonCode } from "../../protocol/errors.ts";
import type { HeldBack } from "../../protocol/tools.ts";
import type { Params, PeerInfo, ToolInfo } from "../../protocol/types.ts";
import type { Page } from "./freshness.ts";
import { hmac } from "./seal.ts";

/** Why a server was not to be had when it was tried last. */
export interface Blame {
  code: ReasonCode;
  message: string;
  /** Milliseconds since the epoch. */
  since: number;
}

/** What one attach found out. */
export interface Facts {
  dialect: { era: "modern" | "legacy"; version: string };
  server: PeerInfo;
  capabilities: Params;
  instructions?: string;
  tools: readonly ToolInfo[];
  heldBack: readonly HeldBack[];
  /** None where the server was not asked for any. */
  pages: readonly Page[];
  /** Whether every page named its `resultType`. */
  typed?: boolean;
  /** When the first page came, in milliseconds since the epoch; now, when it is left out. */
  fetchedAt?: number;
}

/** What is known of a server that is not connected. */
export interface Remembered extends Facts {
  fetchedAt: number;
  /** By raw name, `toolHash` of each tool. */
  hashes: ReadonlyMap<string, string>;
  /** Set when it failed since. */
  reason?: Blame;
}

/** Part of every key and every file: with another format nothing old is found, or believed. */
export const FORMAT = 1;
/** More than any honest list; a file of this size would be read at every start. */
export const MAX_BYTES = 16 * 2 ** 20;

export type Reading<T> = { value: T } | { why: string };

/** Where a text belongs, and whose it is. */
export interface Place {
  name: string;
  secret: string;
}

/** The text of a value of this time: one line that seals it, one line of JSON. */
export async function seal(
  place: Place,
  value: unknown,
  at: number,
  hide?: (key: string, value: unknown) => unknown,
): Promise<Reading<string>> {
  let body: string;
  try {
    body = JSON.stringify(value, hide);
  } catch (error) {
    return { why: `it is no JSON (${error instanceof Error ? error.message : error})` };
  }
  // Before it is encoded: a text has never more characters than bytes.
  const bytes = body.length > MAX_BYTES ? body.length : new TextEncoder().encode(body).length;
  if (bytes > MAX_BYTES) return { why: `it takes more than ${MAX_BYTES / 2 ** 20} MiB` };
  const head: Head = { catalogue: FORMAT, at, seal: await sealOf(place, at, body) };
  return { value: `${JSON.stringify(head)}\n${body}\n` };
}

/**
 * The value that was sealed in this place. The seal holds for nobody else's file, for no file that was
 * moved here, and for none that is not whole; so what it holds for needs no other check.
 */
export async function unseal<T>(place: Place, text: string): Promise<Reading<T>> {
  const head = readHead(text);
  if (!head) return { why: "it is damaged" };
  if (head.catalogue !== FORMAT) return { why: "it was written by another version of fusebox" };
  const body = text.slice(text.indexOf("\n") + 1, -1);
  const whole = text.endsWith("\n") && text.length <= MAX_BYTES + 1_000 &&
    await sealOf(place, head.at, body) === head.seal;
  return whole ? { value: parse(body) as T } : { why: "it is damaged" };
}

/** The time of a text, also of one that another version wrote; undefined when it is no such text. */
export function timeOf(text: string): number | undefined {
  return readHead(text)?.at;
}

/** In every format: by this much one version knows the files of another. */
interface Head {
  catalogue: number;
  at: number;
  seal: string;
}

function readHead(text: string): Head | undefined {
  const end = text.indexOf("\n");
  const head = end < 0 ? undefined : parse(text.slice(0, end));
  const known = isObject(head) && typeof head.catalogue === "number" &&
    typeof head.at === "number";
  return known ? head as unknown as Head : undefined;
}

function sealOf({ name, secret }: Place, at: number, body: string): Promise<string> {
  return hmac(secret, `${name}\n${at}\n${body}`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
