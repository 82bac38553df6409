/** `fusebox selftest`: nine checks over the two built-in servers, a line each. @module */
import { parseServerFlag } from "../../config/server_flag.ts";
import type { ServerConfig } from "../../config/config.ts";
import { within } from "../../kit/clock.ts";
import { printableLine } from "../../kit/printable.ts";
import type { Args } from "../args.ts";
import { EXIT } from "../failure.ts";
import { BUILT_IN } from "../household.ts";
import { coloured, paint } from "../screen.ts";
import { CHECKS } from "../selftest/checks.ts";
import type { World } from "../world.ts";

/** A check that hangs has failed. */
const CHECK_MS = 30_000;

/**
 * `--server notes=COMMAND` (or `tickets=`) puts another program in the place of a built-in server.
 * @returns 0 only when all nine hold, else 1
 */
export async function selftestCommand(args: Args, world: World): Promise<number> {
  const instead = args.server.map((text) => parseServerFlag(text, new Map()));
  const server = (alias: string): ServerConfig =>
    [...instead, ...BUILT_IN].find((it) => it.alias === alias)!;
  const colours = coloured(world, world.out.isTerminal);
  let held = 0;
  for (const [index, check] of CHECKS.entries()) {
    const late = () => new Error(`no verdict within ${CHECK_MS / 1000} s`);
    const why = await within(
      world.clock,
      CHECK_MS,
      (signal) => check.run({ server, world, signal }),
      late,
      world.signal,
    ).then(() => undefined, (error) => {
      world.signal.throwIfAborted();
      return error instanceof Error ? error.message : String(error);
    });
    if (why === undefined) held++;
    const verdict = why === undefined
      ? paint("ok", colours ? "green" : undefined)
      : paint("FAIL", colours ? "red" : undefined);
    const reason = why === undefined ? "" : `: ${printableLine(why, 500)}`;
    await world.out.write(`${verdict} ${index + 1} ${check.title}${reason}\n`);
  }
  await world.out.write(`${held} of ${CHECKS.length}\n`);
  return held === CHECKS.length ? EXIT.ok : EXIT.toolSaidNo;
}
