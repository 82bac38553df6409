/** `fusebox tools`: what the model would see, and where each name leads. @module */
import { hintWords } from "../../agent/hints.ts";
import { nearest } from "../../kit/near.ts";
import { printableLine } from "../../kit/printable.ts";
import { UsageError } from "../../kit/usage.ts";
import type { Annotations } from "../../protocol/types.ts";
import { toSpec } from "../../tools/full.ts";
import { absentReport, late, lateLine, offline } from "../absence.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { household } from "../household.ts";
import { attaching, watching } from "../watching.ts";
import { openCatalogue } from "../memory.ts";
import { columns, count, reasonLine, Screen } from "../screen.ts";
import type { World } from "../world.ts";

/** @returns 0, also when servers are offline: those are named on stderr */
export async function toolsCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  for (const note of config.notes) screen.say(note, "dim");
  const aliases = readAliases(args, config.servers.map(({ alias }) => alias));
  const house = household(config, args, world, watching(screen, { listsHeld: true }), {
    catalogue: openCatalogue(world, (line) => screen.detail(line)),
  });
  await using registry = house.registry;
  await screen.during(
    attaching(registry),
    registry.attachAll({
      budgetMs: config.limits.startMs,
      signal: world.signal,
      ...(aliases && { aliases }),
    }),
  );
  await screen.flush();
  await house.pins.settle();
  const entries = [...registry.table.entries.values()].filter(({ denied }) => denied === undefined);
  const heldBack = registry.heldBack();
  if (args.json || args.jsonl) {
    const report = {
      tools: entries.map((entry) => ({
        ...entry.ref,
        ...toSpec(entry),
        ...(entry.info.title !== undefined && { title: entry.info.title }),
        ...(entry.info.annotations && { annotations: entry.info.annotations }),
        ...(entry.info.outputSchema && { outputSchema: entry.info.outputSchema }),
      })),
      heldBack,
      ...absentReport(registry),
    };
    await writeJson(report, args, world);
    return EXIT.ok;
  }
  const rows = entries.map(({ name, ref, info }) => [
    name,
    printableLine(`${ref.alias}.${ref.tool}`, 60),
    printableLine(
      [info.title ?? info.annotations?.title ?? "", hints(info.annotations)].join(" "),
      60,
    ),
  ]);
  await world.out.write(columns([["PUBLIC NAME", "ALIAS.TOOL", "TITLE AND HINTS"], ...rows]));
  screen.say(`${count(rows.length, "tool")}; hints are the servers' own words`, "dim");
  const held = heldBack.map(({ alias, tool, why }) =>
    `Held back: ${printableLine(`${alias}.${tool}`, 80)} ${printableLine(why, 200)}`
  );
  screen.sayAll(held, "yellow");
  for (const { alias, problems } of registry.servers()) {
    screen.sayAll(problems.map((problem) => `${alias}: ${printableLine(problem, 300)}`), "yellow");
  }
  for (const { alias } of late(registry)) {
    screen.say(lateLine(alias, config.limits.startMs), "yellow");
  }
  if (screen.verbose) return EXIT.ok; // It was said as it happened.
  for (const { reason } of offline(registry)) screen.say(reasonLine(reason), "yellow");
  return EXIT.ok;
}

function readAliases(args: Args, known: readonly string[]): readonly string[] | undefined {
  if (args.words.length === 0) return undefined;
  for (const alias of args.words) {
    if (args.only?.includes(alias) === false && known.includes(alias)) {
      throw new UsageError(`Cannot list the tools of "${alias}": --only leaves it out`, {
        hint: `It is --only ${args.only.join(",")}`,
      });
    }
    if (known.includes(alias)) continue;
    const [near] = nearest(alias, known, 1);
    throw new UsageError(`Cannot list the tools of "${alias}": no server has this alias`, {
      hint: near ? `Did you mean ${near}?` : `There are: ${known.join(", ") || "none"}`,
    });
  }
  return args.words;
}

function hints(annotations: Annotations | undefined): string {
  const words = hintWords(annotations);
  return words.length > 0 ? `[${words.join(", ")}]` : "";
}
