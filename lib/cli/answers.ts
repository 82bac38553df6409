/** What a person said to the questions of a run, and of runs before. @module */
import type { Remembered } from "../agent/approve.ts";
import type { ServerConfig } from "../config/config.ts";
import { serverKey } from "../registry/catalog/start.ts";
import type { ToolRef } from "../registry/names.ts";
import { Approvals } from "./approvals.ts";
import type { State } from "./disk.ts";
import { resolved } from "./household.ts";
import { startOf } from "./memory.ts";
import { openState } from "./state.ts";
import type { World } from "./world.ts";

/** Reads the disk for each question: what another process remembers, or takes back, holds at once. */
export class Answers {
  readonly #servers: ReadonlyMap<string, ServerConfig>;
  readonly #world: World;
  readonly #note: (line: string) => void;
  readonly #opened: Promise<{ approvals: Approvals; state: State } | { why: string }>;
  readonly #keys = new Map<string, Promise<string | undefined>>();
  /** What could not be kept holds for this run: aliases, and exact names behind them. */
  readonly #inRun = new Map<string, { server: boolean; tools: Set<string> }>();

  constructor(servers: readonly ServerConfig[], world: World, note: (line: string) => void) {
    this.#servers = new Map(servers.map((server) => [server.alias, server]));
    this.#world = world;
    this.#note = note;
    this.#opened = openState(world).then((opened) =>
      "why" in opened ? opened : { ...opened, approvals: new Approvals(opened.state, note) }
    );
  }

  /** Never throws: what can't be read was not said. */
  async recall({ alias, tool }: ToolRef): Promise<Remembered> {
    const said = this.#inRun.get(alias);
    const inRun = { server: said?.server ?? false, tool: said?.tools.has(tool) ?? false };
    const opened = await this.#opened;
    const key = await this.#key(alias);
    if ("why" in opened || key === undefined) return inRun;
    const kept = await opened.approvals.recall(key, tool);
    return { server: inRun.server || kept.server, tool: inRun.tool || kept.tool };
  }

  /**
   * Without a tool all that the server has is meant. Where it can't be kept it holds for this run, a
   * note says so, and false is returned.
   */
  async remember(alias: string, tool?: string): Promise<boolean> {
    const opened = await this.#opened;
    const server = await this.#key(alias);
    const { file = "", reach } = this.#servers.get(alias) ?? {};
    const isBare = reach !== undefined &&
      !/^(?:[\\/]|[A-Za-z]:|command line$|built in$)/.test(file);
    try {
      if ("why" in opened) throw new Error(opened.why);
      if (server === undefined || !reach) throw new Error("its start does not resolve");
      const start = reach.kind === "stdio" ? reach.command : originOf(reach.url);
      const at = this.#world.clock.now();
      await opened.approvals.remember({
        server,
        ...(tool !== undefined && { tool }),
        alias,
        file: isBare ? `${this.#world.folder}/${file}` : file,
        start,
        at,
      });
      return true;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#note(`Cannot keep the answer, it holds for this run: ${why}`);
      const said = this.#inRun.get(alias) ?? { server: false, tools: new Set() };
      if (tool === undefined) said.server = true;
      else said.tools.add(tool);
      this.#inRun.set(alias, said);
      return false;
    }
  }

  /** Undefined where nothing can be filed: no folder, or a start that does not resolve. */
  #key(alias: string): Promise<string | undefined> {
    const known = this.#keys.get(alias);
    if (known) return known;
    const made = this.#makeKey(alias).catch(() => undefined);
    this.#keys.set(alias, made);
    return made;
  }

  async #makeKey(alias: string): Promise<string | undefined> {
    const opened = await this.#opened;
    const server = this.#servers.get(alias);
    if ("why" in opened || !server) return undefined;
    return await serverKey(
      await startOf(resolved(server, this.#world), this.#world),
      opened.state.secret,
    );
  }
}

/** What is left of an address when nothing of it can be a secret. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? "a url";
}
