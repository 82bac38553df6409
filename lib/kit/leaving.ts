/** A signal to leave, for waits by the thousand: what an `AbortSignal` says, at a fraction of its weight. @module */

/** What a wait needs of a signal. An `AbortSignal` is one. */
export interface LeaveSignal {
  readonly aborted: boolean;
  // deno-lint-ignore no-explicit-any -- as an `AbortSignal` has it
  readonly reason: any;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** One that can be given, once. */
export class Leaving implements LeaveSignal {
  aborted = false;
  reason: unknown;
  /** Nearly always one. */
  #listeners: (() => void)[] = [];

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners.splice(0)) listener();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at >= 0) this.#listeners.splice(at, 1);
  }
}
