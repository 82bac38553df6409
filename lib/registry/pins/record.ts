/** What is pinned of one server as a text, and several such texts as one. @module */
import { isTime } from "../../kit/clock.ts";
import { isObject } from "../../protocol/codec.ts";
import type { Secrets } from "../../kit/secrets.ts";
import type { Pin, Pinned, Waiting } from "../pins.ts";
import { Texts } from "./texts.ts";

/** Part of every file: what another version wrote is not guessed at. */
export const FORMAT = 1;
/** Of the tools themselves; the hashes are always kept. */
const MAX_TEXTS = 8_000_000;

export const NOTHING: Pinned = { pins: new Map(), waiting: new Map(), texts: new Texts() };

/** The command that drops the record of a server, so that its tools are pinned anew. */
export function reset(alias: string): string {
  return `fusebox pins reset ${alias}`;
}

/** Two lines of JSON: what is compared at every start, and what is looked at when it differs. */
export function write({ pins, waiting, texts }: Pinned, secrets: Secrets): string {
  const head = {
    pins: FORMAT,
    // Lists and no objects: a tool may be called `__proto__`.
    known: [...pins].map(([name, { hash, at, turn, former, became }]) => [
      name,
      hash,
      at,
      turn,
      former,
      ...became === undefined ? [] : [became],
    ]),
    waiting: [...waiting].map(([name, { hash, at, was }]) => [
      name,
      hash,
      at,
      ...was === undefined ? [] : [was],
    ]),
  };
  // What waits is what a person has to look at: it comes first, as far as there is room.
  const hashes = [...waiting.values(), ...pins.values()].map(({ hash }) => hash);
  return `${JSON.stringify(head)}\n${texts.line(hashes, MAX_TEXTS, secrets)}\n`;
}

/** What a text says, or why it can't be believed. */
export function read(text: string): Pinned | { why: string } {
  const end = text.indexOf("\n");
  const head = parse(text.slice(0, Math.max(end, 0)));
  if (!isObject(head) || typeof head.pins !== "number") return { why: "the file is damaged" };
  if (head.pins !== FORMAT) return { why: "the file was written by another version of fusebox" };
  const pins = listed(head.known, pinOf);
  const waiting = listed(head.waiting, waitingOf);
  const rest = text.slice(end + 1);
  const isWhole = rest.endsWith("\n") && rest.indexOf("\n") === rest.length - 1;
  if (!pins || !waiting || !isWhole) return { why: "the file is damaged" };
  return { pins, waiting, texts: new Texts([rest]) };
}

/**
 * What two writers knew who did not know of each other, whichever of them is named first. Of a pin the one that was
 * accepted more often holds; of two first sights the earlier, of two acceptances the later.
 */
export function merge(a: Pinned, b: Pinned): Pinned {
  const pins = united(a.pins, b.pins, (one, other) => {
    const first = one.turn !== other.turn
      ? one.turn > other.turn
      : one.at !== other.at
      ? (one.turn === 0) === (one.at < other.at)
      : one.hash <= other.hash;
    const [pin, loser] = first ? [one, other] : [other, one];
    const became = pin.became ?? loser.became;
    return { ...pin, ...(became !== undefined && { became }) };
  });
  const waiting = united(
    a.waiting,
    b.waiting,
    (one, other) =>
      one.at > other.at || (one.at === other.at && one.hash <= other.hash) ? one : other,
  );
  for (const [name, { hash }] of waiting) if (pins.get(name)?.hash === hash) waiting.delete(name);
  return { pins, waiting, texts: a.texts.and(b.texts) };
}

function united<T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  choose: (one: T, other: T) => T,
): Map<string, T> {
  const all = new Map(a);
  for (const [name, other] of b) {
    const one = all.get(name);
    all.set(name, one === undefined ? other : choose(one, other));
  }
  return all;
}

function listed<T>(
  raw: unknown,
  readEntry: (entry: readonly unknown[]) => T | undefined,
): Map<string, T> | undefined {
  if (!Array.isArray(raw)) return undefined;
  const found = new Map<string, T>();
  for (const item of raw) {
    const [name, ...entry] = Array.isArray(item) ? item : [];
    const value = readEntry(entry);
    if (typeof name !== "string" || value === undefined) return undefined;
    found.set(name, value);
  }
  return found;
}

function pinOf([hash, at, turn, former, became]: readonly unknown[]): Pin | undefined {
  const isPin = typeof hash === "string" && isTime(at) && typeof turn === "number" &&
    Array.isArray(former) && former.every((it) => typeof it === "string") && isName(became);
  if (!isPin) return undefined;
  return { hash, at, turn, former, ...(became !== undefined && { became }) };
}

function waitingOf([hash, at, was]: readonly unknown[]): Waiting | undefined {
  if (typeof hash !== "string" || !isTime(at) || !isName(was)) return undefined;
  return { hash, at, ...(was !== undefined && { was }) };
}

function isName(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
