/** Errors of Anthropic, understood: by their code and type, and by words where there is no other sign. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { failed, failure, overflowIn, toolIn, type Trouble } from "../format/failure.ts";
import type { ModelError } from "../model.ts";
import type { ErrorResponse, Failure } from "../wire.ts";

/** `error.details.error_code` is promised to be stable; the wording is promised not to be. */
const BY_CODE: readonly [code: RegExp, trouble: Trouble][] = [
  [/spend_limit_reached$|billing|enforced_spend/, "quota"],
  [/^ramp_limit/, "rate"],
  [/^organization_on_hold$|_not_supported$|_not_allowed$/, "forbidden"],
  [/^cmek_.*un(?:available|reachable)$/, "failed"],
];

/** The status stands for the type where a stream says it, and the type for the status elsewhere. */
const BY_TYPE: Readonly<Record<string, { trouble: Trouble; status: number }>> = {
  invalid_request_error: { trouble: "refused", status: 400 },
  authentication_error: { trouble: "key", status: 401 },
  billing_error: { trouble: "quota", status: 402 },
  permission_error: { trouble: "forbidden", status: 403 },
  not_found_error: { trouble: "model", status: 404 },
  conflict_error: { trouble: "failed", status: 409 },
  request_too_large: { trouble: "refused", status: 413 },
  rate_limit_error: { trouble: "rate", status: 429 },
  api_error: { trouble: "failed", status: 500 },
  timeout_error: { trouble: "failed", status: 504 },
  overloaded_error: { trouble: "overloaded", status: 529 },
};

const TOO_LARGE = "Give it less at once: results and attachments are part of every request.";
const NOT_THIS_API = "Is the base URL that of this API, without /v1?";

/** @see https://platform.claude.com/docs/en/api/errors */
export function explainAnthropic({ status, body }: ErrorResponse): Failure {
  return judge(errorOf(body), status);
}

/** The error for an event that says that something failed; undefined for any other. */
export function anthropicErrorIn(event: Params, name = ""): ModelError | undefined {
  const says = event.type === "error" || name === "error" ||
    (event.type === undefined && event.error !== undefined && event.error !== null);
  if (!says) return undefined;
  const error = errorOf(event);
  const status = BY_TYPE[String(error.type)]?.status ?? 0;
  return failed(judge(error, status), status);
}

/** `{ type: "error", error: {…} }`, and what gateways make of it. */
function errorOf(body: unknown): Params {
  if (typeof body === "string") return { message: body };
  if (!isObject(body)) return {};
  if (isObject(body.error)) return body.error;
  if (typeof body.error === "string") return { message: body.error };
  const { message, detail } = body;
  return { message: message ?? (typeof detail === "string" ? detail : undefined) };
}

function judge(error: Params, status: number): Failure {
  const { type, details } = error;
  const message = typeof error.message === "string" ? error.message : "";
  const code = isObject(details) && typeof details.error_code === "string"
    ? details.error_code
    : "";
  const words = message || code || (status ? `status ${status}` : "it does not say why");
  const long = overflowIn(message);
  if (long !== undefined) return failure("context", long || words);
  const byCode = BY_CODE.find(([pattern]) => pattern.test(code))?.[1];
  if (byCode) return failure(byCode, words);
  const known = BY_TYPE[String(type)] ?? byStatus(status);
  const trouble = known?.trouble ?? (status >= 500 ? "failed" : "refused");
  if (trouble === "model" && !/model/i.test(message)) {
    return failure("refused", words, { hint: NOT_THIS_API });
  }
  if (trouble !== "refused") return failure(trouble, words);
  // A spent account is an invalid request like any other, but for its words.
  if (/credit balance|usage limits?\b|spend limit/i.test(message)) return failure("quota", words);
  if (/content filtering|usage polic/i.test(message)) return failure("blocked", words);
  if (status === 413 || type === "request_too_large" || code.startsWith("request_body_too_large")) {
    return failure("refused", words, { hint: TOO_LARGE });
  }
  const tool = toolIn(message);
  return failure("refused", words, tool === undefined ? {} : { tool });
}

function byStatus(status: number) {
  if (status === 408) return BY_TYPE.timeout_error;
  if (status === 503) return BY_TYPE.overloaded_error;
  return Object.values(BY_TYPE).find((each) => each.status === status);
}
