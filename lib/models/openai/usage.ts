/** What a turn cost, from the counts of OpenAI's two formats and of their relatives. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import type { Usage } from "../model.ts";

/** Undefined where nothing is counted. `prompt_tokens` holds what was read from the cache. */
export function chatUsage(usage: Params | undefined): Usage | undefined {
  if (typeof usage?.prompt_tokens !== "number") return undefined;
  const input = usage.prompt_tokens;
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return {
    input,
    // xAI leaves the reasoning out of `completion_tokens`, but not out of the total.
    output: Math.max(count(usage.completion_tokens), count(usage.total_tokens) - input),
    cachedInput: count(
      details.cached_tokens,
      usage.prompt_cache_hit_tokens, // DeepSeek
      usage.cached_tokens, // Moonshot
    ),
    cacheWrite: count(details.cache_write_tokens),
  };
}

export function responsesUsage(usage: Params | undefined): Usage | undefined {
  if (typeof usage?.input_tokens !== "number") return undefined;
  const details = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  return {
    input: usage.input_tokens,
    output: count(usage.output_tokens),
    cachedInput: count(details.cached_tokens),
    cacheWrite: count(details.cache_write_tokens),
  };
}

/** The first that is a number, else 0. */
function count(...values: unknown[]): number {
  return values.find((value): value is number => typeof value === "number") ?? 0;
}
