/** Time, as a thing we are handed rather than a thing we look up. @module */

import { type LeaveSignal, Leaving } from "./leaving.ts";

/** Everything the program knows about time. */
export interface Clock {
  /** Milliseconds since the epoch, as the clock on the wall has it: for dates. It may be set at any moment. */
  now(): number;
  /** Milliseconds since some moment, and never set: for how long something takes, and when a wait is over. */
  elapsed(): number;
  /** Calls `wake` once after `ms`, unless what it returns is called first. */
  after(ms: number, wake: () => void): () => void;
}

/** The last moment that a `Date` knows, in milliseconds since the epoch. */
const LAST_MS = 8.64e15;

/** Whether a value that was read somewhere is a time that can be shown, in milliseconds since the epoch. */
export function isTime(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= LAST_MS;
}

/** What `work` gives within `ms`, else undefined. The work is not told, and its failure is thrown. */
export async function unlessSilent<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  if (ms === Infinity) return await work; // Deno's first timer costs milliseconds.
  const silence = Promise.withResolvers<undefined>();
  const cancel = clock.after(ms, () => silence.resolve(undefined));
  try {
    return await Promise.race([work, silence.promise]);
  } finally {
    cancel();
  }
}

/** Two limits in milliseconds: a silence that signs of life reset, and an end that nothing resets. */
export interface Patience {
  idleMs: number;
  capMs: number;
}

/**
 * Runs `work` until it settles or a limit of `clock` time has passed. `alive()` resets the idle limit.
 * When a limit passes, the signal that `work` got is aborted with `late(limit)` and the promise
 * rejects with that error, whether or not `work` heeds it. An abort of `signal` is passed on the
 * same way, with its own reason.
 */
export function patiently<T>(
  clock: Clock,
  patience: Patience,
  work: (signal: LeaveSignal, alive: () => void) => Promise<T>,
  late: (limit: "idle" | "cap") => Error,
  signal?: AbortSignal,
): Promise<T> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    new Wait<T>(clock, patience, late, reject, signal).begin(work, resolve);
  });
}

/** One wait, and the signal that its work gets. An object and few closures: thousands may wait at once. */
class Wait<T> extends Leaving {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #began: number;
  readonly #end: number;
  #silent: number;
  readonly #late: (limit: "idle" | "cap") => Error;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  #leave: (() => void) | undefined;
  #cancel: (() => void) | undefined;

  constructor(
    clock: Clock,
    { idleMs, capMs }: Patience,
    late: (limit: "idle" | "cap") => Error,
    reject: (error: unknown) => void,
    signal: AbortSignal | undefined,
  ) {
    super();
    const now = clock.elapsed();
    this.#began = now;
    this.#clock = clock;
    this.#idleMs = idleMs;
    this.#end = now + capMs;
    this.#silent = now + idleMs;
    this.#late = late;
    this.#reject = reject;
    this.#signal = signal;
  }

  begin(
    work: (signal: LeaveSignal, alive: () => void) => Promise<T>,
    resolve: (value: T) => void,
  ): void {
    const signal = this.#signal;
    if (signal) {
      this.#leave = () => this.#giveUp(signal.reason);
      signal.addEventListener("abort", this.#leave, { once: true });
    }
    this.#watch(this.#began);
    const alive = () => {
      this.#silent = this.#clock.elapsed() + this.#idleMs;
    };
    work(this, alive).then(
      (value) => (this.#done(), resolve(value)),
      (error) => (this.#done(), this.#reject(error)),
    );
  }

  #watch(now: number): void {
    if (now >= this.#end) return this.#giveUp(this.#late("cap"));
    if (now >= this.#silent) return this.#giveUp(this.#late("idle"));
    const ms = Math.min(this.#silent, this.#end) - now;
    this.#cancel = this.#clock.after(ms, () => this.#watch(this.#clock.elapsed()));
  }

  #giveUp(reason: unknown): void {
    this.#done();
    this.#reject(reason);
    this.abort(reason);
  }

  #done(): void {
    this.#cancel?.();
    if (this.#leave) this.#signal?.removeEventListener("abort", this.#leave);
  }
}

/** {@linkcode patiently} with one limit, which nothing resets. */
export function within<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
  signal?: AbortSignal,
): Promise<T> {
  const worker = new AbortController();
  const working = (leaving: LeaveSignal) => {
    leaving.addEventListener("abort", () => worker.abort(leaving.reason));
    return work(worker.signal);
  };
  return patiently(clock, { idleMs: Infinity, capMs: ms }, working, late, signal);
}
