/** Errors of Gemini, understood: by their status and the details they carry. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { failed, failure, overflowIn, type Trouble, waitIn } from "../format/failure.ts";
import type { ModelError } from "../model.ts";
import type { ErrorResponse, Failure } from "../wire.ts";

/** @see https://ai.google.dev/gemini-api/docs/troubleshooting */
export function explainGemini({ status, body }: ErrorResponse): Failure {
  return judge(errorOf(body) ?? { message: typeof body === "string" ? body : "" }, status);
}

/** The error for a response that is one; undefined for any other. */
export function geminiErrorIn(response: Params): ModelError | undefined {
  const error = errorOf(response);
  if (!error) return undefined;
  const code = Number(error.code);
  const status = code >= 400 && code < 600 ? code : 0;
  return failed(judge(error, status), status);
}

/** A stream that is refused answers with a list. */
function errorOf(body: unknown): Params | undefined {
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) return undefined;
  if (typeof outer.error === "string") return { message: outer.error };
  return isObject(outer.error) ? outer.error : undefined;
}

const BY_STATUS: Readonly<Record<string, Trouble>> = {
  UNAUTHENTICATED: "key",
  PERMISSION_DENIED: "forbidden",
  RESOURCE_EXHAUSTED: "rate",
  UNAVAILABLE: "overloaded",
  INTERNAL: "failed",
  UNKNOWN: "failed",
  DEADLINE_EXCEEDED: "failed",
  ABORTED: "failed",
};
const BY_CODE: Readonly<Record<number, Trouble>> = {
  401: "key",
  403: "forbidden",
  408: "failed",
  409: "failed",
  429: "rate",
  503: "overloaded",
  529: "overloaded",
};

function judge(error: Params, status: number): Failure {
  const message = typeof error.message === "string" ? error.message : "";
  const words = message || (status ? `status ${status}` : "it does not say why");
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const long = overflowIn(message);
  if (long !== undefined) return failure("context", long || words);
  const reasons = details.map(({ reason }) => reason);
  if (
    reasons.includes("API_KEY_INVALID") ||
    /api key not valid|unregistered callers|api key (?:expired|was reported)/i.test(message)
  ) return failure("key", words);
  const name = typeof error.status === "string" ? error.status : "";
  const trouble = BY_STATUS[name] ?? BY_CODE[status] ?? (status >= 500 ? "failed" : undefined);
  if (trouble === "rate") return limited(message, words, details);
  if (trouble) return failure(trouble, words);
  if (status === 404 || name === "NOT_FOUND") {
    return failure(/model/i.test(message) ? "model" : "refused", words);
  }
  if (/block|safety|prohibited/i.test(message)) return failure("blocked", words);
  const fields = details.map(({ fieldViolations }) => JSON.stringify(fieldViolations) ?? "");
  // All functions are in one tool, so the index of the tool says nothing.
  const tool = /function_?declarations\[(\d+)\]/i.exec([message, ...fields].join(" "))?.[1];
  return failure("refused", words, tool === undefined ? {} : { tool: Number(tool) });
}

/** A day's quota comes with the wait of a minute's; only its name tells which it is. */
function limited(message: string, words: string, details: readonly Params[]): Failure {
  const violations = details.flatMap(({ violations }) =>
    Array.isArray(violations) ? violations : []
  );
  const isSpent =
    violations.some((violation) =>
      isObject(violation) && /PerDay/i.test(String(violation.quotaId))
    ) || /\blimit: 0\b/.test(message);
  if (isSpent) return failure("quota", words);
  const delay = details.map(({ retryDelay }) => retryDelay).find((delay) =>
    typeof delay === "string"
  );
  const wait = waitIn(String(delay ?? /retry in ([\d.hms]+s)/i.exec(message)?.[1] ?? ""));
  return failure("rate", words, wait === undefined ? {} : { retryAfterMs: wait });
}
