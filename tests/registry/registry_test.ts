import assert from "node:assert/strict";
import { ProtocolError, TransportError } from "../../lib/protocol/errors.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import { RELIST_MS } from "../../lib/registry/relisting.ts";
import { flaky } from "../../servers/flaky.ts";
import { notes } from "../../servers/notes.ts";
import { tickets } from "../../servers/tickets.ts";
import { LIMITS, registryOf } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { inMemory, Log, opener } from "../support/wire.ts";

const healthy: Opener = () => inMemory(notes());
const missing: Opener = () => {
  throw new TransportError("spawn_not_found", 'no such command "nots"');
};
const text = (result: ToolResult) => result.content.map((part) => part.text).join("");

Deno.test("attachAll() lets one dead server cost nothing but its own tools", async () => {
  await using registry = registryOf({ dead: missing, notes: healthy });
  await registry.attachAll();
  const [dead, good] = registry.servers();
  assert.deepEqual([dead?.state, dead?.reason?.code], ["offline", "spawn_not_found"]);
  assert.equal(dead?.reason?.message, 'Cannot attach "dead": no such command "nots"');
  assert.equal(good?.state, "online");
  assert.equal(registry.table.entries.size, 3);
});

Deno.test("attachAll() starts with whoever is ready when the budget is used up; the late join later", async () => {
  const clock = new FakeClock();
  const awake = Promise.withResolvers<void>();
  const handler = tickets();
  const late: Opener = () =>
    inMemory(async (message, out) => {
      await awake.promise;
      return await handler(message, out);
    });
  const online = Promise.withResolvers<void>();
  await using registry = registryOf({ late, notes: healthy }, {
    clock,
    onChange: ({ alias, state }) => alias === "late" && state === "online" && online.resolve(),
  });
  const attached = registry.attachAll({ budgetMs: 15_000 });
  await settle();
  await clock.tick(15_000);
  await attached;
  assert.deepEqual(registry.servers().map(({ state }) => state), ["attaching", "online"]);
  awake.resolve();
  await online.promise;
  const { entries } = await registry.refresh();
  assert.equal(entries.size, 6);
});

Deno.test("attachAll() fails when a required server cannot be had, and waits for it beyond the budget", async () => {
  await using registry = registryOf({ dead: missing }, {}, { required: true });
  await assert.rejects(
    registry.attachAll(),
    (error) => error instanceof TransportError && error.fault === "spawn_not_found",
  );

  const clock = new FakeClock();
  const log = new Log();
  const mute = registryOf({ mute: opener("memory", ["mute"], { log }) }, { clock }, {
    required: true,
  });
  await using _ = mute;
  const attached = assert.rejects(
    mute.attachAll({ budgetMs: 1_000 }),
    (error) => error instanceof TransportError && error.fault === "handshake_timeout",
  );
  await log.until("server/discover");
  await clock.tick(30_000);
  await attached;
});

Deno.test("attachAll() starts at most so many at once, and no mute one holds the others up", async () => {
  const clock = new FakeClock();
  const logs = [new Log(), new Log(), new Log()];
  const openers = Object.fromEntries(
    logs.map((log, n) => [`mute${n}`, opener("memory", ["mute"], { log })]),
  );
  await using registry = registryOf({ ...openers, notes: healthy }, { clock, atOnce: 1 });
  const attached = registry.attachAll({ budgetMs: 15_000 });
  for (const [n, log] of logs.entries()) {
    await log.until("server/discover");
    assert(!logs[n + 1]?.sent.length, "one at a time");
    await clock.tick(3_000);
  }
  await clock.tick(6_000);
  await attached;
  assert.equal(registry.servers().at(-1)?.state, "online");
});

Deno.test("attach() is one start for all who ask, and a failed one is forgotten", async () => {
  let starts = 0;
  const flappy: Opener = () => {
    if (++starts === 1) throw new TransportError("spawn_denied", "not yet");
    return inMemory(notes());
  };
  await using registry = registryOf({ notes: flappy });
  await registry.attachAll();
  assert.equal(registry.servers()[0]?.reason?.code, "spawn_denied");
  await Promise.all([registry.attachAll(), registry.attachAll(), registry.attachAll()]);
  assert.equal(starts, 2);
  assert.equal(registry.servers()[0]?.state, "online");
  assert.equal(registry.servers()[0]?.reason, undefined);
});

