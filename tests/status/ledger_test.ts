/** What a long watch keeps, and that nothing odd that it is told makes it wrong. */
import assert from "node:assert/strict";
import type { FuseStatus } from "../../lib/registry/status.ts";
import { Ledger } from "../../lib/status/ledger.ts";
import { FakeClock } from "../support/clock.ts";
import { reason, server, Stage } from "../support/status_stage.ts";

const OPEN: FuseStatus = { state: "open", failures: 0, trips: 1 };
const TRIAL: FuseStatus = { state: "half_open", failures: 0, trips: 1 };

Deno.test("Ledger keeps changes, and no attempts: a night of trials that fail drives nothing out", () => {
  const ledger = new Ledger();
  const lost = { state: "offline", reason: reason("exited", "gone") } as const;
  ledger.changed(server("healthy"), 1);
  ledger.changed(server("broken", { ...lost, fuse: OPEN }), 2);
  for (let n = 3; n < 1_000; n += 2) {
    ledger.changed(server("broken", { ...lost, state: "attaching", fuse: TRIAL }), n);
    ledger.changed(server("broken", { ...lost, fuse: OPEN }), n + 1);
  }
  ledger.changed(server("broken", { state: "attaching", fuse: TRIAL }), 1_001);
  ledger.changed(server("broken"), 1_002);
  ledger.changed(server("broken", { ...lost, reason: reason("garbled", "odd") }), 1_003);
  assert.deepEqual(ledger.changes().map(({ alias, state, at }) => `${alias} ${state} ${at}`), [
    "healthy online 1",
    "broken offline 2",
    "broken online 1002",
    "broken offline 1003",
  ]);
});

Deno.test("stateSince() knows since when, however long ago and whatever happened to others", () => {
  const ledger = new Ledger();
  ledger.changed(server("quiet"), 1);
  for (let n = 2; n < 400; n++) {
    ledger.changed(server("loud", { state: n % 2 ? "online" : "offline" }), n);
  }
  ledger.changed(server("quiet", { problems: ["said something"] }), 400);
  assert.equal(ledger.stateSince("quiet"), 1);
  assert.equal(ledger.stateSince("loud"), 399);
  assert.equal(ledger.stateSince("constructor"), undefined);
});

Deno.test("spent() counts whole numbers, whatever a model API says", () => {
  const ledger = new Ledger();
  ledger.spent({ input: 10, output: 2, cachedInput: 4, cacheWrite: 0 });
  ledger.spent({ input: -9, output: NaN, cachedInput: Infinity, cacheWrite: 0.5 });
  assert.deepEqual(ledger.tokens, { input: 10, output: 2, cachedInput: 4, cacheWrite: 0 });
});

Deno.test("whoever watches hears that it is there, also when the clock was set back by an hour", async () => {
  const clock = new FakeClock(10_000_000);
  const stage = new Stage({ clock });
  await stage.put(server("a"));
  const reader = (await stage.get("/events")).body!.pipeThrough(new TextDecoderStream())
    .getReader();
  await reader.read();
  stage.call("a", "before");
  await clock.tick(100);
  assert.match((await reader.read()).value!, /"before"/);
  clock.set(-3_600_000);
  stage.call("a", "after");
  await clock.tick(300);
  assert.match((await reader.read()).value!, /"after"/);
  await clock.tick(16_000);
  assert.equal((await reader.read()).value, ": still here\n\n");
  await reader.cancel();
  assert.equal(clock.sleepers, 0);
});
