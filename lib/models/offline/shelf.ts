/** What searches and lists have told of tools that are not in the table. Strangers' text, used as data. @module */
import type { ToolSpec } from "../model.ts";
import type { Asked } from "./meta.ts";
import { record } from "./params.ts";
import type { Prompt } from "./prompt.ts";
import { readSignature, splitLine } from "./signature.ts";
import { aliasOf } from "./tools.ts";

/** A tool, with how much of it is known. */
export interface Known {
  spec: ToolSpec;
  /** Whether its whole schema is known, or only its line. */
  whole: boolean;
}

/** A server, as far as it was told of. */
export interface Told {
  said: string;
  /** How many tools it has; absent when nobody has seen them. */
  count?: number;
}

export interface Shelf {
  /** By public name. */
  tools: ReadonlyMap<string, Known>;
  servers: ReadonlyMap<string, Told>;
  /** Who turned out to be offline since the prompt. */
  away: Prompt["offline"];
  /** Whose tools nobody had seen when they were first told of. */
  strangers: ReadonlySet<string>;
  /** Whose own list was seen. */
  opened: ReadonlySet<string>;
  /** Whether all servers were told of, not only those of the tools that were found. */
  complete: boolean;
}

const ALIAS = "[a-z0-9]+(?:[-_][a-z0-9]+)*";
const OFFLINE_LINE = new RegExp(`^(${ALIAS}) – offline: (.*)$`);
const SERVER_LINE = new RegExp(`^(${ALIAS})(?: – (.*?))?(?: \\((\\d+) tools?\\))?$`);
/** Longer than any that we write. */
const LINE_MAX = 4000;
const MORE = /^… and (\d+) more$/;

/** `table` are the tools that are offered as they are; `since` is the message of the last prompt. */
export function readShelf(
  asked: readonly Asked[],
  table: readonly ToolSpec[],
  since: number,
): Shelf {
  const tools = new Map<string, Known>();
  const servers = new Map<string, Told>();
  const away = new Map<string, string>();
  const strangers = new Set<string>();
  const opened = new Set<string>();
  let complete = false;
  for (const each of asked) {
    const { kind, what, text, isError, at } = each;
    if (text === undefined) continue;
    if (kind === "search" && !isError) readFindings(text, at > since);
    else if (kind === "describe" && !isError) readDescription(text);
    else if (kind === "open" && !isError) readList(what, text);
    else if (kind === "open" && at > since && !/^No server is called/.test(text)) {
      // The tools of who can't be started are none to plan with.
      away.set(what, text.replace(/\.? Go on without [^\n]*$/, ""));
    }
  }
  for (const [name] of tools) if (away.has(aliasOf(name))) tools.delete(name);
  for (const spec of table) {
    tools.set(spec.name, { spec, whole: true });
    opened.add(aliasOf(spec.name));
  }
  const listed = new Set([...tools.keys()].map(aliasOf));
  return {
    tools: new Map([...tools].sort(([a], [b]) => (a < b ? -1 : 1))),
    servers,
    away: [...away].filter(([alias]) => !listed.has(alias)).map(([alias, reason]) => ({
      alias,
      reason,
    })),
    strangers,
    opened,
    complete,
  };

  function learn(line: string): void {
    if (line.length > LINE_MAX) return;
    const { name, inside, rest } = splitLine(line) ?? {};
    if (name === undefined || !name.startsWith("mcp__")) return;
    const known = tools.get(name);
    const sentence = rest!.replace(/^ \[offline\]/, "").replace(/^ – /, "");
    const description = sentence === ""
      ? known?.spec.description ?? ""
      : `[from ${aliasOf(name)}] ${sentence}`;
    if (known?.whole) return;
    const inputSchema = readSignature(inside!);
    tools.set(name, { spec: { name, description, inputSchema }, whole: false });
  }

  function readFindings(text: string, isNew: boolean): void {
    let section: "tools" | "offline" | "unknown" | "all" = "tools";
    for (const line of text.split("\n")) {
      if (line === "Offline servers:") section = "offline";
      else if (line.startsWith("Servers whose tools are not known")) section = "unknown";
      else if (line.startsWith("No tool matches ")) [section, complete] = ["all", true];
      else if (line.startsWith("Search again with ") || line.startsWith("… and ")) continue;
      else if (section === "tools") learn(line);
      else readServer(line, isNew);
    }
  }

  function readServer(line: string, isNew: boolean): void {
    const [, gone, reason] = OFFLINE_LINE.exec(line) ?? [];
    if (gone !== undefined) {
      if (isNew) away.set(gone, reason!);
      return;
    }
    const [, alias, said = "", count] = SERVER_LINE.exec(line) ?? [];
    if (alias === undefined) return;
    const before = servers.get(alias)?.count;
    const many = count === undefined ? before : Number(count);
    if (many === undefined) strangers.add(alias);
    servers.set(alias, { said, ...(many !== undefined && { count: many }) });
  }

  function readList(alias: string, text: string): void {
    const [, ...lines] = text.split("\n");
    const own = lines.filter((line) => line.startsWith("mcp__"));
    for (const line of own) learn(line);
    // A server that was never started has no list yet.
    if (own.length === 0 && /\(none is known yet\)/.test(text)) return;
    const more = Number(MORE.exec(lines.at(-1) ?? "")?.[1] ?? 0);
    servers.set(alias, { said: "", ...servers.get(alias), count: own.length + more });
    opened.add(alias);
  }

  function readDescription(text: string): void {
    const at = text.lastIndexOf("\nIts arguments: ");
    const [, name] = /^([\w-]{1,64}): /.exec(text) ?? [];
    if (at === -1 || name === undefined) return;
    const words = text.slice(name.length + 2, at);
    try {
      const inputSchema = record(JSON.parse(text.slice(at + "\nIts arguments: ".length)));
      const description = `[from ${aliasOf(name)}] ${words}`;
      tools.set(name, { spec: { name, description, inputSchema }, whole: true });
    } catch {
      // Too long to be told whole: its line has to do.
    }
  }
}

/** How many tools there are in all; undefined when only some were told of. */
export function totalOf({ complete, servers }: Shelf): number | undefined {
  const counts = [...servers.values()].map(({ count }) => count);
  if (!complete || counts.includes(undefined)) return undefined;
  return counts.reduce<number>((sum, count) => sum + count!, 0);
}
