/** A server's fuse at work in a registry, over a clock that moves when told to. */
import assert from "node:assert/strict";
import { TransportError } from "../../lib/protocol/errors.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import { DEFAULT_FUSE } from "../../lib/config/config.ts";
import { Circuit } from "../../lib/registry/circuit.ts";
import type { Registry } from "../../lib/registry/registry.ts";
import type { ServerStatus } from "../../lib/registry/status.ts";
import { LIMITS, registryOf } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { Mortal } from "../support/mortal.ts";
import { Log, opener } from "../support/wire.ts";

/** No jitter: trials are due after 5, 10, 20, … seconds. */
const MIDDLE = { random: () => 0.5 };

const text = ({ content }: ToolResult) => String(content[0]?.text);
const code = ({ failure }: ToolResult) =>
  failure instanceof TransportError ? failure.fault : undefined;
const fuseOf = (registry: Registry) => registry.servers()[0]!.fuse;

function house(mortal: Mortal, clock = new FakeClock()) {
  const changes: ServerStatus[] = [];
  const registry = registryOf(
    { a: mortal.opener(() => clock.now()), well: opener("memory", []) },
    { clock, ...MIDDLE, onChange: (status) => changes.push(status) },
  );
  return { registry, clock, changes };
}

/** A call that runs into nothing but silence, up to its limit. */
async function silentCall(registry: Registry, clock: FakeClock): Promise<ToolResult> {
  const calling = registry.call("a.echo", {});
  await settle();
  await clock.tick(LIMITS.idleMs);
  return await calling;
}

Deno.test("a server that dies on every call opens its fuse, and then calls are answered at once", async () => {
  const mortal = new Mortal({ diesOn: "tools/call" });
  const { registry: own, clock } = house(mortal);
  await using registry = own;
  await registry.attachAll();
  for (let n = 0; n < 3; n++) assert.equal(code(await registry.call("a.echo", {})), "exited");
  assert.equal(fuseOf(registry).state, "open");
  await clock.tick(1_000);
  const refused = await registry.call("a.echo", {});
  assert.equal(code(refused), "fuse_open");
  assert.match(
    text(refused),
    /^Cannot use "a": its fuse opened 1s ago: Lost "a": it ended with exit code 1\. The next trial is in 4s \(servers\.a\.fuse\.backoff, now 5s, doubled by each that fails\)\. Nothing was run\./,
  );
  assert.equal(mortal.starts, 3);
  assert.equal((await registry.call("well.echo", { text: "hi" })).isError, false);
});

Deno.test("a server that answers the handshake and exits is started at most six times in a minute, however often it is asked for", async () => {
  for (const isKept of [false, true]) {
    const mortal = new Mortal({ diesAfter: "tools/list" });
    const { registry: own, clock } = house(mortal);
    await using registry = own;
    if (isKept) registry.keepAll();
    await registry.attachAll();
    for (let second = 0; second < 60; second++) {
      if (!isKept) await registry.call("a.echo", {});
      await clock.tick(1_000);
    }
    assert(mortal.starts > 3 && mortal.starts <= 6, `${mortal.starts} starts`);
    // From here on, one for each back-off, which grows up to five minutes and no further.
    const before = mortal.starts;
    const hour = 3_600;
    for (let second = 0; second < hour; second += 10) {
      if (!isKept) await registry.call("a.echo", {});
      await clock.tick(10_000);
    }
    const later = mortal.starts - before;
    assert(later >= hour / 310 && later <= hour / 300 + 6, `${later} starts in an hour`);
    // It recovers alone, and a stable period makes it as good as new.
    mortal.options = {};
    await clock.tick(300_000);
    if (!isKept) await registry.call("a.echo", {});
    await clock.tick(30_000);
    assert.deepEqual(fuseOf(registry), { state: "closed", failures: 0, trips: 0 });
    assert.equal((await registry.call("a.echo", {})).isError, false);
  }
});

Deno.test("a kept server that fails at the start is tried again by itself, and joins", async () => {
  const mortal = new Mortal({ diesOn: "server/discover" });
  const { registry: own, clock } = house(mortal);
  await using registry = own;
  registry.keepAll();
  await registry.attachAll();
  assert.equal(registry.servers()[0]?.state, "offline");
  mortal.options = {};
  await clock.tick(5_000);
  await registry.refresh();
  assert.equal(registry.servers()[0]?.state, "online");
  assert(registry.table.entries.has("mcp__a__echo"));
});

