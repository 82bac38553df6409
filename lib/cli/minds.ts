/** Which model answers. @module */
import type { Config } from "../config/config.ts";
import { UsageError } from "../kit/usage.ts";
import type { Model } from "../models/model.ts";
import type { Args } from "./args.ts";
import type { Screen } from "./screen.ts";
import type { World } from "./world.ts";

export interface Mind {
  model: Model;
  /** Tokens that its context holds, where that is known. */
  window?: number;
  /** Tools that its API takes in one request, where that is known. */
  maxTools?: number;
  /** What decided, a line each, where the user did not. */
  notes: readonly string[];
}

/**
 * `MOCK=1` beats `--model` beats the configuration beats the first key in the environment; without
 * any of them the offline planner answers.
 * @throws {UsageError}
 */
export async function chooseMind(
  args: Args,
  config: Config,
  world: World,
  screen: Screen,
): Promise<Mind> {
  if (isMock(world)) return { model: await offline(), notes: [] };
  const name = args.model ?? config.model;
  if (name === "offline") return { model: await offline(), notes: [] };
  if (name?.startsWith("script:")) return { model: await script(name, world), notes: [] };
  const { apiMind, defaultMind } = await import("./api_minds.ts");
  const mind = name === undefined
    ? await defaultMind(args, config, world, screen)
    : await apiMind(name, args, config, world, screen);
  if (mind) return mind;
  const note = "No model is configured: using the offline planner (-m names a model)";
  return { model: await offline(), notes: [note] };
}

/** `MOCK=1` forces the offline model; with no prompt at all it runs the self-test. */
export function isMock(world: World): boolean {
  return world.env.MOCK === "1";
}

async function offline(): Promise<Model> {
  const { offlineModel } = await import("../models/offline.ts");
  return offlineModel();
}

async function script(name: string, world: World): Promise<Model> {
  const path = name.slice("script:".length);
  const text = await world.readFile(path).catch((error) => {
    throw new UsageError(`Cannot use the model "${name}": ${(error as Error).message}`);
  });
  if (text === undefined) {
    throw new UsageError(`Cannot use the model "${name}": no such file`, {
      hint: "script:FILE names a YAML or JSONL file of turns",
    });
  }
  const { parseScript, scriptModel } = await import("../models/script.ts");
  return scriptModel(name, parseScript(text, path));
}
