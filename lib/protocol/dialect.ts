/** What the client needs to know about a protocol era, and nothing about which one it is. @module */
import { jsonLength } from "../kit/json.ts";
import { cut, printableLine } from "../kit/printable.ts";
import { isObject } from "./codec.ts";
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
  /** What was left out of it, a line each. */
  problems?: readonly string[];
}

/** UTF-16 units of what a server calls itself, its version, and what it tells a model of its use. */
export const PEER_NAME_MAX = 200;
export const INSTRUCTIONS_MAX = 20_000;
/** Characters of JSON. */
export const CAPABILITIES_MAX = 16_384;

/** Reads what a stranger says of itself, each part up to its bound. */
export function readHello(
  dialect: Dialect,
  said: { serverInfo: unknown; capabilities: unknown; instructions: unknown },
): Hello {
  const problems: string[] = [];
  const { instructions } = said;
  const capabilities = isObject(said.capabilities) ? said.capabilities : {};
  const isLarge = jsonLength(capabilities, CAPABILITIES_MAX) > CAPABILITIES_MAX;
  if (isLarge) {
    problems.push(`its capabilities are not taken: they are over ${CAPABILITIES_MAX / 1024} KiB`);
  }
  const shortened = (text: string, max: number, what: string) => {
    if (text.length > max) {
      problems.push(`its ${what} is cut after ${max} of ${text.length} characters`);
    }
    return cut(text, max);
  };
  const { name, version } = isObject(said.serverInfo) ? said.serverInfo : {};
  return {
    dialect,
    server: {
      ...(typeof name === "string" && { name: shortened(name, PEER_NAME_MAX, "name") }),
      ...(typeof version === "string" && {
        version: shortened(version, PEER_NAME_MAX, "version"),
      }),
    },
    capabilities: isLarge ? {} : capabilities,
    ...(typeof instructions === "string" && {
      instructions: shortened(instructions, INSTRUCTIONS_MAX, "text of instructions"),
    }),
    ...(problems.length > 0 && { problems }),
  };
}

/** Versions that an answer names, and how much is shown of each: somebody may name a million. */
export const VERSIONS_SHOWN = 20;
export const VERSION_SHOWN_MAX = 40;

/** Those versions in a message. */
export function versionList(versions: readonly string[]): string {
  const shown = versions.slice(0, VERSIONS_SHOWN).map((it) => printableLine(it, VERSION_SHOWN_MAX));
  const more = versions.length - shown.length;
  return (shown.join(", ") || "(none named)") + (more > 0 ? ` and ${more} more` : "");
}
