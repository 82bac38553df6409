/** `--trace FILE`: a world of which a file tells, from before anything starts to the exit code. @module */
import { abortable } from "../../kit/abort.ts";
import { UsageError } from "../../kit/usage.ts";
import type { Args } from "../args.ts";
import type { Log } from "../log.ts";
import { describe } from "../failure.ts";
import type { World } from "../world.ts";
import { Journal } from "./journal.ts";
import { FORMAT } from "./records.ts";
import { Tracing } from "./tracing.ts";

const OURS = new RegExp(`^\\{"seq":0,"at":[\\d.]+,"kind":"header","format":"${FORMAT}"`);

/**
 * Runs a command in a world that is traced.
 * @throws {UsageError} when the file can't be had, before the command begins; what the command throws
 */
export async function traced(
  path: string,
  args: Args,
  world: World,
  command: (world: World) => Promise<number>,
): Promise<number> {
  const log = await open(path, world);
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  // Whatever turns on the last line is wiped off it.
  const wipe = world.err.isTerminal && world.env.TERM !== "dumb" ? "\r\x1b[K" : "";
  const tracing = new Tracing({
    elapsed,
    head: {
      fusebox: world.version,
      startedAt: new Date(world.clock.now()).toISOString(),
      platform: world.platform,
      command: args.command,
    },
    journal: new Journal({
      log,
      secrets: world.secrets,
      clock: world.clock,
      elapsed,
      warn: (line) => void world.err.write(`${wipe}fusebox: ${line} (--trace ${path})\n`),
    }),
  });
  try {
    const exit = await command(watched(world, tracing));
    await tracing.end(exit);
    return exit;
  } catch (error) {
    const { exit, text } = describe(error);
    await tracing.end(exit, text.trim());
    throw error;
  }
}

async function open(path: string, world: World): Promise<Log> {
  const refuse = (why: string) =>
    new UsageError(`Cannot trace to ${path}: ${why}`, {
      hint: "--trace takes the path of a file, which is new or an older trace",
    });
  if (path === "-") throw refuse("stdout is for the answer, and stderr for people");
  try {
    // A pipe that nobody reads keeps whoever opens it waiting.
    return await abortable(world.openLog(path, OURS), world.signal);
  } catch (error) {
    world.signal.throwIfAborted();
    throw refuse(error instanceof Error ? error.message : String(error));
  }
}

/** The same world. Descriptors are copied, not values: a terminal is looked for when it is wanted. */
function watched(world: World, trace: Tracing): World {
  const own = { enumerable: true };
  return Object.create(Object.prototype, {
    ...Object.getOwnPropertyDescriptors(world),
    trace: { ...own, value: trace },
    fetch: { ...own, value: trace.fetch(world.fetch) },
    terminal: { ...own, get: () => trace.terminal(world.terminal) },
  });
}
