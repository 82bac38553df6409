import assert from "node:assert/strict";
import { watch } from "../../../lib/models/api/watch.ts";
import { FakeClock } from "../../support/clock.ts";

Deno.test("watch() notices silence once, and counts from the last sign of life", async () => {
  const clock = new FakeClock();
  let silences = 0;
  const { alive } = watch(clock, 100, () => silences++);
  await clock.tick(60);
  alive();
  await clock.tick(99);
  assert.equal(silences, 0);
  await clock.tick(1);
  assert.equal(silences, 1);
  await clock.tick(1_000);
  assert.deepEqual([silences, clock.sleepers], [1, 0]);
});

Deno.test("watch() counts nothing while whoever reads is busy", async () => {
  const clock = new FakeClock();
  let silences = 0;
  const { rest, wake, stop } = watch(clock, 100, () => silences++);
  rest();
  await clock.tick(1_050);
  wake();
  await clock.tick(99);
  assert.equal(silences, 0);
  await clock.tick(1);
  assert.equal(silences, 1);
  stop();
  assert.equal(clock.sleepers, 0);
});

Deno.test("watch() leaves no alarm behind when it is stopped", () => {
  const clock = new FakeClock();
  watch(clock, 100, () => {}).stop();
  assert.equal(clock.sleepers, 0);
});
