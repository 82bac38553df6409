/** How a call can fail, as the registry tells it apart, and the words that the model is told. @module */
import { toJson } from "../kit/json.ts";
import { cut } from "../kit/printable.ts";
import { ProtocolError, TransportError } from "../protocol/errors.ts";
import type { HeldBack, ToolResult } from "../protocol/tools.ts";
import type { ToolInfo } from "../protocol/types.ts";
import type { ToolRef } from "./names.ts";

/** The call left and no answer came: it may have run. */
export class Unanswered extends TransportError {
  /** How often it left. */
  sent = 1;
}

/** The tool is another one now than when it was listed, or held back, or gone: the call was not sent. */
export class ChangedTool extends ProtocolError {
  constructor(alias: string, tool: string, now: ToolInfo | undefined, held?: HeldBack) {
    const name = `"${alias}.${tool}"`;
    const told = held
      ? `The tool ${name} is held back, for it ${held.why}. Nothing was run.`
      : now
      ? `The tool ${name} has another schema now. Nothing was run. Its arguments are now: ` +
        cut(toJson(now.inputSchema), 8_000)
      : `The tool ${name} is not there any more. Nothing was run.`;
    super(-32602, told);
  }
}

/** Nothing may change in this run, and something has: it ends, before anything that changed is used. */
export class FrozenPins extends Error {
  override readonly name = "FrozenPins";
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** A refused handshake or list is no answer to a call: to the caller, the server is not to be had. */
export function toTransportError(error: unknown): TransportError | undefined {
  if (error instanceof TransportError) return error;
  if (!(error instanceof ProtocolError)) return undefined;
  const why = `it refused to list its tools: ${error.message} (${error.code})`;
  return new TransportError("refused", why, { cause: error });
}

/**
 * A failure in words the model can use: what happened, whether it may have run, what to do instead.
 * `hide` takes out of them what they must not hold.
 */
export function failed(
  ref: ToolRef,
  error: ProtocolError | TransportError,
  hide: (text: string) => string,
): ToolResult {
  return says(hide(told(ref, error)), error);
}

function told(ref: ToolRef, error: ProtocolError | TransportError): string {
  if (error instanceof ChangedTool) return error.message;
  if (error instanceof ProtocolError) {
    return `The server "${ref.alias}" refused the call: ${error.message} (${error.code}).`;
  }
  if (error instanceof Unanswered) {
    return `${error.message}. The outcome is unknown: it may have run. ` +
      `It was ${error.sent > 1 ? "sent twice" : "not sent again"}; ` +
      `look whether it took effect before you call it once more.`;
  }
  return `${error.message}. Nothing was run. Use another tool, or go on without "${ref.alias}".`;
}

export function says(text: string, failure: Error): ToolResult {
  return { content: [{ type: "text", text }], isError: true, failure };
}
