import assert from "node:assert/strict";
import {
  fetched,
  newPlace,
  programOf,
  type Stranger,
  STRANGERS,
  UPDATE,
} from "../support/strangers.ts";
import { officialProblems, ownProblems } from "../support/strangers_frames.ts";
import { render, stable } from "../support/strangers_table.ts";
import { Host, patientRegistry, shapeOf, textOf, visit } from "../support/strangers_visit.ts";
import { client, LIMITS, PATIENCE } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { ROOT } from "../support/paths.ts";
import { gone } from "../support/processes.ts";

Deno.test.beforeAll(fetched);

/** Far more than any of it takes. */
const timeout = 120_000;

for (const stranger of STRANGERS) {
  const { title, version, era } = stranger;

  Deno.test(`Registry gets on with ${title}`, { timeout }, async (t) => {
    const { status, byHand, good, unlisted, unknown, bad, after, crossed, pids } = await visit(
      stranger,
    );

    await t.step(`it is met as ${era} ${version}`, () => {
      assert.equal(status.reason, undefined);
      assert.deepEqual(status.dialect, { era, version });
      assert.equal(byHand.version, version);
      assert.equal(crossed.length, 1, "one process is enough");
    });
    await t.step("all its tools are listed", () => {
      assert(byHand.tools.length > 0);
      assert.deepEqual(status.tools.map(({ name }) => name), byHand.tools);
      assert.deepEqual([status.heldBack, status.problems], [[], []]);
    });
    await t.step("a call is answered", () => {
      assert.equal(good.isError, false);
      assert.match(textOf(good), stranger.good.says);
      assert.deepEqual([good.notes, good.failure], [undefined, undefined]);
    });
    await t.step("a tool that it never listed is not asked for", () => {
      assert.equal(unlisted.result.isError, true);
      assert.match(textOf(unlisted.result), /no tool has this name\. Nothing was run/);
      assert.equal(unlisted.sent, 0);
    });
    await t.step(`an unknown tool is an error result (${shapeOf(unknown)})`, () => {
      assert.equal(unknown.isError, true);
      assert.match(shapeOf(unknown), /^(error -32\d{3}|`isError`)$/);
      assert.match(textOf(unknown), /\S/);
    });
    await t.step(`bad arguments are an error result (${shapeOf(bad)})`, () => {
      assert.equal(bad.isError, true);
      assert.match(shapeOf(bad), /^(error -32\d{3}|`isError`)$/);
      assert.match(textOf(bad), /\S/);
    });
    await t.step("it answers as before after all this", () => {
      assert.equal(after.isError, false);
    });
    await t.step(`detaching leaves no process (of ${pids.length})`, async () => {
      assert(pids.length > 0);
      await gone(pids);
    });
    await t.step("every frame that we send keeps our rules and the official schemas", async () => {
      await using place = await newPlace();
      assert.deepEqual(crossed.flatMap((it) => ownProblems(it, era)), []);
      assert.deepEqual(await officialProblems(crossed.flatMap(({ sent }) => sent), place), []);
    });
  });
}

Deno.test("Registry holds all strangers at once, each in its own dialect", {
  timeout,
}, async () => {
  await using place = await newPlace();
  const hosts = new Map(STRANGERS.map((stranger) => [stranger, new Host()]));
  const processes = () => [...hosts.values()].flatMap((host) => host.processes());
  const registry = patientRegistry(Object.fromEntries(
    [...hosts].map(([it, host]) => [it.alias, () => host.open(programOf(it, place))]),
  ));
  try {
    await registry.attachAll();
    assert.deepEqual(
      registry.servers().map(({ alias, dialect }) => [alias, dialect?.era]),
      STRANGERS.map(({ alias, era }) => [alias, era]),
    );
    assert.deepEqual(registry.table.heldBack, []);
    assert.equal(processes().length, STRANGERS.length);
    // Twenty rounds to all of them together: no answer goes to anybody else.
    const calls = Array(20).fill(STRANGERS).flat().map(async ({ alias, good }: Stranger) => {
      const result = await registry.call(`${alias}.${good.tool}`, good.args(place));
      // server-memory answers with what is new, and nothing is new the second time.
      const right = alias === "memory" || good.says.test(textOf(result));
      return result.isError || !right ? [`${alias}: ${textOf(result)}`] : [];
    });
    assert.deepEqual((await Promise.all(calls)).flat(), []);
  } finally {
    await registry[Symbol.asyncDispose]();
  }
  assert.deepEqual(processes(), []);
  for (const [{ era }, { crossed }] of hosts) {
    assert.deepEqual(crossed.flatMap((it) => ownProblems(it, era)), []);
  }
  const lines = [...hosts.values()].flatMap(({ crossed }) => crossed).flatMap(({ sent }) => sent);
  assert(lines.length > 20 * STRANGERS.length);
  assert.deepEqual(await officialProblems(lines, place), []);
});

