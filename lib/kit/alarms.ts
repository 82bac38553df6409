/** Many waits on few timers: thousands of calls in flight would pay for a timer each. @module */

/** Starts a platform timer; what it returns stops it. */
export type StartTimer = (ms: number, wake: () => void) => () => void;

/** Waits that end in the same slice of time share one timer. */
const SLICE_MS = 10;

interface Slice {
  wakes: Set<() => void>;
  stop: () => void;
}

/**
 * An `after` like that of a clock, at most a slice late and never early.
 * @param start the platform's timer @param now monotonic milliseconds
 */
export function alarms(start: StartTimer, now: () => number): StartTimer {
  const slices = new Map<number, Slice>();
  return (ms, wake) => {
    const slot = Math.ceil((now() + Math.max(0, ms)) / SLICE_MS);
    // Each wait is a key of its own, also when the same function waits twice.
    const once = () => wake();
    const slice = slices.get(slot) ?? open(slot);
    slice.wakes.add(once);
    return () => {
      slice.wakes.delete(once);
      if (slice.wakes.size > 0 || slices.get(slot) !== slice) return;
      slices.delete(slot);
      slice.stop();
    };
  };

  function open(slot: number): Slice {
    const wakes = new Set<() => void>();
    const stop = start(slot * SLICE_MS - now(), () => {
      slices.delete(slot);
      for (const wake of wakes) wake();
    });
    const slice = { wakes, stop };
    slices.set(slot, slice);
    return slice;
  }
}