Deno.test("a server that never listed anything is told of as left alone too, while it is", async () => {
  const mortal = new Mortal({ diesOn: "server/discover" });
  const { registry: own, clock } = house(mortal);
  await using registry = own;
  for (let n = 0; n < 3; n++) {
    await registry.attachAll();
    const expected = n < 2 ? "refused" : "fuse_open";
    assert.equal(code(await registry.call("mcp__a__echo", {})), expected);
  }
  await clock.tick(1_000);
  assert.match(
    text(await registry.call("a.echo", {})),
    /^Cannot use "a": its fuse opened 1s ago: Cannot attach "a": .*The next trial is in 4s .*Nothing was run/,
  );
});

Deno.test("what somebody has to mend is not tried again by itself, and opens no fuse", async () => {
  let tries = 0;
  const clock = new FakeClock();
  await using registry = registryOf({
    a: () => {
      tries++;
      throw new TransportError("spawn_not_found", "no such command");
    },
  }, { clock, ...MIDDLE });
  registry.keepAll();
  await registry.attachAll();
  await clock.tick(3_600_000);
  assert.equal(tries, 1);
  // Whoever asks once more may have installed it.
  for (let n = 0; n < 5; n++) await assert.rejects(registry.attach("a"), /no such command/);
  assert.equal(tries, 6);
  assert.equal(fuseOf(registry).state, "closed");
});

Deno.test("a fuse opens after failures in a row and heals without a restart of fusebox", async () => {
  const mortal = new Mortal({ diesOn: "tools/call" });
  const { registry: own, clock } = house(mortal);
  await using registry = own;
  await registry.attachAll();
  for (let n = 0; n < 5; n++) await registry.call("a.echo", {});
  assert.equal(fuseOf(registry).state, "open");
  mortal.options = {};
  await clock.tick(5_000);
  assert.equal((await registry.call("a.echo", {})).isError, false);
  assert.equal(fuseOf(registry).state, "probation");
  await clock.tick(30_000);
  assert.equal(fuseOf(registry).state, "closed");
  await clock.tick(30_000); // Its exits are a minute ago.
  // Counted anew: two failures are two, and no trip.
  mortal.options = { diesOn: "tools/call" };
  for (let n = 0; n < 2; n++) await registry.call("a.echo", {});
  assert.deepEqual(fuseOf(registry), { state: "closed", failures: 2, trips: 0 });
});

Deno.test("one trial at a time: who calls meanwhile is told so at once", async () => {
  const mortal = new Mortal({ diesOn: "tools/call" });
  const { registry: own, clock } = house(mortal);
  await using registry = own;
  await registry.attachAll();
  for (let n = 0; n < 3; n++) await registry.call("a.echo", {});
  mortal.options = { muteOn: "tools/list" };
  await clock.tick(5_000);
  const trial = registry.call("a.echo", {});
  await settle();
  const others = await Promise.all([1, 2, 3].map(() => registry.call("a.echo", {})));
  assert.deepEqual(others.map(code), ["fuse_open", "fuse_open", "fuse_open"]);
  assert.match(text(others[0]!), /A trial is under way/);
  // What was remembered of it may be wrong: it is met once more as if it were a stranger.
  for (let n = 0; n < 2; n++) await clock.tick(LIMITS.listMs);
  assert.equal(code(await trial), "list_timeout");
  assert.equal(mortal.starts, 5);
  assert.equal(fuseOf(registry).trips, 2);
});

Deno.test("a caller that leaves in mid-trial neither fails nor hangs it", async () => {
  const mortal = new Mortal({ diesOn: "tools/call" });
  const { registry: own, clock } = house(mortal);
  await using registry = own;
  await registry.attachAll();
  for (let n = 0; n < 3; n++) await registry.call("a.echo", {});
  mortal.options = { muteOn: "tools/list" };
  await clock.tick(5_000);
  const caller = new AbortController();
  const trial = registry.call("a.echo", {}, { signal: caller.signal });
  await settle();
  caller.abort(new Error("left"));
  await assert.rejects(trial, /left/);
  assert.equal(fuseOf(registry).state, "half_open");
  for (let n = 0; n < 2; n++) await clock.tick(LIMITS.listMs);
  assert.deepEqual([fuseOf(registry).state, fuseOf(registry).trips], ["open", 2]);
});

