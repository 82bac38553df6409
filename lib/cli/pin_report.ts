/** What waits to be accepted, beside what was pinned, for people and for machines. @module */
import type { Pinned } from "../registry/pins.ts";
import { type Change, changesOf, linesOf } from "../registry/pins/diff.ts";

export interface WaitingReport {
  tool: string;
  /** When it was seen like this first. */
  since: string;
  /** The pinned tool whose place it takes. */
  was?: string;
  changes: readonly Change[];
  /** Some of it was too large to be kept: there may be more. */
  isCut?: true;
}

/** In the order in which it was found. */
export function waitingOf({ pins, waiting, texts }: Pinned): readonly WaitingReport[] {
  return [...waiting].map(([tool, { hash, at, was }]) => {
    const pin = pins.get(was ?? tool);
    const [before, after] = [pin && texts.get(pin.hash), texts.get(hash)];
    const { changes, isCut } = after ? changesOf(before, after) : { changes: [], isCut: true };
    return {
      tool,
      since: new Date(at).toISOString(),
      ...(was !== undefined && { was }),
      changes,
      ...(isCut && { isCut: true as const }),
    };
  });
}

export function diffLines({ changes, isCut }: WaitingReport): readonly string[] {
  const lines = changes.flatMap(linesOf);
  return isCut ? [...lines, "(not all of it is here: some was too large to be kept)"] : lines;
}
