/** Who is using a server: calls under way hold it, and a long rest lets it go. @module */
import type { Clock } from "../kit/clock.ts";

export class Lease {
  readonly #clock: Clock;
  #restMs: number | undefined;
  readonly #onRested: () => void;
  #calls = 0;
  #ended = false;
  #quiet: (() => void)[] = [];
  #stop = () => {};

  /** `onRested` is called after `restMs` without a call; undefined means never. */
  constructor(clock: Clock, restMs: number | undefined, onRested: () => void) {
    this.#clock = clock;
    this.#restMs = restMs;
    this.#onRested = onRested;
  }

  take(): void {
    this.#calls++;
    this.#stop();
  }

  give(): void {
    if (--this.#calls > 0) return;
    for (const quiet of this.#quiet.splice(0)) quiet();
    this.#arm();
  }

  /** From now on it may rest for as long as it likes. */
  keep(): void {
    this.#restMs = undefined;
    this.#stop();
  }

  /** The server is there: begins to wait for a call. */
  rest(): void {
    this.#ended = false;
    this.#arm();
  }

  #arm(): void {
    this.#stop();
    if (this.#ended) return;
    if (this.#restMs === undefined || this.#calls > 0) return;
    this.#stop = this.#clock.after(this.#restMs, this.#onRested);
  }

  /** The server is gone: nothing rests any more. */
  end(): void {
    this.#ended = true;
    this.#stop();
  }

  /** Whether a call is under way. */
  get isHeld(): boolean {
    return this.#calls > 0;
  }

  /** Resolves once no call is under way. */
  async quiet(): Promise<void> {
    while (this.#calls > 0) await new Promise<void>((quiet) => this.#quiet.push(quiet));
  }
}
