/** What is known of a server, for tables, pages and people. @module */
import type { ReasonCode } from "../protocol/errors.ts";
import type { HeldBack } from "../protocol/tools.ts";
import type { PeerInfo, ToolInfo } from "../protocol/types.ts";
import type { Fuse } from "./fuse.ts";
import type { ToolRef } from "./names.ts";

/** Why a server is not to be had. */
export interface Reason {
  code: ReasonCode;
  /** One line for people: what could not be done, then why. */
  message: string;
  /** When it was found out, in milliseconds since the epoch. */
  since: number;
  /** The last lines of its stderr. A stranger's text. */
  tail: readonly string[];
}

export type State = "idle" | "attaching" | "online" | "offline";

/** A server's circuit. Times are milliseconds since the epoch. */
export interface FuseStatus {
  state: Fuse["state"];
  /** In a row, of one that is closed. */
  failures: number;
  /** Since when it is not closed. */
  since?: number;
  /** When the next trial is due, of one that is open. */
  trialAt?: number;
  /** How often it opened without a stable period between. */
  trips: number;
}

/** How a call ended: the tool's own no is `tool_error`, a JSON-RPC error `refused`. */
export type CallOutcome = "ok" | "tool_error" | ReasonCode;

/** One call that has ended, for whoever watches. Nothing of what was said is in it. */
export interface CallEvent {
  ref: ToolRef;
  /** When it ended. */
  at: number;
  ms: number;
  outcome: CallOutcome;
}

/** What is known of a server, for tables and pages. */
export interface ServerStatus {
  alias: string;
  description?: string;
  required: boolean;
  state: State;
  reason?: Reason;
  fuse: FuseStatus;
  dialect?: { era: "modern" | "legacy"; version: string };
  server?: PeerInfo;
  /** Of its process, where it has one and is there. */
  pid?: number;
  instructions?: string;
  /** All that it listed and that is well-formed, whether or not the configuration lets it be offered. */
  tools: readonly ToolInfo[];
  /** Whether `tools` were listed in this run or an earlier one; absent when they never were. */
  source?: "live" | "recalled";
  /** When they were listed, in milliseconds since the epoch. */
  listedAt?: number;
  /** Of recalled tools: whether they are still good by the server's own word. Each attach lists anew. */
  fresh?: boolean;
  heldBack: readonly HeldBack[];
  problems: readonly string[];
  /** How long the last attach took, to the full list of tools. */
  attachMs?: number;
  /** How often it was attached in this run. */
  attaches: number;
}
