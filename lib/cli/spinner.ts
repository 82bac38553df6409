/** What is waited for, on the last line of a terminal: one line, however narrow it is. @module */
import type { Clock } from "../kit/clock.ts";
import { printableLine } from "../kit/printable.ts";
import type { Sink } from "./world.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 90;
/** A wait that is longer is told with its seconds. */
const LONG_MS = 3_000;
/** Wipes the line. */
export const WIPE = "\r\x1b[K";

export class Spinner {
  readonly #clock: Clock;
  readonly #sink: Sink;
  #text: (() => string) | undefined;
  #since = 0;
  #frame = 0;
  /** Stops the clock. */
  #cancel: (() => void) | undefined;
  #isShown = false;

  constructor(clock: Clock, sink: Sink) {
    this.#clock = clock;
    this.#sink = sink;
  }

  /** Turns from now on, until {@linkcode end}. The text may be a stranger's, and may change. */
  begin(text: () => string): void {
    this.end();
    this.#text = text;
    this.#since = this.#clock.elapsed();
    this.#frame = 0;
    this.resume();
  }

  end(): void {
    this.pause();
    this.#text = undefined;
  }

  /** Off the line, for something else is written there. */
  pause(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isShown) this.#sink.write(WIPE);
    this.#isShown = false;
  }

  /** What was paused goes on below what was written. */
  resume(): void {
    const text = this.#text;
    if (!text || this.#cancel) return;
    this.#cancel = this.#clock.after(FRAME_MS, () => {
      this.#cancel = undefined;
      this.#isShown = true;
      this.#sink.write(this.#line(text()));
      this.resume();
    });
  }

  /** A line that is too long is cut by the terminal: one that wraps could not be wiped. */
  #line(text: string): string {
    const ms = this.#clock.elapsed() - this.#since;
    const long = ms < LONG_MS ? "" : ` (${Math.floor(ms / 1_000)} s)`;
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    return `\r\x1b[?7l${frame} ${printableLine(text, 60)}${long}\x1b[K\x1b[?7h`;
  }
}
