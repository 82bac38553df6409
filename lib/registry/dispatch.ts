/** One call on its way to a server that is there: within its limits, and sent once. @module */
import type { CallOptions, Client } from "../client/client.ts";
import { NotSent, ProtocolError, TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Annotations, Params } from "../protocol/types.ts";
import type { CallLimits } from "./call_limits.ts";
import { Unanswered } from "./failures.ts";
import type { Ended } from "./fuse.ts";
import type { UseOptions } from "./server_options.ts";

/** The server at the other end, as far as what is sent to it needs to know. */
export interface Line {
  /** The time, as its fuse has it. */
  elapsed(): number;
  /** The last lines of its stderr. */
  lastWords(): readonly string[];
  /** Told what a call proves of the server, and of a failure what it was. */
  ended(client: Client, ended: Ended, failure?: TransportError): void;
}

export interface Dispatch {
  alias: string;
  /** Its raw name. */
  tool: string;
  args: Params;
  limits: CallLimits;
  options: UseOptions;
  line: Line;
}

const ANSWERED: Ended = { kind: "answered" };
/** Ends of the connection. They are one failure, however many calls were under way: others count it. */
const CONNECTION_ENDS = ["exited", "closed"];

/**
 * @throws {ProtocolError} what the server refused; {@linkcode NotSent}; {@linkcode Unanswered}; the
 * signal's reason
 */
export function dispatch(client: Client, call: Dispatch): Promise<ToolResult> {
  const { tool, args, limits: { idle, cap }, line } = call;
  const { key, signal, onProgress } = call.options;
  const beganAt = line.elapsed();
  const options: CallOptions = { idle, cap };
  if (key !== undefined) options.key = key;
  if (signal) options.signal = signal;
  options.onProgress = (progress) => {
    line.ended(client, ANSWERED); // Whoever reports is there.
    onProgress?.(progress);
  };
  // No frame of its own: thousands may be under way at once, and what each holds on to is felt.
  return client.callTool(tool, args, options).then(
    (result) => {
      line.ended(client, ANSWERED);
      return result;
    },
    (error) => {
      throw failureOf(error, client, call, beganAt);
    },
  );
}

/** What a call that gave no result comes to; the server's fuse is told what that says of the server. */
function failureOf(error: unknown, client: Client, call: Dispatch, beganAt: number): unknown {
  const { alias, tool, line } = call;
  if (error instanceof ProtocolError) line.ended(client, ANSWERED);
  if (!(error instanceof TransportError)) return error;
  if (error instanceof NotSent) {
    const why = `Cannot call "${alias}.${tool}": ${error.message}`;
    return new NotSent(error.fault, why, { cause: error, tail: line.lastWords() });
  }
  const why = `Cannot finish "${alias}.${tool}": ${error.message}`;
  const failure = new Unanswered(error.fault, why, { cause: error, tail: line.lastWords() });
  // What can't be read was written under our id by somebody who is there: one tool's fault, as a rule.
  if (error.fault === "garbled") line.ended(client, ANSWERED);
  else if (!CONNECTION_ENDS.includes(error.fault)) {
    line.ended(client, { kind: "failed", beganAt }, failure);
  }
  return failure;
}

/**
 * Asks for a sign of life.
 * @returns how long it took, in milliseconds
 * @throws {TransportError} or the signal's reason
 */
export async function check(
  client: Client,
  alias: string,
  line: Line,
  signal?: AbortSignal,
): Promise<number> {
  const beganAt = line.elapsed();
  try {
    await client.check(signal);
  } catch (error) {
    if (error instanceof TransportError && !CONNECTION_ENDS.includes(error.fault)) {
      const why = `Cannot reach "${alias}": ${error.message}`;
      const failure = new TransportError(error.fault, why, {
        cause: error,
        tail: line.lastWords(),
      });
      line.ended(client, { kind: "failed", beganAt }, failure);
    }
    throw error;
  }
  line.ended(client, ANSWERED);
  return line.elapsed() - beganAt;
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
