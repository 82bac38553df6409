/** Which API a name means, with the key and the address that the environment gives for it. @module */
import { nearest } from "../kit/near.ts";
import { UsageError } from "../kit/usage.ts";
import type { ChatOptions } from "./openai_chat.ts";
import { type FormatName, type Provider, PROVIDERS } from "./providers/table.ts";
import { contextWindow } from "./providers/windows.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** What a configuration says about a provider. */
export interface ProviderOverrides {
  baseUrl?: string;
  /** The variable that holds the key. */
  keyEnv?: string;
  /** Of the API, for formats that have versions. */
  version?: string;
}

/** All that {@linkcode apiModel} needs to know, but for the world. */
export interface Resolved {
  provider: string;
  /** The model's name at its provider. */
  model: string;
  format: FormatName;
  baseUrl: string;
  /** Sent as the format sends keys. */
  key?: string;
  /** The variable that a key was found in, however it is sent. */
  keyFrom?: string;
  /** May hold a key, too. */
  headers: Readonly<Record<string, string>>;
  version?: string;
  /** For `openaiChatFormat()`. */
  chat: ChatOptions;
  /** Tokens that the model holds, where that is known. */
  window?: number;
  /** Tools in one request at the most, where a limit is known. */
  maxTools?: number;
  /** What was decided between two variables, for people. */
  notes: readonly string[];
}

/** Names that lead to no API, for whoever mistypes them. */
const OTHERS = ["offline", "script"];

/** Whose models have such names, for whoever forgets to say it. */
const MAKERS: readonly [RegExp, string][] = [
  [/^claude-/, "anthropic"],
  [/^(?:gpt|chatgpt|o\d)(?:-|$)/, "openai"],
  [/^gemini-/, "gemini"],
  [/^(?:mistral|ministral|magistral|codestral|devstral)-/, "mistral"],
  [/^deepseek-/, "deepseek"],
  [/^grok-/, "xai"],
];

/**
 * What `provider/model` means; a provider alone means its default model.
 * @throws {UsageError} for an unknown provider, a missing key, a base URL that is none
 */
export function resolveProvider(
  name: string,
  env: Env,
  overrides: ProviderOverrides = {},
): Resolved {
  const slash = name.indexOf("/");
  const provider = providerIn(name, slash === -1 ? name : name.slice(0, slash));
  const model = slash === -1 ? provider.defaultModel ?? "" : name.slice(slash + 1);
  if (model === "") {
    throw new UsageError(`Cannot use the model "${name}": no model is named`, {
      hint: `Write ${provider.name}/MODEL; \`fusebox models\` lists what a provider offers.`,
    });
  }
  const base = baseUrlOf(name, provider, env, overrides);
  const own = customHeaders(env[provider.customHeadersFrom ?? ""]);
  const headers: Record<string, string> = {};
  for (const [variable, header] of Object.entries(provider.headersFrom ?? {})) {
    const value = read(env, variable);
    if (value !== undefined) headers[header] = value;
  }
  const { key, notes } = keyOf(name, provider, env, { base, own, keyEnv: overrides.keyEnv });
  const version = overrides.version ?? read(env, provider.versionFrom ?? "");
  const window = provider.isLocal ? undefined : contextWindow(model);
  return {
    provider: provider.name,
    model,
    format: provider.format,
    baseUrl: base.url,
    ...(key && !key.as && { key: key.value }),
    ...(key && { keyFrom: key.from }),
    headers: {
      ...headers,
      ...(key?.as === "bearer" && { authorization: `Bearer ${key.value}` }),
      ...(key?.as === "api-key" && { "api-key": key.value }),
      ...own,
    },
    ...(version !== undefined && { version }),
    chat: provider.chat ?? {},
    ...(window !== undefined && { window }),
    ...(provider.maxTools !== undefined && { maxTools: provider.maxTools }),
    notes,
  };
}

/** The first provider with a key, and the variable that decided. */
export function chooseDefault(env: Env): { name: string; because: string } | undefined {
  for (const { name, defaultModel, keyFrom } of PROVIDERS) {
    const key = keyFrom.find((variable) => read(env, variable.name) !== undefined);
    if (defaultModel && key) return { name: `${name}/${defaultModel}`, because: key.name };
  }
  return undefined;
}

