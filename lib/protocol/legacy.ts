/** The dialects of 2024-11-05 … 2025-11-25: a handshake, and servers that may call back. @module */
import { printableLine } from "../kit/printable.ts";
import { brief } from "./brief.ts";
import { type Dialect, type Hello, readHello } from "./dialect.ts";
import { TransportError } from "./errors.ts";
import type { Call, Params, PeerInfo, Reply } from "./types.ts";

/** Newest first; the first is the one we ask for. */
export const LEGACY_VERSIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
];

const METHOD_NOT_FOUND = -32601;

export function initializeParams(client: PeerInfo): Params {
  return {
    protocolVersion: LEGACY_VERSIONS[0],
    capabilities: {}, // Only what is true: we serve neither roots, nor sampling, nor elicitation.
    clientInfo: client,
  };
}

/**
 * @throws {TransportError} `version_mismatch` for a revision we do not speak.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export function readInitialize(result: Params): Hello {
  const version = result.protocolVersion;
  if (typeof version !== "string" || !LEGACY_VERSIONS.includes(version)) {
    throw new TransportError(
      "version_mismatch",
      `it answered initialize with protocol version ${brief(version)}, ` +
        `and fusebox speaks ${LEGACY_VERSIONS.join(", ")} there`,
    );
  }
  const { serverInfo, capabilities, instructions } = result;
  return readHello(legacyDialect(version), { serverInfo, capabilities, instructions });
}

export function legacyDialect(version: string): Dialect {
  return {
    era: "legacy",
    version,
    stamp: (params, token) =>
      token === undefined
        ? params
        : { ...params, _meta: { ...params._meta as Params, progressToken: token } },
    unwrap: (result) => result,
    answer: answerLegacy,
  };
}

/** Servers may call at any time, even before the handshake is done, and with id 0. */
export function answerLegacy(call: Call): Reply {
  if (call.method === "ping") return { jsonrpc: "2.0", id: call.id, result: {} };
  const error = {
    code: METHOD_NOT_FOUND,
    message: `Method not found: ${printableLine(call.method)}`,
  };
  return { jsonrpc: "2.0", id: call.id, error };
}
