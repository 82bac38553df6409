/** What a search over ten thousand tools costs beside npm minisearch, and which of them finds what was meant. @module */
import type { ToolInfo } from "../lib/protocol/types.ts";
import { type Shelved, toolIndex } from "../lib/registry/search.ts";
import { claim, medians, print, table, verdict } from "./rounds.ts";

/** A stranger to measure against. Not a literal import: it must not become a dependency of ours. */
const MINISEARCH = "npm:minisearch@7.2.0";
const { default: MiniSearch } = await import(MINISEARCH);

const TOOLS = 10_000;
const LIMIT = 5;

/** Tool lists of servers on npm, under the licences they name, without the types of parameters. */
interface Listed {
  alias: string;
  description: string;
  tools: readonly { name: string; title?: string; description?: string; parameters: string[] }[];
}

const read = async <T>(name: string): Promise<T> =>
  JSON.parse(await Deno.readTextFile(new URL(`./data/${name}.json`, import.meta.url)));
const listed = await read<readonly Listed[]>("tools");
/** What people and models ask for, and the tools that do it. Written before anything was ranked. */
const queries = await read<readonly { query: string; tools: readonly string[] }[]>("queries");

const servers: readonly Shelved[] = listed.map(({ alias, description, tools }) => ({
  alias,
  description,
  tools: tools.map(({ parameters, ...tool }): ToolInfo => ({
    ...tool,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(parameters.map((name) => [name, {}])),
    },
  })),
}));

/** The same servers again and again, each with a customer of its own, until there are so many tools. */
function crowd(): readonly Shelved[] {
  const all: Shelved[] = [];
  for (let left = TOOLS, round = 0; left > 0; round++) {
    for (const { alias, description, tools } of servers) {
      const customer = `customer${round}`;
      const own = tools.slice(0, left).map((tool): ToolInfo => ({
        ...tool,
        description: `${tool.description} For ${customer}.`,
      }));
      left -= own.length;
      all.push({
        alias: `${alias}-${round}`,
        description: `${description} of ${customer}`,
        tools: own,
      });
    }
  }
  return all;
}

interface Contestant {
  search(query: string): string[];
}

/** The same fields at the same weights; `prefix` finds beginnings of words, as ours does. */
function minisearch(servers: readonly Shelved[], prefix: boolean): Contestant {
  const boost = { name: 4, title: 2, alias: 1.5, description: 1, server: 0.5, parameters: 0.5 };
  const index = new MiniSearch({
    fields: Object.keys(boost),
    searchOptions: { boost, prefix },
  });
  index.addAll(servers.flatMap(({ alias, description, tools }) =>
    tools.map((tool) => ({
      id: `${alias}.${tool.name}`,
      name: tool.name,
      title: tool.title ?? "",
      alias,
      description: tool.description ?? "",
      server: description,
      parameters: Object.keys(tool.inputSchema.properties!).join(" "),
    }))
  ));
  return {
    search: (query) => index.search(query).slice(0, LIMIT).map(({ id }: { id: string }) => id),
  };
}

function fusebox(servers: readonly Shelved[]): Contestant {
  const index = toolIndex(servers);
  return {
    search: (query) => index.search(query, LIMIT).map(({ alias, tool }) => `${alias}.${tool.name}`),
  };
}

const many = crowd();
print(`search.ts: an index of ${many.reduce((sum, { tools }) => sum + tools.length, 0)} tools`);
const building = await medians({
  fusebox: () => Promise.resolve(void fusebox(many)),
  minisearch: () => Promise.resolve(void minisearch(many, true)),
});
table(building);
claim("fusebox / minisearch", building.fusebox / building.minisearch, { atMost: 1 });

const [ours, theirs, plain] = [fusebox(many), minisearch(many, true), minisearch(many, false)];
const asking = (index: Contestant) => () => {
  for (const { query } of queries) index.search(query);
  return Promise.resolve();
};
print(`search.ts: ${queries.length} searches of it`);
const searching = await medians({
  fusebox: asking(ours),
  minisearch: asking(theirs),
  "minisearch, whole words": asking(plain),
});
table(searching);
print(`  ${(searching.fusebox / queries.length).toFixed(2)} ms a search`);
claim("minisearch / fusebox", searching.minisearch / searching.fusebox, { atLeast: 20 });

const count = servers.reduce((sum, { tools }) => sum + tools.length, 0);
print(`search.ts: ${queries.length} queries over the ${count} tools of ${servers.length} servers`);
/** Of the tools that were meant, how many are among the first five: the mean of all queries, in percent. */
function recall(name: string, index: Contestant): number {
  const each = queries.map(({ query, tools }) => {
    const found = index.search(query);
    const missing = tools.filter((tool) => !found.includes(tool));
    if (missing.length > 0) print(`  ${name}, "${query}": not ${missing.join(", ")}`);
    return 1 - missing.length / tools.length;
  });
  return 100 * each.reduce((sum, share) => sum + share) / each.length;
}
const mine = recall("fusebox", fusebox(servers));
const other = recall("minisearch", minisearch(servers, true));
const whole = recall("minisearch, whole words", minisearch(servers, false));
const shown = [mine, other, whole].map((share) => `${share.toFixed(1)} %`);
print(`  recall@${LIMIT}: fusebox ${shown[0]}, minisearch ${shown[1]}, of whole words ${shown[2]}`);
claim("recall of fusebox / of the better minisearch", mine / Math.max(other, whole), {
  atLeast: 1,
});
Deno.exitCode = verdict();
