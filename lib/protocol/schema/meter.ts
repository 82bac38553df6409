/** How much work a stranger may ask for. @module */

/** Thrown when the work has no reasonable end; the message says what kind of end is missing. */
export class Exhausted extends Error {}

/** A stock of steps. A step is some dozens of nanoseconds. */
export class Meter {
  #left = 2_000_000;

  /** @throws {Exhausted} when the stock is used up. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Exhausted("the check takes too many steps");
  }
}
