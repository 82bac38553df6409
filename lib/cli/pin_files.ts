/** Where pins are kept: files that are never written twice, so that no writer can undo another. @module */
import { Secrets } from "../kit/secrets.ts";
import type { TextStore } from "../kit/store.ts";
import type { Pinned } from "../registry/pins.ts";
import { merge, NOTHING, read, write } from "../registry/pins/record.ts";

/** What there was of one server when it was read. */
export interface Reading {
  pinned: Pinned;
  /** The files that hold it, several where several programs wrote at once. */
  names: readonly string[];
  /** Why none of it can be believed, to follow "its pins can't be read: ". */
  why?: string;
}

const PREFIX = "pins.";
/** Somebody who writes all the time may take away what we are about to read; not for so long. */
const MOST_READS = 20;

export class PinFiles {
  readonly #store: TextStore;

  constructor(store: TextStore) {
    this.#store = store;
  }

  /** All that is known under this key (`pinKey`). Never throws: what can't be read says why. */
  async read(key: string): Promise<Reading> {
    try {
      for (let left = MOST_READS; left > 0; left--) {
        const names = (await this.#store.list()).filter((name) => isOf(name, key)).sort();
        const texts = await Promise.all(names.map((name) => this.#store.read(name)));
        if (texts.every((text) => text !== undefined)) return together(names, texts);
      }
      return { pinned: NOTHING, names: [], why: "they change all the time" };
    } catch (error) {
      return {
        pinned: NOTHING,
        names: [],
        why: error instanceof Error ? error.message : `${error}`,
      };
    }
  }

  /**
   * Puts `pinned` in the place of what was read. What others have written since stays beside it, and
   * the next reader finds both. Nothing that is shown of it later holds a secret.
   * @throws what the store throws
   */
  async write(
    key: string,
    { names }: Reading,
    pinned: Pinned,
    secrets = new Secrets(),
  ): Promise<void> {
    const name = `${PREFIX}${key}.${crypto.randomUUID()}.json`;
    await this.#store.write(name, write(pinned, secrets), { isPrivate: true });
    await Promise.all(names.map((old) => this.#store.remove(old)));
  }

  /** Drops what is known under this key, or of all servers. @throws what the store throws */
  async forget(key?: string): Promise<void> {
    const names = (await this.#store.list()).filter((name) =>
      key === undefined ? name.startsWith(PREFIX) : isOf(name, key)
    );
    await Promise.all(names.map((name) => this.#store.remove(name)));
  }
}

function isOf(name: string, key: string): boolean {
  return name.startsWith(`${PREFIX}${key}.`) && name.endsWith(".json");
}

function together(names: readonly string[], texts: readonly string[]): Reading {
  let pinned: Pinned | undefined;
  for (const text of texts) {
    const each = read(text);
    if ("why" in each) return { pinned: NOTHING, names, why: each.why };
    pinned = pinned ? merge(pinned, each) : each;
  }
  return { pinned: pinned ?? NOTHING, names };
}
