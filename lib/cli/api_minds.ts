/** Models behind an API: the provider's data, the format's file, and the world they need. @module */
import type { ApiSettings, Config } from "../config/config.ts";
import { secretsOf } from "../config/secrets.ts";
import { UsageError } from "../kit/usage.ts";
import { apiModel, type ApiOptions, modelNames } from "../models/api.ts";
import { chooseDefault, type Resolved, resolveProvider } from "../models/providers.ts";
import type { Format } from "../models/wire.ts";
import type { Args } from "./args.ts";
import type { Mind } from "./minds.ts";
import type { Screen } from "./screen.ts";
import type { World } from "./world.ts";

/** Loads the one format that is spoken. */
async function formatOf({ format, chat, version }: Resolved): Promise<Format> {
  switch (format) {
    case "anthropic": {
      const { anthropicFormat } = await import("../models/anthropic.ts");
      return anthropicFormat(version === undefined ? {} : { version });
    }
    case "openai_chat":
      return (await import("../models/openai_chat.ts")).openaiChatFormat(chat);
    case "openai_responses":
      return (await import("../models/openai_responses.ts")).openaiResponsesFormat();
    case "gemini": {
      const { geminiFormat } = await import("../models/gemini.ts");
      return geminiFormat(version === "v1beta" ? { version } : {});
    }
  }
}

/** `api:` belongs to the provider of `model:`. To any other it would send that one's key, or take it there. */
function settingsFor(name: string, { model, api }: Config): ApiSettings {
  const provider = (of: string) => of.split("/")[0]!.toLowerCase();
  return api && model !== undefined && provider(model) === provider(name) ? api : {};
}

async function apiOptions(resolved: Resolved, world: World, screen: Screen): Promise<ApiOptions> {
  const { provider, baseUrl, key, keyFrom, headers } = resolved;
  // A server of one's own is often given a word for a key.
  const held = { ...headers, ...(key !== undefined && { "api-key": key }) };
  world.secrets.add(secretsOf({ kind: "http", url: baseUrl, headers: held }));
  return {
    provider,
    baseUrl,
    headers,
    ...(key !== undefined && { key }),
    ...(keyFrom !== undefined && { keyFrom }),
    format: await formatOf(resolved),
    fetch: world.fetch,
    clock: world.clock,
    random: world.random,
    note: (line) => screen.say(line, "yellow"),
  };
}

/** @throws {UsageError} for an unknown provider or a missing key */
export async function apiMind(
  name: string,
  args: Args,
  config: Config,
  world: World,
  screen: Screen,
): Promise<Mind> {
  const resolved = resolveProvider(name, world.env, settingsFor(name, config));
  const options = await apiOptions(resolved, world, screen);
  return {
    model: apiModel({ ...options, model: resolved.model, stream: args.stream }),
    ...(resolved.window !== undefined && { window: resolved.window }),
    ...(resolved.maxTools !== undefined && { maxTools: resolved.maxTools }),
    notes: resolved.notes,
  };
}

/** The first provider with a key in the environment, said with the variable that decided. */
export async function defaultMind(
  args: Args,
  config: Config,
  world: World,
  screen: Screen,
): Promise<Mind | undefined> {
  const choice = chooseDefault(world.env);
  if (!choice) return undefined;
  const mind = await apiMind(choice.name, args, config, world, screen);
  const note = `No model is configured: using ${choice.name}, because ${choice.because} is set`;
  return { ...mind, notes: [note, ...mind.notes] };
}

/** A model has to be named for everything but the list of models. */
function resolveAny(provider: string, config: Config, world: World): Resolved {
  try {
    return resolveProvider(`${provider}/any`, world.env, settingsFor(provider, config));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const said = (text: string) => text.replaceAll("/any", "");
    throw new UsageError(said(error.message), error.hint ? { hint: said(error.hint) } : {});
  }
}

/** What a provider offers, sorted. @throws {UsageError} {@linkcode ModelError} */
export async function offeredModels(
  provider: string,
  config: Config,
  world: World,
  screen: Screen,
): Promise<readonly string[]> {
  const resolved = resolveAny(provider, config, world);
  const options = await apiOptions(resolved, world, screen);
  return (await modelNames(options, world.signal)).toSorted();
}