Deno.test("calls that go silent one after the other open the fuse, and the trial starts the server anew", async () => {
  const mortal = new Mortal({ muteOn: "tools/call" });
  const { registry: own, clock } = house(mortal);
  await using registry = own;
  await registry.attachAll();
  for (let n = 0; n < 3; n++) assert.equal(code(await silentCall(registry, clock)), "call_timeout");
  const { state, reason, fuse } = registry.servers()[0]!;
  assert.deepEqual([state, reason?.code, fuse.state], ["offline", "call_timeout", "open"]);
  assert.match(reason!.message, /^Left "a" alone: Cannot finish "a\.echo": no sign of life for 1m/);
  mortal.options = {};
  await clock.tick(5_000);
  assert.equal((await registry.call("a.echo", {})).isError, false);
  assert.equal(mortal.starts, 2);
});

Deno.test("calls that go silent side by side are one failure, and end none that has longer limits", async () => {
  const mortal = new Mortal({ muteOn: "tools/call" });
  const clock = new FakeClock();
  const toolLimits = [{ pattern: "long", idleMs: 10 * LIMITS.idleMs }];
  const tool = (name: string) => ({
    name,
    inputSchema: { type: "object" },
    run: () => ({ content: [] }),
  });
  mortal.options.tools = [tool("echo"), tool("long")];
  await using registry = registryOf({ a: mortal.opener() }, { clock, ...MIDDLE }, { toolLimits });
  await registry.attachAll();
  const long = registry.call("a.long", {});
  const silent = Array.from({ length: 4 }, () => registry.call("a.echo", {}));
  await settle();
  await clock.tick(LIMITS.idleMs);
  for (const each of await Promise.all(silent)) assert.equal(code(each), "call_timeout");
  assert.deepEqual(fuseOf(registry), { state: "closed", failures: 1, trips: 0 });
  await clock.tick(9 * LIMITS.idleMs);
  assert.equal(code(await long), "call_timeout");
});

Deno.test("a tool whose answers can't be used takes no other tool away, for somebody is there who answers", async () => {
  for (const fault of ["no-object", "odd-result-type", "odd-result-type=input_required"]) {
    await using registry = registryOf({ a: opener("memory", [fault]) }, MIDDLE);
    await registry.attachAll();
    for (let n = 0; n < 4; n++) {
      const spoilt = await registry.call("a.echo", {});
      assert.equal(code(spoilt), "garbled", fault);
      assert.match(text(spoilt), /^Cannot finish "a\.echo": .*The outcome is unknown/);
    }
    assert.equal((await registry.call("a.pid", {})).isError, false, fault);
    const [{ state, attaches }] = registry.servers() as [ServerStatus];
    assert.deepEqual([state, attaches], ["online", 1]);
    assert.deepEqual(fuseOf(registry), { state: "closed", failures: 0, trips: 0 });
  }
});

Deno.test("a tool that asks for input says what it asks, and that nobody can answer it", async () => {
  const faults = ["odd-result-type=input_required"];
  await using registry = registryOf({ a: opener("memory", faults) }, MIDDLE);
  await registry.attachAll();
  assert.match(
    text(await registry.call("a.echo", {})),
    /: it asks for more input before it goes on, "Which branch\?", and fusebox offered no way to give it any \(input_required\)\. /,
  );
});

Deno.test("a tool that goes silent does not open the fuse while others of its server answer", async () => {
  const clock = new FakeClock();
  const log = new Log();
  await using registry = registryOf({ a: opener("memory", ["hang"], { log }) }, { clock });
  await registry.attachAll();
  for (let n = 1; n <= 5; n++) {
    const calling = registry.call("a.hang", {});
    await log.until("tools/call", 2 * n - 1);
    await clock.tick(1);
    await registry.call("a.echo", { text: "hi" });
    await clock.tick(LIMITS.idleMs);
    assert.equal(code(await calling), "call_timeout");
  }
  assert.deepEqual(fuseOf(registry), { state: "closed", failures: 0, trips: 0 });
});

Deno.test("what a server answers never opens its fuse, whatever it says", async () => {
  const clock = new FakeClock();
  for (
    const [fault, tool] of [
      ["call-error=-32603", "echo"],
      ["call-error=-32602", "echo"],
      ["structured-mismatch", "mismatch"],
    ] as const
  ) {
    await using registry = registryOf({ a: opener("memory", [fault]) }, { clock });
    await registry.attachAll();
    for (let n = 0; n < 5; n++) {
      await registry.call(`a.${tool}`, {});
      await registry.call("a.fail", {});
    }
    assert.deepEqual(fuseOf(registry), { state: "closed", failures: 0, trips: 0 }, fault);
    assert.equal(registry.servers()[0]?.attaches, 1);
  }
});

