/** Clients and registries over servers of the tests, with limits that a fake clock can pass. @module */
import { type Client, connect } from "../../lib/client/client.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import { DEFAULT_LIMITS } from "../../lib/config/config.ts";
import type { Clock } from "../../lib/kit/clock.ts";
import { Registry } from "../../lib/registry/registry.ts";
import type { RegistryOptions } from "../../lib/registry/registry_options.ts";
import type { ServerOptions } from "../../lib/registry/server_options.ts";
import { realClock } from "../../lib/cli/world.ts";

export const OURS = { name: "fusebox-test", version: "0" };
export const LIMITS = DEFAULT_LIMITS;
export const PATIENCE = {
  idle: { ms: LIMITS.idleMs, key: "limits.idle" },
  cap: { ms: LIMITS.capMs, key: "limits.cap" },
};

export function client(open: Opener, clock: Clock = realClock): Promise<Client> {
  return connect(open, { alias: "peer", clock, client: OURS, limits: LIMITS });
}

/** A registry over these openers, in this order. */
export function registryOf(
  openers: Readonly<Record<string, Opener>>,
  options: Partial<RegistryOptions> = {},
  each: Partial<ServerOptions> = {},
): Registry {
  const servers = Object.entries(openers).map(([alias, open]): ServerOptions => ({
    alias,
    required: false,
    open,
    limits: LIMITS,
    toolLimits: [],
    denies: () => undefined,
    ...each,
  }));
  return new Registry(servers, { clock: realClock, client: OURS, ...options });
}
