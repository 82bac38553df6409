/** Errors of OpenAI and of all that speak its formats, understood: HTTP bodies and events in a stream. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { failed, failure, overflowIn, toolIn, type Trouble, waitIn } from "../format/failure.ts";
import type { ModelError } from "../model.ts";
import type { ErrorResponse, Failure } from "../wire.ts";

/** What an error says, whatever shape it came in. */
interface Complaint {
  message: string;
  /** Machine words: `code` and `type`, lower case, a space apart. */
  codes: string;
  /** Where in the request it points. */
  param: string;
  status: number;
  /** What the model wrote that could not be read, where the API tells. */
  generated?: string;
}

/** @returns what an error response means */
export function explainOpenai({ status, body }: ErrorResponse): Failure {
  return judge(complaintOf(body, status));
}

/** The error for an event that says that something failed; undefined for any other. */
export function errorInStream(event: Params, name = "message"): ModelError | undefined {
  const says = name === "error" || event.type === "error" || event.object === "error" ||
    Boolean(event.error) ||
    (event.detail !== undefined && event.choices === undefined);
  if (!says) return undefined;
  const complaint = complaintOf(event, 0);
  return failed(judge(complaint), complaint.status);
}

function complaintOf(body: unknown, status: number): Complaint {
  // Google's OpenAI endpoint wraps its errors in a list.
  const outer = Array.isArray(body) ? body[0] : body;
  if (!isObject(outer)) {
    return { message: typeof outer === "string" ? outer : "", codes: "", param: "", status };
  }
  // OpenAI, Azure, OpenRouter: { error: {…} }; xAI, Ollama: { error: "…" }; vLLM, Mistral: flat.
  const inner = isObject(outer.error) ? outer.error : outer;
  const { code, type, param, metadata, failed_generation } = inner;
  const raw = isObject(metadata) ? metadata.raw : undefined;
  const numeric = Number(code);
  const own = numeric >= 400 && numeric < 600 ? numeric : 0;
  const said = [inner.message, outer.error, outer.message, inner.detail].map(wordsOf).find(Boolean);
  return {
    // OpenRouter says "Provider returned error" and keeps what the provider said beside it.
    message: [said ?? "", upstream(raw)].filter(Boolean).join(": "),
    codes: [code, type, flagged(metadata), innerCode(inner.innererror)]
      .filter((word) => typeof word === "string").join(" ").toLowerCase(),
    param: typeof param === "string" ? param : "",
    status: status >= 400 ? status : own,
    ...(typeof failed_generation === "string" && { generated: failed_generation }),
  };
}

/** Text; or what FastAPI servers send instead: `[{ loc: ["body", "tools", 3], msg: "…" }]`. */
function wordsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join("; ");
  if (!isObject(value)) return "";
  if (value.detail !== undefined) return wordsOf(value.detail);
  const at = Array.isArray(value.loc) ? value.loc.join(".") : "";
  return [at, wordsOf(value.msg ?? value.message)].filter(Boolean).join(": ");
}

function upstream(raw: unknown): string {
  if (typeof raw !== "string") return wordsOf(raw);
  try {
    const { message, codes } = complaintOf(JSON.parse(raw), 0);
    return message || codes || raw;
  } catch {
    return raw;
  }
}

function flagged(metadata: unknown): string | undefined {
  return isObject(metadata) && Array.isArray(metadata.reasons) ? "moderation" : undefined;
}

function innerCode(inner: unknown): unknown {
  return isObject(inner) ? inner.code : undefined;
}

/** The first that fits decides. Codes come before words, and what no wait can mend before the rest. */
const SIGNS: readonly { trouble: Trouble; codes?: RegExp; words?: RegExp; status?: number[] }[] = [
  {
    trouble: "quota",
    codes: /insufficient_(?:quota|balance|credits)|billing|quota_exceeded/,
    words:
      /exceeded your current quota|insufficient (?:balance|credits)|used all available credits|requires more credits/i,
    status: [402],
  },
  {
    trouble: "key",
    codes: /invalid_api_key|authentication_error/,
    words: /(?:invalid|incorrect|missing|no) (?:api|auth)[ -]?(?:key|credentials)|api key not/i,
    status: [401],
  },
  {
    trouble: "blocked",
    codes: /content_filter|policy|moderation/,
    words: /flagged as potentially violating/i,
  },
  {
    trouble: "model",
    codes: /model_not_found|deploymentnotfound|invalid_model/,
    words:
      /model[^\n]{0,160}?(?:not found|does not exist|not exist\b)|invalid model\b|not a valid model/i,
  },
  {
    trouble: "bad_call",
    codes: /tool_use_failed/,
    words: /error parsing tool call|failed to parse tool call/i,
  },
  { trouble: "rate", codes: /rate_limit|too_many_requests/, status: [429] },
  {
    trouble: "overloaded",
    codes: /overload|slow_down|insufficient_system_resource/,
    words: /overloaded|(?:over|at) capacity|no capacity/i,
    status: [503, 529],
  },
  { trouble: "forbidden", codes: /permission/, status: [403] },
];

function judge({ message, codes, param, status, generated }: Complaint): Failure {
  const asked = `${param} ${message}`;
  const words = message || codes || (status ? `status ${status}` : "it does not say why");
  const long = overflowIn(message);
  const isLong = /context_length|exceed_context|max_prompt_tokens/.test(codes);
  if (long !== undefined || isLong) return failure("context", long || words);
  const sign = SIGNS.find((sign) =>
    sign.codes?.test(codes) || sign.words?.test(message) || sign.status?.includes(status)
  );
  if (sign?.trouble === "rate") {
    const wait = waitIn(
      /(?:try again|retry) (?:in|after) ([\d.hms]*[hms])/i.exec(message)?.[1] ?? "",
    );
    return failure("rate", words, wait === undefined ? {} : { retryAfterMs: wait });
  }
  if (sign?.trouble === "bad_call") return failure("bad_call", generated ?? words);
  if (sign) return failure(sign.trouble, words);
  if (/(?:not|n't) support tool|support tool use/i.test(message)) {
    return failure("refused", words, { hint: "Choose a model that takes tools." });
  }
  if (status === 404) {
    return failure("refused", words, { hint: "Is the base URL that of this API?" });
  }
  const isOurs = status === 0
    ? /invalid[_-]|image_/.test(codes)
    : status < 500 && ![408, 409].includes(status);
  if (!isOurs) return failure("failed", words);
  const tool = toolIn(asked);
  return failure("refused", words, tool === undefined ? {} : { tool });
}
