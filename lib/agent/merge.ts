/** Several jobs side by side, their events in one stream, in the order they happen. @module */

/** How many events of one series may wait to be taken: a flood keeps its beginning and its newest. */
export const SERIES_MAX = 100;

/** `series` is what an event may be left out of, when many of the same have not been taken yet. */
export type Emit<T> = (event: T, series?: unknown) => void;

/**
 * Starts every job at once and yields what they emit. Ends when all have ended; the first that
 * throws ends it with its error, once the others have ended too: none is left running unheard.
 */
export async function* merge<T>(
  jobs: readonly ((emit: Emit<T>) => Promise<void>)[],
): AsyncGenerator<T, void> {
  let events: T[] = [];
  let wake = Promise.withResolvers<void>();
  let done = false;
  /** Of each series: how many of its events wait, and where the newest stands. */
  const waiting = new Map<unknown, { count: number; last: number }>();
  const emit: Emit<T> = (event, series) => {
    if (series !== undefined) {
      const { count, last } = waiting.get(series) ?? { count: 0, last: 0 };
      if (count === SERIES_MAX) {
        events[last] = event;
        return;
      }
      waiting.set(series, { count: count + 1, last: events.length });
    }
    events.push(event);
    wake.resolve();
  };
  const all = Promise.allSettled(jobs.map((job) => job(emit))).then((ends) => {
    done = true;
    wake.resolve();
    return ends;
  });
  try {
    while (true) {
      await wake.promise;
      wake = Promise.withResolvers();
      const now = events;
      events = [];
      waiting.clear();
      yield* now;
      if (done && events.length === 0) break;
    }
  } finally {
    await all; // Also when the reader of this stream leaves early.
  }
  const failed = (await all).find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}
