/** When to leave a server alone: a circuit breaker as plain data, and pure functions over it and a clock. @module */
import type { ReasonCode } from "../protocol/errors.ts";

export interface FusePolicy {
  /** Failures in a row, with no answer between them, that open it. */
  failures: number;
  /** Exits of the process within `windowMs` that open it, whatever it answered between them. */
  exits: number;
  windowMs: number;
  /** How long it stays open the first time; doubled by each trial that fails, up to `capMs`. */
  backoffMs: number;
  capMs: number;
  /** How long a server on probation has to go without a failure. */
  stableMs: number;
}

export const FUSE_POLICY: FusePolicy = {
  failures: 3,
  exits: 5,
  windowMs: 60_000,
  backoffMs: 5_000,
  capMs: 300_000,
  stableMs: 30_000,
};

/** Times are milliseconds since the epoch. */
export type Fuse =
  & {
    /** When the process went by itself, of late. */
    exits: readonly number[];
    /** When the server answered anything last. */
    answeredAt: number;
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
};

/** How something that was let through ended. */
export type Ended =
  /** The server answered, whatever it said. */
  | { kind: "answered" }
  /** Hands were shaken and tools listed: that ends a trial, and proves nothing else. */
  | { kind: "attached" }
  /** Nobody answered what began at `beganAt`. */
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

/** The same, where a person or the model asks once more: open is no reason then, a trial under way is. */
export function insist(fuse: Fuse, now: number): Fuse | undefined {
  return admit(fuse.state === "open" ? { ...fuse, trialAt: now } : fuse, now);
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
      const answered = { exits, answeredAt: now };
      if (settled.state === "closed") return { ...answered, state: "closed", failures: 0 };
      return settled.state === "half_open"
        ? { ...answered, state: "probation", since: now, trips: settled.trips }
        : { ...settled, answeredAt: now };
    }
    case "attached":
      return settled.state === "half_open"
        ? {
          exits,
          answeredAt: settled.answeredAt,
          state: "probation",
          since: now,
          trips: settled.trips,
        }
        : settled;
    case "abandoned":
      return settled.state === "half_open" ? { ...settled, state: "open", trialAt: now } : settled;
    case "failed":
      // It answered others meanwhile: what is slow is a tool, not the server.
      if (settled.answeredAt > ended.beganAt) return settled;
      return trip(settled, exits, now, policy, random);
    case "exited": {
      const recent = [...exits.filter((at) => now - at < policy.windowMs), now];
      return trip(settled, recent, now, policy, random);
    }
  }
}

/** A fuse that was on probation for long enough is closed, and all is forgotten but recent exits. */
export function steady(fuse: Fuse, now: number, policy: FusePolicy): Fuse {
  const { exits, answeredAt } = fuse;
  if (fuse.state !== "probation" || now - fuse.since < policy.stableMs) return fuse;
  return {
    state: "closed",
    failures: 0,
    exits: exits.filter((at) => now - at < policy.windowMs),
    answeredAt,
  };
}

function trip(
  fuse: Fuse,
  exits: readonly number[],
  now: number,
  policy: FusePolicy,
  random: number,
): Fuse {
  const { answeredAt } = fuse;
  if (fuse.state === "open") return { ...fuse, exits };
  if (fuse.state === "closed") {
    const failures = fuse.failures + 1;
    if (failures < policy.failures && exits.length < policy.exits) {
      return { state: "closed", failures, exits, answeredAt };
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
