import assert from "node:assert/strict";
import { anthropicFormat } from "../../../lib/models/anthropic.ts";
import type { Failure } from "../../../lib/models/wire.ts";
import { explained } from "../../support/format.ts";

const format = anthropicFormat();

const error = (type: string, message: string, error_code?: string) => ({
  type: "error",
  error: { type, message, ...(error_code && { details: { error_code } }) },
  request_id: "req_1",
});
const invalid = (message: string, code?: string) => error("invalid_request_error", message, code);

type Case = [status: number, body: unknown, message: string, more?: Partial<Failure>];

const SPENT = "The account has no quota left";
const REFUSED = "The model API refused the request";

const CASES: readonly Case[] = [
  [
    401,
    error("authentication_error", "invalid x-api-key"),
    "The model API did not accept the key: invalid x-api-key",
  ],
  [
    403,
    error("permission_error", "Not for you."),
    "The model API does not allow this with this key: Not for you",
  ],
  [
    404,
    error("not_found_error", "model: claude-x"),
    "The model API does not know this model: model: claude-x",
  ],
  [404, error("not_found_error", "Not Found"), `${REFUSED}: Not Found`, {
    hint: "Is the base URL that of this API, without /v1?",
  }],
  [404, "<html>nginx</html>", `${REFUSED}: <html>nginx</html>`],
  [
    400,
    invalid("prompt is too long: 3333404 tokens > 200000 maximum"),
    "The conversation is too long for the model: 3333404 tokens where 200000 fit",
  ],
  [
    413,
    error("request_too_large", "Request exceeds the maximum size"),
    `${REFUSED}: Request exceeds the maximum size`,
    { hint: "Give it less at once: results and attachments are part of every request." },
  ],
  [402, error("billing_error", "Pay first."), `${SPENT}: Pay first`],
  [
    400,
    invalid("Your credit balance is too low to access the Anthropic API."),
    `${SPENT}: Your credit balance is too low to access the Anthropic API`,
  ],
  [
    400,
    invalid("You have reached your specified API usage limits."),
    `${SPENT}: You have reached your specified API usage limits`,
  ],
  [429, error("rate_limit_error", "Limit.", "contract_spend_limit_reached"), `${SPENT}: Limit`],
  [
    429,
    error("rate_limit_error", "", "linked_organization_billing_unavailable"),
    `${SPENT}: linked_organization_billing_unavailable`,
  ],
  [429, error("rate_limit_error", "Too many."), "The model API asks for fewer requests: Too many", {
    retryable: true,
  }],
  [
    429,
    error("rate_limit_error", "Slower.", "ramp_limit_exceeded"),
    "The model API asks for fewer requests: Slower",
    { retryable: true },
  ],
  [529, error("overloaded_error", "Overloaded"), "The model API is overloaded: Overloaded", {
    retryable: true,
  }],
  [529, "", "The model API is overloaded: status 529", { retryable: true }],
  [503, { message: "down" }, "The model API is overloaded: down", { retryable: true }],
  [
    500,
    error("api_error", "Internal server error"),
    "The model API failed: Internal server error",
    { retryable: true },
  ],
  [504, error("timeout_error", "Timed out"), "The model API failed: Timed out", {
    retryable: true,
  }],
  [408, "", "The model API failed: status 408", { retryable: true }],
  [409, error("conflict_error", "Busy"), "The model API failed: Busy", { retryable: true }],
  [502, "<html>bad gateway</html>", "The model API failed: <html>bad gateway</html>", {
    retryable: true,
  }],
  [
    400,
    error("invalid_request_error", "Key store away.", "cmek_key_unreachable"),
    "The model API failed: Key store away",
    { retryable: true },
  ],
  [
    403,
    error("permission_error", "On hold.", "organization_on_hold"),
    "The model API does not allow this with this key: On hold",
  ],
  [
    400,
    invalid("Output blocked by content filtering policy"),
    "The model API blocked the request: Output blocked by content filtering policy",
  ],
  [
    400,
    invalid("tools.3.custom.input_schema: JSON schema is invalid."),
    `${REFUSED}: tools.3.custom.input_schema: JSON schema is invalid`,
    { tool: 3 },
  ],
  [
    400,
    invalid("tools[12].name: String should match pattern"),
    `${REFUSED}: tools[12].name: String should match pattern`,
    { tool: 12 },
  ],
  [
    400,
    invalid("messages.1.content: must be non-empty"),
    `${REFUSED}: messages.1.content: must be non-empty`,
  ],
  // A mock server and gateways leave the outer type out, or all of it.
  [
    401,
    { error: { type: "authentication_error", message: "no" } },
    "The model API did not accept the key: no",
  ],
  [401, { error: "no" }, "The model API did not accept the key: no"],
  [401, { detail: "no" }, "The model API did not accept the key: no"],
  [400, null, `${REFUSED}: status 400`],
];

for (const [status, body, message, more = {}] of CASES) {
  Deno.test(`anthropicFormat() explains ${status} ${JSON.stringify(body).slice(0, 90)}`, () => {
    const failure = explained(format, status, body);
    assert.equal(failure.message, message);
    assert.equal(failure.retryable, more.retryable ?? false);
    assert.equal(failure.tool, more.tool);
    if (more.hint) assert.equal(failure.hint, more.hint);
  });
}
