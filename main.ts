/** The program: runs a command, then leaves with its exit code and leaves nothing behind. @module */
import { describe } from "./lib/cli/failure.ts";
import { run } from "./lib/cli/run.ts";
import { leave, realWorld } from "./lib/cli/world.ts";
import config from "./deno.json" with { type: "json" };

if (import.meta.main) {
  const world = realWorld(import.meta.url, config.version);
  const fail = async (error: unknown): Promise<never> => {
    const { exit, text } = describe(error);
    await world.err.write(text);
    leave(exit, world.groups);
  };
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    fail(event.reason);
  });
  try {
    const exit = await run(world);
    await world.err.write(""); // What was said on the way comes before we go.
    leave(exit, world.groups);
  } catch (error) {
    await fail(error);
  }
}
