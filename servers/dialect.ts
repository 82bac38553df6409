/** The two eras of MCP as a server sees them: versions, and the metadata a modern call has to carry. @module */
import { isObject } from "./arguments.ts";

/** `modern` is 2026-07-28 alone, `legacy` is all that begins with a handshake, `dual` serves both. */
export type Dialect = "modern" | "legacy" | "dual";

export const MODERN = "2026-07-28";
export const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/** What the specification took out of the modern dialect. */
export const REMOVED = ["initialize", "ping", "logging/setLevel"];

export const META = "io.modelcontextprotocol/";
const VERSION = `${META}protocolVersion`;
const CAPABILITIES = `${META}clientCapabilities`;

/** A JSON-RPC error on its way to the client. */
export class Refusal extends Error {
  override name = "Refusal";
  constructor(readonly code: number, message: string, readonly data?: unknown) {
    super(message);
  }
}

/** Whether the params of a call carry the metadata of the modern dialect, complete or not. */
export function isModern(params: unknown): boolean {
  const meta = isObject(params) ? params._meta : undefined;
  return isObject(meta) && (VERSION in meta || CAPABILITIES in meta);
}

/**
 * Checks the metadata of a modern call.
 * @throws {Refusal} -32022 for a version other than ours, -32602 for a key that is missing or malformed.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic#meta}
 */
export function demandMeta(params: Record<string, unknown>, supported: string[]): void {
  const meta = isObject(params._meta) ? params._meta : {};
  const requested = meta[VERSION];
  if (typeof requested === "string" && requested !== MODERN) {
    const data = { supported, requested };
    throw new Refusal(-32022, `Unsupported protocol version: ${requested}`, data);
  }
  const missing = [VERSION, CAPABILITIES].filter((key) => !(key in meta));
  if (missing.length > 0) {
    throw new Refusal(-32602, `Missing in params._meta: ${missing.join(", ")}`, { missing });
  }
  if (typeof requested !== "string") throw new Refusal(-32602, `${VERSION} must be a string`);
  if (!isObject(meta[CAPABILITIES])) throw new Refusal(-32602, `${CAPABILITIES} must be an object`);
}

export interface DialectOptions {
  dialect?: Dialect;
  /** The newest version of the legacy dialect the server knows; 2025-11-25 if absent. */
  legacyVersion?: string;
}

/**
 * The dialect by command line: `--modern`, `--legacy[=VERSION]`, `--dual[=VERSION]`.
 * @throws {Error} for anything else.
 */
export function dialectFrom(args: string[]): DialectOptions {
  const options: DialectOptions = {};
  for (const arg of args) {
    const [, dialect, version] = /^--(modern|legacy|dual)(?:=(.+))?$/.exec(arg) ?? [];
    if (!dialect) {
      throw new Error(`Cannot read "${arg}": expected --modern, --legacy[=VERSION] or --dual`);
    }
    options.dialect = dialect as Dialect;
    if (version) options.legacyVersion = version;
  }
  return options;
}