function providerIn(name: string, word: string): Provider {
  const wanted = word.toLowerCase();
  const found = PROVIDERS.find((each) => each.name === wanted || each.aliases?.includes(wanted));
  if (found) return found;
  const maker = MAKERS.find(([pattern]) => pattern.test(wanted))?.[1];
  const isModel = maker !== undefined && word === name;
  const names = PROVIDERS.map((provider) => provider.name);
  const aliases = PROVIDERS.flatMap((provider) => provider.aliases ?? []);
  const [near] = nearest(word, [...names, ...aliases, ...OTHERS], 1);
  const rest = name.slice(word.length);
  throw new UsageError(
    `Cannot use the model "${name}": ${isModel ? "no provider is named" : "no such provider"}`,
    {
      hint: isModel
        ? `Write ${maker}/${name}, or whichever provider has it.`
        : near !== undefined
        ? `Did you mean "${near}${OTHERS.includes(near) ? "" : rest}"?`
        : `Known are ${names.join(", ")}, offline and script:FILE.`,
    },
  );
}

interface Base {
  url: string;
  host: string;
  isDefault: boolean;
}

function baseUrlOf(name: string, provider: Provider, env: Env, overrides: ProviderOverrides): Base {
  const { baseUrlFrom = [] } = provider;
  const from = baseUrlFrom.find((variable) => read(env, variable.name) !== undefined);
  let url = overrides.baseUrl?.trim() || undefined;
  const where = url === undefined && from ? from.name : "the configuration";
  if (url === undefined && from) {
    const value = read(env, from.name)!;
    url = withSuffix(from.read?.(value) ?? value, from.suffix);
  }
  const isDefault = url === undefined;
  url ??= provider.baseUrl;
  if (url === undefined) {
    const looked = baseUrlFrom.map((variable) => variable.name).join(", ");
    throw new UsageError(`Cannot use the model "${name}": no base URL (looked at ${looked})`, {
      hint: `Set ${looked} to the address of your own.`,
    });
  }
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    // What it holds may be a key that went into the wrong variable.
    throw new UsageError(`Cannot use the model "${name}": the base URL in ${where} is none`, {
      hint: `Write it like ${provider.baseUrl ?? "https://example.openai.azure.com/openai/v1"}`,
    });
  }
  return { url: url.replace(/\/+$/, ""), host: parsed.hostname, isDefault };
}

function withSuffix(url: string, suffix = ""): string {
  const bare = url.replace(/\/+$/, "");
  return bare.endsWith(suffix) ? bare : bare + suffix;
}

interface Key {
  value: string;
  /** The variable. */
  from: string;
  as?: "bearer" | "api-key";
}

function keyOf(
  name: string,
  provider: Provider,
  env: Env,
  { base, own, keyEnv }: {
    base: Base;
    own: Readonly<Record<string, string>>;
    keyEnv: string | undefined;
  },
): { key?: Key; notes: string[] } {
  const { keyFrom, keyHost } = provider;
  const looked = keyEnv === undefined ? keyFrom : [{ ...keyFrom[0], name: keyEnv }];
  const set = looked.filter((variable) => read(env, variable.name) !== undefined);
  const [first, second] = set;
  if (first && (keyEnv !== undefined || keyHost === undefined || base.host === keyHost)) {
    const value = read(env, first.name)!;
    if (/[^\x21-\x7e]/.test(value)) {
      throw new UsageError(`Cannot use the key in ${first.name}: it holds what no key holds`, {
        hint: "Was it pasted whole, without spaces and line breaks?",
      });
    }
    const isChoice = second && read(env, second.name) !== value;
    const notes = isChoice ? [`${first.name} is used, not ${second.name}`] : [];
    return { key: { value, from: first.name, ...(first.as && { as: first.as }) }, notes };
  }
  // A server of the user's own may want none; who sends another header has one.
  const isSent = Object.keys(own).some((header) => /^authorization$|key$/i.test(header));
  if (provider.isLocal || !base.isDefault || isSent) return { notes: [] };
  const names = looked.map((variable) => variable.name);
  throw new UsageError(`Cannot use the model "${name}": no key (looked at ${names.join(", ")})`, {
    hint: `Set ${names[0]}, or use ollama/MODEL or offline, which need none.`,
  });
}

/** Lines `Name: value`, as the SDKs read them. */
function customHeaders(text = ""): Record<string, string> {
  const lines = text.split("\n").map((line) => /^\s*([\w-]+)\s*:\s*(.*?)\s*$/.exec(line));
  return Object.fromEntries(
    lines.flatMap((line) => line ? [[line[1]!.toLowerCase(), line[2]!]] : []),
  );
}

/** Empty is unset; quotes stay around a value where an env file is read literally. */
function read(env: Env, name: string): string | undefined {
  const value = env[name]?.trim().replace(/^(["'])(.*)\1$/, "$2");
  return value === "" ? undefined : value;
}
