/** How many calls are under way at once, of each server and of all; a slow server keeps no other waiting. @module */

interface Waiter {
  alias: string;
  most: number;
  enter(): void;
}

export class Gate {
  readonly #overall: number;
  readonly #inside = new Map<string, number>();
  #total = 0;
  #queue: Waiter[] = [];

  /** At most `overall` in all; but a server of which none is inside never waits for another's. */
  constructor(overall: number) {
    this.#overall = overall;
  }

  /**
   * Waits until fewer than `most` of this server are inside, or undefined where nobody has to wait.
   * Whoever is in leaves by {@linkcode leave}.
   * @throws the signal's reason
   */
  enter(alias: string, most: number, signal?: AbortSignal): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (!this.#hasRoom(alias, most)) return this.#wait(alias, most, signal);
    this.#take(alias);
  }

  /** One of this server is out. To be called once by each that is in. */
  leave(alias: string): void {
    const inside = this.#inside.get(alias)! - 1;
    if (inside > 0) this.#inside.set(alias, inside);
    else this.#inside.delete(alias);
    this.#total--;
    // One left, so one may enter: the first in line for whom there is room.
    const at = this.#queue.findIndex((it) => this.#hasRoom(it.alias, it.most));
    if (at < 0) return;
    const [next] = this.#queue.splice(at, 1);
    this.#take(next!.alias);
    next!.enter();
  }

  /** How many wait, for tests and pages. */
  get waiting(): number {
    return this.#queue.length;
  }

  #hasRoom(alias: string, most: number): boolean {
    const inside = this.#inside.get(alias) ?? 0;
    return inside < most && (inside === 0 || this.#total < this.#overall);
  }

  #take(alias: string): void {
    this.#inside.set(alias, (this.#inside.get(alias) ?? 0) + 1);
    this.#total++;
  }

  #wait(alias: string, most: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        alias,
        most,
        enter() {
          signal?.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#queue = this.#queue.filter((it) => it !== waiter);
        reject(signal!.reason);
      };
      this.#queue.push(waiter);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
