/** From the command line and the configuration to a registry: where the rooms are wired. @module */
import type { Config, ServerConfig } from "../config/config.ts";
import {
  DEFAULT_LIMITS,
  DEFAULT_REST_MS,
  HTTP_CONCURRENCY,
  STDIO_CONCURRENCY,
} from "../config/config.ts";
import { interpolate, MissingVariable } from "../config/interpolate.ts";
import { nearest } from "../kit/near.ts";
import { covers, matches, parseToolPattern } from "../kit/pattern.ts";
import { UsageError } from "../kit/usage.ts";
import { TransportError } from "../protocol/errors.ts";
import { Registry } from "../registry/registry.ts";
import type { Memory, ServerOptions } from "../registry/server_options.ts";
import type { CallEvent, ServerStatus } from "../registry/status.ts";
import { serverEnvironment } from "../transport/environment.ts";
import { type StdioOptions, stdioTransport } from "../transport/stdio.ts";
import type { Transport } from "../transport/transport.ts";
import type { Args } from "./args.ts";
import type { Catalogue } from "./memory.ts";
import { type PinBoard, pinBoard } from "./pin_board.ts";
import type { PinNews } from "./pinning.ts";
import type { World } from "./world.ts";

export interface Household {
  config: Config;
  registry: Registry;
  /** Aliases of servers that are this very program. */
  builtIn: readonly string[];
  pins: Pick<PinBoard, "settle" | "signal">;
}

export interface HouseOptions {
  /** Servers without calls are detached after a while. */
  resting?: boolean;
  /** What is kept between runs. */
  catalogue?: Promise<Catalogue | undefined>;
}

export interface Watchers {
  onChange?: (status: ServerStatus) => void;
  onCall?: (event: CallEvent) => void;
  onStderr?: (alias: string, line: string) => void;
  /** Each line on stdout that is no message. */
  onNoise?: (alias: string, line: string) => void;
  /** Each line that crosses to or from a server on stdio. */
  onFrame?: (alias: string, direction: "sent" | "received", line: string) => void;
  onPins?: (news: PinNews) => void;
}

/**
 * The servers that the user configured, none of them started. The caller disposes of the registry.
 * @throws {UsageError}
 */
export function household(
  config: Config,
  args: Args,
  world: World,
  watchers: Watchers = {},
  house: HouseOptions = {},
): Household {
  const servers = chosen(config.servers, args.only);
  const { onChange, onCall } = world.trace?.watching(watchers) ?? watchers;
  checkPatterns(args, config.servers);
  const deny = [...config.deny, ...args.deny];
  const pins = pinBoard(args.frozenPins, world, watchers.onPins);
  const pinned = (server: ServerConfig, options: ServerOptions) =>
    isPinned(server) ? pins.over(options, server.reach, () => resolved(server, world)) : options;
  const options = servers.map((server) => ({
    ...pinned(server, serverOptions(server, deny, args, world, watchers)),
    ...(house.resting && !server.keepAlive && { restMs: server.restMs ?? DEFAULT_REST_MS }),
    ...(house.catalogue && !server.disabled && {
      memory: memoryFor(server, house.catalogue, world),
    }),
  }));
  const registry = new Registry(options, {
    clock: world.clock,
    random: world.random,
    overall: config.limits.overall,
    client: { name: "fusebox", version: world.version },
    hide: (text) => world.secrets.hide(text),
    ...(onChange && { onChange }),
    ...(onCall && { onCall }),
  });
  const builtIn = servers.filter(isBuiltIn).map(({ alias }) => alias);
  return { config: { ...config, servers, deny }, registry, builtIn, pins };
}

/** What this very program offers needs no pins. */
export function isPinned(server: ServerConfig): boolean {
  return server.pins !== false && !isBuiltIn(server);
}

/** Loaded when it is asked, beside the start of the server that it is about. */
function memoryFor(
  server: ServerConfig,
  catalogue: Promise<Catalogue | undefined>,
  world: World,
): Memory {
  let loaded: Promise<Memory> | undefined;
  const memory = () =>
    loaded ??= import("./memory.ts").then(({ memoryOf }) =>
      memoryOf(() => resolved(server, world), catalogue, world)
    );
  return {
    recall: async () => await (await memory()).recall(),
    remember: async (known) => await (await memory()).remember(known),
    blame: async (reason) => await (await memory()).blame(reason),
  };
}

/** notes and tickets, as if they had been configured. */
export const BUILT_IN: readonly ServerConfig[] = ["notes", "tickets"].map((alias) => ({
  alias,
  file: "built in",
  reach: {
    kind: "stdio",
    command: "fusebox",
    args: ["serve-demo", alias],
    env: {},
    inheritEnv: false,
  },
  required: false,
  trusted: false,
  disabled: false,
  tools: { allow: ["*"], deny: [], limits: [] },
  limits: DEFAULT_LIMITS,
}));

