/** The fuse as data: what opens it, what lets one through, what closes it, and what it never counts. */
import assert from "node:assert/strict";
import { DEFAULT_FUSE, type FusePolicy } from "../../lib/config/config.ts";
import {
  admit,
  backoff,
  CLOSED,
  type Ended,
  type Fuse,
  isPassing,
  settle,
  steady,
} from "../../lib/registry/fuse.ts";

const POLICY: FusePolicy = {
  failures: 3,
  exits: 5,
  windowMs: 60_000,
  backoffMs: 1_000,
  capMs: 8_000,
  stableMs: 10_000,
};
/** Windows are long over by then: what is compared has to be a difference. */
const DAY = 86_400_000;
/** No jitter. */
const MIDDLE = 0.5;

/** One fuse through a story of `[time, what ended]`. */
function after(story: readonly (readonly [number, Ended])[], fuse: Fuse = CLOSED): Fuse {
  return story.reduce((it, [at, ended]) => settle(it, ended, at, POLICY, MIDDLE), fuse);
}

const failed = (beganAt: number): Ended => ({ kind: "failed", beganAt });
const exited: Ended = { kind: "exited" };
const answered: Ended = { kind: "answered" };
const attached: Ended = { kind: "attached" };

function open(): Fuse & { state: "open" } {
  const fuse = after([[1, failed(0)], [2, failed(1)], [3, failed(2)]]);
  assert.equal(fuse.state, "open");
  return fuse as Fuse & { state: "open" };
}

/** A trial that began at `now`. */
function trial(fuse: Fuse, now: number): Fuse {
  const admitted = admit(fuse, now);
  assert.equal(admitted?.state, "half_open");
  return admitted!;
}

Deno.test("settle() opens after so many failures in a row, and says when the trial is due", () => {
  const two = after([[1, failed(0)], [2, failed(1)]]);
  assert.deepEqual([two.state, two.state === "closed" && two.failures], ["closed", 2]);
  const { since, trialAt, trips } = open();
  assert.deepEqual({ since, trialAt, trips }, { since: 3, trialAt: 1_003, trips: 1 });
});

Deno.test("settle() begins to count anew after an answer, and not after a handshake", () => {
  const seen = (between: Ended) =>
    after([[1, failed(0)], [2, failed(1)], [3, between], [4, failed(4)]]).state;
  assert.equal(seen(answered), "closed");
  assert.equal(seen(attached), "open");
});

Deno.test("settle() does not count a call that went silent while others were answered", () => {
  // Three calls of a slow tool, sent at 0, 1 and 2; another tool answered at 50.
  const fuse = after([[50, answered], [60, failed(0)], [61, failed(1)], [62, failed(2)]]);
  assert.deepEqual([fuse.state, fuse.state === "closed" && fuse.failures], ["closed", 0]);
});

Deno.test("settle() opens after so many exits in a window, whatever was answered between them", () => {
  const story = (every: number): Fuse =>
    after(
      [1, 2, 3, 4, 5].flatMap((n) =>
        [[DAY + n * every - 1, answered], [DAY + n * every, exited]] as [number, Ended][]
      ),
    );
  assert.equal(story(1_000).state, "open");
  assert.equal(story(20_000).state, "closed");
});

Deno.test("admit() lets nobody through an open fuse, until the trial is due", () => {
  const fuse = open();
  assert.equal(admit(fuse, fuse.trialAt - 1), undefined);
  assert.equal(admit(fuse, fuse.trialAt)?.state, "half_open");
});

Deno.test("admit() lets one trial through, and only one", () => {
  const fuse = open();
  const tried = trial(fuse, fuse.trialAt);
  assert.equal(admit(tried, fuse.trialAt), undefined);
  assert.equal(admit(tried, fuse.trialAt + 1_000_000), undefined);
});

