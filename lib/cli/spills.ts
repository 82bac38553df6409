/** Which folders of earlier runs are removed: they stay for the user to look, and not for ever. @module */

/** A folder with what one run has kept. */
export interface Spill {
  name: string;
  /** When something was put there last. */
  modifiedMs: number;
  bytes: number;
}

const HOUR_MS = 3_600_000;
/** Nobody looks any more. */
const OLD_MS = 72 * HOUR_MS;
/** A run may still live that long after it kept something. */
const BUSY_MS = HOUR_MS;
const MOST_BYTES = 1_000_000_000;

/** The names of those older than three days; and of the oldest, where all take more than a gigabyte. */
export function outdated(spills: readonly Spill[], nowMs: number): string[] {
  let bytes = 0;
  return spills.toSorted((a, b) => b.modifiedMs - a.modifiedMs).filter((spill) => {
    bytes += spill.bytes;
    const age = nowMs - spill.modifiedMs;
    return age > OLD_MS || (age > BUSY_MS && bytes > MOST_BYTES);
  }).map(({ name }) => name);
}
