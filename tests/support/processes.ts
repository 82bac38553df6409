/** Whether processes live, and how to wait for their end without guessing how long it takes. @module */
import assert from "node:assert/strict";

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

/** Resolves once all are gone; fails after two seconds. */
export async function gone(pids: readonly number[]): Promise<void> {
  const end = Date.now() + 2_000;
  while (pids.some(alive)) {
    assert(Date.now() < end, `alive after two seconds: ${pids.filter(alive).join(", ")}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
