import assert from "node:assert/strict";
import { alarms } from "../../lib/kit/alarms.ts";
import { FakeClock } from "../support/clock.ts";

function fake(): { clock: FakeClock; after: ReturnType<typeof alarms> } {
  const clock = new FakeClock(3);
  return { clock, after: alarms((ms, wake) => clock.after(ms, wake), () => clock.now()) };
}

Deno.test("alarms() ring once, never early and at most a slice late", async () => {
  const { clock, after } = fake();
  const rung: number[] = [];
  for (const ms of [0, 1, 7, 8, 25, 100]) after(ms, () => rung.push(ms));
  await clock.tick(7);
  assert.deepEqual(rung, [0, 1, 7]);
  await clock.tick(10);
  assert.deepEqual(rung, [0, 1, 7, 8]);
  await clock.tick(200);
  assert.deepEqual(rung, [0, 1, 7, 8, 25, 100]);
});

Deno.test("alarms() share a timer, and stop it with the last of them", async () => {
  const { clock, after } = fake();
  let rung = 0;
  const wake = () => rung++;
  const stops = Array.from({ length: 1_000 }, () => after(50, wake));
  assert.equal(clock.sleepers, 1);
  for (const stop of stops.slice(1)) stop();
  assert.equal(clock.sleepers, 1);
  stops[0]!();
  stops[0]!();
  assert.equal(clock.sleepers, 0);
  await clock.tick(100);
  assert.equal(rung, 0);
});

Deno.test("alarms() that were stopped too late, or twice, stop no other", async () => {
  const { clock, after } = fake();
  let rung = 0;
  const stop = after(10, () => rung++);
  await clock.tick(20);
  const second = after(-10, () => rung++);
  stop();
  await clock.tick(20);
  assert.equal(rung, 2);
  second();
});

Deno.test("alarms() for a moment whose timer was stopped, or has rung, get another one", async () => {
  const { clock, after } = fake();
  let rung = 0;
  after(50, () => rung++)();
  after(50, () => rung++);
  await clock.tick(57);
  assert.deepEqual([clock.now(), rung], [60, 1]);
  after(10, () => rung++);
  await clock.tick(10);
  after(0, () => rung++); // In the very moment that has rung.
  await clock.tick(0);
  assert.equal(rung, 3);
});

Deno.test("alarms() set by an alarm ring in their turn", async () => {
  const { clock, after } = fake();
  const rung: string[] = [];
  after(10, () => {
    rung.push("first");
    after(10, () => rung.push("second"));
  });
  await clock.tick(60);
  assert.deepEqual(rung, ["first", "second"]);
});
