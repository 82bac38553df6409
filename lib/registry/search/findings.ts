/** What a search found, in the words that a model is given. @module */
import { printableLine } from "../../kit/printable.ts";
import { publicName } from "../names.ts";
import type { Found, Shelved, ToolIndex } from "../search.ts";
import { roomOf } from "./room.ts";
import { firstSentence } from "./sentence.ts";
import { signature } from "./signature.ts";

/** Tokens, of which an answer takes at most 700. */
const ROOM = 680;
/** Of these, for servers that are not to be had, and for those of which nothing is known. */
const OFFLINE_ROOM = 160;
const UNKNOWN_ROOM = 120;
/** For one hit; above that it is said in short, so that no stranger's tool keeps others out. */
const HIT_ROOM = 140;
const LONG = { parameters: 240, sentence: 140 };
const SHORT = { parameters: 80, sentence: 60 };
const REASON_MAX = 120;
const QUERY_MAX = 60;

/**
 * A line for each hit: public name, signature, first sentence. With no hit, the servers and what each
 * is for, so that there is always somewhere to go from. Who is offline is said with the reason, and
 * whose tools nobody has seen yet.
 */
export async function findings(index: ToolIndex, query: string, limit: number): Promise<string> {
  const found = index.search(query, limit);
  if (found.length === 0) return nothing(index.servers, query);
  const offline = index.servers.filter(({ reason }) => reason !== undefined);
  const unknown = index.servers.filter((it) => it.reason === undefined && it.tools.length === 0);
  const below = [
    ...section("Offline servers:", offline, OFFLINE_ROOM),
    ...section(
      "Servers whose tools are not known before they are attached:",
      unknown,
      UNKNOWN_ROOM,
    ),
  ];
  const away = new Set(offline.map(({ alias }) => alias));
  const lines = await Promise.all(found.map((hit) => hitLine(hit, away.has(hit.alias))));
  return [...fit(lines, ROOM - total(below)), ...below].join("\n");
}

function section(head: string, servers: readonly Shelved[], room: number): string[] {
  return servers.length === 0 ? [] : fit([head, ...servers.map(serverLine)], room);
}

function nothing(servers: readonly Shelved[], query: string): string {
  if (servers.length === 0) return "No tool was found: no servers are configured.";
  const shown = printableLine(query, QUERY_MAX);
  const head = `No tool matches "${shown}". The servers, each with what it is for:`;
  const foot = "Search again with other words, or with the name of a server.";
  const lines = servers.map(serverLine);
  return [...fit([head, ...lines], ROOM - roomOf(foot) - 1), foot].join("\n");
}

async function hitLine({ alias, tool }: Found, isOffline: boolean): Promise<string> {
  const name = await publicName({ alias, tool: tool.name });
  const line = ({ parameters, sentence }: typeof LONG) => {
    const said = firstSentence(tool.description || tool.title || "", sentence);
    const away = isOffline ? " [offline]" : "";
    return `${name}(${signature(tool, parameters)})${away}${said && ` – ${said}`}`;
  };
  const long = line(LONG);
  return roomOf(long) <= HIT_ROOM ? long : line(SHORT);
}

function serverLine({ alias, description, tools, reason }: Shelved): string {
  if (reason !== undefined) return `${alias} – offline: ${printableLine(reason, REASON_MAX)}`;
  const names = tools.slice(0, 5).map(({ name }) => printableLine(name, 40)).join(", ");
  const said = firstSentence(description ?? "", LONG.sentence) || names;
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  // None known is not none: it may never have been attached.
  return `${alias}${said && ` – ${said}`}${tools.length > 0 ? ` (${count})` : ""}`;
}

/** As many lines as there is room for, and how many are left out. */
function fit(lines: readonly string[], room: number): string[] {
  const kept: string[] = [];
  for (const [at, line] of lines.entries()) {
    const left = lines.length - at - 1;
    const more = `… and ${left + 1} more`;
    const after = total([...kept, line]) + (left > 0 ? roomOf(more) + 1 : 0);
    if (after > room) return [...kept, more];
    kept.push(line);
  }
  return kept;
}

function total(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + roomOf(line) + 1, 0);
}
