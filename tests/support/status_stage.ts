/** A run for the status page without one: servers that are in whatever state a test puts them. @module */
import type { Clock } from "../../lib/kit/clock.ts";
import { realClock } from "../../lib/cli/world.ts";
import { type CallEvent, type Reason, type ServerStatus } from "../../lib/registry/status.ts";
import { buildTable, EMPTY_TABLE, type Table } from "../../lib/registry/table.ts";
import { type StatusApp, statusApp } from "../../lib/status/app.ts";
import { Ledger } from "../../lib/status/ledger.ts";
import type { Facts, StatusView } from "../../lib/status/view.ts";

type Tool = ServerStatus["tools"][number];

export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: { type: "object" }, ...more };
}

/** A server that is there and has nothing to say. */
export function server(alias: string, more: Partial<ServerStatus> = {}): ServerStatus {
  return {
    alias,
    required: false,
    state: "online",
    fuse: { state: "closed", failures: 0, trips: 0 },
    tools: [],
    heldBack: [],
    problems: [],
    attaches: 1,
    ...more,
  };
}

export function reason(code: Reason["code"], message: string, more: Partial<Reason> = {}): Reason {
  return { code, message, since: 0, tail: [], ...more };
}

export interface StageOptions {
  clock?: Clock;
  host?: string;
  token?: string;
  facts?: Partial<Facts>;
  secrets?: readonly string[];
  denied?: readonly string[];
}

export class Stage {
  readonly clock: Clock;
  readonly ledger = new Ledger();
  readonly app: StatusApp;
  readonly #servers = new Map<string, ServerStatus>();
  readonly #denied: readonly string[];
  #table: Table = EMPTY_TABLE;

  constructor(options: StageOptions = {}) {
    const { clock = realClock, secrets = [], host = "127.0.0.1", token } = options;
    this.clock = clock;
    this.#denied = options.denied ?? [];
    const facts: Facts = {
      id: "run-1",
      version: "0.0.0",
      startedAt: clock.now(),
      mode: "full",
      model: "script:test",
      ...options.facts,
    };
    const view: StatusView = {
      now: () => clock.now(),
      servers: () => [...this.#servers.values()],
      table: () => this.#table,
      heldBack: () => [
        ...this.#servers.values().flatMap(({ alias, heldBack }) =>
          heldBack.map((it) => ({ alias, ...it }))
        ),
        ...this.#table.heldBack,
      ],
      origin: () => undefined,
      facts: () => facts,
      redact: (text) => secrets.reduce((all, secret) => all.replaceAll(secret, "[hidden]"), text),
    };
    const { ledger } = this;
    this.app = statusApp({ view, ledger, clock, host, ...(token !== undefined && { token }) });
  }

  /** Puts a server on, or in the place of the one with its alias. */
  async put(...servers: readonly ServerStatus[]): Promise<void> {
    for (const one of servers) this.#servers.set(one.alias, one);
    this.#table = await buildTable(
      this.#servers.values().map(({ alias, tools, heldBack }) => ({
        alias,
        tools,
        heldBack,
        denies: (name: string) => this.#denied.includes(name) ? "it is denied" : undefined,
      })),
    );
    for (const one of servers) this.ledger.changed(one, this.clock.now());
  }

  call(alias: string, name: string, ms = 5, outcome: CallEvent["outcome"] = "ok"): void {
    this.ledger.called({ ref: { alias, tool: name }, at: this.clock.now(), ms, outcome });
  }

  /** Asks as a browser on this machine would. */
  async get(path: string, headers: HeadersInit = {}, method = "GET"): Promise<Response> {
    return await this.app.fetch(
      new Request(`http://127.0.0.1:3873${path}`, {
        method,
        headers: { host: "127.0.0.1:3873", ...headers },
      }),
    );
  }
}
