/** Notices that an answer has gone silent, and only while somebody waits for it. @module */
import type { Clock } from "../../kit/clock.ts";

export interface Watch {
  /** Something came. */
  alive(): void;
  /** Whoever reads is busy with what came: this is no silence of the other side. */
  rest(): void;
  /** Waiting again. */
  wake(): void;
  stop(): void;
}

/** Calls `silent` once when `ms` of waiting have passed without a sign of life. Starts awake. */
export function watch(clock: Clock, ms: number, silent: () => void): Watch {
  let since = clock.elapsed();
  let isAwake = true;
  // One timer for all of a stream: a sign of life moves a number, not an alarm.
  let cancel = clock.after(ms, look);
  function look() {
    const left = isAwake ? since + ms - clock.elapsed() : ms;
    if (left <= 0) silent();
    else cancel = clock.after(left, look);
  }
  return {
    alive() {
      since = clock.elapsed();
    },
    rest() {
      isAwake = false;
    },
    wake() {
      isAwake = true;
      since = clock.elapsed();
    },
    stop() {
      cancel();
    },
  };
}
