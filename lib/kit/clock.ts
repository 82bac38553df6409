/** Time, as a thing we are handed rather than a thing we look up. @module */

/** Everything the program knows about time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
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
export async function patiently<T>(
  clock: Clock,
  patience: Patience,
  work: (signal: AbortSignal, alive: () => void) => Promise<T>,
  late: (limit: "idle" | "cap") => Error,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  const worker = new AbortController();
  const timer = new AbortController();
  const given = Promise.withResolvers<never>();
  const giveUp = (reason: unknown) => {
    worker.abort(reason);
    given.reject(reason);
  };
  const leave = () => giveUp(signal!.reason);
  signal?.addEventListener("abort", leave, { once: true });
  given.promise.catch(() => {}); // Settled after `work` won the race: nobody is listening any more.
  const started = clock.now();
  let heard = started;
  watch().catch(() => {}); // The watch rejects when we end it; that is not news.
  try {
    return await Promise.race([
      work(worker.signal, () => {
        heard = clock.now();
      }),
      given.promise,
    ]);
  } finally {
    signal?.removeEventListener("abort", leave);
    timer.abort();
  }

  async function watch(): Promise<void> {
    const end = started + patience.capMs;
    while (true) {
      const silent = heard + patience.idleMs;
      await clock.sleep(Math.min(silent, end) - clock.now(), timer.signal);
      if (clock.now() >= end) return giveUp(late("cap"));
      if (clock.now() >= heard + patience.idleMs) return giveUp(late("idle"));
    }
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
  return patiently(clock, { idleMs: Infinity, capMs: ms }, work, late, signal);
}
