/** What a server is made of: how it is started, within which limits, and what was known before. @module */
import type { Opener } from "../client/handshake.ts";
import type { ToolList } from "../client/listing.ts";
import type { FusePolicy, Limits, ToolLimits } from "../config/config.ts";
import type { Clock } from "../kit/clock.ts";
import type { Hello } from "../protocol/dialect.ts";
import type { Progress } from "../protocol/tools.ts";
import type { PeerInfo } from "../protocol/types.ts";
import type { Gate } from "./gate.ts";
import type { Reason, ServerStatus } from "./status.ts";

export interface ServerOptions {
  alias: string;
  description?: string;
  required: boolean;
  /** Starts it. @throws {TransportError} also `config`, `disabled`: it can't be started as it stands. */
  open: Opener;
  limits: Limits;
  toolLimits: readonly ToolLimits[];
  /** Default {@linkcode DEFAULT_FUSE}. */
  fuse?: FusePolicy;
  /** Calls under way at once. Default {@linkcode STDIO_CONCURRENCY}. */
  concurrency?: number;
  /** The user vouches for what it says of its own tools. */
  trusted?: boolean;
  /** Why the configuration keeps this tool (raw name) from being offered; undefined when it does not. */
  denies(tool: string): string | undefined;
  /** How long it may rest without a call before it is detached; undefined: as long as we live. */
  restMs?: number;
  /** What was known of it before this run, and where what is learned goes. */
  memory?: Memory;
  /** Holds back what is not as it was seen first; undefined: all that it lists is offered. */
  pins?: Pins;
}

/** Tools as they were seen first, or as a person has accepted them since. */
export interface Pins {
  /**
   * The list as it may be offered: a tool that is not as it was pinned is held back, `changed`. A list
   * from disk is looked at, and pins nothing; `hashes` are of its tools, where they are at hand.
   * @throws {FrozenPins} when nothing may change in this run, and something has
   */
  check(list: ToolList, recalled?: { hashes?: ReadonlyMap<string, string> }): Promise<ToolList>;
}

/** What is kept of one server between runs. Neither side throws: a memory that fails is a miss. */
export interface Memory {
  recall(): Promise<Known | undefined>;
  remember(known: Known): Promise<void>;
  blame(reason: Reason): Promise<void>;
}

/** A server as it was when it was met. */
export interface Known {
  hello: Hello;
  list: ToolList;
  /** By raw name, `toolHash` of each tool as it came: what is kept of it may hide secrets. */
  hashes?: ReadonlyMap<string, string>;
  /** Why it was not to be had when it was tried last. */
  reason?: Reason;
  /** When it was listed, in milliseconds since the epoch. */
  listedAt?: number;
  /** Whether the list is still good by the server's own word. */
  fresh?: boolean;
}

export interface ServerWorld {
  clock: Clock;
  client: PeerInfo;
  /** Waits for a place among those that start; returns what gives the place back. */
  place(signal: AbortSignal): Promise<() => void>;
  /** Waits for a place among the calls that are under way, of this server and of all. */
  gate: Gate;
  /** 0 ≤ n < 1 */
  random(): number;
  onChange(status: ServerStatus): void;
  /** Takes secrets out of what a server says when it fails. */
  hide(text: string): string;
}

export interface UseOptions {
  /** Of this use alone, in the whole run: goes along to the server. */
  key?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}