Deno.test("the user who leaves is no failure of the server", async () => {
  const mortal = new Mortal({ muteOn: "tools/call" });
  await using registry = house(mortal).registry;
  await registry.attachAll();
  for (let n = 0; n < 5; n++) {
    const caller = new AbortController();
    const calling = registry.call("a.echo", {}, { signal: caller.signal });
    await settle();
    caller.abort(new Error("left"));
    await assert.rejects(calling, /left/);
  }
  assert.deepEqual(fuseOf(registry), { state: "closed", failures: 0, trips: 0 });
});

Deno.test("a server that goes between two turns keeps its tools, and the next call finds it again", async () => {
  const mortal = new Mortal();
  await using registry = house(mortal).registry;
  await registry.attachAll();
  mortal.die();
  await settle();
  const table = await registry.refresh();
  assert(table.entries.has("mcp__a__echo"));
  assert.equal((await registry.call("mcp__a__echo", {})).isError, false);
  assert.equal(mortal.starts, 2);
});

Deno.test("the end of a process is one failure, however many calls were under way", async () => {
  const mortal = new Mortal({ muteOn: "tools/call" });
  await using registry = house(mortal).registry;
  await registry.attachAll();
  const calls = Array.from({ length: 10 }, () => registry.call("a.echo", {}));
  await settle();
  mortal.die();
  assert(calls.length === 10 && (await Promise.all(calls)).every((it) => code(it) === "exited"));
  assert.equal(fuseOf(registry).failures, 1);
});

Deno.test("a list that is empty at the start does not wipe what is known, and a fuller one is taken", async () => {
  const mortal = new Mortal();
  await using registry = house(mortal).registry;
  await registry.attachAll();
  const tools = mortal.options.tools;
  mortal.options = { tools: [] };
  mortal.die();
  await settle();
  await registry.attach("a");
  assert(registry.table.entries.has("mcp__a__echo"));
  assert.match(registry.servers()[0]!.problems.join(), /lists no tools just now/);
  mortal.options = tools ? { tools } : {};
  mortal.die();
  await settle();
  await registry.attach("a");
  assert.deepEqual(registry.servers()[0]!.problems, []);
});

/** What a server says of its tools, and whether the user trusts it. */
const REPEATS = [
  { hints: { readOnlyHint: true }, trusted: true, times: 2 },
  { hints: { idempotentHint: true }, trusted: true, times: 2 },
  { hints: { destructiveHint: false }, trusted: true, times: 1 },
  { hints: {}, trusted: true, times: 1 },
  { hints: { readOnlyHint: true }, trusted: false, times: 1 },
] as const;

for (const { hints, trusted, times } of REPEATS) {
  const who = `${trusted ? "a trusted" : "an untrusted"} server with ${JSON.stringify(hints)}`;
  Deno.test(`a call of ${who} whose answer is lost is sent ${times === 1 ? "once" : "twice"}, under one key`, async () => {
    const tools = [{
      name: "echo",
      inputSchema: { type: "object" },
      annotations: hints,
      run: () => ({ content: [{ type: "text", text: "echo" }] }),
    }];
    const mortal = new Mortal({ tools, diesOn: "tools/call" });
    const clock = new FakeClock();
    await using registry = registryOf({ a: mortal.opener() }, { clock }, { trusted });
    await registry.attachAll();
    const result = await registry.call("a.echo", {}, { key: "run/1/u" });
    const told = times === 1 ? "was not sent again" : "was sent twice";
    assert.match(text(result), new RegExp(`The outcome is unknown: it may have run\\. It ${told}`));
    const calls = mortal.heard.filter(({ method }) => method === "tools/call");
    assert.deepEqual(
      calls.map(({ params }) => params._meta["fusebox/use"]),
      Array(times).fill("run/1/u"),
    );
  });
}

Deno.test("a call that is lost with the connection and may be repeated gets its answer from the next process", async () => {
  const mortal: Mortal = new Mortal({
    tools: [{
      name: "look",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      run: () => ({ content: [{ type: "text", text: `seen by ${mortal.starts}` }] }),
    }],
    muteOn: "tools/call",
  });
  await using registry = registryOf({ a: mortal.opener() }, {}, { trusted: true });
  await registry.attachAll();
  const calling = registry.call("a.look", {});
  await settle();
  const { muteOn: _, ...well } = mortal.options;
  mortal.options = well;
  mortal.die();
  assert.equal(text(await calling), "seen by 2");
});

