/** What the client needs to know about a protocol era, and nothing about which one it is. @module */
import type { Call, Params, PeerInfo, Reply } from "./types.ts";

export interface Dialect {
  readonly era: "modern" | "legacy";
  /** The negotiated revision, as `2026-07-28`. */
  readonly version: string;
  /** The parameters with the `_meta` that this era asks for added; `token` asks for progress. */
  stamp(params: Params, token?: number): Params;
  /**
   * The result once the era's envelope was looked at.
   * @throws {TransportError} `garbled` for a `resultType` we do not know: that call fails, no other.
   */
  unwrap(result: Params): Params;
  /** The reply to a call of the server's; undefined where the era knows no such calls. */
  answer(call: Call): Reply | undefined;
}

/** What a server says of itself when we meet it. Display text, all of it. */
export interface Hello {
  dialect: Dialect;
  server: PeerInfo;
  capabilities: Params;
  instructions?: string;
}

/** Reads `{name, version}` of a stranger. */
export function readPeer(value: unknown): PeerInfo {
  if (typeof value !== "object" || value === null) return {};
  const { name, version } = value as Params;
  return {
    ...(typeof name === "string" && { name }),
    ...(typeof version === "string" && { version }),
  };
}
