import assert from "node:assert/strict";
import { Lease } from "../../lib/registry/lease.ts";
import { FakeClock, settle } from "../support/clock.ts";

function lease(restMs: number | undefined) {
  const clock = new FakeClock();
  const rested: number[] = [];
  return { clock, rested, lease: new Lease(clock, restMs, () => rested.push(clock.now())) };
}

Deno.test("rest() lets go once, after the whole rest", async () => {
  const { clock, rested, lease: it } = lease(60_000);
  it.rest();
  await clock.tick(59_999);
  assert.deepEqual(rested, []);
  await clock.tick(1);
  assert.deepEqual(rested, [60_000]);
  await clock.tick(600_000);
  assert.deepEqual(rested, [60_000]);
});

Deno.test("take() ends a rest, and it begins anew when the last call has ended", async () => {
  const { clock, rested, lease: it } = lease(60_000);
  it.rest();
  await clock.tick(50_000);
  it.take();
  it.take();
  await clock.tick(600_000);
  it.give();
  await clock.tick(600_000);
  assert.deepEqual(rested, [], "one call is still under way");
  it.give();
  await clock.tick(59_999);
  assert.deepEqual(rested, []);
  await clock.tick(1);
  assert.equal(rested.length, 1);
});

Deno.test("rest() during a call does not rest", async () => {
  const { clock, rested, lease: it } = lease(1_000);
  it.take();
  it.rest();
  await clock.tick(10_000);
  assert.deepEqual([rested.length, clock.sleepers], [0, 0]);
});

Deno.test("without a time to rest nothing ever lets go", async () => {
  const { clock, rested, lease: it } = lease(undefined);
  it.rest();
  it.take();
  it.give();
  await clock.tick(1e9);
  assert.deepEqual([rested.length, clock.sleepers], [0, 0]);
});

Deno.test("quiet() waits for all calls, also for one that begins meanwhile", async () => {
  const { lease: it } = lease(undefined);
  await it.quiet(); // Nothing is under way.
  it.take();
  it.take();
  let isQuiet = false;
  const waiting = it.quiet().then(() => isQuiet = true);
  it.give();
  await settle();
  assert.equal(isQuiet, false);
  it.give();
  it.take(); // Before anybody was told.
  await settle();
  assert.equal(isQuiet, false);
  it.give();
  await waiting;
});

Deno.test("end() stops a rest, and a call that ends after it begins none", async () => {
  const { clock, rested, lease: it } = lease(1_000);
  it.rest();
  it.end();
  assert.equal(clock.sleepers, 0);
  it.take();
  it.end(); // The server died under the call.
  it.give();
  assert.equal(clock.sleepers, 0, "nobody is there to rest");
  await clock.tick(10_000);
  assert.deepEqual(rested, []);
  it.rest(); // It was attached again.
  await clock.tick(1_000);
  assert.equal(rested.length, 1);
});

Deno.test("keep() ends a rest that has begun, and no later one begins", async () => {
  const { clock, rested, lease: it } = lease(1_000);
  it.rest();
  await clock.tick(999);
  it.keep();
  it.take();
  it.give();
  it.rest();
  await clock.tick(1e9);
  assert.deepEqual(rested, []);
});
