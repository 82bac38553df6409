/** The `limits:` of a file, a server and its tools: durations and sizes by name. @module */
import { durationHint, formatDuration, parseDuration } from "../kit/duration.ts";
import { LEAST_SIZE, parseSize, withCommas } from "../kit/size.ts";
import type { Limits, ToolLimits } from "./config.ts";
import { complain, entriesOf, fieldsOf, type Place } from "./shape.ts";
import { nameOf } from "./tree.ts";

const KEYS = {
  start: "startMs",
  probe: "probeMs",
  handshake: "handshakeMs",
  list: "listMs",
  idle: "idleMs",
  cap: "capMs",
  result: "resultChars",
  results: "resultsChars",
  description: "descriptionChars",
} as const satisfies Record<string, keyof Limits>;

type Key = keyof typeof KEYS;

const SIZES: readonly Key[] = ["result", "results", "description"];
/** How many, where the others are durations. */
const COUNTS = ["concurrency", "overall"] as const;
type Count = typeof COUNTS[number];
const MOST = 10_000;

/** Those that all servers share. */
const SHARED: readonly string[] = ["start", "overall", "results"];
const OF_FILE: (Key | Count)[] = [...Object.keys(KEYS) as Key[], ...COUNTS];
const OF_SERVER = OF_FILE.filter((key) => !SHARED.includes(key));
const OF_TOOL: Key[] = ["idle", "cap", "result"];

const HINTS = new Map([
  ["start", "The start budget is one for all servers: it stands in the limits at the top"],
  ["overall", "It is one for all servers: it stands in the limits at the top"],
  ["results", "All results of a turn share it: it stands in the limits at the top"],
  ["timeout", "Write idle for a silence, cap for the end of a call"],
]);

/** `limits:` at the top of a file, where they hold for every server. */
export function fileLimits(place: Place | undefined): Partial<Limits> {
  return limitsFrom(place, OF_FILE);
}

export function serverLimits(place: Place | undefined): Partial<Limits> {
  return limitsFrom(place, OF_SERVER);
}

/** `limits:` of tools, by patterns over raw names: full names first, then as they were written. */
export function toolLimits(place: Place | undefined): ToolLimits[] {
  if (!place) return [];
  return [...entriesOf(place, "a mapping of tool names to limits")]
    .map(([pattern, entry]) => ({ pattern, ...limitsFrom(entry, OF_TOOL) }))
    .sort((a, b) => Number(a.pattern.includes("*")) - Number(b.pattern.includes("*")));
}

/** Says which limit will never be felt, or undefined when each has its use. */
export function idleBeyondCap({ idleMs, capMs }: Limits): string | undefined {
  if (idleMs <= capMs) return undefined;
  return `idle (${formatDuration(idleMs)}) is longer than cap (${
    formatDuration(capMs)
  }), so a call ends after ${formatDuration(capMs)}; raise limits.cap too`;
}

function limitsFrom(place: Place | undefined, keys: readonly (Key | Count)[]): Partial<Limits> {
  const limits: Partial<Limits> = {};
  if (!place) return limits;
  for (const [key, value] of fieldsOf(place, keys, HINTS)) {
    const count = COUNTS.find((each) => each === key);
    if (count) {
      const many = countOf(value, MOST);
      if (many !== undefined) limits[count] = many;
      continue;
    }
    const limit = SIZES.includes(key as Key) ? sizeOf(value) : durationOf(value);
    if (limit !== undefined) limits[KEYS[key as Key]] = limit;
  }
  return limits;
}

/** Characters of text. */
function sizeOf(place: Place): number | undefined {
  const { tree } = place;
  const isScalar = tree.kind === "string" || tree.kind === "number";
  const size = isScalar ? parseSize(tree.text) : undefined;
  if (size !== undefined) return size;
  complain(
    place,
    `Expected a number of characters, got ${isScalar ? tree.text || "nothing" : nameOf(tree.kind)}`,
    `Write something like 50000, "50k" or "1.5m": at least ${withCommas(LEAST_SIZE)}`,
  );
}

export function durationOf(place: Place): number | undefined {
  const { tree } = place;
  if (tree.kind !== "string" && tree.kind !== "number") {
    complain(place, `Expected a duration, got ${nameOf(tree.kind)}`, durationHint(""));
    return undefined;
  }
  const ms = tree.kind === "string" ? parseDuration(tree.text) : undefined;
  if (ms === undefined) {
    complain(place, `Expected a duration, got ${tree.text || "nothing"}`, durationHint(tree.text));
  }
  return ms;
}

/** A whole number from 1 to `most`. */
export function countOf(place: Place, most: number): number | undefined {
  const { tree } = place;
  const count = tree.kind === "number" || tree.kind === "string" ? Number(tree.text) : NaN;
  if (Number.isInteger(count) && count >= 1 && count <= most) return count;
  const got = "text" in tree ? tree.text || "nothing" : nameOf(tree.kind);
  complain(place, `Expected a whole number from 1 to ${most}, got ${got}`);
  return undefined;
}
