/** Who watches a run live: what is news goes to all at once, and who does not read is let go. @module */
import type { Clock } from "../kit/clock.ts";

export interface HubOptions {
  clock: Clock;
  /** What a new watcher begins with, as JSON on one line. */
  snapshot(): string;
  /** What all are left with at the end, as JSON on one line. */
  last(): string;
  /** What is another since it was asked last, as JSON on one line; undefined when nothing is. */
  news(): string | undefined;
}

/** News are told this long after the first of them, */
const GATHER_MS = 100;
/** and no sooner after the last: a flood of calls is a few events a second. */
const APART_MS = 300;
/** What changed without a word is found this often, while somebody watches. */
const PULSE_MS = 1_000;
/** After so many in which nothing was said, a line that says nothing: both sides notice who is gone. */
const ALIVE_PULSES = 15;
const MOST_WATCHERS = 64;
/** What may wait for a watcher who does not read: more than any snapshot of a sane configuration. */
const QUEUE_BYTES = 1024 * 1024;

const encoder = new TextEncoder();

export class Hub {
  readonly #options: HubOptions;
  readonly #watchers = new Set<ReadableStreamDefaultController<Uint8Array>>();
  #gathering = false;
  #stopGathering = () => {};
  #stopPulse = () => {};
  #quietPulses = 0;
  #toldAt = -Infinity;
  #ended = false;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get watching(): number {
    return this.#watchers.size;
  }

  /** A stream of events for one more watcher; undefined when there are too many, or all is over. */
  watch(): ReadableStream<Uint8Array> | undefined {
    if (this.#ended || this.#watchers.size >= MOST_WATCHERS) return undefined;
    let own: ReadableStreamDefaultController<Uint8Array>;
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        this.#watchers.add(own);
        own.enqueue(event("snapshot", this.#options.snapshot()));
        if (this.#watchers.size === 1) this.#begin();
      },
      cancel: () => this.#forget(own),
    }, new ByteLengthQueuingStrategy({ highWaterMark: QUEUE_BYTES }));
  }

  /** Something happened. It costs nothing while nobody watches. */
  wake(): void {
    if (this.#gathering || this.#watchers.size === 0) return;
    this.#gathering = true;
    const { clock } = this.#options;
    const ms = Math.max(GATHER_MS, this.#toldAt + APART_MS - clock.elapsed());
    this.#stopGathering = clock.after(ms, () => this.#tell());
  }

  /** Tells all how it stands at the end, and that this is the end. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#rest();
    if (this.#watchers.size === 0) return;
    this.#send(event("end", this.#options.last()));
    for (const watcher of this.#watchers) watcher.close();
    this.#watchers.clear();
  }

  #begin(): void {
    this.#options.news(); // From here on: whoever came first has it all in the snapshot.
    this.#quietPulses = 0;
    this.#pulse();
  }

  #pulse(): void {
    this.#stopPulse = this.#options.clock.after(PULSE_MS, () => {
      this.#quietPulses++;
      this.#tell();
      if (this.#quietPulses >= ALIVE_PULSES) this.#send(encoder.encode(": still here\n\n"));
      if (this.#watchers.size > 0) this.#pulse();
    });
  }

  #tell(): void {
    this.#stopGathering();
    this.#gathering = false;
    const news = this.#options.news();
    if (news === undefined) return;
    this.#toldAt = this.#options.clock.elapsed();
    this.#send(event("news", news));
  }

  #send(bytes: Uint8Array): void {
    this.#quietPulses = 0;
    for (const watcher of this.#watchers) {
      // What waits for it is let go with it. It may come again, and begins with a snapshot.
      if (watcher.desiredSize! <= 0) {
        watcher.error(new Error("the watcher does not read"));
        this.#forget(watcher);
      } else watcher.enqueue(bytes);
    }
  }

  #forget(watcher: ReadableStreamDefaultController<Uint8Array>): void {
    this.#watchers.delete(watcher);
    if (this.#watchers.size === 0) this.#rest();
  }

  #rest(): void {
    this.#stopGathering();
    this.#stopPulse();
    this.#gathering = false;
  }
}

function event(name: string, json: string): Uint8Array {
  return encoder.encode(`event: ${name}\ndata: ${json}\n\n`);
}
