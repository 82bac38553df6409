/** `fusebox search`: what a model would find in the catalogue, for people. @module */
import { printable } from "../../kit/printable.ts";
import { UsageError } from "../../kit/usage.ts";
import { findings } from "../../registry/search/findings.ts";
import { menu } from "../../tools/menu.ts";
import { absentReport } from "../absence.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { household } from "../household.ts";
import { attaching, watching } from "../watching.ts";
import { openCatalogue } from "../memory.ts";
import { Screen } from "../screen.ts";
import type { World } from "../world.ts";

const FOUND = 20;

/** Starts only servers that were never listed: what is known needs no process. */
export async function searchCommand(args: Args, world: World): Promise<number> {
  const query = args.words.join(" ").trim();
  if (!query) {
    throw new UsageError("Cannot search: no words are given", {
      hint: 'fusebox search "read a file"',
    });
  }
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  for (const note of config.notes) screen.say(note, "dim");
  const catalogue = openCatalogue(world, (line) => screen.detail(line));
  const house = household(config, args, world, watching(screen), { catalogue });
  await using registry = house.registry;
  await registry.recallAll();
  const unknown = registry.servers().filter(({ source }) => !source).map(({ alias }) => alias);
  const { startMs } = config.limits;
  await screen.during(
    attaching(registry),
    registry.attachAll({ budgetMs: startMs, aliases: unknown, signal: world.signal }),
  );
  await screen.flush();
  await house.pins.settle();
  const index = menu(registry);
  if (args.json || args.jsonl) {
    const found = index.search(query, FOUND).map(({ alias, tool }) => ({
      alias,
      tool: tool.name,
      ...(tool.title !== undefined && { title: tool.title }),
      ...(tool.description !== undefined && { description: tool.description }),
    }));
    await writeJson({ query, found, ...absentReport(registry) }, args, world);
    return EXIT.ok;
  }
  await world.out.write(printable(await findings(index, query, FOUND)) + "\n");
  return EXIT.ok;
}
