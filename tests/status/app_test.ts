/** What the status endpoint says, and that it says so in the form that it publishes. */
import { Validator } from "@cfworker/json-schema";
import assert from "node:assert/strict";
import { checkValue } from "../../lib/protocol/schema.ts";
import type { StatusReport } from "../../lib/status/report.ts";
import type { ServerStatus } from "../../lib/registry/status.ts";
import { FakeClock } from "../support/clock.ts";
import { reason, server, Stage, tool } from "../support/status_stage.ts";

const START = Date.UTC(2026, 10, 30, 12);

/** A house with something of everything. */
async function full(): Promise<Stage> {
  const clock = new FakeClock(START);
  const stage = new Stage({ clock, denied: ["drop"] });
  await stage.put(
    server("notes", {
      description: "Personal notes",
      required: true,
      dialect: { era: "modern", version: "2026-07-28" },
      server: { name: "notes", version: "1.0.0" },
      pid: 4711,
      source: "live",
      listedAt: START - 4_000,
      attachMs: 40,
      tools: [tool("search", { annotations: { readOnlyHint: true } }), tool("drop")],
      heldBack: [{ tool: "#3", why: "has no name" }, {
        tool: "moved",
        why: "changed",
        changed: true,
      }],
      problems: ["it lists no tools just now"],
    }),
    server("weather", {
      state: "offline",
      fuse: { state: "open", failures: 0, since: START, trialAt: START + 5_000, trips: 1 },
      reason: reason("exited", 'Lost "weather": gone', { since: START, tail: ["out of luck"] }),
    }),
    server("idle", { state: "idle", attaches: 0 }),
  );
  stage.call("notes", "search", 3);
  stage.call("notes", "search", 9, "tool_error");
  stage.call("weather", "forecast", 20_000, "call_timeout");
  stage.ledger.asked("0123456789abcdef");
  stage.ledger.spent({ input: 100, output: 20, cachedInput: 60, cacheWrite: 5 });
  await clock.tick(2_500);
  return stage;
}

async function report(stage: Stage): Promise<StatusReport> {
  return await (await stage.get("/status")).json();
}

Deno.test("/status says of each server and of the run what is to be known", async () => {
  const { run, servers, ready, calls, changes } = await report(await full());
  assert.equal(ready, true);
  assert.deepEqual(run, {
    id: "run-1",
    mode: "full",
    model: "script:test",
    startedAt: "2026-11-30T12:00:00.000Z",
    uptimeMs: 2_500,
    requests: 1,
    tokens: { input: 100, output: 20, cachedInput: 60, cacheWrite: 5 },
    prefix: "0123456789abcdef",
  });
  const [notes, weather] = servers;
  assert.deepEqual(notes!.tools, { listed: 4, offered: 1, denied: 1, heldBack: 1, quarantined: 1 });
  assert.deepEqual(notes!.calls, { total: 2, outcomes: { ok: 1, tool_error: 1 } });
  assert.deepEqual(notes!.latency, { p50: 3, p95: 9, last: [3, 9] });
  assert.equal(notes!.cacheAgeMs, 6_500);
  assert.equal(notes!.pid, 4711);
  assert.equal(weather!.reason, "exited");
  assert.equal(weather!.fuse.trialAt, "2026-11-30T12:00:05.000Z");
  assert.equal(weather!.fuse.opened, 1);
  assert.deepEqual(weather!.latency, { last: [null] }, "nobody answered: there is no latency");
  assert.deepEqual(calls.map(({ outcome }) => outcome), ["ok", "tool_error", "call_timeout"]);
  assert.deepEqual(changes.map(({ alias, state }) => `${alias} ${state}`), [
    "notes online",
    "weather offline",
    "idle idle",
  ]);
});

Deno.test("/status is valid for /status.schema.json, by our checker and by a stranger's", async () => {
  const empty = new Stage({ clock: new FakeClock(START) });
  for (const stage of [await full(), empty]) {
    const schema = await (await stage.get("/status.schema.json")).json();
    const own = await report(stage);
    assert.deepEqual(checkValue(schema, own), { kind: "valid" });
    const { valid, errors } = new Validator(schema, "2020-12").validate(own);
    assert(valid, JSON.stringify(errors));
    // It says something: no key may be missing, and none may be there that it does not name.
    assert.equal(checkValue(schema, { ...own, more: 1 }).kind, "invalid");
    for (const key of Object.keys(own)) {
      const { [key as keyof StatusReport]: _, ...rest } = own;
      assert.equal(checkValue(schema, rest).kind, "invalid", key);
    }
  }
});

