/** Lazy mode: no server runs before it is wanted, and the table only grows at its end. */
import assert from "node:assert/strict";
import type { Opener } from "../../lib/client/handshake.ts";
import { toJson } from "../../lib/kit/json.ts";
import type { ToolUse } from "../../lib/models/model.ts";
import { TransportError } from "../../lib/protocol/errors.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import type { Params } from "../../lib/protocol/types.ts";
import { Registry } from "../../lib/registry/registry.ts";
import type { Known, Memory, ServerOptions } from "../../lib/registry/server_options.ts";
import { lazyToolbox } from "../../lib/tools/lazy.ts";
import { KeptResults } from "../../lib/tools/kept.ts";
import type { Toolbox } from "../../lib/tools/tool.ts";
import { realClock } from "../../lib/cli/world.ts";
import { notes } from "../../servers/notes.ts";
import { server } from "../../servers/server.ts";
import { tickets } from "../../servers/tickets.ts";
import { LIMITS, OURS, registryOf } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { memoryDrop } from "../support/drop.ts";
import { gone } from "../support/processes.ts";
import { use } from "../support/scripted.ts";
import { inMemory, Log, opener } from "../support/wire.ts";

type Openers = Readonly<Record<string, Opener>>;

const missing: Opener = () => {
  throw new TransportError("spawn_not_found", 'no such command "nots"');
};
const text = (result: ToolResult) => result.content.map((part) => part.text).join("");
const names = (box: Toolbox) => box.specs().map(({ name }) => name);
/** Runs a use as the loop does, once its target was approved. */
const approved = (box: Toolbox, one: ToolUse, signal?: AbortSignal) =>
  box.run(one, { approved: box.target(one)?.ref ?? "nothing", ...(signal && { signal }) });
const run = (box: Toolbox, name: string, args: Params = {}) => approved(box, use(name, args));
const META = ["search_tools", "attach_server", "detach_server", "read_result"];

/** An opener that counts how often it is opened, and how many of these are closed again. */
function counted(open: Opener) {
  const life = { opened: 0, closed: 0 };
  const counting: Opener = async () => {
    life.opened++;
    const transport = await open();
    transport.closed.then(() => life.closed++);
    return transport;
  };
  return { life, open: counting };
}

/** A registry that knows from an earlier run what these servers offer, and has started none. */
async function recalled(
  openers: Openers,
  each: Partial<ServerOptions> = {},
  clock = realClock,
): Promise<Registry> {
  const known = new Map<string, Known>();
  const memory = (alias: string): Memory => ({
    recall: () => Promise.resolve(known.get(alias)),
    remember: (it) => Promise.resolve(void known.set(alias, it)),
    blame: () => Promise.resolve(),
  });
  const build = () => {
    const servers = Object.entries(openers).map(([alias, open]): ServerOptions => ({
      alias,
      required: false,
      open,
      limits: LIMITS,
      toolLimits: [],
      denies: () => undefined,
      memory: memory(alias),
      ...each,
    }));
    return new Registry(servers, { clock, client: OURS });
  };
  const earlier = build();
  await earlier.attachAll();
  await earlier[Symbol.asyncDispose]();
  const registry = build();
  await registry.recallAll();
  return registry;
}

Deno.test("specs() begins with the same bytes whatever servers there are", async () => {
  await using none = registryOf({});
  await using some = await recalled({ notes: () => inMemory(notes()), dead: missing });
  await using others = registryOf({ tickets: () => inMemory(tickets()) });
  const meta = toJson(lazyToolbox(none).specs());
  assert.deepEqual(names(lazyToolbox(none)), META);
  for (const registry of [some, others]) {
    const box = lazyToolbox(registry);
    await box.refresh();
    assert.equal(toJson(box.specs()), meta);
  }
  assert.doesNotMatch(meta, /notes|tickets|\d/);
});

