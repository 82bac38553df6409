/** Several jobs side by side, their events in one stream, in the order they happen. @module */

/**
 * Starts every job at once and yields what they emit. Ends when all have ended; the first that
 * throws ends it with its error, once the others have ended too: none is left running unheard.
 */
export async function* merge<T>(
  jobs: readonly ((emit: (event: T) => void) => Promise<void>)[],
): AsyncGenerator<T, void> {
  let events: T[] = [];
  let wake = Promise.withResolvers<void>();
  let done = false;
  const emit = (event: T) => {
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
      yield* now;
      if (done && events.length === 0) break;
    }
  } finally {
    await all; // Also when the reader of this stream leaves early.
  }
  const failed = (await all).find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}