Deno.test("call() reaches the right server under its raw name, by public name and by alias.tool", async () => {
  const log = new Log();
  await using registry = registryOf({
    notes: healthy,
    tickets: () => inMemory(tickets(), log),
  });
  await registry.attachAll();
  for (const name of ["mcp__tickets__search", "tickets.search"]) {
    assert.equal((await registry.call(name, { query: "login" })).isError, false);
  }
  const called = log.sent.filter(({ method }) => method === "tools/call");
  assert.deepEqual(called.map(({ params }) => params.name), ["search", "search"]);
});

Deno.test("call() of an unknown name runs nothing, and shows up to three near names", async () => {
  await using registry = registryOf({ notes: healthy });
  await registry.attachAll();
  for (const name of ["mcp__notes__serch", "toString", "__proto__", "", "notes.toString"]) {
    const result = await registry.call(name, {});
    assert.equal(result.isError, true, name);
    assert(result.failure instanceof ProtocolError, name);
    assert.match(text(result), /Nothing was run/);
  }
  assert.match(text(await registry.call("mcp__notes__serch", {})), /Near it: mcp__notes__search/);
});

Deno.test("call() of an offline server says so, with the reason", async () => {
  await using registry = registryOf({ dead: missing });
  await registry.attachAll();
  for (const name of ["mcp__dead__search", "dead.search"]) {
    const result = await registry.call(name, {});
    assert.equal(result.isError, true);
    assert.match(text(result), /"dead" is offline.*no such command.*Nothing was run/);
    assert(result.failure instanceof TransportError && result.failure.fault === "spawn_not_found");
  }
});

Deno.test("call() of a denied tool is refused, and its name is not hinted at", async () => {
  const denies = (tool: string) =>
    tool === "add_note" ? "it is denied (deny: or --deny)" : undefined;
  await using registry = registryOf({ notes: healthy }, {}, { denies });
  await registry.attachAll();
  const result = await registry.call("mcp__notes__add_note", { title: "x", body: "y" });
  assert(result.failure instanceof TransportError && result.failure.fault === "denied");
  assert.doesNotMatch(text(await registry.call("mcp__notes__add_not", {})), /add_note\b/);
});

Deno.test("call() tells a refusal of the server in its words", async () => {
  await using registry = registryOf({ a: opener("memory", ["call-error=-32603"]) });
  await registry.attachAll();
  const result = await registry.call("a.echo", {});
  assert(result.isError && result.failure instanceof ProtocolError);
  assert.match(text(result), /refused the call: .*\(-32603\)/);
});

Deno.test("call() that dies on the way is of unknown outcome, is not repeated, and the next one reconnects", async () => {
  const log = new Log();
  await using registry = registryOf({ a: opener("stdio", ["die-on-call=echo"], { log }) });
  await registry.attachAll();
  const result = await registry.call("a.echo", {});
  assert.match(text(result), /outcome is unknown: it may have run. It was not sent again/);
  assert(result.failure instanceof TransportError && result.failure.fault === "exited");
  assert.equal(log.methods.filter((method) => method === "tools/call").length, 1);
  assert.deepEqual(registry.servers().map(({ state, reason }) => [state, reason?.code]), [
    ["offline", "exited"],
  ]);
  assert.equal((await registry.call("a.fail", {})).failure, undefined);
  assert.equal(registry.servers()[0]?.state, "online");
});

Deno.test("call() that times out is of unknown outcome and is not repeated", async () => {
  const log = new Log();
  const clock = new FakeClock();
  await using registry = registryOf({ a: opener("memory", ["hang"], { log }) }, { clock });
  await registry.attachAll();
  const calling = registry.call("a.hang", {});
  await log.until("tools/call");
  await clock.tick(LIMITS.idleMs);
  const result = await calling;
  assert.match(text(result), /Cannot finish "a.hang": no sign of life for 1m .*outcome is unknown/);
  assert.equal(log.methods.filter((method) => method === "tools/call").length, 1);
  assert.equal(registry.servers()[0]?.state, "online");
});

