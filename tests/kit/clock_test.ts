import assert from "node:assert/strict";
import { isTime, patiently, unlessSilent, within } from "../../lib/kit/clock.ts";
import type { LeaveSignal } from "../../lib/kit/leaving.ts";
import { FakeClock } from "../support/clock.ts";

const never = (signal: LeaveSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

Deno.test("within() gives what the work gives, and leaves no timer", async () => {
  const clock = new FakeClock();
  assert.equal(await within(clock, 50, () => Promise.resolve(1), () => new Error("late")), 1);
  await clock.tick(0);
  assert.equal(clock.sleepers, 0);
});

Deno.test("within() rejects late work and aborts it, also work that does not listen", async () => {
  for (const deaf of [false, true]) {
    const clock = new FakeClock();
    let aborted = false;
    const late = within(clock, 50, (signal) => {
      signal.addEventListener("abort", () => aborted = true);
      return deaf ? new Promise<never>(() => {}) : never(signal);
    }, () => new Error("late"));
    const ended = assert.rejects(late, /late/);
    await clock.tick(49);
    assert.equal(aborted, false);
    await clock.tick(1);
    await ended;
    assert(aborted);
  }
});

Deno.test("within() passes on the abort of its caller, with the caller's reason", async () => {
  const clock = new FakeClock();
  const leave = new AbortController();
  const reason = new Error("bye");
  const ended = assert.rejects(
    within(clock, 50, never, () => new Error("late"), leave.signal),
    reason,
  );
  leave.abort(reason);
  await ended;
  await assert.rejects(within(clock, 50, never, () => new Error("late"), leave.signal), reason);
});

Deno.test("patiently() leaves no timer behind, nor an ear for its caller, however it ends", async () => {
  const clock = new FakeClock();
  const caller = new AbortController();
  const limits = { idleMs: 10, capMs: 50 };
  const late = () => new Error("late");
  let own: LeaveSignal | undefined;
  const done = patiently(
    clock,
    limits,
    (signal) => (own = signal, Promise.resolve(1)),
    late,
    caller.signal,
  );
  assert.equal(await done, 1);
  const left = assert.rejects(patiently(clock, limits, never, late, caller.signal), /left/);
  caller.abort(new Error("left"));
  await left;
  assert.deepEqual([clock.sleepers, own!.aborted], [0, false]);
});

Deno.test("unlessSilent() gives what the work gives in time, or nothing, and leaves no timer", async () => {
  const clock = new FakeClock();
  assert.equal(await unlessSilent(clock, 10, Promise.resolve(1)), 1);
  await assert.rejects(unlessSilent(clock, 10, Promise.reject(new Error("failed"))), /failed/);
  assert.equal(clock.sleepers, 0);
  const silent = unlessSilent(clock, 10, new Promise(() => {}));
  await clock.tick(10);
  assert.equal(await silent, undefined);
});

Deno.test("isTime() takes what a Date can show", () => {
  for (const time of [0, -1, 8.64e15, -8.64e15]) assert(isTime(time), `${time}`);
  for (const other of [8.64e15 + 1, NaN, Infinity, "0", null, undefined]) {
    assert(!isTime(other), `${other}`);
  }
});

Deno.test("patiently() resets the idle limit with every sign of life, and never the cap", async () => {
  const clock = new FakeClock();
  let alive = () => {};
  const limits: string[] = [];
  const work = patiently(clock, { idleMs: 10, capMs: 35 }, (signal, sign) => {
    alive = sign;
    return never(signal);
  }, (limit) => {
    limits.push(limit);
    return new Error(limit);
  });
  const ended = assert.rejects(work, /cap/);
  for (let n = 0; n < 4; n++) {
    await clock.tick(9);
    if (n < 3) alive();
  }
  await ended;
  assert.deepEqual(limits, ["cap"]);
});

Deno.test("patiently() ends in silence at the idle limit", async () => {
  const clock = new FakeClock();
  const work = patiently(clock, { idleMs: 10, capMs: 1_000 }, never, (limit) => new Error(limit));
  const ended = assert.rejects(work, /idle/);
  await clock.tick(10);
  await ended;
});

Deno.test("patiently() waits as long as it says, whatever becomes of the clock on the wall", async () => {
  for (const setMs of [-3_600_000, 3_600_000]) {
    for (const [idleMs, capMs, limit] of [[10, 50, "idle"], [50, 10, "cap"]] as const) {
      const clock = new FakeClock(1_000_000);
      let late = "";
      const work = patiently(clock, { idleMs, capMs }, never, (limit) => {
        late = limit;
        return new Error(limit);
      });
      const ended = assert.rejects(work);
      clock.set(setMs);
      await clock.tick(9);
      assert.equal(late, "");
      await clock.tick(1);
      await ended;
      assert.equal(late, limit);
    }
  }
});
