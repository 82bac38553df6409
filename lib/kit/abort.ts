/** Leaving a wait that others share. @module */

/** The same promise for one caller, who may leave. @throws the signal's reason */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return await promise;
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    signal.throwIfAborted(); // One that was given before tells nobody any more.
    return await Promise.race([promise, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
    promise.catch(() => {}); // The others hear of it; the one who left does not.
  }
}
