/** `fusebox ask`: a prompt in, an answer out. @module */
import { formatDuration } from "../../kit/duration.ts";
import { UsageError } from "../../kit/usage.ts";
import type { Params } from "../../protocol/types.ts";
import type { Args } from "../args.ts";
import { parseObject } from "../arguments.ts";
import { readAttachments } from "../attach.ts";
import { configure } from "../configure.ts";
import { household, type Watchers } from "../household.ts";
import { openCatalogue } from "../memory.ts";
import { chooseMode } from "../modes.ts";
import { readInput } from "../input.ts";
import { chooseMind, isMock } from "../minds.ts";
import { late, runAsk } from "../running.ts";
import { Screen, stateLine } from "../screen.ts";
import { watching } from "../watching.ts";
import type { World } from "../world.ts";

/** @returns 0 for an answer, 6 for a run that ended without a full one, 7 when policy decided it */
export async function askCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  const mind = await chooseMind(args, config, world, screen);
  const system = args.system === undefined
    ? undefined
    : await readNamed("--system", args.system, world);
  const answerSchema = args.schema === undefined ? undefined : await readSchema(args.schema, world);
  const parts = await readAttachments(args.attach, world);
  const gate = { attaching: true };
  const mode = args.mode ?? config.mode ?? "auto";
  const catalogue = openCatalogue(world, (line) => screen.detail(line));
  const house = household(config, args, world, watchers(screen, gate), {
    resting: mode !== "full",
    catalogue,
  });
  const input = await readInput(args, world, screen);
  if (!input) return await withoutPrompt(args, world);
  for (const line of [...config.notes, ...mind.notes]) screen.say(line, "dim");
  await using registry = house.registry;
  await registry.recallAll();
  const choose = () => chooseMode(mode, registry, mind, screen, config.forwardAbove);
  const chosen = choose();
  if (!chosen.lazily) registry.keepAll();
  // Whoever the run can't do without is asked in every mode whether it is there.
  const required = registry.servers().filter((it) => it.required).map(({ alias }) => alias);
  const starting = chosen.lazily ? { aliases: required } : {};
  screen.spin("attaching servers");
  await registry.attachAll({
    budgetMs: config.limits.startMs,
    signal: world.signal,
    ...starting,
  });
  gate.attaching = false;
  screen.rest();
  for (const { alias } of late(registry)) {
    const budget = formatDuration(config.limits.startMs);
    screen.say(`${alias}: not ready after ${budget} (limits.start); it joins when it is`, "yellow");
  }
  return await runAsk({
    args,
    world,
    screen,
    house,
    mind,
    mode: chosen.lazily ? chosen.mode : choose().mode,
    input: parts.length > 0 ? { ...input, parts } : input,
    ...(system !== undefined && { system }),
    ...(answerSchema && { answerSchema }),
  });
}

/** Who comes, who is gone: a line for each, as it happens. */
function watchers(screen: Screen, gate: { attaching: boolean }): Watchers {
  return {
    ...watching(screen),
    onChange(status) {
      const { state, reason, required } = status;
      // A required one that can't be had ends the run, and main says why.
      if (required && gate.attaching) return;
      if (state === "offline" && reason?.code !== "disabled") {
        screen.say(stateLine(status), "yellow");
      } else screen.detail(stateLine(status));
    },
  };
}

async function withoutPrompt(args: Args, world: World): Promise<number> {
  if (isMock(world)) {
    const { selftestCommand } = await import("./selftest.ts");
    return await selftestCommand(args, world);
  }
  throw new UsageError("Cannot answer: there is no prompt", {
    hint: 'fusebox "your question", or pipe it in: echo "your question" | fusebox',
  });
}

/** A text file that a flag names. */
async function readNamed(flag: string, path: string, world: World): Promise<string> {
  const text = await world.readFile(path).catch((error) => {
    throw new UsageError(`Cannot read ${flag} ${path}: ${(error as Error).message}`);
  });
  if (text === undefined) throw new UsageError(`Cannot read ${flag} ${path}: no such file`);
  return text;
}

/** A schema that can't be checked would let every answer pass. */
async function readSchema(path: string, world: World): Promise<Params> {
  const schema = parseObject(await readNamed("--schema", path, world), `--schema ${path}`);
  const { schemaProblem } = await import("../../protocol/schema.ts");
  const problem = schemaProblem(schema);
  if (problem === undefined) return schema;
  throw new UsageError(`Cannot use --schema ${path}: ${problem}`);
}
