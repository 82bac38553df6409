/** The bytes that a model API caches: what stands before the first message, over all turns, and over two runs. */
import assert from "node:assert/strict";
import { ask } from "../lib/agent/loop.ts";
import type { Outcome } from "../lib/agent/terms.ts";
import type { Opener } from "../lib/client/handshake.ts";
import type { Clock } from "../lib/kit/clock.ts";
import { toJson } from "../lib/kit/json.ts";
import type { Model, ToolUse } from "../lib/models/model.ts";
import { TransportError } from "../lib/protocol/errors.ts";
import { Registry } from "../lib/registry/registry.ts";
import type { ServerOptions } from "../lib/registry/server_options.ts";
import { forwardToolbox } from "../lib/tools/forward.ts";
import { fullToolbox } from "../lib/tools/full.ts";
import { lazyToolbox } from "../lib/tools/lazy.ts";
import type { Toolbox } from "../lib/tools/tool.ts";
import { realClock } from "../lib/cli/world.ts";
import { notes } from "../servers/notes.ts";
import { tickets } from "../servers/tickets.ts";
import { LIMITS, OURS } from "./support/clients.ts";
import { settle } from "./support/clock.ts";
import { type Scripted, scripted, use } from "./support/scripted.ts";
import { inMemory, opener } from "./support/wire.ts";

/** A server whose start is held back until the test lets it go. */
function gated(open: Opener): { open: Opener; go: () => void } {
  const gate = Promise.withResolvers<void>();
  return {
    open: async () => {
      await gate.promise;
      return await open();
    },
    go: () => gate.resolve(),
  };
}

function registryOf(openers: Readonly<Record<string, Opener>>, clock: Clock = realClock): Registry {
  const servers = Object.entries(openers).map(([alias, open]): ServerOptions => ({
    alias,
    required: false,
    open,
    limits: LIMITS,
    toolLimits: [],
    denies: () => undefined,
  }));
  return new Registry(servers, { clock, client: OURS });
}

async function run(model: Model, tools: Toolbox): Promise<Outcome> {
  const asking = ask([{ role: "user", text: "go" }], {
    model,
    tools,
    approve: () => Promise.resolve({ ok: true }),
    clock: realClock,
  });
  for (let next = await asking.next();; next = await asking.next()) {
    if (next.done) return next.value;
  }
}

/** What every request began with. */
const tables = ({ requests }: Scripted) =>
  requests.map(({ tools }) => tools.map((it) => toJson(it)));
const systems = ({ requests }: Scripted) => new Set(requests.map(({ system }) => system));

/** Each table begins with the bytes of the one before it. */
function assertGrowing(model: Scripted): void {
  assert.equal(systems(model).size, 1);
  const all = tables(model);
  for (const [at, table] of all.entries()) {
    const earlier = all[at - 1] ?? [];
    assert.deepEqual(table.slice(0, earlier.length), earlier, `turn ${at + 1}`);
  }
}

/** Servers that live through all there is: one changes its list and dies of a call, one is well. */
const LIVELY: Readonly<Record<string, Opener>> = {
  a: opener("stdio", ["list-changed", "die-on-call=echo"], { era: "legacy" }),
  notes: () => inMemory(notes()),
  tickets: () => inMemory(tickets()),
};

const mcp = (name: string, args = {}): ToolUse => use("mcp", { action: "call", name, args });

Deno.test("forward: every request of a run begins with the same bytes, whatever happens to servers", async () => {
  await using registry = registryOf(LIVELY);
  const model = scripted(
    { uses: [use("mcp", { action: "search", query: "grow" })] },
    { uses: [use("mcp", { action: "describe", name: "mcp__a__grow" })] }, // It attaches.
    { uses: [mcp("mcp__a__grow"), mcp("mcp__a__grow")] }, // Its list changes.
    { uses: [mcp("mcp__a__echo", { n: 1 })] }, // It dies.
    { uses: [mcp("mcp__a__grow")] }, // It is attached again.
    { uses: [mcp("mcp__notes__search", { query: "lisbon" }), mcp("mcp__tickets__search")] },
    { uses: [use("mcp__a__grow", {})] },
    { text: "done" },
  );
  assert.equal((await run(model, forwardToolbox(registry))).answer, "done");
  assert.equal(registry.servers().find(({ alias }) => alias === "a")?.attaches, 2);
  const all = model.requests.map(({ tools, system }) => toJson({ tools, system }));
  assert.equal(all.length, 8);
  assert.equal(new Set(all).size, 1);
});

