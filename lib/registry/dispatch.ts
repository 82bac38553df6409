/** One call on its way to a server that is there: within its limits, and sent once. @module */
import type { CallOptions, Client } from "../client/client.ts";
import { NotSent, ProtocolError, TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Annotations, Params } from "../protocol/types.ts";
import type { CallLimits } from "./call_limits.ts";
import { Unanswered } from "./failures.ts";
import type { Ended } from "./fuse.ts";
import type { UseOptions } from "./server_options.ts";

export interface Dispatch extends UseOptions {
  alias: string;
  /** Its raw name. */
  tool: string;
  args: Params;
  limits: CallLimits;
  /** The time, in milliseconds since the epoch. */
  now(): number;
  /** The last lines of the server's stderr. */
  lastWords(): readonly string[];
  /** Told what the call proves of the server, and of a failure what it was. */
  ended(ended: Ended, failure?: TransportError): void;
}

/** Ends of the connection. They are one failure, however many calls were under way: others count it. */
const CONNECTION_ENDS = ["exited", "closed"];

/**
 * @throws {ProtocolError} what the server refused; {@linkcode NotSent}; {@linkcode Unanswered}; the
 * signal's reason
 */
export async function dispatch(client: Client, call: Dispatch): Promise<ToolResult> {
  const { alias, tool, args, limits, key, signal, onProgress, now, ended } = call;
  const beganAt = now();
  const options: CallOptions = {
    ...limits,
    ...(key !== undefined && { key }),
    ...(signal && { signal }),
    onProgress(progress) {
      ended({ kind: "answered" }); // Whoever reports is there.
      onProgress?.(progress);
    },
  };
  try {
    const result = await client.callTool(tool, args, options);
    ended({ kind: "answered" });
    return result;
  } catch (error) {
    if (error instanceof ProtocolError) ended({ kind: "answered" });
    if (!(error instanceof TransportError)) throw error;
    if (error instanceof NotSent) {
      const why = `Cannot call "${alias}.${tool}": ${error.message}`;
      throw new NotSent(error.fault, why, { cause: error, tail: call.lastWords() });
    }
    const why = `Cannot finish "${alias}.${tool}": ${error.message}`;
    const failure = new Unanswered(error.fault, why, { cause: error, tail: call.lastWords() });
    if (!CONNECTION_ENDS.includes(error.fault)) ended({ kind: "failed", beganAt }, failure);
    throw failure;
  }
}

/**
 * Asks for a sign of life.
 * @returns how long it took, in milliseconds
 * @throws {TransportError} or the signal's reason
 */
export async function check(
  client: Client,
  { alias, signal, now, lastWords, ended }: Omit<Dispatch, "tool" | "args" | "limits">,
): Promise<number> {
  const beganAt = now();
  try {
    await client.check(signal);
  } catch (error) {
    if (error instanceof TransportError && !CONNECTION_ENDS.includes(error.fault)) {
      const why = `Cannot reach "${alias}": ${error.message}`;
      const failure = new TransportError(error.fault, why, { cause: error, tail: lastWords() });
      ended({ kind: "failed", beganAt }, failure);
    }
    throw error;
  }
  ended({ kind: "answered" });
  return now() - beganAt;
}

/**
 * Whether a call that failed may be sent once more: one that never left; and one whose answer was
 * lost with the connection, where the user trusts the server and the server says that it does no
 * harm. What is slow would be slow again.
 */
export function mayRepeat(
  error: unknown,
  isTrusted: boolean,
  { readOnlyHint, idempotentHint }: Annotations = {},
): boolean {
  if (!(error instanceof TransportError)) return false;
  const { fault } = error;
  if (error instanceof NotSent) return CONNECTION_ENDS.includes(fault);
  if (!isTrusted || !CONNECTION_ENDS.includes(fault)) return false;
  return readOnlyHint === true || idempotentHint === true;
}
