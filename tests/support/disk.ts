/** A folder of small texts in memory. @module */
import type { TextStore } from "../../lib/kit/store.ts";

/** A disk that forgets with the test, and remembers who may read what. */
export class Disk implements TextStore {
  readonly files = new Map<string, string>();
  readonly privates = new Set<string>();
  /** What each of its ways fails with, where it does. */
  fault: Error | undefined;
  read(name: string): Promise<string | undefined> {
    return this.#or(() => this.files.get(name));
  }
  write(name: string, text: string, { isPrivate }: { isPrivate: boolean }): Promise<void> {
    return this.#or(() => {
      this.files.set(name, text);
      this.privates[isPrivate ? "add" : "delete"](name);
    });
  }
  remove(name: string): Promise<void> {
    return this.#or(() => void this.files.delete(name));
  }
  list(): Promise<string[]> {
    return this.#or(() => [...this.files.keys()]);
  }
  #or<T>(work: () => T): Promise<T> {
    return this.fault ? Promise.reject(this.fault) : Promise.resolve(work());
  }
}
