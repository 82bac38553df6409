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
  /** Nearly always the only one: a list for each wait would be felt. */
  #listener: (() => void) | undefined;
  #others: (() => void)[] | undefined;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    const listeners = [this.#listener, ...this.#others ?? []];
    this.#listener = this.#others = undefined;
    for (const listener of listeners) listener?.();
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener) (this.#others ??= []).push(listener);
    else this.#listener = listener;
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    if (this.#listener === listener) this.#listener = this.#others?.shift();
    else this.#others = this.#others?.filter((it) => it !== listener);
  }
}
