/** Which model answers. @module */
import type { Config } from "../config/config.ts";
import { UsageError } from "../kit/usage.ts";
import type { Model } from "../models/model.ts";
import type { Args } from "./args.ts";
import type { World } from "./world.ts";

export interface Choice {
  model: Model;
  /** One line that says what decided, where the user did not. */
  note?: string;
}

/** `MOCK=1` beats `--model` beats the configuration; without any, the offline model answers. */
export async function chooseModel(args: Args, config: Config, world: World): Promise<Choice> {
  if (isMock(world)) return { model: await offline() };
  const name = args.model ?? config.model;
  if (name === undefined) {
    const note = "No model is configured: using the offline planner (-m names a model)";
    return { model: await offline(), note };
  }
  if (name === "offline") return { model: await offline() };
  if (name.startsWith("script:")) return { model: await script(name, world) };
  throw new UsageError(`Cannot use the model "${name}": no such provider`, {
    hint: "This version has offline and script:FILE",
  });
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
  const text = await world.readFile(path).catch(() => undefined);
  if (text === undefined) {
    throw new UsageError(`Cannot use the model "${name}": no such file`, {
      hint: "script:FILE names a YAML or JSONL file of turns",
    });
  }
  const { parseScript, scriptModel } = await import("../models/script.ts");
  return scriptModel(name, parseScript(text, path));
}
