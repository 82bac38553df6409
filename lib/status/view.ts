/** What the status page may look at: a run, seen through a glass that nothing can be changed through. @module */
import type { ServerStatus } from "../registry/status.ts";
import type { HeldBackTool, Table } from "../registry/table.ts";

/** Read-only, and cheap: it is asked several times a second while somebody watches. */
export interface StatusView {
  /** Milliseconds since the epoch. */
  now(): number;
  /** In the order of the configuration. */
  servers(): readonly ServerStatus[];
  /** The same object for as long as nothing in it is another. */
  table(): Table;
  heldBack(): readonly HeldBackTool[];
  /** Where a server is reached over the network, as `https://host:port`; undefined for a process. */
  origin(alias: string): string | undefined;
  facts(): Facts;
  /** The text without the secrets of the configuration. */
  redact(text: string): string;
}

/** What holds for the whole run. */
export interface Facts {
  /** Another one for each run: a page that is left open notices. */
  id: string;
  /** Of fusebox. */
  version: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** `status` where servers are watched and no model is asked. */
  mode: "full" | "lazy" | "forward" | "status";
  /** As the user writes it; absent where none is asked. */
  model?: string;
}
