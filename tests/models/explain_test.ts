import assert from "node:assert/strict";
import { geminiFormat } from "../../lib/models/gemini.ts";
import { openaiChatFormat } from "../../lib/models/openai_chat.ts";
import { openaiResponsesFormat } from "../../lib/models/openai_responses.ts";
import type { Failure } from "../../lib/models/wire.ts";
import { explained } from "../support/format.ts";

const openai = (message: string, code: string | null = null, more: object = {}) => ({
  error: { message, type: "invalid_request_error", param: null, code, ...more },
});
const openrouter = (code: number, raw: unknown, more: object = {}) => ({
  error: {
    message: "Provider returned error",
    code,
    metadata: { raw: JSON.stringify(raw), provider_name: "X", ...more },
  },
});
const google = (code: number, status: string, message: string, ...details: object[]) => ({
  error: { code, message, status, details },
});

const KEY = /^The model API did not accept the key: /;
const MODEL = /^The model API does not know this model: /;
const LONG = /^The conversation is too long for the model: /;
const QUOTA = /^The account has no quota left: /;
const RATE = /^The model API asks for fewer requests: /;
const BUSY = /^The model API is overloaded: /;
const BLOCKED = /^The model API blocked the request: /;
const FORBIDDEN = /^The model API does not allow this with this key: /;
const BAD_CALL = /^The model wrote a tool call that its API could not read: /;
const REFUSED = /^The model API refused the request: /;
const FAILED = /^The model API failed: /;
const RETRYABLE = [RATE, BUSY, BAD_CALL, FAILED];

type Case = [
  who: string,
  status: number,
  body: unknown,
  says: RegExp,
  more?: Partial<Failure> & { ends?: string },
];

