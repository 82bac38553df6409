/** `fusebox demo`: a whole agent run over the built-in servers, offline, narrated. @module */
import { DEFAULT_LIMITS } from "../../config/config.ts";
import { offlineModel } from "../../models/offline.ts";
import type { Args } from "../args.ts";
import { EXIT } from "../failure.ts";
import { BUILT_IN, household } from "../household.ts";
import { Outages } from "../outages.ts";
import { runAsk } from "../running.ts";
import { coloured, columns, count, paint, Screen } from "../screen.ts";
import { watching } from "../watching.ts";
import type { World } from "../world.ts";

const PROMPTS = [
  "What do my notes say about the release?",
  'Create a ticket "Announce the release" due next friday',
];

/** @returns 0 when every prompt was answered, else the exit code of the first that was not */
export async function demoCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const bold = (text: string) =>
    paint(text, coloured(world, world.out.isTerminal) ? "bold" : undefined);
  const tell = (text: string) => world.out.write(text + "\n");
  const config = {
    servers: BUILT_IN,
    allow: [],
    deny: [],
    limits: DEFAULT_LIMITS,
    notes: [],
  };
  await tell(bold("1. Two MCP servers are started, side by side, each on its own circuit."));
  const house = household(config, args, world, watching(screen));
  await using registry = house.registry;
  await registry.attachAll({ signal: world.signal });
  for (const { alias, dialect, tools, attachMs } of registry.servers()) {
    await tell(`   ${alias}: ${dialect!.version}, ${count(tools.length, "tool")}, ${attachMs} ms`);
  }
  await tell(bold('\n2. Both have a tool called "search"; the model sees one name for each tool.'));
  const rows = [...registry.table.entries.values()].map(({ name, ref }) => [
    `   ${name}`,
    `→ ${ref.alias}.${ref.tool}`,
  ]);
  await world.out.write(columns(rows));
  await tell(
    bold("\n3. The loop runs: a prompt in, tools used, an answer out. No network, no key."),
  );
  for (const prompt of PROMPTS) {
    await tell(`\n${bold("You ask:")} ${prompt}`);
    const quiet = { ...args, json: false, jsonl: false };
    const mind = { model: offlineModel(), notes: [] };
    const parts = {
      args: quiet,
      world,
      screen,
      house,
      outages: new Outages(() => world.clock.now()),
      mind,
      mode: "full" as const,
      input: { prompt },
    };
    const exit = await runAsk(parts);
    if (exit !== EXIT.ok) return exit;
  }
  await tell(bold("\nThat was the whole journey. Next: fusebox --help, and the README's tour."));
  return EXIT.ok;
}