Deno.test("refresh() appends tools in the order in which servers were attached", async () => {
  await using registry = registryOf({
    a: opener("memory", []),
    notes: () => inMemory(notes()),
    tickets: () => inMemory(tickets()),
  });
  const box = lazyToolbox(registry);
  let earlier = box.specs().map((spec) => toJson(spec));
  for (const alias of ["tickets", "a", "notes"]) {
    assert.equal((await run(box, "attach_server", { server: alias })).isError, false);
    await box.refresh();
    const now = box.specs().map((spec) => toJson(spec));
    assert.deepEqual(now.slice(0, earlier.length), earlier, alias);
    const added = names(box).slice(earlier.length);
    assert(added.length > 0 && added.every((name) => name.startsWith(`mcp__${alias}__`)), alias);
    assert.deepEqual(added, added.toSorted());
    earlier = now;
  }
});

Deno.test("specs() keeps what a server offered after it was detached, died or changed its list", async () => {
  await using registry = registryOf({
    a: opener("memory", ["list-changed"], { era: "legacy" }),
    notes: () => inMemory(notes()),
  });
  const box = lazyToolbox(registry);
  await run(box, "attach_server", { server: "a" });
  await box.refresh();
  const before = names(box);
  await run(box, "mcp__a__grow");
  await run(box, "attach_server", { server: "notes" });
  await run(box, "detach_server", { server: "a" });
  await box.refresh();
  const after = names(box);
  assert.deepEqual(after.slice(0, before.length), before);
  assert(after.includes("mcp__notes__search"));
});

Deno.test("attach_server that fails is an error, with the reason and the typed failure", async () => {
  await using registry = registryOf({ dead: missing });
  const box = lazyToolbox(registry);
  const result = await run(box, "attach_server", { server: "dead" });
  assert.equal(result.isError, true);
  assert(result.failure instanceof TransportError && result.failure.fault === "spawn_not_found");
  assert.match(text(result), /Cannot attach "dead": no such command "nots"\. Go on without "dead"/);
});

Deno.test("attach_server of a server that refuses to list is an error with the reason", async () => {
  await using registry = registryOf({ a: opener("memory", ["list-error=-32603"]) });
  const result = await run(lazyToolbox(registry), "attach_server", { server: "a" });
  assert.equal(result.isError, true);
  assert.match(text(result), /Cannot attach "a": it refused to list its tools/);
});

Deno.test("attach_server and detach_server of an unknown server show near names, and start nothing", async () => {
  const { life, open } = counted(() => inMemory(notes()));
  await using registry = registryOf({ notes: open, tickets: open });
  const box = lazyToolbox(registry);
  for (const tool of ["attach_server", "detach_server"]) {
    const near = await run(box, tool, { server: "note" });
    assert.equal(near.isError, true);
    assert.match(text(near), /No server is called "note"\. Near it: notes\./);
    assert.match(text(await run(box, tool, { server: "zzz" })), /There are: notes, tickets\./);
    const odd: Params[] = [
      {},
      { server: null },
      { server: ["notes", "x"] },
      { server: { a: 1 } },
      { server: "notes; rm -rf /" },
      { command: "sh", args: ["-c", "true"] },
    ];
    for (const args of odd) {
      assert.equal((await run(box, tool, args)).isError, true, toJson(args));
    }
  }
  assert.equal(life.opened, 0);
});

