/** `fusebox ask`: a prompt in, an answer out. @module */
import { UsageError } from "../../kit/usage.ts";
import type { Params } from "../../protocol/types.ts";
import { late, lateLine } from "../absence.ts";
import type { Args } from "../args.ts";
import { parseObject } from "../arguments.ts";
import { readAttachments } from "../attach.ts";
import { configure } from "../configure.ts";
import { writeJson } from "../hiding.ts";
import { household, type Watchers } from "../household.ts";
import { openCatalogue } from "../memory.ts";
import type { Panel } from "../panel.ts";
import { chooseMode } from "../modes.ts";
import { readInput } from "../input.ts";
import { chooseMind, isMock } from "../minds.ts";
import { type Change, Outages } from "../outages.ts";
import { openSaver } from "../results.ts";
import { runAsk } from "../running.ts";
import { Screen } from "../screen.ts";
import { attaching, both, stateLines, watching } from "../watching.ts";
import type { World } from "../world.ts";

/** Closed until the run begins. */
interface Gate {
  attaching: boolean;
}

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
  const panel = await panelOf(args, world, screen);
  const saver = await openSaver(args, world);
  const gate: Gate = { attaching: true };
  const outages = new Outages(() => world.clock.now());
  const mode = args.mode ?? config.mode ?? "auto";
  const catalogue = openCatalogue(world, (line) => screen.detail(line));
  const house = household(
    config,
    args,
    world,
    both(watchers(screen, outages, args, world, gate), panel?.watchers),
    {
      resting: mode !== "full",
      catalogue,
    },
  );
  const input = await readInput(args, world, screen);
  if (!input) return await withoutPrompt(args, world);
  for (const line of [...config.notes, ...mind.notes]) screen.say(line, "dim");
  await using registry = house.registry;
  await registry.recallAll();
  const choose = () => chooseMode(mode, registry, mind, screen, config.forwardAbove);
  const chosen = choose();
  await using _panel = panel; // Shows the servers as they were, so it goes before they do.
  panel?.open(house, { mode: chosen.mode, model: mind.model.name });
  if (!chosen.lazily) registry.keepAll();
  // Whoever the run can't do without is asked in every mode whether it is there.
  const required = registry.servers().filter((it) => it.required).map(({ alias }) => alias);
  const starting = chosen.lazily ? { aliases: required } : {};
  await screen.during(
    attaching(registry),
    registry.attachAll({
      budgetMs: config.limits.startMs,
      signal: world.signal,
      ...starting,
    }),
  );
  gate.attaching = false;
  await house.pins.settle();
  for (const status of late(registry)) {
    const line = `${lateLine(status.alias, config.limits.startMs)}; it joins when it is`;
    tell(outages.late(status, line), screen, args, world);
  }
  const runMode = chosen.lazily ? chosen.mode : choose().mode;
  if (panel) panel.mode = runMode;
  return await runAsk({
    args,
    world,
    screen,
    house,
    outages,
    mind,
    mode: runMode,
    input: parts.length > 0 ? { ...input, parts } : input,
    ...(system !== undefined && { system }),
    ...(answerSchema && { answerSchema }),
    ...(saver && { saver }),
    ...(panel && { onlooker: panel }),
  });
}

/** Loaded only by who wants to see it. */
async function panelOf(args: Args, world: World, screen: Screen): Promise<Panel | undefined> {
  if (args.statusPort === undefined) return undefined;
  const { Panel, statusSettings } = await import("../panel.ts");
  return new Panel(statusSettings(args, world.env), world, screen);
}

/** Who comes, who is gone: a line for each change, as it happens. */
function watchers(
  screen: Screen,
  outages: Outages,
  args: Args,
  world: World,
  gate: Gate,
): Watchers {
  const lineOf = stateLines();
  return {
    ...watching(screen),
    onChange(status) {
      // A required one that can't be had ends the run, and main says why.
      const isTold = !(status.required && gate.attaching);
      const change = isTold ? outages.take(status) : undefined;
      const line = lineOf(status);
      if (change) tell(change, screen, args, world);
      else screen.detail(line);
    },
  };
}

function tell({ line, ...change }: Change, screen: Screen, args: Args, world: World): void {
  screen.say(line, change.state === "back" ? "green" : "yellow");
  // Nobody waits for it here: a reader that left is noticed by the next who writes.
  if (args.jsonl) writeJson({ type: "server", ...change }, args, world).catch(() => {});
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