Deno.test("call() takes the limits of the tool before those of its server", async () => {
  const log = new Log();
  const clock = new FakeClock();
  await using registry = registryOf({ a: opener("memory", ["hang"], { log }) }, { clock }, {
    toolLimits: [{ pattern: "ha*", idleMs: 2_000 }],
  });
  await registry.attachAll();
  const calling = registry.call("a.hang", {});
  await log.until("tools/call");
  await clock.tick(2_000);
  const told = text(await calling);
  assert.match(told, /no sign of life for 2s \(servers\.a\.tools\.limits\.ha\*\.idle raises/);
});

Deno.test("call() rejects with the caller's reason when the caller leaves", async () => {
  const log = new Log();
  await using registry = registryOf({ a: opener("memory", ["hang"], { log }) });
  await registry.attachAll();
  const leave = new AbortController();
  const calling = registry.call("a.hang", {}, { signal: leave.signal });
  await log.until("tools/call");
  leave.abort(new Error("bye"));
  await assert.rejects(calling, /bye/);
});

Deno.test("call() flags structured content that its schema does not allow, and throws nothing", async () => {
  await using registry = registryOf({
    a: opener("memory", ["structured-mismatch", "redos-schema"]),
  });
  await registry.attachAll();
  const mismatch = await registry.call("a.mismatch", {});
  assert.equal(mismatch.isError, false);
  assert.match(mismatch.notes!.join(), /does not match the tool's outputSchema/);
  assert.notEqual(mismatch.structuredContent, undefined);
  // `^(a+)+$` on a long string took other clients for ever.
  assert.equal((await registry.call("a.redos", {})).failure, undefined);
});

Deno.test("refresh() takes in a list that changed, and keeps a list that did not", async () => {
  await using registry = registryOf({ a: opener("memory", ["list-changed"], { era: "legacy" }) });
  await registry.attachAll();
  const before = [...registry.table.entries.keys()];
  assert.deepEqual([...(await registry.refresh()).entries.keys()], before);
  await registry.call("a.grow", {});
  const after = [...(await registry.refresh()).entries.keys()];
  assert.equal(after.length, before.length + 1);
  assert.equal((await registry.call("a.grown_1", {})).isError, false);
});

Deno.test("refresh() reads the list anew though nothing changed, and nothing changes", async () => {
  const log = new Log();
  await using registry = registryOf({ a: opener("memory", ["list-same"], { era: "legacy", log }) });
  await registry.attachAll();
  const before = JSON.stringify([...registry.table.entries]);
  await registry.call("a.stir", {});
  await registry.refresh();
  assert.equal(JSON.stringify([...registry.table.entries]), before);
  assert(log.methods.filter((method) => method === "tools/list").length >= 2);
});

Deno.test("refresh() waits for a list that takes long a little, once, and takes it in when it comes", async () => {
  const clock = new FakeClock();
  const log = new Log();
  const handler = flaky(["list-changed"], { dialect: "legacy" });
  let awake = Promise.resolve();
  const slow: Opener = () =>
    inMemory(async (message, out) => {
      if (message.method === "tools/list") await awake;
      return await handler(message, out);
    }, log);
  await using registry = registryOf({ slow }, { clock });
  await registry.attachAll();
  const before = registry.table.entries.size;
  const { promise, resolve } = Promise.withResolvers<void>();
  awake = promise;
  await registry.call("slow.grow", {});
  const lists = () => log.methods.filter((method) => method === "tools/list").length;
  const known = lists();

  const waiting = registry.refresh();
  await settle();
  await clock.tick(RELIST_MS);
  assert.equal((await waiting).entries.size, before, "whoever waits goes on without it");
  await registry.call("slow.grow", {});
  assert.equal((await registry.refresh()).entries.size, before, "nobody waits for it again");
  assert.equal(lists(), known + 1, "nor is it asked for twice at once");

  resolve();
  await log.until("tools/list", known + 1);
  await settle();
  await registry.refresh();
  assert.equal((await registry.refresh()).entries.size, before + 2);
});

Deno.test("disposing ends servers that are still being attached", async () => {
  const log = new Log();
  const registry = registryOf({ mute: opener("stdio", ["mute"], { log }) });
  const attached = registry.attachAll({ budgetMs: 10 });
  await log.until("server/discover");
  await registry[Symbol.asyncDispose]();
  await attached;
});
