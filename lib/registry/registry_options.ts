/** What a registry is handed: the time, our name, bounds, and who is told what. @module */
import type { Clock } from "../kit/clock.ts";
import type { PeerInfo } from "../protocol/types.ts";
import type { CallEvent, ServerStatus } from "./status.ts";

export interface RegistryOptions {
  clock: Clock;
  /** Who we say we are. */
  client: PeerInfo;
  /** How many servers may be starting at once. Default 8. */
  atOnce?: number;
  /** Told of every change of a server's state, as it happens. */
  onChange?: (status: ServerStatus) => void;
  /** Told of every call of a tool that exists, once it has ended; not of those that the user left. */
  onCall?: (event: CallEvent) => void;
  /** Calls of all servers under way at once. Default {@linkcode DEFAULT_LIMITS}. */
  overall?: number;
  /** 0 ≤ n < 1. Default `Math.random`. */
  random?: () => number;
  /** Takes secrets out of what is said when something fails, to the model too. Default: there are none. */
  hide?: (text: string) => string;
}
