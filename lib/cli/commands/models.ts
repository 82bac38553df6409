/** `fusebox models`: what a provider offers. @module */
import { printable } from "../../kit/printable.ts";
import { UsageError } from "../../kit/usage.ts";
import { chooseDefault } from "../../models/providers.ts";
import { offeredModels } from "../api_minds.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { Screen } from "../screen.ts";
import type { World } from "../world.ts";

/** One `provider/model` a line, as `-m` takes it. */
export async function modelsCommand(args: Args, world: World): Promise<number> {
  if (args.words.length > 1) {
    throw new UsageError(`Cannot list models of ${args.words.join(" ")}: one provider at a time`, {
      hint: `fusebox models ${args.words[0]}`,
    });
  }
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  const [provider] = args.words;
  const named = provider ??
    (args.model ?? config.model ?? chooseDefault(world.env)?.name)?.split("/")[0];
  if (named === undefined || named === "offline") {
    throw new UsageError("Cannot list models: no provider is named, and no key is set", {
      hint: "fusebox models anthropic | openai | gemini | ollama | …",
    });
  }
  const names = await screen.during(
    `asking ${named}`,
    offeredModels(named, config, world, screen),
  );
  await screen.flush();
  const full = names.map((name) => `${named}/${name}`);
  if (args.json || args.jsonl) await writeJson({ models: full }, args, world);
  else await world.out.write(full.map((name) => printable(name) + "\n").join(""));
  return EXIT.ok;
}