Deno.test("settle() makes a trial due again that was abandoned", () => {
  const fuse = open();
  const left = settle(
    trial(fuse, 5_000),
    { kind: "abandoned" },
    6_000,
    POLICY,
    MIDDLE,
  );
  assert.equal(left.state === "open" && left.trialAt, 6_000);
  assert.equal(left.state === "open" && left.since, fuse.since);
  assert.equal(admit(left, 6_000)?.state, "half_open");
});

Deno.test("settle() doubles the back-off from trial to trial up to the cap, and never gives up", () => {
  let fuse: Fuse = open();
  const waits: number[] = [];
  let now = 3;
  for (let n = 0; n < 8; n++) {
    assert(fuse.state === "open");
    waits.push(fuse.trialAt - now);
    now = fuse.trialAt;
    fuse = settle(trial(fuse, now), failed(now), now, POLICY, MIDDLE);
  }
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000]);
});

Deno.test("settle() puts a trial that went well on probation, where one failure opens it again, for longer", () => {
  for (const [good, bad] of [[attached, exited], [answered, failed(2_500)]] as const) {
    const well = settle(trial(open(), 2_000), good, 2_100, POLICY, MIDDLE);
    assert.equal(well.state, "probation");
    assert.equal(admit(well, 2_200), well);
    const again = settle(well, bad, 3_000, POLICY, MIDDLE);
    assert.equal(again.state === "open" && again.trialAt, 5_000);
  }
});

Deno.test("settle() closes after a stable period, and the back-off begins anew", () => {
  const well = settle(trial(open(), 2_000), attached, 2_100, POLICY, MIDDLE);
  assert.equal(steady(well, 12_099, POLICY).state, "probation");
  for (
    const closed of [
      steady(well, 12_100, POLICY),
      settle(well, { kind: "stable" }, 12_099, POLICY, MIDDLE), // The alarm may come a moment early.
    ]
  ) {
    assert.equal(closed.state, "closed");
    const reopened = after([
      [20_000, failed(20_000)],
      [20_001, failed(20_001)],
      [20_002, failed(20_002)],
    ], closed);
    assert.equal(reopened.state === "open" && reopened.trialAt, 21_002);
  }
});

Deno.test("settle() remembers the exits of a window also where the fuse was closed between them", () => {
  const crashed = after([1, 2, 3, 4, 5].map((n) => [DAY + n, exited] as const));
  assert(crashed.state === "open");
  const well = settle(trial(crashed, crashed.trialAt), attached, DAY + 2_000, POLICY, MIDDLE);
  const closed = settle(well, { kind: "stable" }, DAY + 12_000, POLICY, MIDDLE);
  assert.equal(closed.state, "closed");
  assert.equal(after([[DAY + 60_000, exited]], closed).state, "open");
  assert.equal(after([[DAY + 60_005, exited]], closed).state, "closed");
});

Deno.test("settle() forgets failures of one that was there for a stable period", () => {
  const two = after([[1, failed(0)], [2, failed(1)], [3, attached], [20_000, { kind: "stable" }]]);
  assert.equal(two.state === "closed" && two.failures, 0);
});

Deno.test("settle() counts nothing against a fuse that is open already", () => {
  const fuse = open();
  const more = after([[10, failed(9)], [11, failed(10)], [12, { kind: "stable" }]], fuse);
  assert.equal(more.state === "open" && more.trialAt, fuse.trialAt);
});

Deno.test("backoff() is spread by a fifth to both sides", () => {
  assert.equal(backoff(0, DEFAULT_FUSE, 0), 4_000);
  assert.equal(backoff(0, DEFAULT_FUSE, 1), 6_000);
  assert.equal(backoff(60, DEFAULT_FUSE, 0.5), DEFAULT_FUSE.capMs);
});

Deno.test("isPassing() tells what waiting mends from what somebody has to", () => {
  for (const code of ["exited", "handshake_timeout", "http_5xx", "http_429", "dns"] as const) {
    assert(isPassing(code), code);
  }
  for (
    const code of ["spawn_not_found", "spawn_denied", "config", "http_401", "http_403"] as const
  ) assert(!isPassing(code), code);
});
