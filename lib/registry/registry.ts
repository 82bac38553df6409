/** Many servers as one: attached side by side, each in its own catch, called by one name each. @module */
import { DEFAULT_LIMITS } from "../config/config.ts";
import { abortable } from "../kit/abort.ts";
import { type Clock, unlessSilent } from "../kit/clock.ts";
import { nearest } from "../kit/near.ts";
import { printableLine } from "../kit/printable.ts";
import { isCallFailure, ProtocolError, TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Params } from "../protocol/types.ts";
import { failed, says } from "./failures.ts";
import { Gate } from "./gate.ts";
import { checked, outcomeOf } from "./outcome.ts";
import { Places } from "./places.ts";
import type { RegistryOptions } from "./registry_options.ts";
import { Server } from "./server.ts";
import type { ServerOptions, ServerWorld, UseOptions } from "./server_options.ts";
import type { CallEvent, ServerStatus } from "./status.ts";
import { buildTable, EMPTY_TABLE, type Entry, type HeldBackTool, type Table } from "./table.ts";

export class Registry implements AsyncDisposable {
  readonly #servers: ReadonlyMap<string, Server>;
  readonly #clock: Clock;
  readonly #onCall: ((event: CallEvent) => void) | undefined;
  readonly #hide: (text: string) => string;
  #table: Table = EMPTY_TABLE;
  #built: { lists: readonly unknown[]; table: Promise<Table> } | undefined;

  constructor(servers: readonly ServerOptions[], options: RegistryOptions) {
    const { clock, client, onChange = () => {}, onCall } = options;
    const { hide = (text) => text } = options;
    const places = new Places(options.atOnce ?? 8);
    this.#clock = clock;
    this.#onCall = onCall;
    this.#hide = hide;
    const world: ServerWorld = {
      clock,
      client,
      onChange,
      hide,
      place: (signal) => places.take(signal),
      gate: new Gate(options.overall ?? DEFAULT_LIMITS.overall),
      random: options.random ?? Math.random,
    };
    this.#servers = new Map(servers.map((it) => [it.alias, new Server(it, world)]));
  }

