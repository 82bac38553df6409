/** Watching servers that nobody calls: each is asked for a sign of life at intervals. @module */
import { abortable } from "../kit/abort.ts";
import type { Clock } from "../kit/clock.ts";
import { isCallFailure } from "../protocol/errors.ts";
import type { Registry } from "../registry/registry.ts";

export interface TendingOptions {
  clock: Clock;
  everyMs: number;
  signal: AbortSignal;
  /** Told how long a server took to answer, or to be given up. */
  onCheck(alias: string, ms: number, answered: boolean): void;
}

/**
 * Attaches each server, and looks after it from then on. What fails is the business of its fuse, which
 * starts it again; what can't be started as it stands is left alone.
 * @throws the signal's reason, and returns never without
 */
export async function tend(registry: Registry, options: TendingOptions): Promise<never> {
  const { signal } = options;
  const aliases = registry.servers().map(({ alias }) => alias);
  registry.keepAll();
  await Promise.all(aliases.map(async (alias) => {
    await lived(registry.attach(alias, signal));
    while (true) {
      await sleep(options.clock, options.everyMs, signal);
      await look(registry, alias, options);
    }
  }));
  return await abortable(new Promise<never>(() => {}), signal); // There is nobody to look after.
}

async function look(registry: Registry, alias: string, options: TendingOptions): Promise<void> {
  const { clock, signal, onCheck } = options;
  const beganAt = clock.elapsed();
  const ms = await lived(
    registry.check(alias, signal),
    () => onCheck(alias, clock.elapsed() - beganAt, false),
  );
  if (ms !== undefined) onCheck(alias, ms, true);
  await lived(registry.refresh(signal));
}

/** Whatever a server did; what else is thrown is a bug, or the user leaving. */
async function lived<T>(work: Promise<T>, onFailure = () => {}): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    onFailure();
  }
}

async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const woken = Promise.withResolvers<void>();
  const cancel = clock.after(ms, woken.resolve);
  try {
    await abortable(woken.promise, signal);
  } finally {
    cancel();
  }
}
