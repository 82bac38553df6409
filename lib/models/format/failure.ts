/** What went wrong at a model API, in sentences that are the same for every one of them. @module */
import { printableLine } from "../../kit/printable.ts";
import { ModelError } from "../model.ts";
import type { Failure } from "../wire.ts";

/** Everything that can be wrong, as far as it makes a difference to the user or to a retry. */
export type Trouble =
  | "key"
  | "forbidden"
  | "model"
  | "context"
  | "quota"
  | "rate"
  | "overloaded"
  | "blocked"
  | "bad_call"
  | "refused"
  | "failed"
  | "garbled";

const SAID: Readonly<Record<Trouble, { says: string; hint?: string; retryable?: true }>> = {
  key: {
    says: "The model API did not accept the key",
    hint: "Check the key, and that it belongs to this provider.",
  },
  forbidden: { says: "The model API does not allow this with this key" },
  model: {
    says: "The model API does not know this model",
    hint: "`fusebox models` lists what the provider offers.",
  },
  context: {
    says: "The conversation is too long for the model",
    hint: "Begin a new one, give it less at once, or choose a model with a larger window.",
  },
  quota: {
    says: "The account has no quota left",
    hint: "Look at its plan and its billing; waiting does not help.",
  },
  rate: { says: "The model API asks for fewer requests", retryable: true },
  overloaded: { says: "The model API is overloaded", retryable: true },
  blocked: { says: "The model API blocked the request" },
  // Nothing has run, and the next attempt is another roll of the dice.
  bad_call: { says: "The model wrote a tool call that its API could not read", retryable: true },
  refused: { says: "The model API refused the request" },
  failed: { says: "The model API failed", retryable: true },
  garbled: { says: "Cannot read what the model API sent", retryable: true },
};

/** The sentence for a trouble, with the API's own `words` where they add something. */
export function failure(
  trouble: Trouble,
  words = "",
  extra: { hint?: string; retryAfterMs?: number; tool?: number } = {},
): Failure {
  const { says, hint, retryable = false } = SAID[trouble];
  const why = printableLine(words, 400).replace(/[.\s]+$/, "");
  return {
    message: why === "" ? says : `${says}: ${why}`,
    ...(hint !== undefined && { hint }),
    retryable,
    ...(trouble === "key" && { isKey: true }),
    ...extra,
  };
}

/** The failure as it is thrown by a reader, in the middle of a stream or at its end. */
export function failed({ message, hint, retryable }: Failure, status = 0): ModelError {
  return new ModelError(message, { status, retryable, ...(hint !== undefined && { hint }) });
}

/** How much too long a conversation is, from the words of an API that has no field for it. */
export function overflowIn(words: string): string | undefined {
  const text = words.slice(0, 4000);
  for (const pattern of OVERFLOWS) {
    const groups = pattern.exec(text)?.groups;
    if (!groups) continue;
    const [used, most, over] = [groups.used, groups.most, groups.over].map((digits) =>
      digits?.replace(/\D/g, "")
    );
    if (used && most) return `${used} tokens where ${most} fit`;
    if (over) return `by ${over} tokens`;
    if (most) return `${most} tokens fit`;
  }
  return MENTIONS_OVERFLOW.test(text) ? "" : undefined;
}

const OVERFLOWS: readonly RegExp[] = [
  // OpenAI, DeepSeek, vLLM, OpenRouter
  /maximum context length is (?<most>[\d,]+) tokens[^]*?(?:requested|resulted in|request has)(?: about)? (?<used>[\d,]+)/i,
  // xAI
  /maximum prompt length is (?<most>\d+)[^]*?contains (?<used>\d+)/i,
  // Gemini
  /input token count \(?(?<used>\d+)\)? exceeds the maximum number of tokens allowed \(?(?<most>\d+)/i,
  // Anthropic
  /prompt is too long: (?<used>\d+) tokens > (?<most>\d+)/i,
  // Mistral
  /prompt contains (?<used>\d+) tokens[^]*?(?<most>\d+) maximum context/i,
  // Copilot
  /token count of (?<used>\d+) exceeds the limit of (?<most>\d+)/i,
  // Groq and OpenAI, where one request is more than a minute may hold: no wait makes it fit
  /request too large[^]*?limit:? (?<most>\d+), requested:? (?<used>\d+)/i,
  // Ollama
  /prompt too long; exceeded (?:max )?context length by (?<over>\d+)/i,
  // llama.cpp
  /request \((?<used>\d+) tokens\) exceeds the available context size \((?<most>\d+)/i,
  /exceeds the available context size \((?<most>\d+)/i,
  /maximum context length is (?<most>[\d,]+)/i,
  // Alibaba
  /range of input length should be \[\d+, (?<most>\d+)\]/i,
  // LM Studio
  /context length of only (?<most>\d+)/i,
];

const MENTIONS_OVERFLOW =
  /context[ _]length[ _]exceeded|exceeds the (?:model's )?context window|(?:prompt|input) (?:is )?too long|reduce the length of the messages|exceeded model token limit/i;

/** The index that an API names as `tools[3]`, `tools.3` or `('tools', 3)`. */
export function toolIn(text: string): number | undefined {
  const found = /\btools(?:\[|\.|['"],\s*)(\d+)/.exec(text);
  return found ? Number(found[1]) : undefined;
}

/** Milliseconds of a wait written `48s`, `1.5s`, `350ms` or `1m26.4s`. */
export function waitIn(text: string): number | undefined {
  const parts = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?$/.exec(text.trim());
  if (!parts?.slice(1).some((part) => part !== undefined)) return undefined;
  const [h = 0, m = 0, s = 0, ms = 0] = parts.slice(1).map((part) => Number(part ?? 0));
  const wait = Math.ceil(((h * 60 + m) * 60 + s) * 1000 + ms);
  return Number.isFinite(wait) ? wait : undefined;
}
