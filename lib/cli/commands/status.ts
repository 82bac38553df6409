/** `fusebox status`: the status page alone, over servers that are attached and looked after. @module */
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { writeJson } from "../hiding.ts";
import { household, type Watchers } from "../household.ts";
import { openCatalogue } from "../memory.ts";
import { Panel, statusSettings } from "../panel.ts";
import { Outages } from "../outages.ts";
import { Screen } from "../screen.ts";
import { tend } from "../tending.ts";
import { both, stateLines, watching } from "../watching.ts";
import type { World } from "../world.ts";

const EVERY_MS = 15_000;

/**
 * Goes on until the user leaves, or frozen pins are broken, by a throw.
 * @throws {UsageError} when the address can't be had
 */
export async function statusCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const panel = new Panel(statusSettings(args, world.env), world, screen);
  const config = await configure(args, world);
  for (const note of config.notes) screen.say(note, "dim");
  const house = household(config, args, world, both(lines(screen, world), panel.watchers), {
    catalogue: openCatalogue(world, (line) => screen.detail(line)),
  });
  await using registry = house.registry;
  await using _panel = panel; // Shows the servers as they were, so it goes before they do.
  const url = panel.show(house, { mode: "status" });
  if (args.json || args.jsonl) await writeJson({ url }, args, world);
  else await world.out.write(`${url}\n`);
  await house.pins.settle(); // Nothing is listed yet: from here on each list is judged as it comes.
  return await tend(registry, {
    clock: world.clock,
    signal: house.pins.signal,
    everyMs: EVERY_MS,
    onCheck: (alias, ms, answered) => panel.checked(alias, ms, answered),
  });
}

/** A line for each server that comes, goes, or comes back. */
function lines(screen: Screen, world: World): Watchers {
  const outages = new Outages(() => world.clock.now());
  const met = new Set<string>();
  const lineOf = stateLines();
  return {
    ...watching(screen),
    onChange(status) {
      const change = outages.take(status);
      const isNew = status.state === "online" && !met.has(status.alias);
      if (isNew) met.add(status.alias);
      const line = lineOf(status);
      if (change) screen.say(change.line, change.state === "back" ? "green" : "yellow");
      else if (isNew) screen.say(line, "green");
      else screen.detail(line);
    },
  };
}