/** As a command, `fusebox` is this very program: no other of that name is ever run. */
function isBuiltIn({ reach }: ServerConfig): boolean {
  return reach.kind === "stdio" && reach.command === "fusebox" && reach.args[0] === "serve-demo";
}

function chosen(
  servers: readonly ServerConfig[],
  only: readonly string[] | undefined,
): readonly ServerConfig[] {
  if (!only) return servers;
  const aliases = servers.map(({ alias }) => alias);
  for (const alias of only) {
    if (aliases.includes(alias)) continue;
    const [near] = nearest(alias, aliases, 1);
    throw new UsageError(`Cannot use --only ${alias}: no server has this alias`, {
      hint: near ? `Did you mean ${near}?` : `There are: ${aliases.join(", ") || "none"}`,
    });
  }
  return servers.filter(({ alias }) => only.includes(alias));
}

/** A pattern that reaches nobody is a typo, and one of `--deny` would leave allowed what it names. */
function checkPatterns(args: Args, servers: readonly ServerConfig[]): void {
  const aliases = servers.map(({ alias }) => alias);
  for (const flag of ["allow", "deny"] as const) {
    for (const text of args[flag]) {
      const pattern = parseToolPattern(text);
      if (!pattern) {
        throw new UsageError(`Cannot use --${flag} ${text}: not a pattern`, {
          hint: "Write alias.tool, with * for any characters",
        });
      }
      if (aliases.some((alias) => matches(pattern.alias, alias))) continue;
      const [near] = nearest(pattern.alias, aliases, 1);
      throw new UsageError(`Cannot use --${flag} ${text}: no server is called "${pattern.alias}"`, {
        hint: near ? `Did you mean ${near}?` : `There are: ${aliases.join(", ") || "none"}`,
      });
    }
  }
}

function serverOptions(
  server: ServerConfig,
  deny: readonly string[],
  args: Args,
  world: World,
  watchers: Watchers,
): ServerOptions {
  const { alias, tools, limits } = server;
  return {
    alias,
    ...(server.description !== undefined && { description: server.description }),
    required: server.required,
    trusted: server.trusted,
    ...(server.fuse && { fuse: server.fuse }),
    concurrency: limits.concurrency ??
      (server.reach.kind === "http" ? HTTP_CONCURRENCY : STDIO_CONCURRENCY),
    limits: args.timeoutMs === undefined ? limits : { ...limits, idleMs: args.timeoutMs },
    toolLimits: tools.limits,
    denies(tool) {
      if (covers(deny, alias, tool)) return "it is denied (deny: or --deny)";
      if (tools.deny.some((pattern) => matches(pattern, tool))) {
        return `it is denied (servers.${alias}.tools.deny)`;
      }
      if (!tools.allow.some((pattern) => matches(pattern, tool))) {
        return `it is not allowed (servers.${alias}.tools.allow)`;
      }
    },
    open: () => openServer(server, world, watchers),
  };
}

/** @throws {TransportError} `config`, `disabled`, `spawn_not_found`, `spawn_denied` */
export function openServer(
  server: ServerConfig,
  world: World,
  watchers: Watchers = {},
): Transport {
  const { alias } = server;
  if (server.disabled) throw new TransportError("disabled", "it is disabled in the configuration");
  if (server.problem) throw new TransportError("config", server.problem);
  const reach = resolved(server, world);
  if (reach.kind === "http") {
    throw new TransportError("config", "this version of fusebox speaks stdio, not HTTP");
  }
  const isSelf = reach.command === "fusebox";
  const own = isSelf ? world.self(reach.args) : { ...reach, env: {} };
  const options: StdioOptions = {
    command: own.command,
    args: own.args,
    env: serverEnvironment({ ...world.env, ...own.env }, reach.env, {
      // What starts us starts us again: the cache folder and certificates of the runtime among it.
      inherit: reach.inheritEnv || isSelf,
      platform: world.platform,
    }),
    ...(reach.cwd !== undefined && { cwd: reach.cwd }),
    clock: world.clock,
    groups: world.groups,
    onStderr: (line) => watchers.onStderr?.(alias, line),
    onNoise: (line) => watchers.onNoise?.(alias, line),
    ...(watchers.onFrame && {
      onFrame: (direction, line) => watchers.onFrame!(alias, direction, line),
    }),
  };
  return stdioTransport(world.trace?.connection(alias).tap(options) ?? options);
}

/** With every `${VAR}` in its place. @throws {TransportError} `config`: one of them is not set */
export function resolved({ alias, reach }: ServerConfig, world: World): ServerConfig["reach"] {
  try {
    return interpolate(reach, (name) => world.env[name]);
  } catch (error) {
    if (!(error instanceof MissingVariable)) throw error;
    throw new TransportError("config", `${error.message} (servers.${alias})`, { cause: error });
  }
}
