/** Which command runs. Each loads what it needs, and no more, when it is its turn. @module */
import { type Args, type Command, readArgs } from "./args.ts";
import { EXIT } from "./failure.ts";
import type { World } from "./world.ts";

/** @returns the exit code @throws what {@linkcode describe} describes */
export async function run(world: World): Promise<number> {
  const args = readArgs(world.args);
  if (args.help) {
    await world.out.write(await helpOn(args.command));
    return EXIT.ok;
  }
  if (args.version) {
    await world.out.write(`fusebox ${world.version}\n`);
    return EXIT.ok;
  }
  if (args.trace === undefined) return await command(args, world);
  const { traced } = await import("./trace/open.ts");
  return await traced(args.trace, args, world, (traced) => command(args, traced));
}

async function helpOn(command: Command): Promise<string> {
  if (command === "ask") return (await import("./help.ts")).HELP;
  const { USAGE } = await import("./usage.ts");
  return `${USAGE[command]}\n\nfusebox --help lists the flags.\n`;
}

async function command(args: Args, world: World): Promise<number> {
  switch (args.command) {
    case "ask":
      return await (await import("./commands/ask.ts")).askCommand(args, world);
    case "tools":
      return await (await import("./commands/tools.ts")).toolsCommand(args, world);
    case "call":
      return await (await import("./commands/call.ts")).callCommand(args, world);
    case "servers":
      return await (await import("./commands/servers.ts")).serversCommand(args, world);
    case "status":
      return await (await import("./commands/status.ts")).statusCommand(args, world);
    case "models":
      return await (await import("./commands/models.ts")).modelsCommand(args, world);
    case "search":
      return await (await import("./commands/search.ts")).searchCommand(args, world);
    case "catalog":
      return await (await import("./commands/catalog.ts")).catalogCommand(args, world);
    case "approvals":
      return await (await import("./commands/approvals.ts")).approvalsCommand(args, world);
    case "trust":
      return await (await import("./commands/trust.ts")).trustCommand(args, world);
    case "pins":
      return await (await import("./commands/pins.ts")).pinsCommand(args, world);
    case "selftest":
      return await (await import("./commands/selftest.ts")).selftestCommand(args, world);
    case "demo":
      return await (await import("./commands/demo.ts")).demoCommand(args, world);
    case "serve-demo":
      return await (await import("./commands/serve_demo.ts")).serveDemoCommand(args, world);
  }
}
