/** One server's life over several runs: what is remembered of it spares work, and is dropped where it is wrong. */
import assert from "node:assert/strict";
import type { Opener } from "../../lib/client/handshake.ts";
import { ProtocolError, TransportError } from "../../lib/protocol/errors.ts";
import type { Params } from "../../lib/protocol/types.ts";
import { Gate } from "../../lib/registry/gate.ts";
import { Server } from "../../lib/registry/server.ts";
import type { Known, Memory, ServerOptions } from "../../lib/registry/server_options.ts";
import type { Reason } from "../../lib/registry/status.ts";
import { server as serving, type Tool } from "../../servers/server.ts";
import { LIMITS, OURS } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { inMemory, Log, opener } from "../support/wire.ts";

/** What is kept between the runs of a test. */
class Kept implements Memory {
  known: Known | undefined;
  readonly reasons: Reason[] = [];
  recall(): Promise<Known | undefined> {
    return Promise.resolve(this.known);
  }
  remember(known: Known): Promise<void> {
    this.known = known;
    return Promise.resolve();
  }
  blame(reason: Reason): Promise<void> {
    this.reasons.push(reason);
    return Promise.resolve();
  }
}

function server(open: Opener, options: Partial<ServerOptions> = {}, clock = new FakeClock()) {
  return new Server({
    alias: "a",
    required: false,
    open,
    limits: LIMITS,
    toolLimits: [],
    denies: () => undefined,
    ...options,
  }, {
    clock,
    client: OURS,
    place: () => Promise.resolve(() => {}),
    onChange: () => {},
    hide: (text) => text,
    gate: new Gate(64),
    random: () => 0.5,
  });
}

/** Tools that say their own name. */
function tools(...all: { name: string; properties?: Params }[]): Tool[] {
  return all.map(({ name, properties = {} }) => ({
    name,
    inputSchema: { type: "object", properties },
    run: () => ({ content: [{ type: "text", text: name }] }),
  }));
}

/** A server of one era with these tools. */
function shop(log: Log, era: "modern" | "legacy", all: Tool[], handshake?: "optional"): Opener {
  return () =>
    inMemory(
      serving({
        name: "shop",
        version: "1",
        dialect: era,
        tools: all,
        ...(handshake && { handshake }),
      }),
      log,
    );
}

/** Meets the server once, so that it is known. */
async function met(open: Opener, memory: Kept): Promise<void> {
  await using first = server(open, { memory });
  await first.attach();
}

for (const era of ["modern", "legacy"] as const) {
  Deno.test(`attach() spares the probe of a ${era} server that is remembered`, async () => {
    const memory = new Kept();
    const [first, second] = [new Log(), new Log()];
    await met(shop(first, era, tools({ name: "t" })), memory);
    assert(first.methods.includes("server/discover"));
    await using again = server(shop(second, era, tools({ name: "t" })), { memory });
    await again.recall();
    assert.equal(again.status().source, "recalled");
    await again.attach();
    const greeting = era === "legacy" ? ["initialize", "notifications/initialized"] : [];
    assert.deepEqual(second.methods, [...greeting, "tools/list"]);
    assert.equal((await again.call("t", {}, {})).isError, false);
    assert.equal(again.status().dialect?.era, era);
  });
}

Deno.test("attach() waits for a server that is mute on the probe once, and the next time for nothing", async () => {
  const memory = new Kept();
  const log = new Log();
  const clock = new FakeClock();
  const mute = opener("memory", ["mute-discover"], { log });
  await using first = server(mute, { memory }, clock);
  const attaching = first.attach();
  await log.until("server/discover");
  await settle();
  await clock.tick(LIMITS.probeMs);
  await attaching;
  assert.equal(clock.now(), LIMITS.probeMs);

  const [late, later] = [new FakeClock(), new Log()];
  await using second = server(
    opener("memory", ["mute-discover"], { log: later }),
    { memory },
    late,
  );
  await second.recall();
  await second.attach(); // Were the clock needed, this would never end.
  assert.equal(late.now(), 0);
  assert(!later.methods.includes("server/discover"));
});

Deno.test("attach() after a detach spares the probe in the same run", async () => {
  const log = new Log();
  await using it = server(opener("memory", [], { log, era: "legacy" }));
  await it.attach();
  const before = log.methods.filter((method) => method === "server/discover").length;
  await it.detach();
  await it.attach();
  const after = log.methods.filter((method) => method === "server/discover").length;
  assert.equal(after, before);
});

