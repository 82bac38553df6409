/** What a user decided, a small file for each decision: two programs that write at once lose nothing. @module */
import type { TextStore } from "./store.ts";

export interface RecordKind<T> {
  /** The names of its files begin with it. */
  name: string;
  /** Of the format: what another version wrote is not believed. */
  version: number;
  /** The decision that `value` is, filed under `id`; undefined when it is none. */
  read(value: Readonly<Record<string, unknown>>, id: string): T | undefined;
}

/** A file that can't be read or believed is a note and a miss: whoever decided is asked again. */
export class Records<T extends object> {
  readonly #store: TextStore;
  readonly #kind: RecordKind<T>;
  readonly #note: (line: string) => void;
  readonly #name: RegExp;
  readonly #told = new Set<string>();

  constructor(store: TextStore, kind: RecordKind<T>, note: (line: string) => void) {
    this.#store = store;
    this.#kind = kind;
    this.#note = note;
    this.#name = new RegExp(`^${kind.name}-([0-9a-f]{64})\\.json$`);
  }

  /** `id` is 64 hex digits. Never throws. */
  async get(id: string): Promise<T | undefined> {
    const file = this.#file(id);
    try {
      const text = await this.#store.read(file);
      if (text === undefined) return undefined;
      const found = this.#read(text, id);
      if (!found) this.#tell(file, "it is damaged, or of another version of fusebox");
      return found;
    } catch (error) {
      this.#tell(file, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  /** @throws what the store throws */
  async put(id: string, decision: T): Promise<void> {
    const text = JSON.stringify({ version: this.#kind.version, ...decision }, null, 2) + "\n";
    await this.#store.write(this.#file(id), text, { isPrivate: true });
  }

  /** @throws what the store throws */
  async remove(id: string): Promise<void> {
    await this.#store.remove(this.#file(id));
  }

  /** All that can be believed, by id. @throws what the store throws when it can't be listed */
  async all(): Promise<ReadonlyMap<string, T>> {
    const found = new Map<string, T>();
    for (const id of await this.#ids()) {
      const decision = await this.get(id);
      if (decision) found.set(id, decision);
    }
    return found;
  }

  /** Removes every file of this kind, damaged ones too. @throws what the store throws */
  async clear(): Promise<void> {
    for (const id of await this.#ids()) await this.remove(id);
  }

  async #ids(): Promise<string[]> {
    const names = await this.#store.list();
    return names.flatMap((name) => this.#name.exec(name)?.[1] ?? []).sort();
  }

  #file(id: string): string {
    return `${this.#kind.name}-${id}.json`;
  }

  #read(text: string, id: string): T | undefined {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return undefined;
    }
    if (typeof value !== "object" || value === null) return undefined;
    const fields = value as Record<string, unknown>;
    return fields.version === this.#kind.version ? this.#kind.read(fields, id) : undefined;
  }

  #tell(file: string, why: string): void {
    if (this.#told.has(file)) return;
    this.#told.add(file);
    this.#note(`Cannot use ${file} of the state folder: ${why}`);
  }
}
