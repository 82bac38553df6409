/** The 2026-07-28 dialect: no handshake, `_meta` on every request. @module */
import { brief } from "./brief.ts";
import { isObject } from "./codec.ts";
import { type Dialect, type Hello, readHello } from "./dialect.ts";
import { TransportError } from "./errors.ts";
import { LEGACY_VERSIONS } from "./legacy.ts";
import type { Params, PeerInfo, Reply } from "./types.ts";

export const MODERN_VERSIONS: readonly string[] = ["2026-07-28"];

const META = "io.modelcontextprotocol/";
const HEADER_MISMATCH = -32020;
const MISSING_CAPABILITY = -32021;
const UNSUPPORTED_VERSION = -32022;

/**
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
 */
export function modernDialect(version: string, client: PeerInfo): Dialect {
  const meta = {
    [`${META}protocolVersion`]: version,
    [`${META}clientInfo`]: client,
    [`${META}clientCapabilities`]: {}, // Only what is true: nothing optional is served yet.
  };
  return {
    era: "modern",
    version,
    stamp(params, token) {
      const own = params._meta as Params | undefined;
      if (!own && token === undefined) return { ...params, _meta: meta };
      if (token === undefined) return { ...params, _meta: { ...own, ...meta } };
      return { ...params, _meta: { ...own, ...meta, progressToken: token } };
    },
    unwrap(result) {
      const type = result.resultType;
      // Absent means complete: servers of several SDKs omit it.
      if (type === undefined || type === "complete") return result;
      throw new TransportError(
        "garbled",
        type === "input_required"
          ? `it asks for more input before it goes on${question(result.inputRequests)}, ` +
            `and fusebox offered no way to give it any (input_required)`
          : `the answer is a result of unknown type ${brief(type)}`,
      );
    },
    answer: () => undefined, // This revision has no calls from servers, so none is answered.
  };
}

/**
 * What it asks for, where it says so: whoever called may know it, and call with it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
function question(requests: unknown): string {
  const asked = isObject(requests) ? Object.values(requests) : [];
  const params = asked.map((it) => isObject(it) && isObject(it.params) ? it.params : {});
  const message = params.map((it) => it.message).find((it) => typeof it === "string");
  return message === undefined ? "" : `, ${brief(message)}`;
}

/** What the reply to `server/discover` says about the server's era. */
export type Verdict =
  | { era: "modern"; hello: Hello }
  /** Ask again, naming this version. */
  | { era: "retry"; version: string }
  | { era: "legacy" }
  | { era: "none"; offered: readonly string[] };

/**
 * Only a DiscoverResult and the three errors of this revision prove a modern server; whatever else
 * comes back is somebody older. `asked` is the version the probe named.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function judgeProbe(reply: Reply, asked: string, client: PeerInfo): Verdict {
  if ("result" in reply) {
    const offered = strings(reply.result.supportedVersions);
    if (!offered) return { era: "legacy" };
    const version = MODERN_VERSIONS.find((known) => offered.includes(known));
    if (version) return { era: "modern", hello: readDiscover(reply.result, version, client) };
    return knowsLegacy(offered) ? { era: "legacy" } : { era: "none", offered };
  }
  const { code, data } = reply.error;
  if (code === HEADER_MISMATCH || code === MISSING_CAPABILITY) {
    // A modern server that refuses to introduce itself may still serve its tools.
    return { era: "modern", hello: readDiscover({}, asked, client) };
  }
  if (code !== UNSUPPORTED_VERSION) return { era: "legacy" };
  const offered = (isObject(data) ? strings(data.supported) : undefined) ?? [];
  const version = MODERN_VERSIONS.find((known) => offered.includes(known));
  if (version) return { era: "retry", version };
  return knowsLegacy(offered) ? { era: "legacy" } : { era: "none", offered };
}

function readDiscover(result: Params, version: string, client: PeerInfo): Hello {
  const meta = isObject(result._meta) ? result._meta : {};
  const { capabilities, instructions } = result;
  const said = { serverInfo: meta[`${META}serverInfo`], capabilities, instructions };
  return readHello(modernDialect(version, client), said);
}

function knowsLegacy(offered: readonly string[]): boolean {
  return LEGACY_VERSIONS.some((version) => offered.includes(version));
}

function strings(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}
