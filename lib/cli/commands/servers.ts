/** `fusebox servers`: one row per server. @module */
import { printableLine } from "../../kit/printable.ts";
import { isCallFailure } from "../../protocol/errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { ServerStatus } from "../../registry/status.ts";
import { late } from "../absence.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { household } from "../household.ts";
import { attaching, watching } from "../watching.ts";
import { openCatalogue } from "../memory.ts";
import { columns, reasonLine, Screen } from "../screen.ts";
import type { World } from "../world.ts";

/** Waits for each server's own limits. @returns 0, or 4 by a throw, after the table, when a required server is offline */
export async function serversCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  for (const note of config.notes) screen.say(note, "dim");
  const house = household(config, args, world, watching(screen, { listsHeld: true }), {
    catalogue: openCatalogue(world, (line) => screen.detail(line)),
  });
  await using registry = house.registry;
  let failure: unknown;
  try {
    await screen.during(attaching(registry), registry.attachAll({ signal: world.signal }));
  } catch (error) {
    failure = error; // The table is worth seeing all the more, and whole.
    if (isCallFailure(error)) await screen.during(attaching(registry), settled(registry, world));
  }
  await screen.flush();
  world.signal.throwIfAborted();
  const statuses = registry.servers();
  if (args.json || args.jsonl) await writeJson({ servers: statuses.map(report) }, args, world);
  else {
    const head = ["ALIAS", "STATE", "TOOLS", "DIALECT", "ATTACH", "REASON"];
    await world.out.write(columns([head, ...statuses.map(row)]));
  }
  for (const { alias, heldBack, problems } of statuses) {
    const held = heldBack.map(({ tool, why }) =>
      `held back: ${printableLine(`${tool} ${why}`, 300)}`
    );
    const odd = problems.map((problem) => printableLine(problem, 300));
    screen.sayAll([...odd, ...held].map((line) => `${alias}: ${line}`), "yellow");
  }
  if (failure !== undefined) throw failure;
  await house.pins.settle();
  return EXIT.ok;
}

/** Once each server that is still starting is online or offline, or the user leaves. */
async function settled(registry: Registry, { signal }: World): Promise<void> {
  await Promise.allSettled(late(registry).map(({ alias }) => registry.attach(alias, signal)));
}

function row({ alias, state, tools, dialect, attachMs, reason }: ServerStatus): string[] {
  return [
    alias,
    state,
    state === "online" ? String(tools.length) : "-",
    dialect?.version ?? "-",
    attachMs === undefined ? "-" : `${attachMs} ms`,
    // What could not be done stands in the row already.
    reason ? `${reason.code}: ${reasonLine(reason).replace(`Cannot attach "${alias}": `, "")}` : "",
  ];
}

function report(status: ServerStatus): unknown {
  const { tools, heldBack, reason, ...rest } = status;
  return {
    ...rest,
    tools: tools.map(({ name }) => name),
    heldBack,
    ...(reason && {
      reason: reason.code,
      message: reason.message,
      since: new Date(reason.since).toISOString(),
      stderr: reason.tail,
    }),
  };
}
