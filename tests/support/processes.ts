/** Whether processes live, and how to wait for their end without guessing how long it takes. @module */
import assert from "node:assert/strict";
import { patient } from "./time.ts";

/** What is allowed to a goodbye, after a signal too, where nothing else runs. */
export const GOODBYE_MS = 2_000;

/** Alive, and not a zombie that nobody has waited for. */
export function alive(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return !/^\d+ \(.*\) Z/s.test(stat);
  } catch {
    if (Deno.build.os === "linux") return false;
  }
  try {
    Deno.kill(pid, "SIGCONT"); // Harmless, and fails for a process that is gone.
    return true;
  } catch {
    return false;
  }
}

/** Resolves once all are gone. @throws when that takes longer than a goodbye may */
export async function gone(pids: readonly number[]): Promise<void> {
  const began = performance.now();
  for (let left = [...pids]; (left = left.filter(alive)).length > 0;) {
    const ms = performance.now() - began;
    assert(ms < patient(GOODBYE_MS), `alive after ${Math.round(ms)} ms: ${left.join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
