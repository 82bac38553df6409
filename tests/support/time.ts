/** Real time in tests: limits that hold on a busy machine too, and still tell a wait from none. @module */
import assert from "node:assert/strict";

/** A machine that is busier than this has more wrong than a test could say. */
const MOST = 4;
const TRIES = 3;

/**
 * A limit for what never comes, or far too late, when it is broken: as much longer as there are
 * processes that want each of our processors.
 */
export function patient(ms: number): number {
  const [load = 0] = Deno.loadavg();
  return ms * Math.min(MOST, Math.max(1, load / navigator.hardwareConcurrency));
}

/**
 * For a limit that a wait of ours would pass each time, and a machine that is busy only now and then:
 * some attempt takes less. What else is wrong with one, it throws itself.
 */
export async function within(limitMs: number, attempt: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  while (took.length < TRIES) {
    const ms = await attempt();
    if (ms < limitMs) return;
    took.push(Math.round(ms));
  }
  assert.fail(`${took.join(", ")} ms: each time longer than ${limitMs} ms`);
}

/** How long this takes, in milliseconds. */
export async function lasting(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