const OPENAI: Case[] = [
  [
    "OpenAI, wrong key",
    401,
    openai("Incorrect API key provided: sk-x***.", "invalid_api_key"),
    KEY,
    { ends: "provided: sk-x***" },
  ],
  ["Mistral, wrong key", 401, { detail: "Invalid API Key" }, KEY],
  [
    "xAI, wrong key",
    400,
    { code: "invalid-argument", error: "Incorrect API key provided: xa***." },
    KEY,
  ],
  ["OpenRouter, no key", 401, { error: { message: "No auth credentials found", code: 401 } }, KEY],
  [
    "DeepSeek, wrong key",
    401,
    openai("Authentication Fails (no such user)", "invalid_request_error"),
    KEY,
  ],
  ["a proxy", 401, "Unauthorized", KEY],
  [
    "OpenAI, unknown model",
    404,
    openai("The model 'gpt-9' does not exist", "model_not_found"),
    MODEL,
  ],
  ["vLLM, unknown model", 404, {
    object: "error",
    message: "The model `x.1` does not exist.",
    type: "NotFoundError",
    code: 404,
  }, MODEL],
  ["Ollama, unknown model", 404, {
    error: { message: 'model "x:3.1b" not found, try pulling it first', type: "api_error" },
  }, MODEL],
  ["DeepSeek, unknown model", 400, openai("Model Not Exist"), MODEL],
  ["OpenRouter, unknown model", 400, {
    error: { message: "x/y is not a valid model ID", code: 400 },
  }, MODEL],
  ["Mistral, unknown model", 400, {
    object: "error",
    message: "Invalid model: x",
    type: "invalid_model",
    code: "1500",
  }, MODEL],
  ["Azure, unknown deployment", 404, {
    error: { code: "DeploymentNotFound", message: "The API deployment does not exist." },
  }, MODEL],
  [
    "OpenAI, too long",
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 150001 tokens.",
      "context_length_exceeded",
    ),
    LONG,
    { ends: ": 150001 tokens where 128000 fit" },
  ],
  [
    "OpenAI, too long without numbers",
    400,
    openai(
      "Your input exceeds the context window of this model. Please adjust it.",
      "context_length_exceeded",
    ),
    LONG,
    { ends: "Please adjust it" },
  ],
  [
    "OpenRouter, too long",
    400,
    {
      error: {
        code: 400,
        message:
          "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (…).",
      },
    },
    LONG,
    { ends: ": 140000 tokens where 131072 fit" },
  ],
  [
    "vLLM, too long",
    400,
    {
      object: "error",
      message:
        "'max_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens",
      code: 400,
    },
    LONG,
    { ends: ": 2104 tokens where 4096 fit" },
  ],
  [
    "xAI, too long",
    400,
    {
      code: "x",
      error: "This model's maximum prompt length is 131072 but the request contains 163840 tokens.",
    },
    LONG,
    { ends: ": 163840 tokens where 131072 fit" },
  ],
  [
    "Ollama, too long",
    400,
    { error: { message: "prompt too long; exceeded max context length by 301 tokens" } },
    LONG,
    { ends: ": by 301 tokens" },
  ],
  [
    "llama.cpp, too long",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
      },
    },
    LONG,
    { ends: ": 4096 tokens fit" },
  ],
  [
    "Mistral, too long",
    400,
    {
      object: "error",
      message:
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    },
    LONG,
    { ends: ": 40000 tokens where 32768 fit" },
  ],
  [
    "Anthropic behind a gateway",
    400,
    openai("prompt is too long: 3333404 tokens > 200000 maximum"),
    LONG,
    { ends: ": 3333404 tokens where 200000 fit" },
  ],
  [
    "Groq, more than a minute holds",
    413,
    openai(
      "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9012, please reduce your message size",
      "rate_limit_exceeded",
    ),
    LONG,
    { ends: ": 9012 tokens where 6000 fit" },
  ],
  [
    "Groq, too long",
    400,
    openai("Please reduce the length of the messages or completion.", "context_length_exceeded"),
    LONG,
  ],
  ["OpenAI, spent", 429, openai("You exceeded your current quota.", "insufficient_quota"), QUOTA],
  ["DeepSeek, spent", 402, openai("Insufficient Balance", "invalid_request_error"), QUOTA],
  ["OpenRouter, spent", 402, {
    error: { code: 402, message: "This request requires more credits" },
  }, QUOTA],
  [
    "OpenAI, rate",
    429,
    openai(
      "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29999, Requested 500. Please try again in 1.5s. Visit …",
      "rate_limit_exceeded",
    ),
    RATE,
    { retryAfterMs: 1500 },
  ],
  [
    "Groq, rate",
    429,
    openai("Rate limit reached. Please try again in 7m12.5s.", "rate_limit_exceeded"),
    RATE,
    { retryAfterMs: 432_500 },
  ],
  [
    "OpenRouter, rate",
    429,
    openrouter(429, { error: { message: "x is temporarily rate-limited upstream" } }),
    RATE,
    { ends: "returned error: x is temporarily rate-limited upstream" },
  ],
  ["a bare 429", 429, "", RATE, { ends: ": status 429" }],
  ["Groq, full", 503, openai("x is currently over capacity."), BUSY],
  ["OpenAI, overloaded", 529, openai("Overloaded"), BUSY],
  ["Azure, blocked", 400, {
    error: {
      message: "filtered",
      code: "content_filter",
      innererror: { code: "ResponsibleAIPolicyViolation" },
    },
  }, BLOCKED],
  ["OpenRouter, blocked", 403, {
    error: { code: 403, message: "Input was flagged", metadata: { reasons: ["x"] } },
  }, BLOCKED],
  [
    "OpenAI, blocked",
    400,
    openai(
      "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
      "invalid_prompt",
    ),
    BLOCKED,
  ],
  [
    "OpenAI, forbidden",
    403,
    openai("Country not supported", "unsupported_country_region_territory"),
    FORBIDDEN,
  ],
  [
    "Groq, bad call",
    400,
    {
      error: {
        message: "Failed to call a function.",
        code: "tool_use_failed",
        failed_generation: "<function=x>",
      },
    },
    BAD_CALL,
    { ends: ": <function=x>" },
  ],
  ["Ollama, bad call", 500, { error: { message: "error parsing tool call: raw='{' …" } }, BAD_CALL],
  [
    "OpenAI, one tool",
    400,
    openai("Invalid schema for function 'a'", null, { param: "tools[3].function.parameters" }),
    REFUSED,
    { tool: 3 },
  ],
  [
    "OpenAI, one tool in the words",
    400,
    openai("Invalid 'tools[12].function.name': string too long."),
    REFUSED,
    { tool: 12 },
  ],
  [
    "Mistral, one tool",
    422,
    {
      object: "error",
      message: {
        detail: [{ type: "x", loc: ["body", "tools", 2, "function", "name"], msg: "bad" }],
      },
    },
    REFUSED,
    { tool: 2, ends: "body.tools.2.function.name: bad" },
  ],
  [
    "vLLM, one tool",
    400,
    {
      object: "error",
      message: "[{'type': 'value_error', 'loc': ('body', 'tools', 5, 'function'), 'msg': 'x'}]",
      code: 400,
    },
    REFUSED,
    { tool: 5 },
  ],
  [
    "OpenAI, too many tools",
    400,
    openai("Invalid 'tools': array too long.", "array_above_max_length", { param: "tools" }),
    REFUSED,
  ],
  [
    "a call in the messages",
    400,
    openai("bad", null, { param: "messages[2].tool_calls[0].id" }),
    REFUSED,
  ],
  [
    "OpenRouter through Mistral",
    400,
    openrouter(400, { object: "error", message: "Unexpected role 'user' after role 'tool'" }),
    REFUSED,
    { ends: "Unexpected role 'user' after role 'tool'" },
  ],
  [
    "OpenRouter, raw text",
    502,
    {
      error: { message: "Provider returned error", code: 502, metadata: { raw: "upstream down" } },
    },
    FAILED,
    { ends: "upstream down" },
  ],
  [
    "Ollama, no tools",
    400,
    { error: { message: "registry.ollama.ai/library/x:2b does not support tools" } },
    REFUSED,
    { hint: "Choose a model that takes tools." },
  ],
  ["a wrong base URL", 404, "404 page not found", REFUSED, {
    hint: "Is the base URL that of this API?",
  }],
  [
    "a list around it",
    400,
    [{ error: { code: 400, message: "bad", status: "INVALID_ARGUMENT" } }],
    REFUSED,
  ],
  ["a timeout", 408, "", FAILED],
  ["a conflict", 409, { error: {} }, FAILED],
  ["a broken server", 500, { error: { message: null } }, FAILED, { ends: ": status 500" }],
  ["nothing at all", 400, null, REFUSED, { ends: ": status 400" }],
];