  /** Every server, in the order of the configuration. */
  servers(): readonly ServerStatus[] {
    return [...this.#servers.values()].map((server) => server.status());
  }

  /** The table as of the last {@linkcode refresh}. */
  get table(): Table {
    return this.#table;
  }

  /**
   * Attaches these servers (default all) side by side, and returns when each is online or offline, or
   * after `budgetMs`; who is late by then goes on and joins later. Required servers are waited for.
   * @throws {TransportError} when a required server can't be had; the signal's reason
   */
  async attachAll(
    options: { budgetMs?: number; aliases?: readonly string[]; signal?: AbortSignal } = {},
  ): Promise<void> {
    const { budgetMs = Infinity, aliases, signal } = options;
    const chosen = [...this.#servers.values()].filter((it) => aliases?.includes(it.alias) ?? true);
    const attempts = chosen.map(async (server) => {
      try {
        await server.attach();
      } catch (error) {
        if (server.required || !isCallFailure(error)) throw error;
      }
    });
    const required = attempts.filter((_, index) => chosen[index]!.required);
    // One required server that fails ends it all, at once.
    const all = Promise.all(attempts).then(() => true);
    await abortable(unlessSilent(this.#clock, budgetMs, all), signal) ??
      await abortable(Promise.all(required), signal);
    await this.refresh(signal);
  }

  /** Takes what is remembered of all servers for a menu. Nothing is started. */
  async recallAll(): Promise<void> {
    await Promise.all(this.#servers.values().map((server) => server.recall()));
    await this.refresh();
  }

  /**
   * Starts a server and takes in what it offers.
   * @throws {TransportError} with the offline reason; the signal's reason
   */
  async attach(alias: string, signal?: AbortSignal): Promise<void> {
    const server = this.#servers.get(alias);
    if (!server) throw new TransportError("config", `no server is called "${alias}"`);
    await abortable(server.attach(), signal);
    await this.refresh(signal);
    server.shown();
  }

  /** Servers that were started stay: nobody is stopped for resting in this run. */
  keepAll(): void {
    for (const server of this.#servers.values()) server.keep();
  }

  /** Stops a server once its calls have ended; its tools stay known, and a call starts it again. */
  async detach(alias: string): Promise<void> {
    await this.#servers.get(alias)?.detach();
  }

  /**
   * Asks a server that is online for a sign of life, and undefined comes back where it is not.
   * @returns how long it took, in milliseconds
   * @throws {TransportError} or the signal's reason
   */
  async check(alias: string, signal?: AbortSignal): Promise<number | undefined> {
    return await this.#servers.get(alias)?.check(signal);
  }

  /** Reads lists that changed. The table is the same object for as long as no list is another. */
  async refresh(signal?: AbortSignal): Promise<Table> {
    const servers = [...this.#servers.values()];
    await Promise.all(servers.map((server) => server.refresh(signal)));
    const lists = servers.map(({ tools }) => tools);
    const isSame = this.#built?.lists.every((list, index) => list === lists[index]);
    const built = this.#built = isSame
      ? this.#built!
      : { lists, table: buildTable(servers, this.#hide) };
    const table = await built.table;
    if (built === this.#built) this.#table = table; // Else a newer one is on its way.
    return table;
  }

  /** By public name, or as `alias.tool` with the raw name. */
  find(name: string): Entry | undefined {
    const entry = this.#table.entries.get(name);
    if (entry) return entry;
    const dot = name.indexOf(".");
    if (dot < 0) return undefined;
    const [alias, tool] = [name.slice(0, dot), name.slice(dot + 1)];
    return this.#table.entries.values().find(({ ref }) => ref.alias === alias && ref.tool === tool);
  }

  /** The server that a name points at, by its prefix: for starting it, never for finding a tool. */
  home(name: string): ServerStatus | undefined {
    return this.servers().find(({ alias }) =>
      name.startsWith(`mcp__${alias}__`) || name.startsWith(`${alias}.`)
    );
  }

  /** Names that look like this one, at most three, best first: to be shown, never to be run. */
  near(name: string): readonly string[] {
    const offered = this.#table.entries.values().filter((entry) => entry.denied === undefined);
    const names = [...offered].map((entry) =>
      name.includes(".") ? `${entry.ref.alias}.${entry.ref.tool}` : entry.name
    );
    return nearest(name, names);
  }

  /**
   * Runs a tool. Never throws but for a bug and for the signal's reason: whatever goes wrong is a
   * result in words that the model can use, with the typed failure kept on it.
   */
  async call(name: string, args: Params, options: UseOptions = {}): Promise<ToolResult> {
    const refused = this.refusal(name);
    if (refused) return refused;
    const entry = this.find(name)!;
    const { ref, info } = entry;
    const began = this.#clock.elapsed();
    let result: ToolResult;
    try {
      result = await this.#servers.get(ref.alias)!.call(ref.tool, args, options);
      if (info.outputSchema) result = await checked(info.outputSchema, result);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (!isCallFailure(error)) throw error;
      result = failed(ref, error, this.#hide);
    }
    const ms = this.#clock.elapsed() - began;
    this.#onCall?.({ ref, at: this.#clock.now(), ms, outcome: outcomeOf(result) });
    return result;
  }

  /**
   * Why there is nothing to run under this name, in words that a model can use. Never runs anything.
   * `failure` is what came of starting its server just now, where that was tried.
   */
  refusal(name: string, failure?: Error): ToolResult | undefined {
    const entry = this.find(name);
    if (!entry) return this.#unknown(name, failure);
    if (entry.denied === undefined) return undefined;
    const text =
      `Cannot call "${entry.ref.alias}.${entry.ref.tool}": ${entry.denied}. Nothing was run.`;
    return says(text, new TransportError("denied", text));
  }

  /** Nothing similar is ever run: a near name may be another tool altogether. */
  #unknown(name: string, failure?: Error): ToolResult {
    const shown = printableLine(name, 80);
    // For words alone: what is run is only ever found in the table.
    const home = this.home(name);
    // Whoever tried, and failed, is told of that, also where it opened the fuse.
    const isTried = failure instanceof TransportError && failure.fault !== "fuse_open";
    const leftAlone = home && !isTried && this.#servers.get(home.alias)!.leftAlone();
    if (leftAlone) return failed({ alias: home.alias, tool: name }, leftAlone, this.#hide);
    if (home?.state === "offline" && home.reason) {
      const text = `Cannot call "${shown}": "${home.alias}" is offline. ${home.reason.message}. ` +
        `Nothing was run. Use another tool, or go on without it.`;
      return says(text, new TransportError(home.reason.code, text));
    }
    const changed = this.changed(name);
    if (changed) {
      const { alias, tool, why } = changed;
      const text = `Cannot call "${printableLine(`${alias}.${tool}`, 200)}": it is held back, ` +
        `for it ${why}. Nothing was run.`;
      return says(text, new TransportError("denied", text));
    }
    const held = this.heldBack().find((it) => `${it.alias}.${it.tool}` === name);
    const why = held ? `it is held back, for it ${held.why}` : "no tool has this name";
    const near = this.near(name);
    const hint = near.length > 0 ? ` Near it: ${near.join(", ")}.` : "";
    const text = `Cannot call "${shown}": ${why}. Nothing was run.${hint}`;
    return says(text, new ProtocolError(-32602, text));
  }

  /** The tool under this name where it is held back for it is not what it was, as {@linkcode find} finds. */
  changed(name: string): HeldBackTool | undefined {
    const { changed } = this.#table;
    return changed.get(name) ??
      changed.values().find(({ alias, tool }) => `${alias}.${tool}` === name);
  }

  /** All tools that are not offered, each with why. */
  heldBack(): readonly HeldBackTool[] {
    const each = this.servers().flatMap(({ alias, heldBack }) =>
      heldBack.map((it) => ({ alias, ...it }))
    );
    return [...each, ...this.#table.heldBack];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [...this.#servers.values()].map((server) => server[Symbol.asyncDispose]()),
    );
  }
}
