/** When to leave a server alone: a circuit breaker as plain data, and pure functions over it and a clock. @module */
import type { FusePolicy } from "../config/config.ts";
import type { ReasonCode } from "../protocol/errors.ts";

/** Times are milliseconds of a clock that is never set. */
export type Fuse =
  & {
    /** When the process went by itself, of late. */
    exits: readonly number[];
    /** When the server answered anything last. */
    answeredAt: number;
    /** When it failed last. */
    failedAt: number;
  }
  & (
    | { state: "closed"; failures: number }
    /** Nothing gets through until `trialAt`. `trips` counts how often it opened in a row. */
    | { state: "open"; since: number; trialAt: number; trips: number }
    /** One trial is under way; it began at `trialAt`. */
    | { state: "half_open"; since: number; trialAt: number; trips: number }
    /** The trial went well. The next failure opens it again, and `stableMs` without one close it. */
    | { state: "probation"; since: number; trips: number }
  );

export const CLOSED: Fuse = {
  state: "closed",
  failures: 0,
  exits: [],
  answeredAt: -Infinity,
  failedAt: -Infinity,
};

/** How something that was let through ended. */
export type Ended =
  /** The server answered, whatever it said. */
  | { kind: "answered" }
  /** Hands were shaken and tools listed: that ends a trial, and proves nothing else. */
  | { kind: "attached" }
  /** It was there for `stableMs` and did not fail. */
  | { kind: "stable" }
  /** Nobody answered what began at `beganAt`. Those that wait side by side are one failure. */
  | { kind: "failed"; beganAt: number }
  /** The process went by itself; whatever was under way is part of this one failure. */
  | { kind: "exited" }
  /** Whoever wanted it left. It proves nothing, and a trial is due again. */
  | { kind: "abandoned" };

/** The fuse with one more user, or undefined: it may not pass. A fuse that is due lets one trial pass. */
export function admit(fuse: Fuse, now: number): Fuse | undefined {
  switch (fuse.state) {
    case "closed":
    case "probation":
      return fuse;
    case "half_open":
      return undefined;
    case "open":
      return now < fuse.trialAt ? undefined : { ...fuse, state: "half_open", trialAt: now };
  }
}

/** The fuse after something ended at `now`. `random` is 0 ≤ n < 1, for the jitter of the back-off. */
export function settle(
  fuse: Fuse,
  ended: Ended,
  now: number,
  policy: FusePolicy,
  random: number,
): Fuse {
  const settled = steady(fuse, now, policy);
  const { exits } = settled;
  switch (ended.kind) {
    case "answered": {
      // The commonest end of all: within the same millisecond nothing is another.
      if (settled.answeredAt === now && settled.state === "closed" && settled.failures === 0) {
        return settled;
      }
      if (settled.state === "closed") return { ...settled, failures: 0, answeredAt: now };
      const left = settled.state === "half_open" ? probation(settled, now) : settled;
      return { ...left, answeredAt: now };
    }
    case "attached":
      return settled.state === "half_open" ? probation(settled, now) : settled;
    case "stable":
      return settled.state === "probation"
        ? closed(settled, now, policy)
        : settled.state === "closed"
        ? { ...settled, failures: 0 }
        : settled;
    case "abandoned":
      return settled.state === "half_open" ? { ...settled, state: "open", trialAt: now } : settled;
    case "failed":
      // It answered others meanwhile: what is slow is a tool, not the server. And who waited side by
      // side with one that was counted proves nothing more: one at a time they may all be answered.
      if (Math.max(settled.answeredAt, settled.failedAt) > ended.beganAt) return settled;
      return trip(settled, exits, now, policy, random);
    case "exited": {
      const recent = [...exits.filter((at) => now - at < policy.windowMs), now];
      return trip(settled, recent, now, policy, random);
    }
  }
}

/** A fuse that was on probation for long enough is closed, and all is forgotten but recent exits. */
export function steady(fuse: Fuse, now: number, policy: FusePolicy): Fuse {
  return fuse.state === "probation" && now - fuse.since >= policy.stableMs
    ? closed(fuse, now, policy)
    : fuse;
}

function probation(fuse: Fuse & { trips: number }, now: number): Fuse {
  const { exits, answeredAt, failedAt, trips } = fuse;
  return { state: "probation", since: now, trips, exits, answeredAt, failedAt };
}

function closed(fuse: Fuse, now: number, { windowMs }: FusePolicy): Fuse {
  const { answeredAt, failedAt } = fuse;
  const exits = fuse.exits.filter((at) => now - at < windowMs);
  return { state: "closed", failures: 0, exits, answeredAt, failedAt };
}

function trip(
  fuse: Fuse,
  exits: readonly number[],
  now: number,
  policy: FusePolicy,
  random: number,
): Fuse {
  const { answeredAt } = fuse;
  const failedAt = now;
  if (fuse.state === "open") return { ...fuse, exits, failedAt };
  if (fuse.state === "closed") {
    const failures = fuse.failures + 1;
    if (failures < policy.failures && exits.length < policy.exits) {
      return { state: "closed", failures, exits, answeredAt, failedAt };
    }
  }
  const trips = fuse.state === "closed" ? 0 : fuse.trips;
  return {
    state: "open",
    since: fuse.state === "half_open" ? fuse.since : now,
    trialAt: now + backoff(trips, policy, random),
    trips: trips + 1,
    exits,
    answeredAt,
    failedAt,
  };
}

/** Doubles from one trial to the next, up to the cap; a fifth more or less, so that many don't come at once. */
export function backoff(trips: number, policy: FusePolicy, random: number): number {
  const whole = Math.min(policy.backoffMs * 2 ** trips, policy.capMs);
  return Math.round(whole * (0.8 + 0.4 * random));
}

/** What passes by itself. The rest stays as it is until somebody changes something, or asks once more. */
const STANDING: readonly ReasonCode[] = [
  "spawn_not_found",
  "spawn_denied",
  "config",
  "disabled",
  "http_401",
  "http_403",
];

export function isPassing(code: ReasonCode): boolean {
  return !STANDING.includes(code);
}
