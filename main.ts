/** The program: runs a command, then leaves with its exit code and leaves nothing behind. @module */
import { describe } from "./lib/cli/failure.ts";
import { run } from "./lib/cli/run.ts";
import { leave, realWorld } from "./lib/cli/world.ts";
import config from "./deno.json" with { type: "json" };

const LAST_WORD_MS = 500;

if (import.meta.main) {
  const world = realWorld(import.meta.url, config.version);
  let failing: Promise<never> | undefined;
  /** Once: what goes wrong on the way out has no last word of its own, and no end without an end. */
  const fail = (error: unknown) => failing ??= lastWord(error).catch(() => leave(70, world.groups));
  const lastWord = async (error: unknown): Promise<never> => {
    const { exit, text } = describe(error);
    // Whatever turned on the last line when it came to this is wiped off it.
    const wipe = world.err.isTerminal && world.env.TERM !== "dumb" ? "\r\x1b[K" : "";
    // Nobody may be reading: then it goes unsaid, and nothing of ours stays for its sake.
    const patience = Promise.withResolvers<void>();
    setTimeout(patience.resolve, LAST_WORD_MS);
    await Promise.race([world.err.write(wipe + text), patience.promise]);
    leave(exit, world.groups);
  };
  // A bug may show anywhere. Wherever it does, nothing of ours is left running.
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    fail(event.reason);
  });
  globalThis.addEventListener("error", (event) => {
    event.preventDefault();
    fail(event.error);
  });
  try {
    const exit = await run(world);
    await world.err.write(""); // What was said on the way comes before we go.
    leave(exit, world.groups);
  } catch (error) {
    await fail(error);
  }
}
