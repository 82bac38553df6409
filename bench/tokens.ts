/** What ten servers with thirty tools each cost in tokens, at first and over a task, in each mode. @module */
import { ask } from "../lib/agent/loop.ts";
import { anthropicFormat } from "../lib/models/anthropic.ts";
import type { ToolUse, TurnRequest } from "../lib/models/model.ts";
import type { Params } from "../lib/protocol/types.ts";
import { Registry } from "../lib/registry/registry.ts";
import type { Known, ServerOptions } from "../lib/registry/server_options.ts";
import { forwardToolbox } from "../lib/tools/forward.ts";
import { fullToolbox } from "../lib/tools/full.ts";
import { lazyToolbox } from "../lib/tools/lazy.ts";
import type { Toolbox } from "../lib/tools/tool.ts";
import { realClock } from "../lib/cli/world.ts";
import { server } from "../servers/server.ts";
import { LIMITS, OURS } from "../tests/support/clients.ts";
import { scripted, use } from "../tests/support/scripted.ts";
import { inMemory } from "../tests/support/wire.ts";
import { SHOPS } from "./data/tools.ts";
import { claim, print, verdict } from "./rounds.ts";

/** A stranger to count with. Not a literal import: it must not become a dependency of ours. */
const TOKENIZER = "npm:gpt-tokenizer@4.0.0";
const { countTokens } = await import(TOKENIZER);

const PROMPT = "Customer Ada Lovelace says that her invoice was charged twice. Find the support " +
  "ticket, refund the payment, and tell the billing channel.";
/** What the model wants to do: on three servers, one tool each. */
const TASK: readonly { words: string; alias: string; tool: string; args: Params }[] = [
  {
    words: "list support tickets",
    alias: "support",
    tool: "list_tickets",
    args: { query: "Ada Lovelace charged twice" },
  },
  {
    words: "create a refund of a payment",
    alias: "billing",
    tool: "create_refund",
    args: { payment: "pay_831", cents: 4900, reason: "duplicate" },
  },
  {
    words: "create a chat message in a channel",
    alias: "chat",
    tool: "create_message",
    args: { channel: "#billing", text: "Ada Lovelace was refunded 49.00 EUR (ticket 4711)." },
  },
];
const RESULT = JSON.stringify({
  items: [{
    id: "4711",
    subject: "Charged twice",
    customer: "ada@example.com",
    priority: "high",
    status: "open",
    payment: "pay_831",
    created: "2026-11-28T09:12:00Z",
  }],
  cursor: null,
});

const name = ({ alias, tool }: { alias: string; tool: string }) => `mcp__${alias}__${tool}`;

interface Way {
  toolbox: (registry: Registry) => Toolbox;
  /** Whether servers are there at start. */
  attached: boolean;
  /** What the model asks for, turn by turn. */
  turns: readonly (readonly ToolUse[])[];
}

const search = (tool: string) => (step: typeof TASK[number]): ToolUse =>
  tool === "mcp"
    ? use(tool, { action: "search", query: step.words })
    : use(tool, { query: step.words });

/** One use a turn: the most requests that the task can take. */
const WAYS: Readonly<Record<"full" | "lazy" | "forward", Way>> = {
  full: {
    toolbox: fullToolbox,
    attached: true,
    turns: TASK.map((step) => [use(name(step), step.args)]),
  },
  lazy: {
    toolbox: lazyToolbox,
    attached: false,
    turns: TASK.flatMap((step) => [
      [search("search_tools")(step)],
      [use("attach_server", { server: step.alias })],
      [use(name(step), step.args)],
    ]),
  },
  forward: {
    toolbox: forwardToolbox,
    attached: false,
    turns: TASK.flatMap((step) => [
      [search("mcp")(step)],
      [use("mcp", { action: "call", name: name(step), args: step.args })],
    ]),
  },
};

const known = new Map<string, Known>();
function registry(): Registry {
  const servers = SHOPS.map(({ alias, description, tools }): ServerOptions => ({
    alias,
    description,
    required: false,
    open: () =>
      inMemory(server({
        name: alias,
        version: "1",
        tools: tools.map((tool) => ({
          ...tool,
          run: () => ({ content: [{ type: "text", text: RESULT }] }),
        })) as Parameters<typeof server>[0]["tools"],
      })),
    limits: LIMITS,
    toolLimits: [],
    denies: () => undefined,
    memory: {
      recall: () => Promise.resolve(known.get(alias)),
      remember: (it) => Promise.resolve(void known.set(alias, it)),
      blame: () => Promise.resolve(),
    },
  }));
  return new Registry(servers, { clock: realClock, client: OURS });
}

