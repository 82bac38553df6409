/** Reading a list anew: whoever takes a turn waits for it a little, and for one that is slow no longer. @module */
import { abortable } from "../kit/abort.ts";
import { type Clock, unlessSilent } from "../kit/clock.ts";
import { FrozenPins } from "./failures.ts";

/** A server that answers by then is not waited for in vain. */
export const RELIST_MS = 2_000;

export class Relisting {
  readonly #clock: Clock;
  #reading: { done: Promise<true>; isLate: boolean } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether a list is on its way. */
  get isUnderWay(): boolean {
    return this.#reading !== undefined;
  }

  /** Begins; what `read` throws is thrown by {@linkcode wait}, to those who still wait. */
  begin(read: () => Promise<void>): void {
    const done = read().then(() => true as const).finally(() => this.#reading = undefined);
    this.#reading = { done, isLate: false };
    done.catch((error) => {
      // Who froze the pins is told of a breach in another way.
      if (!(error instanceof FrozenPins)) throw error;
    });
  }

  /** Waits for what is under way; once that was too long, nobody does. @throws the signal's reason */
  async wait(signal?: AbortSignal): Promise<void> {
    const reading = this.#reading;
    if (!reading || reading.isLate) return;
    const inTime = unlessSilent(this.#clock, RELIST_MS, reading.done);
    if (!await abortable(inTime, signal)) reading.isLate = true;
  }
}