Deno.test("a call that never left is sent to the next process, whoever trusts whom", async () => {
  const mortal = new Mortal();
  await using registry = registryOf({ a: mortal.opener() });
  await registry.attachAll();
  mortal.die(); // Nobody has noticed yet.
  const result = await registry.call("a.echo", {});
  assert.equal(text(result), "echo");
  assert.deepEqual([mortal.starts, mortal.count("tools/call")], [2, 1]);
});

Deno.test("a caller that leaves while a lost call waits to be repeated waits no longer", async () => {
  const mortal = new Mortal({
    tools: [{
      name: "look",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true },
      run: () => ({ content: [] }),
    }],
    muteOn: "tools/call",
  });
  const clock = new FakeClock();
  await using registry = registryOf({ a: mortal.opener() }, { clock }, { trusted: true });
  await registry.attachAll();
  const caller = new AbortController();
  const calling = registry.call("a.look", {}, { signal: caller.signal });
  await settle();
  mortal.options = { ...mortal.options, muteOn: "tools/list" };
  mortal.die();
  await settle();
  caller.abort(new Error("left"));
  await assert.rejects(calling, /left/);
  assert.deepEqual([clock.now(), mortal.count("tools/call")], [0, 1]);
});

/** A fuse that has just opened, and how often it told of what. */
async function opened(time = new FakeClock(1_000_000)) {
  await time.tick(40);
  const told = { steady: 0, again: 0 };
  const circuit = new Circuit({
    alias: "a",
    policy: DEFAULT_FUSE,
    clock: time,
    ...MIDDLE,
    onSteady: () => told.steady++,
  });
  for (let n = 0; n < DEFAULT_FUSE.failures; n++) circuit.ended({ kind: "exited" }, "gone");
  assert(circuit.isOpen);
  return { circuit, time, told };
}

Deno.test("a trial is due after its wait, whatever becomes of the clock on the wall meanwhile", async () => {
  for (const setMs of [-3_600_000, 3_600_000]) {
    for (const isKept of [true, false]) {
      const { circuit, time, told } = await opened();
      if (isKept) circuit.keep(() => told.again++);
      time.set(setMs);
      await time.tick(DEFAULT_FUSE.backoffMs - 1);
      assert.match(circuit.enter()?.message ?? "", /its fuse opened 5s ago: gone\. .* in /);
      await time.tick(1);
      assert.equal(told.again, isKept ? 1 : 0);
      assert.equal(circuit.enter(), undefined);
      assert(circuit.isOnTrial);
    }
  }
});

Deno.test("Circuit.status() tells times by the clock on the wall, and the same ones until something changes", async () => {
  const { circuit, time } = await opened();
  const since = 1_000_040;
  const trialAt = since + DEFAULT_FUSE.backoffMs;
  assert.deepEqual(circuit.status(), { state: "open", failures: 0, since, trialAt, trips: 1 });
  time.set(-3);
  await time.tick(100);
  assert.equal(circuit.status().since, since);
});

Deno.test("a tool that goes silent on probation, while others answer, does not keep the fuse from closing", async () => {
  const { circuit, time, told } = await opened();
  circuit.keep(() => told.again++);
  await time.tick(DEFAULT_FUSE.backoffMs);
  circuit.enter();
  circuit.ended({ kind: "attached" });
  const beganAt = time.elapsed();
  await time.tick(1_000);
  circuit.ended({ kind: "answered" });
  circuit.ended({ kind: "failed", beganAt });
  await time.tick(DEFAULT_FUSE.stableMs);
  assert.deepEqual([told.steady, circuit.status().state], [1, "closed"]);
});

Deno.test("Circuit.ended() says whether the status is another now", () => {
  const circuit = new Circuit({
    alias: "a",
    policy: DEFAULT_FUSE,
    clock: new FakeClock(),
    ...MIDDLE,
    onSteady: () => {},
  });
  const answered = { kind: "answered" } as const;
  const exited = { kind: "exited" } as const;
  assert.deepEqual(
    [answered, exited, exited, answered, answered, exited, exited, exited, exited]
      .map((it) => circuit.ended(it)),
    [false, true, true, true, false, true, true, true, false],
  );
});

Deno.test("a trial is due when its alarm rings, also where that is a moment early", async () => {
  class Hasty extends FakeClock {
    override after(ms: number, wake: () => void): () => void {
      return super.after(ms - 1, wake);
    }
  }
  const { circuit, time } = await opened(new Hasty(1_000_000));
  await time.tick(DEFAULT_FUSE.backoffMs - 1);
  assert.equal(circuit.enter(), undefined);
  assert(circuit.isOnTrial);
});