Deno.test("search_tools finds tools of servers that do not run, and starts none", async () => {
  const { life, open } = counted(() => inMemory(notes()));
  await using registry = await recalled({ notes: open });
  const opened = life.opened;
  const box = lazyToolbox(registry);
  const found = await run(box, "search_tools", { query: "write a new note" });
  assert.match(text(found), /^mcp__notes__add_note\(title\*: string, body\*: string/);
  for (const query of ["xyzzy", "", undefined, null, 7, {}]) {
    const nothing = await run(box, "search_tools", { query });
    assert.match(text(nothing), /No tool matches .*\nnotes – /, String(query));
  }
  assert.equal(life.opened, opened);
});

Deno.test("search_tools names servers that are offline, with the reason", async () => {
  await using registry = registryOf({ dead: missing, notes: () => inMemory(notes()) });
  const box = lazyToolbox(registry);
  await run(box, "attach_server", { server: "notes" });
  await run(box, "attach_server", { server: "dead" });
  await box.refresh();
  const found = text(await run(box, "search_tools", { query: "search notes" }));
  assert.match(found, /Offline servers:\ndead – offline: .*no such command "nots"/);
});

Deno.test("five first calls at once of a cold server are one start and five results", async () => {
  const { life, open } = counted(() => inMemory(notes()));
  await using registry = await recalled({ notes: open });
  const opened = life.opened;
  const box = lazyToolbox(registry);
  const calls = ["lisbon", "release", "standup", "books", "groceries"].map((query) =>
    run(box, "mcp__notes__search", { query })
  );
  const results = await Promise.all(calls);
  assert.deepEqual(results.map(({ isError }) => isError), Array(5).fill(false));
  assert.equal(new Set(results.map(text)).size, 5, "each has its own answer");
  assert.equal(life.opened, opened + 1);
});

Deno.test("five first calls of a server that can't start are five errors, and the next call tries again", async () => {
  let isBroken = false;
  let starts = 0;
  const flappy: Opener = () => {
    starts++;
    if (isBroken) throw new TransportError("spawn_denied", "not yet");
    return inMemory(notes());
  };
  await using registry = await recalled({ notes: flappy });
  const box = lazyToolbox(registry);
  isBroken = true;
  const before = starts;
  const call = () => run(box, "mcp__notes__search", { query: "x" });
  const results = await Promise.all([call(), call(), call(), call(), call()]);
  for (const result of results) {
    assert.equal(result.isError, true);
    assert.match(text(result), /Cannot attach "notes": not yet\. Nothing was run/);
  }
  // What was remembered may be what is wrong, so one start may be tried twice; five starts are not.
  assert(starts - before <= 2, `${starts - before} starts`);
  isBroken = false;
  assert.equal((await call()).isError, false);
});

Deno.test("detach_server stops the process, and a call starts another", async () => {
  const log = new Log();
  await using registry = registryOf({ a: opener("stdio", [], { log }) });
  const box = lazyToolbox(registry);
  await run(box, "attach_server", { server: "a" });
  await box.refresh();
  const pid = async () => {
    const { structuredContent } = await run(box, "mcp__a__pid");
    return (structuredContent as { pid: number }).pid;
  };
  const first = await pid();
  const detached = await run(box, "detach_server", { server: "a" });
  assert.equal(detached.isError, false);
  await gone([first]);
  assert.deepEqual(registry.servers().map(({ state, reason }) => [state, reason]), [
    ["idle", undefined],
  ]);
  assert.notEqual(await pid(), first);
  assert.equal(registry.servers()[0]?.attaches, 2);
  // It is known by now: nobody asks again what it is.
  assert.equal(log.methods.filter((it) => it === "server/discover").length, 1);
});

Deno.test("detach_server of a server that does not run stops nothing and starts nothing", async () => {
  const { life, open } = counted(() => inMemory(notes()));
  await using registry = registryOf({ notes: open });
  const box = lazyToolbox(registry);
  assert.equal((await run(box, "detach_server", { server: "notes" })).isError, false);
  assert.equal(life.opened, 0);
});

Deno.test("a detach waits for the calls under way, and they get their results", async () => {
  const log = new Log();
  const { life, open } = counted(opener("memory", ["hang"], { log }));
  await using registry = registryOf({ a: open });
  const box = lazyToolbox(registry);
  await run(box, "attach_server", { server: "a" });
  await box.refresh();
  const leave = new AbortController();
  const calling = approved(box, use("mcp__a__hang"), leave.signal);
  await log.until("tools/call");
  let isDetached = false;
  const detaching = run(box, "detach_server", { server: "a" }).then(() => isDetached = true);
  const echoed = await run(box, "mcp__a__echo", { n: 1 });
  assert.equal(text(echoed), '{"n":1}', "who calls meanwhile is served");
  await settle();
  assert.deepEqual([isDetached, life.closed], [false, 0]);
  leave.abort(new Error("enough"));
  await assert.rejects(calling, /enough/);
  await detaching;
  await settle();
  assert.deepEqual([life.opened, life.closed], [1, 1]);
});

Deno.test("a server that rests is detached after its time, and a call attaches it again", async () => {
  const clock = new FakeClock();
  const { life, open } = counted(opener("memory", []));
  await using registry = registryOf({ a: open }, { clock }, { restMs: 60_000 });
  const box = lazyToolbox(registry);
  await run(box, "attach_server", { server: "a" });
  await box.refresh();
  const table = toJson(box.specs());
  await clock.tick(59_000);
  await run(box, "mcp__a__echo");
  await clock.tick(59_999);
  assert.equal(life.closed, 0, "a call begins the rest anew");
  await clock.tick(1);
  assert.equal(life.closed, 1);
  assert.equal(registry.servers()[0]?.state, "idle");
  await box.refresh();
  assert.equal(toJson(box.specs()), table);
  assert.equal((await run(box, "mcp__a__echo", { n: 2 })).isError, false);
  assert.equal(life.opened, 2);
  await clock.tick(60_000);
  assert.equal(life.closed, 2);
});

Deno.test("keepAll() lets no server go for resting", async () => {
  const clock = new FakeClock();
  const { open, life } = counted(opener("memory", []));
  await using registry = registryOf({ a: open }, { clock }, { restMs: 1_000 });
  await registry.attachAll();
  registry.keepAll();
  await registry.call("a.echo", {});
  await clock.tick(1e9);
  assert.equal(life.closed, 0);
});

Deno.test("a call of any length holds a server, and one without a time to rest is never detached", async () => {
  const clock = new FakeClock();
  const log = new Log();
  const long = counted(opener("memory", ["hang"], { log }));
  await using busy = registryOf({ a: long.open }, { clock }, {
    restMs: 1_000,
    limits: { ...LIMITS, idleMs: 50_000 },
  });
  const keepsAlive = counted(opener("memory", []));
  await using kept = registryOf({ a: keepsAlive.open }, { clock });
  const box = lazyToolbox(busy);
  await run(lazyToolbox(kept), "attach_server", { server: "a" });
  await run(box, "attach_server", { server: "a" });
  const calling = run(box, "mcp__a__hang");
  await log.until("tools/call");
  await clock.tick(49_000);
  assert.equal(long.life.closed, 0);
  await clock.tick(1_000);
  assert.match(text(await calling), /no sign of life for 50s/);
  await clock.tick(1_000);
  assert.equal(long.life.closed, 1);
  await clock.tick(1e9);
  assert.equal(keepsAlive.life.closed, 0);
});

Deno.test("nothing rests any more once the registry is gone, calls under way or not", async () => {
  const clock = new FakeClock();
  const log = new Log();
  const registry = registryOf({ a: opener("memory", ["hang"], { log }) }, { clock }, {
    restMs: 1_000,
  });
  const box = lazyToolbox(registry);
  await run(box, "attach_server", { server: "a" });
  const calling = run(box, "mcp__a__hang");
  await log.until("tools/call");
  await registry[Symbol.asyncDispose]();
  assert.equal((await calling).isError, true);
  await settle();
  assert.equal(clock.sleepers, 0);
});

Deno.test("target() is the tool of a server, and nothing for a meta tool", async () => {
  await using registry = await recalled({ tickets: () => inMemory(tickets()) });
  const box = lazyToolbox(registry);
  for (const name of META) assert.equal(box.target(use(name, { server: "tickets" })), undefined);
  const target = box.target(use("mcp__tickets__close_ticket", { id: "T-1" }));
  assert.deepEqual(target?.ref, { alias: "tickets", tool: "close_ticket" });
  assert.equal(target?.annotations?.destructiveHint, true);
});

Deno.test("a meta tool that is given an object for a text takes it as a text", async () => {
  await using registry = await recalled({ tickets: () => inMemory(tickets()) });
  const box = lazyToolbox(registry, new KeptResults(() => Promise.resolve(memoryDrop())));
  const odd = { toString: 1, valueOf: 1 };
  for (const name of META) {
    const result = await run(box, name, { query: odd, server: odd, result: odd });
    assert.notEqual(text(result), "", name);
  }
});

Deno.test("a denied tool is neither shown, nor found, nor run", async () => {
  const denies = (tool: string) => tool === "add_note" ? "it is denied" : undefined;
  await using registry = await recalled({ notes: () => inMemory(notes()) }, { denies });
  const box = lazyToolbox(registry);
  const attached = await run(box, "attach_server", { server: "notes" });
  await box.refresh();
  assert(!names(box).includes("mcp__notes__add_note"));
  const found = await run(box, "search_tools", { query: "add_note" });
  for (const result of [attached, found]) assert.doesNotMatch(text(result), /add_note/);
  const result = await run(box, "mcp__notes__add_note", { title: "x", body: "y" });
  assert.equal(result.isError, true);
  assert.match(text(result), /it is denied\. Nothing was run/);
});

Deno.test("a tool that nobody approved does not run, though it has become known meanwhile", async () => {
  const log = new Log();
  await using registry = registryOf({ notes: () => inMemory(notes(), log) });
  const box = lazyToolbox(registry);
  const one = use("mcp__notes__search", { query: "lisbon" });
  assert.equal(box.target(one), undefined);
  await run(box, "attach_server", { server: "notes" });
  const early = await box.run(one, { approved: "nothing" });
  const other = await box.run(one, { approved: { alias: "notes", tool: "read_note" } });
  for (const result of [early, other]) {
    assert.equal(result.isError, true);
    assert.match(text(result), /Nothing was run/);
  }
  assert(!log.methods.includes("tools/call"));
  assert.equal((await approved(box, one)).isError, false);
});

Deno.test("attach_server of a server that has changed shows what it is now, and that is called at once", async () => {
  let sells = "id";
  const open: Opener = () =>
    inMemory(
      server({
        name: "shop",
        version: "1",
        tools: [{
          name: "buy",
          inputSchema: { type: "object", properties: { [sells]: { type: "string" } } },
          run: () => ({ content: [{ type: "text", text: "bought" }] }),
        }],
      }),
    );
  await using registry = await recalled({ shop: open });
  sells = "sku";
  const box = lazyToolbox(registry);
  const attached = await run(box, "attach_server", { server: "shop" });
  assert.match(text(attached), /mcp__shop__buy\(sku: string\)/);
  await box.refresh();
  const result = await run(box, "mcp__shop__buy", { sku: "x" });
  assert.equal(text(result), "bought", "the model was shown the new one");
});

Deno.test("read_result reads what this run has kept, in lazy mode, with nobody asked", async () => {
  await using registry = registryOf({});
  const kept = new KeptResults(() => Promise.resolve(memoryDrop()));
  const box = lazyToolbox(registry, kept);
  await kept.keep("a.t", "all of it");
  assert.equal(box.target(use("read_result", { result: "r1" })), undefined);
  assert.equal(text(await run(box, "read_result", { result: "r1" })), "all of it");
  assert.equal((await run(box, "read_result", { result: "r2" })).isError, true);
  assert.equal((await run(lazyToolbox(registry), "read_result", { result: "r1" })).isError, true);
});