const RETRY = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "48s" };
const GEMINI: Case[] = [
  [
    "wrong key",
    400,
    google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", {
      reason: "API_KEY_INVALID",
    }),
    KEY,
  ],
  [
    "a key by its reason alone",
    400,
    google(400, "INVALID_ARGUMENT", "Bad.", { reason: "API_KEY_INVALID" }),
    KEY,
  ],
  [
    "no key",
    403,
    google(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."),
    KEY,
  ],
  [
    "a leaked key",
    403,
    google(403, "PERMISSION_DENIED", "Your API key was reported as leaked."),
    KEY,
  ],
  ["forbidden", 403, google(403, "PERMISSION_DENIED", "Not for you."), FORBIDDEN],
  [
    "unknown model",
    404,
    google(404, "NOT_FOUND", "models/x is not found for API version v1"),
    MODEL,
  ],
  [
    "too long",
    400,
    google(
      400,
      "INVALID_ARGUMENT",
      "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
    ),
    LONG,
    { ends: ": 1250074 tokens where 1048576 fit" },
  ],
  ["rate", 429, google(429, "RESOURCE_EXHAUSTED", "Slow down.", RETRY), RATE, {
    retryAfterMs: 48_000,
  }],
  [
    "rate in a stream",
    429,
    [google(429, "RESOURCE_EXHAUSTED", "Slow down.", { retryDelay: "1.25s" })],
    RATE,
    { retryAfterMs: 1250 },
  ],
  ["rate in its words", 429, google(429, "RESOURCE_EXHAUSTED", "Please retry in 2.5s."), RATE, {
    retryAfterMs: 2500,
  }],
  ["rate without a time", 429, google(429, "RESOURCE_EXHAUSTED", "Slow down."), RATE],
  [
    "a day's quota",
    429,
    google(429, "RESOURCE_EXHAUSTED", "Exceeded.", {
      violations: [{ quotaId: "GenerateRequestsPerDayPerProject" }],
    }, RETRY),
    QUOTA,
  ],
  [
    "no quota at all",
    429,
    google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for metric x, limit: 0"),
    QUOTA,
  ],
  ["overloaded", 503, google(503, "UNAVAILABLE", "The model is overloaded."), BUSY],
  ["internal", 500, google(500, "INTERNAL", "Oops."), FAILED],
  ["a deadline", 504, google(504, "DEADLINE_EXCEEDED", "Late."), FAILED],
  ["a bare 529", 529, "", BUSY],
  ["a bare 502", 502, "Bad Gateway", FAILED, { ends: ": Bad Gateway" }],
  ["blocked", 400, google(400, "INVALID_ARGUMENT", "The prompt was blocked."), BLOCKED],
  [
    "one function",
    400,
    google(
      400,
      "INVALID_ARGUMENT",
      "* GenerateContentRequest.tools[0].function_declarations[7].name: Invalid",
    ),
    REFUSED,
    { tool: 7 },
  ],
  [
    "one function among the details",
    400,
    google(400, "INVALID_ARGUMENT", "Bad.", {
      fieldViolations: [{ field: "tools[0].function_declarations[2].parameters_json_schema" }],
    }),
    REFUSED,
    { tool: 2 },
  ],
  ["no function", 400, google(400, "INVALID_ARGUMENT", "Unknown name at 'tools[0]'"), REFUSED],
  ["nothing at all", 400, null, REFUSED, { ends: ": status 400" }],
];

