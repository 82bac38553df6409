/** What the checks of the self-test stand on: servers opened for real, or tapped in memory. @module */
import type { Handler } from "../../../servers/serve.ts";
import { server as demoServer } from "../../../servers/server.ts";
import { ask } from "../../agent/loop.ts";
import type { AskEvent, Outcome } from "../../agent/terms.ts";
import { type Client, connect } from "../../client/client.ts";
import { DEFAULT_LIMITS, type ServerConfig } from "../../config/config.ts";
import { canonical } from "../../kit/json.ts";
import type { Model } from "../../models/model.ts";
import { offlineModel } from "../../models/offline.ts";
import { Registry } from "../../registry/registry.ts";
import type { ServerStatus } from "../../registry/status.ts";
import { fullToolbox } from "../../tools/full.ts";
import { memoryTransport } from "../../transport/memory.ts";
import type { Transport } from "../../transport/transport.ts";
import { openServer, type Watchers } from "../household.ts";
import type { World } from "../world.ts";

export interface Bench {
  world: World;
  signal: AbortSignal;
  /** The server under test by this alias: built in, or the one that stands in for it. */
  server(alias: string): ServerConfig;
}

/** How each server of a check is opened. */
export type Openers = Readonly<Record<string, () => Transport>>;

const CLIENT = "fusebox-selftest";

/** One server, connected to without a registry. */
export function client({ world, server, signal }: Bench, alias: string): Promise<Client> {
  return connect(() => openServer(server(alias), world), {
    alias,
    clock: world.clock,
    client: { name: CLIENT, version: world.version },
    limits: DEFAULT_LIMITS,
    signal,
  });
}

/** The servers under test, as openers. */
export function real(
  { world, server }: Bench,
  aliases: readonly string[],
  watchers: Watchers = {},
): Openers {
  return Object.fromEntries(
    aliases.map((alias) => [alias, () => openServer(server(alias), world, watchers)]),
  );
}

export function house(
  { world }: Bench,
  openers: Openers,
  onChange: (status: ServerStatus) => void = () => {},
): Registry {
  const servers = Object.entries(openers).map(([alias, open]) => ({
    alias,
    required: true, // What is offline fails the check with its own words.
    open,
    limits: DEFAULT_LIMITS,
    toolLimits: [],
    denies: () => undefined,
  }));
  return new Registry(servers, {
    clock: world.clock,
    client: { name: CLIENT, version: world.version },
    onChange,
  });
}

/** A server in memory that notes which tools it was asked for: the other side of the wire. */
export function tapped(handler: Handler): { open: () => Transport; called: string[] } {
  const called: string[] = [];
  return {
    called,
    open: () =>
      memoryTransport((message, out) => {
        if ("method" in message && message.method === "tools/call") {
          called.push(String(message.params?.name));
        }
        return handler(message, out);
      }),
  };
}

/** A server whose tools have these names and do nothing. */
export function named(names: readonly string[]): Handler {
  return demoServer({
    name: "named",
    version: "1",
    tools: names.map((name) => ({
      name,
      inputSchema: { type: "object" },
      run: () => ({ content: [{ type: "text", text: "done" }] }),
    })),
  });
}

export interface Run {
  outcome: Outcome;
  results: readonly Extract<AskEvent, { type: "result" }>[];
}

/** A whole run; every tool is allowed, for it runs on servers of ours. */
export async function run(
  { world, signal }: Bench,
  registry: Registry,
  prompt: string,
  model: Model = offlineModel(),
  maxSteps = 20,
): Promise<Run> {
  const results: Run["results"][number][] = [];
  const events = ask([{ role: "user", text: prompt }], {
    model,
    tools: fullToolbox(registry),
    approve: () => Promise.resolve({ ok: true }),
    clock: world.clock,
    maxSteps,
    signal,
  });
  while (true) {
    const { value, done } = await events.next();
    if (done) return { outcome: value, results };
    if (value.type === "result") results.push(value);
  }
}

/** @throws {Error} saying `why` */
export function expect(holds: boolean, why: string): asserts holds {
  if (!holds) throw new Error(why);
}

/** @throws {Error} naming both, unless they are the same JSON */
export function same(actual: unknown, wanted: unknown, what: string): void {
  const [is, should] = [canonical(actual), canonical(wanted)];
  expect(is === should, `${what}: ${is} instead of ${should}`);
}