/** The request as it is sent to an API that takes any number of tools, what stays the same first. */
function written(request: TurnRequest): string {
  const { tools, system, messages } = anthropicFormat().write({
    ...request,
    model: "m",
    stream: true,
    cacheKey: "bench",
    refused: new Set(),
  }).body;
  // Marks for the cache move along; they are no tokens.
  const plain = (value: unknown) =>
    JSON.stringify(value ?? [], (key, each) => key === "cache_control" ? undefined : each);
  return plain(tools).slice(0, -1) + plain(system) + plain(messages).slice(0, -1);
}

/** How many characters two texts begin with alike. */
function alike(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

interface Cost {
  first: number;
  requests: number;
  /** All that was sent in the whole task. */
  sent: number;
  /** Of that, what no request before it had begun with: what a prompt cache does not hold. */
  fresh: number;
  /** The largest answer of a search. */
  search: number;
}

async function cost({ toolbox, attached, turns }: Way): Promise<Cost> {
  await using servers = registry();
  await (attached ? servers.attachAll() : servers.recallAll());
  const model = scripted(...turns.map((uses) => ({ uses })), { text: "She has her money back." });
  const asking = ask([{ role: "user", text: PROMPT }], {
    model,
    tools: toolbox(servers),
    approve: () => Promise.resolve({ ok: true }),
    clock: realClock,
  });
  let largest = 0;
  for (let next = await asking.next(); !next.done; next = await asking.next()) {
    if (next.value.type !== "result") continue;
    const { use: { name: tool, args }, result } = next.value;
    if (result.isError) throw new Error(`${tool}: ${JSON.stringify(result.content)}`);
    const isSearch = tool === "search_tools" || args.action === "search";
    if (isSearch) largest = Math.max(largest, countTokens(String(result.content[0]?.text)));
  }
  const texts = model.requests.map(written);
  const counts = texts.map((text) => countTokens(text));
  const fresh = texts.map((text, at) => countTokens(text.slice(alike(text, texts[at - 1] ?? ""))));
  const sum = (all: number[]) => all.reduce((a, b) => a + b);
  return {
    first: counts[0]!,
    requests: texts.length,
    sent: sum(counts),
    fresh: sum(fresh),
    search: largest,
  };
}

print(`tokens.ts: ${SHOPS.length} servers, ${SHOPS.flatMap(({ tools }) => tools).length} tools`);
{
  await using once = registry();
  await once.attachAll(); // So that a catalogue is there.
}
const costs = {
  full: await cost(WAYS.full),
  lazy: await cost(WAYS.lazy),
  forward: await cost(WAYS.forward),
};
print("  mode     first request  requests  whole task  of it not cached");
for (const [mode, { first, requests, sent, fresh }] of Object.entries(costs)) {
  const cells = [String(first).padStart(13), String(requests).padStart(8)];
  print(`  ${mode.padEnd(7)}  ${cells.join("  ")}  ${String(sent).padStart(10)}  ${fresh}`);
}
claim("first request, forward / full, %", 100 * costs.forward.first / costs.full.first, {
  atMost: 3,
});

/** Answers of searches over all three hundred tools, whatever is asked for. */
await using all = registry();
await all.recallAll();
const box = forwardToolbox(all);
let largest = Math.max(costs.lazy.search, costs.forward.search);
const queries = [
  ...SHOPS.flatMap(({ alias, description, tools }) => [
    alias,
    description,
    ...tools.map((tool) => tool.description!),
  ]),
  "list",
  "create update delete",
  "xyzzy",
];
for (const query of queries) {
  const { content } = await box.run(use("mcp", { action: "search", query }), {});
  largest = Math.max(largest, countTokens(String(content[0]?.text)));
}
print(`  ${queries.length} searches, each over all tools`);
claim("tokens of the largest answer of a search", largest, { atMost: 700 });
Deno.exitCode = verdict();
