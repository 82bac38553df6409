/** The `fuse:` of a file or a server: when it opens, and how it comes back. @module */
import type { FusePolicy } from "./config.ts";
import { countOf, durationOf } from "./limits.ts";
import { fieldsOf, type Place } from "./shape.ts";

const COUNTS = ["failures", "exits"] as const;
const DURATIONS = {
  window: "windowMs",
  backoff: "backoffMs",
  cap: "capMs",
  stable: "stableMs",
} as const;
const KEYS = [...COUNTS, ...Object.keys(DURATIONS)];
const MOST = 1_000;

export function fusePolicy(place: Place | undefined): Partial<FusePolicy> {
  const policy: Partial<FusePolicy> = {};
  if (!place) return policy;
  for (const [key, value] of fieldsOf(place, KEYS)) {
    const count = COUNTS.find((each) => each === key);
    const read = count ? countOf(value, MOST) : durationOf(value);
    if (read !== undefined) policy[count ?? DURATIONS[key as keyof typeof DURATIONS]] = read;
  }
  return policy;
}
