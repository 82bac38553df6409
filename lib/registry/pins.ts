/** Tools as they were seen first, and what of a later list is not what was pinned. @module */
import type { HeldBack } from "../protocol/tools.ts";
import type { ToolInfo } from "../protocol/types.ts";
import { isTooDeep, toolHash } from "./catalog/tool_hash.ts";
import type { Seen } from "./pins/comparing.ts";
import type { Texts } from "./pins/texts.ts";

/** A tool as it was seen first, or as a person has accepted it since. */
export interface Pin {
  /** `toolHash` of it, without the secrets of the configuration. */
  hash: string;
  /** When it was pinned like this, in milliseconds since the epoch. */
  at: number;
  /** 0 at first sight, one more with each time that it is accepted. */
  turn: number;
  /** Hashes that were pinned before: good enough for a menu from disk, and for nothing else. */
  former: readonly string[];
  /** The name that it goes by now. */
  became?: string;
}

/** A tool that is not what was pinned, as it was seen last: nobody is offered it until it is accepted. */
export interface Waiting {
  hash: string;
  at: number;
  /** The pinned tool whose place it takes, where that has another name. */
  was?: string;
}

/** All that is known of one server, by raw names. A tool that is gone stays pinned. */
export interface Pinned {
  pins: ReadonlyMap<string, Pin>;
  waiting: ReadonlyMap<string, Waiting>;
  /** The tools themselves by hash, to show what has changed. */
  texts: Texts;
}

export interface Occasion {
  alias: string;
  now: number;
  /** The list is from disk: it pins nothing, and `hashes` are of the tools on it, where they are at hand. */
  recalled?: { hashes?: ReadonlyMap<string, string> };
  /** Whether the user's rules keep this tool from being offered, whatever is pinned. */
  denies(tool: string): boolean;
}

export interface Comparison {
  /** What is known from now on; the same object when nothing is new. */
  pinned: Pinned;
  held: readonly HeldBack[];
  /** By raw names: those among `held` that wait for a person, what is pinned from now on, and what changed its name alone. */
  changed: readonly string[];
  fresh: readonly string[];
  renamed: readonly { from: string; to: string }[];
}

const MAX_FORMER = 8;

/**
 * Compares a list with what is known. First sight is trusted; what differs from its pin is held back.
 *
 * Renaming evades nothing. A new name whose content is that of a pinned tool which is gone is that
 * tool: it is told, and goes on, unless the old name was denied and the new one is not. A new name that is
 * only *like* one that is gone (`likeness`: parameters, words or name in common) takes its place with
 * other content, which is a change. A name that was once held back waits until it is accepted, also when
 * the old one comes back beside it. Where so much is gone and new that nobody could compare it all, all of the
 * new is taken for changed.
 */
export async function compare(
  tools: readonly ToolInfo[],
  known: Pinned,
  occasion: Occasion,
): Promise<Comparison> {
  const { recalled } = occasion;
  const hashes = await Promise.all(tools.map((info) => hashOf(info, known, recalled)));
  const isSame = tools.every(({ name }, index) =>
    hashes[index] !== undefined && hashes[index] === known.pins.get(name)?.hash &&
    (recalled !== undefined || !known.waiting.has(name))
  );
  if (isSame) return { pinned: known, held: [], changed: [], fresh: [], renamed: [] };
  // Nearly every run ends above, and need not load the rest.
  const { Comparing } = await import("./pins/comparing.ts");
  const comparing = new Comparing(known, occasion);
  const unknown: Seen[] = [];
  for (const [index, info] of tools.entries()) {
    const hash = hashes[index];
    if (hash === undefined) comparing.holdDeep(info);
    else if (!comparing.take({ info, hash })) unknown.push({ info, hash });
  }
  if (recalled) return comparing.end(unknown.map(({ info }) => info.name));
  return comparing.end(await comparing.meet(unknown, new Set(tools.map(({ name }) => name))));
}

/** What is known once a person has accepted these tools as they were seen last. */
export function accept(known: Pinned, names: readonly string[], now: number): Pinned {
  const pins = new Map(known.pins);
  const waiting = new Map(known.waiting);
  for (const name of names) {
    const seen = waiting.get(name);
    if (!seen) continue;
    const pin = pins.get(name);
    const former = pin ? [pin.hash, ...pin.former].slice(0, MAX_FORMER) : [];
    pins.set(name, { hash: seen.hash, at: now, turn: (pin?.turn ?? 0) + 1, former });
    waiting.delete(name);
    const was = seen.was === undefined ? undefined : pins.get(seen.was);
    if (was) pins.set(seen.was!, { ...was, became: name });
  }
  return { ...known, pins, waiting };
}

/** Undefined: it is nested too deep to be told from others like it. */
async function hashOf(
  info: ToolInfo,
  { pins, waiting }: Pinned,
  recalled: Occasion["recalled"],
): Promise<string | undefined> {
  const { name } = info;
  // There may be thousands on disk, and nothing to compare this one with.
  if (recalled && !pins.has(name) && !waiting.has(name)) return "";
  const given = recalled?.hashes?.get(name);
  // A given one is of the tool as it came, secrets and all: it proves that it is the same, and no more.
  if (given !== undefined && given === pins.get(name)?.hash) return given;
  return isTooDeep(info) ? undefined : await toolHash(info);
}
