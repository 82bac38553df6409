/** Packages of npm in Deno's cache: a download is nobody's start time. @module */

const PATIENCE_MS = 300_000;
/** A mirror may lose one on the way; what has come stays. */
const TRIES = 2;

/** Fetches what is not there. @throws when it can't be had */
export async function fetchPackages(
  flags: readonly string[],
  packages: Iterable<string>,
): Promise<void> {
  for (let tries = 1;; tries++) {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["cache", ...flags, ...packages],
      stdin: "null",
      stdout: "null",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).output();
    if (success) return;
    if (tries < TRIES) continue;
    throw new Error(`Cannot fetch from npm: ${new TextDecoder().decode(stderr)}`);
  }
}
