/** What one server's calls add up to. @module */
import type { CallOutcome } from "../registry/status.ts";

/** Upper bounds in milliseconds, for a histogram; the last bucket has none. */
export const BUCKETS: readonly number[] = [
  1,
  2.5,
  5,
  10,
  25,
  50,
  100,
  250,
  500,
  1_000,
  2_500,
  5_000,
  10_000,
  30_000,
  60_000,
  300_000,
];

/** How many of the last calls quantiles are taken of. */
const KEPT = 256;
/** How many of them a sparkline shows. */
const SHOWN = 40;

/** One point of a sparkline: milliseconds, null for what nobody answered. */
export type Point = number | null;

export interface Latency {
  /** Of the last 256 calls that were answered, in milliseconds. */
  p50?: number;
  p95?: number;
  /** The last 40, oldest first. */
  points: readonly Point[];
}

/** Whether somebody was there, whatever they said. */
export function isAnswer(outcome: CallOutcome): boolean {
  return outcome === "ok" || outcome === "tool_error" || outcome === "refused";
}

export class Account {
  readonly outcomes = new Map<CallOutcome, number>();
  total = 0;
  sumMs = 0;
  /** Calls by bucket; one more than there are bounds. */
  readonly buckets: number[] = new Array(BUCKETS.length + 1).fill(0);
  /** How often its fuse opened. */
  opened = 0;
  readonly #points: Point[] = [];

  add(outcome: CallOutcome, ms: number): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    this.total++;
    this.sumMs += ms;
    const at = BUCKETS.findIndex((bound) => ms <= bound);
    this.buckets[at < 0 ? BUCKETS.length : at]!++;
    this.point(ms, isAnswer(outcome));
  }

  /** A point that is no call of a tool: a check whether the server is there. */
  point(ms: number, answered: boolean): void {
    if (this.#points.length >= 2 * KEPT) this.#points.splice(0, KEPT);
    this.#points.push(answered ? ms : null);
  }

  get latency(): Latency {
    const last = this.#points.slice(-KEPT);
    const answered = last.filter((point) => point !== null).sort((a, b) => a - b);
    const quantile = (share: number) => answered[Math.ceil(share * answered.length) - 1];
    const [p50, p95] = [quantile(0.5), quantile(0.95)];
    return {
      ...(p50 !== undefined && { p50 }),
      ...(p95 !== undefined && { p95 }),
      points: last.slice(-SHOWN),
    };
  }
}
