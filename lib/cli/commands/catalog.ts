/** `fusebox catalog`: what is known of servers between runs, brought up to date, or forgotten. @module */
import { printableJson } from "../../kit/json.ts";
import { UsageError } from "../../kit/usage.ts";
import type { ServerStatus } from "../../registry/status.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { household } from "../household.ts";
import { watching } from "../watching.ts";
import { openCatalogue } from "../memory.ts";
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
  const house = household(config, args, world, watching(screen), { catalogue });
  await using registry = house.registry;
  await registry.recallAll();
  if (action === "refresh") {
    screen.spin("attaching servers");
    await registry.attachAll({ signal: world.signal });
  }
  await screen.flush();
  const statuses = registry.servers();
  const text = args.json || args.jsonl
    ? printableJson({ servers: statuses.map(report) }, args.json ? 2 : undefined) + "\n"
    : columns([["ALIAS", "TOOLS", "DIALECT", "REASON"], ...statuses.map(row)]);
  await world.out.write(text);
  return EXIT.ok;
}

function row({ alias, tools, source, dialect, reason }: ServerStatus): string[] {
  return [
    alias,
    source ? String(tools.length) : "-",
    dialect?.version ?? "-",
    reason ? reasonLine(reason) : source ? "" : "never listed: fusebox catalog refresh",
  ];
}

function report({ alias, tools, source, dialect, reason }: ServerStatus): unknown {
  return {
    alias,
    ...(source && { tools: tools.map(({ name }) => name) }),
    ...(dialect && { dialect }),
    ...(reason && { reason: reason.code, message: reason.message }),
  };
}
