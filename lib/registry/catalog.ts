/** What we know of servers' tools without being connected: an entry for each way to start one. @module */
import type { Clock } from "../kit/clock.ts";
import { Secrets } from "../kit/secrets.ts";
import type { TextStore } from "../kit/store.ts";
import {
  type Blame,
  type Facts,
  type Place,
  type Reading,
  type Remembered,
  seal,
  timeOf,
  unseal,
} from "./catalog/entry.ts";
import { clampTtl, isPrivate } from "./catalog/freshness.ts";
import { isTooDeep, toolHash } from "./catalog/tool_hash.ts";

export interface CatalogOptions {
  /** Kept beside the catalogue for as long as it: with another one nothing is found. */
  secret: string;
  clock: Clock;
  /** Told once of each thing that keeps an entry from being of use. */
  note: (key: string, message: string) => void;
}

/** Of what nobody heard for so long, in milliseconds, nobody will ask again. */
const MAX_AGE_MS = 90 * 24 * 3600_000;

const LISTED = ".tools";
/** A file of its own: to blame a server changes nothing that another process may just be writing. */
const BLAMED = ".blame";
const NAME = /^([\w-]+)\.(?:tools|blame)$/;

/** On disk, with the names as a list: a tool may be called `__proto__`. */
type Written = Omit<Remembered, "hashes" | "reason"> & { hashes: readonly string[] };

/**
 * Entries are whole or absent, and the last writer wins. What can't be read, written or believed is a
 * note and a miss, never a throw: with no catalogue at all every server is still to be had.
 */
export class Catalog {
  readonly #store: TextStore;
  readonly #options: CatalogOptions;
  readonly #told = new Set<string>();

  constructor(store: TextStore, options: CatalogOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** What is known of the server under this key (`startKey`), with the reason if it failed since. */
  async recall(key: string): Promise<Remembered | undefined> {
    const [written, reason] = await Promise.all([
      this.#read<Written>(key, LISTED),
      this.#read<Blame>(key, BLAMED),
    ]);
    if (!written) return undefined;
    const hashes = new Map(written.tools.map(({ name }, at) => [name, written.hashes[at]!]));
    const failed = reason !== undefined && reason.since >= written.fetchedAt;
    return { ...written, hashes, ...(failed && { reason }) };
  }

  /**
   * Puts what an attach found out in the place of all that was known, and returns it. No text of it
   * holds one of the `secrets` on disk; hashes are of the tools as they came.
   */
  async remember(key: string, facts: Facts, secrets = new Secrets()): Promise<Remembered> {
    const deep = new Set(facts.tools.filter(isTooDeep));
    const tools = facts.tools.filter((tool) => !deep.has(tool));
    const hashes = await Promise.all(tools.map(toolHash));
    const why = "is nested too deep to be remembered";
    const { dialect, server, capabilities, instructions, heldBack, pages, typed } = facts;
    const fetchedAt = facts.fetchedAt ?? this.#options.clock.now();
    const entry = {
      dialect: { era: dialect.era, version: dialect.version },
      server,
      capabilities,
      ...(instructions !== undefined && { instructions }),
      tools,
      heldBack: [...heldBack, ...[...deep].map(({ name }) => ({ tool: name, why }))],
      pages: pages.map((page) => ({ ...page, ttlMs: clampTtl(page.ttlMs) })),
      ...(typed && { typed }),
      fetchedAt,
    };
    const written: Written = { ...entry, hashes };
    const sealed = await seal(this.#place(key + LISTED), written, fetchedAt, secrets.replacer);
    await this.#write(key, LISTED, sealed, { isPrivate: isPrivate(pages) });
    await this.#attempt(key, "clear", () => this.#store.remove(key + BLAMED));
    return { ...entry, hashes: new Map(tools.map(({ name }, at) => [name, hashes[at]!])) };
  }

  /** A server that failed keeps its entry, with the reason. Until it is remembered anew. */
  async blame(key: string, reason: Blame, secrets = new Secrets()): Promise<void> {
    const { code, message, since } = reason; // Its last words stay here: they are a stranger's.
    const written: Blame = { code, message, since };
    const sealed = await seal(this.#place(key + BLAMED), written, since, secrets.replacer);
    await this.#write(key, BLAMED, sealed, { isPrivate: true });
  }

  /** Drops the entry under this key, or all of them. @throws what the store throws */
  async forget(key?: string): Promise<void> {
    const names = key === undefined ? await this.#names() : [key + LISTED, key + BLAMED];
    await Promise.all(names.map((name) => this.#store.remove(name)));
  }

  /** Every entry by key; undefined where it is of no use. @throws what the store throws */
  async list(): Promise<ReadonlyMap<string, Remembered | undefined>> {
    const names = (await this.#names()).filter((name) => name.endsWith(LISTED)).sort();
    const keys = names.map((name) => name.slice(0, -LISTED.length));
    return new Map(
      await Promise.all(keys.map(async (key) => [key, await this.recall(key)] as const)),
    );
  }

  /**
   * Drops entries of which nothing was heard for this long, neither a list nor a failure: each change
   * of a token, an argument or an executable leaves one behind that nobody asks for again.
   * @throws what the store throws
   */
  async sweep(maxAgeMs = MAX_AGE_MS): Promise<void> {
    const oldest = this.#options.clock.now() - maxAgeMs;
    const byKey = Map.groupBy(await this.#names(), (name) => NAME.exec(name)![1]!);
    for (const names of byKey.values()) {
      const times = await Promise.all(
        names.map(async (name) => timeOf(await this.#store.read(name) ?? "") ?? -Infinity),
      );
      if (Math.max(...times) >= oldest) continue;
      await Promise.all(names.map((name) => this.#store.remove(name)));
    }
  }

  async #names(): Promise<string[]> {
    return (await this.#store.list()).filter((name) => NAME.test(name));
  }

  async #read<T>(key: string, ending: string): Promise<T | undefined> {
    const text = await this.#attempt(key, "read", () => this.#store.read(key + ending));
    if (text === undefined) return undefined;
    return this.#noted(key, "use", await unseal<T>(this.#place(key + ending), text));
  }

  async #write(
    key: string,
    ending: string,
    sealed: Reading<string>,
    options: { isPrivate: boolean },
  ): Promise<void> {
    const text = this.#noted(key, "write", sealed);
    if (text === undefined) return;
    await this.#attempt(key, "write", () => this.#store.write(key + ending, text, options));
  }

  #place(name: string): Place {
    return { name, secret: this.#options.secret };
  }

  async #attempt<T>(key: string, verb: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#note(key, verb, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #noted<T>(key: string, verb: string, reading: Reading<T>): T | undefined {
    if ("value" in reading) return reading.value;
    this.#note(key, verb, reading.why);
    return undefined;
  }

  #note(key: string, verb: string, why: string): void {
    const message = `Cannot ${verb} an entry of the catalogue: ${why}`;
    if (this.#told.has(key + message)) return;
    this.#told.add(key + message);
    this.#options.note(key, message);
  }
}
