/** `fusebox catalog`: what is known of servers between runs, brought up to date, or forgotten. @module */
import type { Config } from "../../config/config.ts";
import { UsageError } from "../../kit/usage.ts";
import type { ServerStatus } from "../../registry/status.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { household } from "../household.ts";
import { attaching, watching } from "../watching.ts";
import { type Catalogue, openCatalogue } from "../memory.ts";
import { columns, reasonLine, Screen } from "../screen.ts";
import type { World } from "../world.ts";

const ACTIONS = ["list", "refresh", "clear"] as const;

export async function catalogCommand(args: Args, world: World): Promise<number> {
  const [word = "list", ...more] = args.words;
  const action = ACTIONS.find((each) => each === word);
  if (!action || more.length > 0) {
    throw new UsageError(`Cannot run "fusebox catalog ${args.words.join(" ")}": no such action`, {
      hint: `There are: ${ACTIONS.join(", ")}`,
    });
  }
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  const catalogue = openCatalogue(world, (line) => screen.warn(line));
  if (action === "clear") {
    const opened = await catalogue;
    await opened?.catalog.forget();
    screen.say("The catalogue is empty");
    return EXIT.ok;
  }
  await show(config, action, { args, world, screen, catalogue });
  if (action === "refresh") {
    await (await catalogue)?.catalog.sweep()
      .catch((error) => screen.warn(`Cannot clean up the catalogue: ${error.message}`));
  }
  return EXIT.ok;
}

interface Desk {
  args: Args;
  world: World;
  screen: Screen;
  catalogue: Promise<Catalogue | undefined>;
}

/** All that was found out is in the catalogue once this has ended. */
async function show(
  config: Config,
  action: "list" | "refresh",
  { args, world, screen, catalogue }: Desk,
): Promise<void> {
  const house = household(config, args, world, watching(screen), { catalogue });
  await using registry = house.registry;
  await registry.recallAll();
  if (action === "refresh") {
    await screen.during(attaching(registry), registry.attachAll({ signal: world.signal }));
  }
  await screen.flush();
  await house.pins.settle();
  const statuses = registry.servers();
  if (args.json || args.jsonl) await writeJson({ servers: statuses.map(report) }, args, world);
  else {
    const head = ["ALIAS", "TOOLS", "DIALECT", "REASON"];
    await world.out.write(columns([head, ...statuses.map(row)]));
  }
}

function row({ alias, tools, source, dialect, reason }: ServerStatus): string[] {
  return [
    alias,
    source ? String(tools.length) : "-",
    dialect?.version ?? "-",
    reason ? reasonLine(reason) : source ? "" : "never listed: fusebox catalog refresh",
  ];
}

function report({ alias, tools, source, fresh, dialect, reason }: ServerStatus): unknown {
  return {
    alias,
    ...(source && { tools: tools.map(({ name }) => name) }),
    ...(fresh !== undefined && { fresh }),
    ...(dialect && { dialect }),
    ...(reason && { reason: reason.code, message: reason.message }),
  };
}