Deno.test("a hedged probe leads to an era that the stranger really serves", {
  timeout,
}, async (t) => {
  // Both questions are in its pipe before it is awake: one that knows both eras is legacy from then on.
  for (const stranger of STRANGERS) {
    const era = stranger.alias === "reject-legacy" ? "modern" : "legacy";
    await t.step(`${stranger.title} is ${era}`, async () => {
      await using place = await newPlace();
      const host = new Host();
      const clock = new FakeClock();
      const meeting = client(() => host.open(programOf(stranger, place)), clock);
      await settle();
      assert.deepEqual(host.crossed[0]!.sent.length, 1);
      await clock.tick(LIMITS.probeMs);
      {
        await using peer = await meeting;
        assert.equal(peer.hello.dialect.era, era);
        assert((await peer.listTools()).tools.length > 0);
        const { tool, args } = stranger.good;
        assert.equal((await peer.callTool(tool, args(place), PATIENCE)).isError, false);
      }
      assert.deepEqual(host.processes(), []);
      assert.deepEqual(host.crossed.flatMap((it) => ownProblems(it, era)), []);
      const lines = host.crossed.flatMap(({ sent }) => sent);
      assert.deepEqual(await officialProblems(lines, place), []);
    });
  }
});

Deno.test("a stranger's progress is heard, and it works on when a call is given up", {
  timeout,
}, async () => {
  await using place = await newPlace();
  const host = new Host();
  const everything = STRANGERS.find(({ alias }) => alias === "everything")!;
  const registry = patientRegistry({ everything: () => host.open(programOf(everything, place)) });
  try {
    await registry.attachAll();
    const name = "everything.trigger-long-running-operation";
    const heard: unknown[] = [];
    const done = await registry.call(name, { duration: 0.3, steps: 3 }, {
      onProgress: ({ progress, total }) => heard.push([progress, total]),
    });
    assert.equal(done.isError, false);
    assert.deepEqual(heard, [[1, 3], [2, 3], [3, 3]]);
    const leave = new AbortController();
    const given = registry.call(name, { duration: 600, steps: 6000 }, {
      signal: leave.signal,
      onProgress: () => leave.abort(new Error("seen enough")),
    });
    await assert.rejects(given, /seen enough/);
    const sum = await registry.call("everything.get-sum", { a: 2, b: 3 });
    assert.match(textOf(sum), everything.good.says);
  } finally {
    const pids = host.processes();
    await registry[Symbol.asyncDispose]();
    // It still has ten minutes of work, and leaves all the same.
    await gone(pids);
  }
  const lines = host.crossed.flatMap(({ sent }) => sent);
  assert(lines.some((line) => line.includes("notifications/cancelled")));
  assert.deepEqual(host.crossed.flatMap((it) => ownProblems(it, "legacy")), []);
  assert.deepEqual(await officialProblems(lines, place), []);
});

Deno.test("docs/strangers.md says what happened", { timeout }, async () => {
  const made = render(await Promise.all(STRANGERS.map(visit)));
  const path = ROOT + "docs/strangers.md";
  if (UPDATE) return await Deno.writeTextFile(path, made);
  const kept = await Deno.readTextFile(path).catch(() => "");
  assert.equal(stable(kept), stable(made), "UPDATE_DOCS=1 deno task test:strangers writes it anew");
});