const WRONG = [["modern", "legacy"], ["legacy", "modern"]] as const;
for (const [was, is] of WRONG) {
  Deno.test(`attach() drops the memory of a ${was} server that is ${is} now, and keeps what it is`, async () => {
    const memory = new Kept();
    await met(shop(new Log(), was, tools({ name: "t" })), memory);
    assert.equal(memory.known?.hello.dialect.era, was);
    const log = new Log();
    await using now = server(shop(log, is, tools({ name: "t" })), { memory });
    await now.recall();
    await now.attach();
    assert.equal(now.status().dialect?.era, is);
    assert(log.methods.includes("server/discover"), "it was asked anew");
    assert.equal((await now.call("t", {}, {})).isError, false);
    await settle();
    assert.equal(memory.known?.hello.dialect.era, is);
  });
}

Deno.test("attach() does not take a served list for the modern server that it remembers", async () => {
  // Most legacy servers answer a client that never introduced itself.
  const memory = new Kept();
  await met(shop(new Log(), "modern", tools({ name: "t" })), memory);
  const log = new Log();
  await using now = server(shop(log, "legacy", tools({ name: "t" }), "optional"), { memory });
  await now.recall();
  await now.attach();
  assert.equal(now.status().dialect?.era, "legacy");
});

Deno.test("attach() starts a modern server that names no resultType once, each time it is met", async () => {
  // Servers of several SDKs leave it out: that is no reason to start them twice for ever.
  let opened = 0;
  const open: Opener = () => {
    opened++;
    const handler = serving({ name: "shop", version: "1", tools: tools({ name: "t" }) });
    return inMemory(async (message, out) => {
      const reply = await handler(message, out);
      if (reply?.result) delete reply.result.resultType;
      return reply;
    });
  };
  const memory = new Kept();
  await met(open, memory);
  assert.equal(opened, 1);
  await using again = server(open, { memory });
  await again.recall();
  await again.attach();
  assert.equal(again.status().dialect?.era, "modern");
  await again.detach();
  await again.attach();
  assert.equal(opened, 3);
});

Deno.test("attach() of a remembered server that can't start fails with its reason, and is blamed for it", async () => {
  const memory = new Kept();
  await met(shop(new Log(), "modern", tools({ name: "t" })), memory);
  const missing: Opener = () => {
    throw new TransportError("spawn_not_found", "no such command");
  };
  await using gone = server(missing, { memory });
  await gone.recall();
  await assert.rejects(
    gone.attach(),
    (error) => error instanceof TransportError && error.fault === "spawn_not_found",
  );
  await settle();
  assert.deepEqual(memory.reasons.map(({ code }) => code), ["spawn_not_found"]);
  assert.deepEqual(gone.tools.map(({ name }) => name), ["t"], "a menu entry never vanishes");
});

Deno.test("recall() gives way to what was listed in this run", async () => {
  const memory = new Kept();
  await met(shop(new Log(), "modern", tools({ name: "old" })), memory);
  await using now = server(shop(new Log(), "modern", tools({ name: "new" })), { memory });
  await now.attach();
  memory.known = { ...memory.known!, list: { ...memory.known!.list, tools: [] } };
  await now.recall();
  assert.deepEqual(now.tools.map(({ name }) => name), ["new"]);
});

const isChanged = (error: unknown) =>
  error instanceof ProtocolError && /has another schema now/.test(error.message);

Deno.test("call() of a changed tool is not sent, though another call has started the server", async () => {
  const memory = new Kept();
  const both = (properties: Params) => tools({ name: "kept" }, { name: "moved", properties });
  await met(shop(new Log(), "modern", both({ id: { type: "integer" } })), memory);
  const log = new Log();
  await using now = server(shop(log, "modern", both({ sku: { type: "string" } })), { memory });
  await now.recall();
  assert.equal((await now.call("kept", {}, {})).isError, false);
  // The model wrote this for what the menu has shown it.
  await assert.rejects(now.call("moved", { id: 1 }, {}), isChanged);
  assert.deepEqual(
    log.sent.filter(({ method }) => method === "tools/call").map(({ params }) => params.name),
    ["kept"],
  );
  // Now it was shown the new one.
  assert.equal((await now.call("moved", { sku: "x" }, {})).isError, false);
});

