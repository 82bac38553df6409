/** How much work a stranger may ask for. @module */

/** Thrown when the work has no reasonable end; the message says what kind of end is missing. */
export class Exhausted extends Error {}

/** A step is some dozens of nanoseconds. */
export const MAX_STEPS = 2_000_000;

/** A stock of steps. */
export class Meter {
  #left = MAX_STEPS;

  /** @throws {Exhausted} when the stock is used up. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Exhausted("the check takes too many steps");
  }
}
