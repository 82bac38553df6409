/** What a configuration would do, in lines for whoever has to approve it. @module */
import { cut, visible } from "../kit/printable.ts";
import { parseToolPattern } from "../kit/pattern.ts";
import { type Config, DEFAULT_FUSE, DEFAULT_LIMITS, type ServerConfig } from "./config.ts";

/** A line may be this long before it is cut, and says so: what is cut off can't be judged. */
const LONGEST = 1_000;
const MOST_SERVERS = 30;

/**
 * Whom it starts, as it is written and with nothing resolved; then whatever else reaches beyond its
 * own servers: questions spared, hints believed, where prompts go. Safe to print.
 */
export function effectsOf(config: Config): string[] {
  const { servers, allow, api, model } = config;
  const lines = servers.slice(0, MOST_SERVERS).map(startLine);
  if (servers.length > MOST_SERVERS) {
    lines.push(`… and ${servers.length - MOST_SERVERS} more servers: read the file`);
  }
  if (servers.length === 0) lines.push("(no servers)");
  if (allow.length > 0) {
    const own = new Set(servers.map(({ alias }) => alias));
    const reaches = allow.some((text) => !own.has(parseToolPattern(text)?.alias ?? ""));
    const whose = reaches ? ", your own servers' tools too" : "";
    lines.push(`and lets run unasked: ${allow.join(", ")}${whose}`);
  }
  const trusted = servers.filter((it) => it.trusted).map(({ alias }) => alias);
  if (trusted.length > 0) {
    lines.push(`and believes what they say of their tools: ${trusted.join(", ")}`);
  }
  const unpinned = servers.filter(({ pins }) => pins === false).map(({ alias }) => alias);
  if (unpinned.length > 0) {
    lines.push(`and lets their tools change without a word: ${unpinned.join(", ")}`);
  }
  const everywhere = forAll(config);
  if (everywhere.length > 0) {
    lines.push(`and sets for your own servers, too: ${everywhere.join(", ")}`);
  }
  if (model !== undefined) lines.push(`and chooses the model: ${model}`);
  if (api?.baseUrl !== undefined) lines.push(`and sends prompts, with the key, to ${api.baseUrl}`);
  if (api?.keyEnv !== undefined) lines.push(`and takes the model's key from $${api.keyEnv}`);
  return lines.map(bounded);
}

/** Keys at the top that hold for servers of other files. */
function forAll({ limits, fuse = DEFAULT_FUSE, mode, forwardAbove, deny }: Config): string[] {
  const differs = (one: object, other: object) => JSON.stringify(one) !== JSON.stringify(other);
  return [
    ...differs(limits, DEFAULT_LIMITS) ? ["limits"] : [],
    ...differs(fuse, DEFAULT_FUSE) ? ["fuse"] : [],
    ...mode === undefined ? [] : [`mode ${mode}`],
    ...forwardAbove === undefined ? [] : ["forwardAbove"],
    ...deny.length === 0 ? [] : [`deny ${deny.join(", ")}`],
  ];
}

function startLine({ alias, reach, disabled, problem }: ServerConfig): string {
  if (problem !== undefined) return `${alias}: nothing (${problem})`;
  const off = disabled ? " (disabled)" : "";
  if (reach.kind === "http") {
    const headers = Object.entries(reach.headers).map(([name, value]) => ` ${name}: ${value}`);
    return `${alias}: ${reach.url}${headers.join(",")}${off}`;
  }
  const set = Object.entries(reach.env).map(([name, value]) => `${name}=${word(value)}`);
  const line = [...set, word(reach.command), ...reach.args.map(word)].join(" ");
  const where = reach.cwd === undefined ? "" : ` (in ${reach.cwd})`;
  const whole = reach.inheritEnv ? " (with your whole environment)" : "";
  return `${alias}: ${line}${where}${whole}${off}`;
}

/** As one word, where a reader would see several. */
function word(text: string): string {
  return /^[^\s"'`\\]+$/.test(text) ? text : JSON.stringify(text);
}

function bounded(line: string): string {
  const whole = visible(line);
  return whole.length > LONGEST ? `${cut(whole, LONGEST)}… (cut: read the file)` : whole;
}