Deno.test("call() of a changed tool is not sent in the moment in which its server comes online", async () => {
  const memory = new Kept();
  await met(shop(new Log(), "modern", tools({ name: "t", properties: { id: {} } })), memory);
  for (let delay = 0; delay < 60; delay++) {
    const log = new Log();
    const copy = new Kept();
    copy.known = memory.known;
    const changed = tools({ name: "t", properties: { sku: {} } });
    const now = server(shop(log, "modern", changed), { memory: copy });
    await now.recall();
    const first = assert.rejects(now.call("t", { id: 1 }, {}), isChanged);
    for (let step = 0; step < delay; step++) await Promise.resolve();
    const isOnline = now.status().state === "online";
    const second = now.call("t", { id: 2 }, {}).then(() => "sent", () => "refused");
    await first;
    const fate = await second;
    if (!isOnline) assert.equal(fate, "refused", `after ${delay} turns`);
    await now[Symbol.asyncDispose]();
  }
});

Deno.test("whoever leaves waits for each process that was started, not for the last alone", async () => {
  const ends: PromiseWithResolvers<void>[] = [];
  const inner = shop(new Log(), "modern", tools({ name: "t" }));
  const slow: Opener = async () => {
    const end = Promise.withResolvers<void>();
    ends.push(end);
    return { ...await inner(), [Symbol.asyncDispose]: () => end.promise };
  };
  const it = server(slow);
  for (let life = 0; life < 2; life++) {
    await it.attach();
    void it.detach();
    await settle();
  }
  let isOver = false;
  const leaving = it[Symbol.asyncDispose]().then(() => isOver = true);
  ends[1]!.resolve();
  await settle();
  assert.equal(isOver, false);
  ends[0]!.resolve();
  await leaving;
});

Deno.test("call() in the moment in which a detach goes through gets its answer", async () => {
  for (let delay = 0; delay < 20; delay++) {
    const log = new Log();
    const it = server(shop(log, "modern", tools({ name: "t" })));
    await it.attach();
    const first = it.call("t", {}, {});
    const detaching = it.detach();
    const second = first.then(async () => {
      for (let step = 0; step < delay; step++) await Promise.resolve();
      return await it.call("t", {}, {});
    });
    assert.equal((await second).isError, false, `after ${delay} turns`);
    await detaching;
    await it[Symbol.asyncDispose]();
  }
});

Deno.test("call() that is left in the queue holds the server no longer", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const slow: Tool = {
    name: "slow",
    inputSchema: { type: "object" },
    run: async () => (await promise, { content: [] }),
  };
  const clock = new FakeClock();
  await using own = server(
    shop(new Log(), "modern", [slow]),
    { concurrency: 1, restMs: 50 },
    clock,
  );
  await own.attach();
  const first = own.call("slow", {}, {});
  const caller = new AbortController();
  const second = assert.rejects(own.call("slow", {}, { signal: caller.signal }), /left/);
  caller.abort(new Error("left"));
  await second;
  resolve();
  await first;
  await clock.tick(50);
  assert.equal(own.status().state, "idle");
});

Deno.test("detach() while the server starts waits for it, and two at once stop it once", async () => {
  const awake = Promise.withResolvers<void>();
  let closed = 0;
  const slow: Opener = async () => {
    await awake.promise;
    const transport = await shop(new Log(), "modern", tools({ name: "t" }))();
    transport.closed.then(() => closed++);
    return transport;
  };
  await using it = server(slow);
  const attaching = it.attach();
  const detaching = Promise.all([it.detach(), it.detach()]);
  awake.resolve();
  await attaching;
  await detaching;
  await settle();
  assert.deepEqual([closed, it.status().state], [1, "idle"]);
});

Deno.test("a server that dies under its rest is not detached, and rests anew once it is back", async () => {
  const clock = new FakeClock();
  const log = new Log();
  await using it = server(opener("stdio", ["die-on-call=echo"], { log }), { restMs: 1_000 }, clock);
  await it.attach();
  await assert.rejects(it.call("echo", {}, {}), TransportError);
  assert.equal(it.status().state, "offline");
  assert.equal(clock.sleepers, 0, "nobody is there to rest");
  await clock.tick(10_000);
  assert.equal(it.status().state, "offline", "the reason stays");
  await it.call("fail", {}, {});
  assert.equal(it.status().state, "online");
});

Deno.test("attach() starts a server anew that its probe was the end of", async () => {
  let opened = 0;
  const inner = opener("stdio", ["die-on-discover"]);
  const open: Opener = () => {
    opened++;
    return inner();
  };
  for (const memory of [undefined, new Kept()]) {
    opened = 0;
    await using it = server(open, memory && { memory });
    await it.attach();
    assert.deepEqual([it.status().dialect?.era, opened], ["legacy", 2]);
  }
});