for (
  const [api, format, cases] of [
    ["openai_chat", openaiChatFormat(), OPENAI],
    ["openai_responses", openaiResponsesFormat(), OPENAI],
    ["gemini", geminiFormat(), GEMINI],
  ] as const
) {
  for (const [who, status, body, says, { ends, ...more } = {}] of cases) {
    Deno.test(`${api}: explain() understands ${who}`, () => {
      const { message, hint, retryable, isKey = false, ...rest } = explained(format, status, body);
      assert.equal(isKey, says === KEY);
      assert.match(message, says);
      if (ends !== undefined) assert(message.endsWith(ends), message);
      assert.doesNotMatch(message, /\.$/);
      assert.equal(retryable, RETRYABLE.includes(says));
      const { hint: wanted, ...others } = more;
      if (wanted !== undefined) assert.equal(hint, wanted);
      assert.deepEqual(rest, others);
    });
  }
}

Deno.test("explain() prints nothing that steers a terminal, and no page of text", () => {
  const { message } = explained(
    openaiChatFormat(),
    500,
    openai(`\u001b[31mred\u0007\n${"x".repeat(9000)}`),
  );
  assert.match(message, /^The model API failed: red x/);
  assert(message.length < 500);
});

Deno.test("explain() is not slowed down by a body that repeats itself", () => {
  const { message } = explained(
    openaiChatFormat(),
    400,
    openai("maximum context length is 1 tokens ".repeat(7000)),
  );
  assert.match(message, /1 tokens fit$/);
});