Deno.test("/tools shows each tool by its names, with why it is not offered", async () => {
  const { tools, revision, left } = await (await (await full()).get("/tools")).json();
  assert.deepEqual(
    tools.map((it: Record<string, string>) => [it.alias, it.tool, it.name, it.state]),
    [
      ["notes", "#3", undefined, "held_back"],
      ["notes", "drop", "mcp__notes__drop", "denied"],
      ["notes", "moved", "mcp__notes__moved", "quarantined"],
      ["notes", "search", "mcp__notes__search", "offered"],
    ],
  );
  assert.deepEqual(tools[3].hints, ["reads only"]);
  assert.equal(tools[1].why, "it is denied");
  assert.equal(left, 0);
  assert(revision > 0);
});

Deno.test("/health/ready is 503 only without a usable server, or without one that is required", async () => {
  const ready = async (...servers: ServerStatus[]) => {
    const stage = new Stage();
    await stage.put(...servers);
    const answer = await stage.get("/health/ready");
    return [answer.status, (await answer.json()).why];
  };
  const open = { state: "open", failures: 0, since: 0, trialAt: 1, trips: 1 } as const;
  assert.deepEqual(await ready(server("a"), server("b", { state: "offline" })), [200, []]);
  assert.deepEqual(
    await ready(server("a", { state: "idle" })),
    [200, []],
    "it is started when wanted",
  );
  assert.deepEqual(await ready(server("a", { fuse: open })), [503, ["no server is usable"]]);
  assert.deepEqual(await ready(server("a", { state: "attaching" })), [503, [
    "no server is usable",
  ]]);
  assert.deepEqual(
    await ready(server("a"), server("b", { required: true, state: "attaching" })),
    [503, ["b is required and attaching"]],
  );
  assert.deepEqual(await ready(), [503, ["no server is usable"]]);
  assert.equal(
    (await new Stage().get("/health/live")).status,
    200,
    "the process lives all the same",
  );
});

Deno.test("HEAD is answered like GET, without a body, and opens no stream", async () => {
  const stage = await full();
  for (const path of ["/", "/status", "/events", "/metrics", "/health/live"]) {
    const answer = await stage.get(path, {}, "HEAD");
    assert.equal(answer.status, 200, path);
    assert.equal(await answer.text(), "", path);
  }
  assert.match(await (await stage.get("/metrics")).text(), /fusebox_status_watchers 0\n/);
});

Deno.test("secrets of the configuration are in no answer", async () => {
  const secret = "s3cr3t-of-the-house";
  const stage = new Stage({ secrets: [secret], facts: { model: `x/${secret}` } });
  await stage.put(server("a", {
    state: "offline",
    description: `with ${secret}`,
    server: { name: secret },
    reason: reason("exited", `no ${secret}`, { tail: [`${secret} leaked`] }),
    tools: [tool("t", { title: secret, description: `use ${secret}` })],
    heldBack: [{ tool: "h", why: `has ${secret}` }],
    problems: [`said ${secret}`],
  }));
  stage.call("a", secret);
  for (const path of ["/status", "/tools", "/metrics", "/health/ready"]) {
    const text = await (await stage.get(path)).text();
    assert(!text.includes(secret), `${path}: ${text}`);
  }
  const events = await stage.get("/events");
  const reader = events.body!.getReader();
  const first = new TextDecoder().decode((await reader.read()).value);
  assert.match(first, /\[hidden\] leaked/);
  assert(!first.includes(secret));
  await reader.cancel();
});

Deno.test("what a stranger says is bounded, and steers nothing", async () => {
  const stage = new Stage();
  const huge = "\u001b[31m\u202e" + "x".repeat(100_000);
  await stage.put(server("a", {
    server: { name: huge, version: huge },
    reason: reason("exited", huge, { tail: Array(1_000).fill(huge) }),
    tools: Array.from({ length: 20_000 }, (_, n) => tool(`t${n}`, { description: huge })),
    problems: Array(1_000).fill(huge),
  }));
  const status = await (await stage.get("/status")).text();
  assert(status.length < 20_000, `${status.length} characters`);
  const { tools, left } = await (await stage.get("/tools")).json();
  assert.equal(tools.length + left, 20_000);
  assert.equal(tools.length, 10_000);
  assert(tools[0].description.length <= 300);
  // deno-lint-ignore no-control-regex -- finding control characters is the point
  assert.doesNotMatch(status + tools[0].description, /[\u001b\u202e]/);
});

Deno.test("an error in it is an answer of 500, and says nothing of ours", async () => {
  const stage = new Stage();
  await stage.put(server("a", { problems: undefined as never }));
  const answer = await stage.get("/status");
  assert.equal(answer.status, 500);
  assert.deepEqual(await answer.json(), { error: "Cannot show this: a bug in the status page" });
});
