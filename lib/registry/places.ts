/** A number of places, and a queue before them. @module */

export class Places {
  #free: number;
  #queue: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a place, first come, first served. What it returns gives the place back, once.
   * @throws the signal's reason
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#queue.shift();
      if (next) next();
      else this.#free++;
    };
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#queue = this.#queue.filter((it) => it !== enter);
        reject(signal!.reason);
      };
      this.#queue.push(enter);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
