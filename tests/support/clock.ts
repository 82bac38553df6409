/** A clock that moves when told to. @module */
import type { Clock } from "../../lib/kit/clock.ts";

export class FakeClock implements Clock {
  /** What has passed. */
  #now = 0;
  /** What the clock on the wall showed when nothing had. */
  #epoch: number;
  #sleepers = new Set<{ at: number; wake: () => void }>();

  constructor(now = 0) {
    this.#epoch = now;
  }

  now(): number {
    return this.#epoch + this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  /** Somebody sets the clock on the wall: forward, or back by what is below zero. */
  set(ms: number): void {
    this.#epoch += ms;
  }

  after(ms: number, wake: () => void): () => void {
    const sleeper = { at: this.#now + ms, wake };
    this.#sleepers.add(sleeper);
    return () => this.#sleepers.delete(sleeper);
  }

  /** How many are asleep: tests wait for this instead of for time. */
  get sleepers(): number {
    return this.#sleepers.size;
  }

  /** Moves time forward in the order of the alarms and lets what was due run. */
  async tick(ms: number): Promise<void> {
    const end = this.#now + ms;
    while (true) {
      const due = [...this.#sleepers].filter((s) => s.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#sleepers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.wake();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets every promise that can go on without time or IO go on. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}