Deno.test("lazy: the table of each request begins with all of the one before", async () => {
  await using registry = registryOf(LIVELY);
  const server = (name: string, server: string) => use(name, { server });
  const model = scripted(
    { uses: [use("search_tools", { query: "tickets" })] },
    { uses: [server("attach_server", "tickets")] },
    { uses: [server("attach_server", "a")] },
    { uses: [use("mcp__a__grow")] },
    { uses: [use("mcp__a__echo", { n: 1 })] }, // It dies.
    { uses: [use("mcp__a__grow", { again: 1 })] },
    { uses: [server("detach_server", "tickets"), server("attach_server", "notes")] },
    { uses: [use("mcp__tickets__search", { query: "login" })] }, // It is attached again.
    { text: "done" },
  );
  assert.equal((await run(model, lazyToolbox(registry))).answer, "done");
  assertGrowing(model);
  const sizes = tables(model).map(({ length }) => length);
  assert.deepEqual([sizes[0], sizes[1]], [4, 4], "only the meta tools before anything is attached");
  const strictly = [2, 3, 4, 7].map((at) => sizes[at]! > sizes[at - 1]!);
  assert.deepEqual(strictly, [true, true, true, true], sizes.join());
  const last = model.requests.at(-1)!.tools.map(({ name }) => name);
  const aliases = last.slice(4).map((name) => name.split("__")[1]);
  assert.deepEqual([...new Set(aliases)], ["tickets", "a", "notes"]);
});

/** One run in which the servers come up in this order, with the first request when `first` are there. */
async function started(
  order: readonly string[],
  make: (registry: Registry) => Toolbox,
  model: Scripted,
  onTable: (registry: Registry) => void = () => {},
): Promise<void> {
  const gates = new Map(Object.entries(LIVELY).map(([alias, open]) => [alias, gated(open)]));
  await using registry = registryOf(
    Object.fromEntries([...gates].map(([alias, { open }]) => [alias, open])),
  );
  const attaching = registry.attachAll();
  for (const alias of order) {
    gates.get(alias)!.go();
    await registry.attach(alias);
    await settle();
  }
  await attaching;
  onTable(registry);
  await run(model, make(registry));
}

const UP = ["a", "notes", "tickets"];

const MODES = { full: fullToolbox, lazy: lazyToolbox, forward: forwardToolbox };
for (const [mode, make] of Object.entries(MODES)) {
  Deno.test(`${mode}: two runs whose servers come up in opposite orders send the same bytes`, async () => {
    const bytes: string[] = [];
    for (const order of [UP, UP.toReversed()]) {
      const model = scripted(
        { uses: [use("mcp__notes__search", { query: "lisbon" })] },
        { uses: [use("mcp__a__grow")] },
        { uses: [use("mcp__a__echo")] }, // It dies.
        { text: "done" },
      );
      await started(order, make, model);
      assertGrowing(model);
      bytes.push(toJson(model.requests.map(({ tools, system }) => ({ tools, system }))));
    }
    assert.equal(bytes[0], bytes[1]);
  });
}

Deno.test("full: who comes late is appended, and all before it is the same in both runs", async () => {
  const firsts: string[][] = [];
  for (const late of ["a", "tickets"]) {
    const gates = new Map(Object.entries(LIVELY).map(([alias, open]) => [alias, gated(open)]));
    await using registry = registryOf(
      Object.fromEntries([...gates].map(([alias, { open }]) => [alias, open])),
    );
    for (const [alias, { go }] of gates) if (alias !== late) go();
    const inTime = UP.filter((alias) => alias !== late);
    await registry.attachAll({ aliases: inTime });
    const joined = registry.attach(late);
    const model = scripted(
      { uses: [use("mcp__notes__search", { query: "books" })] },
      { uses: [use("mcp__notes__search", { query: "lisbon" })] },
      { text: "done" },
    );
    // It joins between the first turn and the second.
    const box = fullToolbox(registry);
    const joining: Toolbox = {
      ...box,
      async run(one, options) {
        gates.get(late)!.go();
        await joined;
        return await box.run(one, options);
      },
    };
    await run(model, joining);
    assertGrowing(model);
    const [before, after] = tables(model);
    assert(after!.length > before!.length);
    assert(after!.slice(before!.length).every((it) => it.includes(`"mcp__${late}__`)));
    assert.deepEqual(before, before!.toSorted(), "by name");
    firsts.push(before!.filter((it) => it.includes('"mcp__notes__')));
  }
  assert.deepEqual(firsts[0], firsts[1]);
});

Deno.test("full: what a server offered stays when it goes, and is an error when it can't come back", async () => {
  let isGone = false;
  const open: Opener = () => {
    if (isGone) throw new TransportError("spawn_not_found", "no such command");
    return inMemory(notes());
  };
  await using registry = registryOf({ notes: open, tickets: LIVELY.tickets! });
  await registry.attachAll();
  await registry.detach("notes");
  isGone = true;
  const model = scripted({ uses: [use("mcp__notes__search", { query: "x" })] }, ({ messages }) => {
    const last = messages.at(-1);
    assert(last?.role === "tool" && last.results[0]?.isError);
    return { text: "done" };
  });
  await run(model, fullToolbox(registry));
  assert.equal(toJson(tables(model)[1]), toJson(tables(model)[0]));
  assert(tables(model)[1]!.some((it) => it.includes('"mcp__notes__search"')));
});
