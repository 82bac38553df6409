/** The two ways a call can fail: the peer refused, or nobody answered. @module */

/** Why a server or a call is not to be had: the closed list that CLI, JSON, status page and model share. */
export type ReasonCode =
  | "spawn_not_found"
  | "spawn_denied"
  | "exited"
  | "handshake_timeout"
  | "list_timeout"
  | "call_timeout"
  | "closed"
  | "garbled"
  | "config"
  | "version_mismatch"
  | "bad_schema"
  | "http_401"
  | "http_403"
  | "http_404"
  | "http_429"
  | "http_4xx"
  | "http_5xx"
  | "old_sse"
  | "refused"
  | "dns"
  | "tls"
  | "fuse_open"
  | "outcome_unknown"
  | "denied"
  | "disabled";

/** The peer answered with a JSON-RPC error. It crossed the wire, so the peer is alive. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/**
 * Nobody answered, or not in words we know. It never crossed the wire as an answer. Below the registry
 * the message is the *why* alone ("no such command"); the registry adds what could not be done.
 */
export class TransportError extends Error {
  override readonly name = "TransportError";
  readonly fault: ReasonCode;
  /** The last lines of the server's stderr. A stranger's text: for people, never for the model. */
  readonly tail: readonly string[];
  constructor(
    fault: ReasonCode,
    message: string,
    options: { cause?: unknown; tail?: readonly string[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = fault;
    this.tail = options.tail ?? [];
  }
}

/** Not a byte of it left: it is safe to send it somewhere else, or once more. */
export class NotSent extends TransportError {}

/** The two failures that a caller may survive. Anything else is a bug, or the user leaving. */
export type CallFailure = ProtocolError | TransportError;

export function isCallFailure(error: unknown): error is CallFailure {
  return error instanceof ProtocolError || error instanceof TransportError;
}
