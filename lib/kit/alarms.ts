/** Many waits on few timers: thousands of calls in flight would pay for a timer each. @module */

/** Starts a platform timer; what it returns stops it. */
export type StartTimer = (ms: number, wake: () => void) => () => void;

/** Waits that end in the same slice of time share one timer. */
const SLICE_MS = 10;

interface Slice {
  /** By what stops the wait: a key of its own for each, also when the same function waits twice. */
  wakes: Map<() => void, () => void>;
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
    const slice = slices.get(slot) ?? open(slot);
    const stop = () => {
      slice.wakes.delete(stop);
      if (slice.wakes.size > 0 || slices.get(slot) !== slice) return;
      slices.delete(slot);
      slice.stop();
    };
    slice.wakes.set(stop, wake);
    return stop;
  };

  function open(slot: number): Slice {
    const wakes: Slice["wakes"] = new Map();
    const stop = start(slot * SLICE_MS - now(), () => {
      slices.delete(slot);
      for (const wake of wakes.values()) wake();
    });
    const slice = { wakes, stop };
    slices.set(slot, slice);
    return slice;
  }
}
