/** Which of ten thousand tools is meant: an index over what servers say of them. @module */
import { rankIndex } from "../kit/rank.ts";
import { isObject } from "../protocol/codec.ts";
import type { ToolInfo } from "../protocol/types.ts";

/** What is searched of a server, whether or not it is connected. */
export interface Shelved {
  alias: string;
  /** The user's, else the server's own line. */
  description?: string;
  /** Those that may be offered. */
  tools: readonly ToolInfo[];
  /** Why it is not to be had, where it is not. */
  reason?: string;
}

export interface Found {
  alias: string;
  tool: ToolInfo;
}

export interface ToolIndex {
  /** By alias. */
  readonly servers: readonly Shelved[];
  /** The best first; the same whatever order servers and tools came in. */
  search(query: string, limit: number): readonly Found[];
}

const WEIGHTS = { name: 4, title: 2, alias: 1.5, description: 1, server: 0.5, parameters: 0.5 };
/** Beyond this nothing is said about what a tool is for. */
export const DESCRIPTION_MAX = 2_000;
export const PARAMETERS_MAX = 100;
export const QUERY_MAX = 500;
/** In a sentence these say nothing of what is meant, and one tool in a hundred has the rarer of them. */
const FILLERS = new Set(
  ("a about am an and are as at be by can do for from how i in into is it its me my of on or our " +
    "please so some that the their them then there this to us want was we what when where which who " +
    "will with would you your").split(" "),
);

/** Indexes all tools once; a search is then a fraction of a millisecond. */
export function toolIndex(servers: readonly Shelved[]): ToolIndex {
  const sorted = servers.toSorted((a, b) => a.alias < b.alias ? -1 : a.alias > b.alias ? 1 : 0);
  const byId = new Map<string, Found>();
  const docs = sorted.flatMap(({ alias, description = "", tools }) => {
    const own = [
      { text: alias, weight: WEIGHTS.alias },
      { text: description.slice(0, DESCRIPTION_MAX), weight: WEIGHTS.server },
    ];
    return tools.map((tool) => {
      const id = `${alias}\0${tool.name}`;
      byId.set(id, { alias, tool });
      return { id, name: tool.name, fields: [...fieldsOf(tool), ...own] };
    });
  });
  const ranked = rankIndex(docs);

  function search(query: string, limit: number): readonly Found[] {
    const asked = query.trim().slice(0, QUERY_MAX);
    const found = ranked.search(meant(asked), limit).map(({ id }) => byId.get(id)!);
    const named = exactly(asked, sorted);
    if (!named || limit < 1) return found;
    const others = found.filter(({ tool }) => tool !== named.tool);
    return [named, ...others].slice(0, limit);
  }

  return { servers: sorted, search };
}

/** The query without its fillers, where anything is left. */
function meant(query: string): string {
  const words = query.split(/\s+/).filter((word) => !FILLERS.has(word.toLowerCase()));
  return words.length > 0 ? words.join(" ") : query;
}

function fieldsOf({ name, title, description = "", inputSchema }: ToolInfo) {
  const properties = isObject(inputSchema?.properties) ? inputSchema.properties : {};
  const parameters = Object.keys(properties).slice(0, PARAMETERS_MAX).join(" ");
  return [
    { text: name, weight: WEIGHTS.name },
    ...(title ? [{ text: title, weight: WEIGHTS.title }] : []),
    { text: description.slice(0, DESCRIPTION_MAX), weight: WEIGHTS.description },
    { text: parameters, weight: WEIGHTS.parameters },
  ];
}

/** The tool that is named in full: `alias.tool` or `mcp__alias__tool`. */
function exactly(query: string, servers: readonly Shelved[]): Found | undefined {
  for (const { alias, tools } of servers) {
    for (const prefix of [`${alias}.`, `mcp__${alias}__`]) {
      if (!query.startsWith(prefix)) continue;
      const name = query.slice(prefix.length);
      const tool = tools.find((it) => it.name === name);
      if (tool) return { alias, tool };
    }
  }
  return undefined;
}
