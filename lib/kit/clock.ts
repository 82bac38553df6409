/** Time, as a thing we are handed rather than a thing we look up. @module */

/** Everything the program knows about time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Runs `work` and gives it at most `ms` of `clock` time. When time is up its signal is aborted with
 * `late()` and the promise rejects with that error, whether or not `work` heeds the signal.
 * An abort of `signal` is passed on the same way, with its own reason.
 */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => Error,
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
  clock.sleep(ms, timer.signal).then(() => giveUp(late()), () => {});
  given.promise.catch(() => {}); // Settled after `work` won the race: nobody is listening any more.
  try {
    return await Promise.race([work(worker.signal), given.promise]);
  } finally {
    signal?.removeEventListener("abort", leave);
    timer.abort();
  }
}
