/** Chat Completions: one turn, from chunks as the many servers write them. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { readArguments, readEvent, wellFormed } from "../format/arguments.ts";
import { failed, failure } from "../format/failure.ts";
import type { Delta, ToolUse, Turn, Usage } from "../model.ts";
import { ChatCalls } from "./chat_calls.ts";
import { errorInStream } from "./errors.ts";
import { chatUsage } from "./usage.ts";
import type { Reader, StreamEvent } from "../wire.ts";

export type ReasoningKey = "reasoning_content" | "reasoning" | "reasoning_details";

/** What goes back beside the text and the uses. */
export interface ChatCarry {
  api: "openai-chat";
  reasoning?: Partial<Record<ReasoningKey, unknown>>;
  /** The arguments of each use as the model wrote them; what was no JSON is not among them. */
  calls?: readonly (string | undefined)[];
}

export interface ChatReaderOptions {
  restore: (name: string, args: Params) => Params;
  /** Counts from 1 in a conversation. */
  turn: number;
  /** Fields of the reasoning that go back. */
  keep: readonly ReasoningKey[];
  note?: (line: string) => void;
}

const REASONING_TEXT: readonly ReasoningKey[] = ["reasoning_content", "reasoning"];
const REFUSALS = new Set(["content_filter", "safety", "refusal", "sensitive"]);
const LENGTHS = new Set(["length", "max_tokens", "model_length"]);
/** Ends that are none: the turn broke, and another try may not. */
const BREAKS = new Set(["error", "network_error", "insufficient_system_resource"]);
/** As OpenRouter passes on from Gemini, where its own word says `stop`. */
const BAD_CALLS = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"]);

export function chatReader(options: ChatReaderOptions): Reader {
  return new ChatReader(options);
}

class ChatReader implements Reader {
  readonly #options: ChatReaderOptions;
  readonly #text: string[] = [];
  readonly #calls = new ChatCalls();
  readonly #reasoning = new Map<ReasoningKey, string[]>();
  readonly #details: Params[] = [];
  readonly #finishes = new Set<string>();
  #done = false;
  #refused = false;
  #usage: Usage | undefined;

  constructor(options: ChatReaderOptions) {
    this.#options = options;
  }

  take({ name, data }: StreamEvent): readonly Delta[] {
    const line = data.trim();
    if (line === "") return [];
    if (line === "[DONE]") {
      this.#done = true;
      return [];
    }
    return this.#chunk(readEvent(line), name);
  }

  end(): Turn {
    if (!this.#done && this.#finishes.size === 0) {
      throw failed(failure("garbled", "the stream ended before the answer did"));
    }
    return this.#turn();
  }

  whole(body: unknown, tell?: (delta: Delta) => void): Turn {
    if (!isObject(body)) throw failed(failure("garbled", "the answer is no JSON object"));
    const said = this.#chunk(body);
    if (!isObject(first(body.choices))) {
      throw failed(failure("garbled", "there is no answer in it"));
    }
    for (const delta of said) tell?.(delta);
    return this.#turn();
  }

  #chunk(chunk: Params, name?: string): Delta[] {
    const error = errorInStream(chunk, name);
    if (error) throw error;
    const choice = first(chunk.choices);
    const groq = isObject(chunk.x_groq) ? chunk.x_groq.usage : undefined;
    const usage = [chunk.usage, groq, isObject(choice) ? choice.usage : undefined].find(isObject);
    this.#usage = chatUsage(usage) ?? this.#usage;
    if (!isObject(choice)) return [];
    const broken = errorInStream({ error: choice.error });
    if (broken) throw broken;
    const said = choice.delta ?? choice.message;
    const deltas = isObject(said) ? this.#delta(said) : [];
    this.#finish(choice.finish_reason, choice.native_finish_reason);
    return deltas;
  }

  #finish(reason: unknown, native: unknown): void {
    if (typeof native === "string" && BAD_CALLS.has(native)) {
      throw failed(failure("bad_call", native));
    }
    if (typeof reason !== "string" || reason === "") return;
    if (BREAKS.has(reason)) throw failed(failure("failed", `it ended the answer with "${reason}"`));
    this.#finishes.add(reason);
  }

  #delta(delta: Params): Delta[] {
    const deltas: Delta[] = [];
    const say = (type: Delta["type"], text: unknown) => {
      if (typeof text !== "string" || text === "") return;
      if (type === "text") this.#text.push(text);
      deltas.push({ type, text });
    };
    for (const key of REASONING_TEXT) {
      const text = delta[key];
      if (typeof text !== "string") continue;
      const kept = this.#reasoning.get(key);
      if (kept) kept.push(text);
      else this.#reasoning.set(key, [text]);
    }
    // Some send the same thought under both names.
    say("reasoning", REASONING_TEXT.map((key) => delta[key]).find(Boolean));
    if (Array.isArray(delta.reasoning_details)) {
      for (const detail of delta.reasoning_details) if (isObject(detail)) this.#detail(detail);
    }
    // Mistral's thinking models send a list of parts.
    for (const part of Array.isArray(delta.content) ? delta.content : [delta.content]) {
      if (isObject(part) && Array.isArray(part.thinking)) {
        for (const thought of part.thinking) say("reasoning", isObject(thought) && thought.text);
      } else say("text", isObject(part) ? part.text : part);
    }
    if (typeof delta.refusal === "string" && delta.refusal !== "") this.#refused = true;
    say("text", delta.refusal);
    if (Array.isArray(delta.tool_calls)) {
      for (const fragment of delta.tool_calls) if (isObject(fragment)) this.#calls.take(fragment);
    }
    return deltas;
  }

  /** Fragments of one detail follow each other, and its signature comes last. */
  #detail(detail: Params): void {
    const last = this.#details.at(-1);
    const key = detail.type === "reasoning.text"
      ? "text"
      : detail.type === "reasoning.summary"
      ? "summary"
      : undefined;
    if (!last || !key || last.type !== detail.type || last.index !== detail.index) {
      this.#details.push({ ...detail });
      return;
    }
    for (const [field, value] of Object.entries(detail)) {
      if (value === null || value === undefined) continue;
      last[field] = field === key ? `${last[field] ?? ""}${value}` : value;
    }
  }

  #turn(): Turn {
    const { restore, turn, keep, note } = this.#options;
    const calls: (string | undefined)[] = [];
    const uses = this.#calls.all(turn).map(({ id, name, written }, at): ToolUse => {
      const { args, unreadable } = readArguments(written);
      if (unreadable !== undefined) return { id, name, args, unreadable };
      calls[at] = sendable(written, args);
      return { id, name, args: restore(name, args) };
    });
    const stop = this.#stop(uses);
    const text = this.#text.join("");
    if (stop === "refusal" && text === "") note?.("The model API's content filter kept the answer");
    const carry = this.#carry(keep, calls);
    return {
      text,
      uses,
      stop,
      ...(this.#usage && { usage: this.#usage }),
      ...(carry && { carry }),
    };
  }

  #stop(uses: readonly ToolUse[]): Turn["stop"] {
    const ends = [...this.#finishes];
    if (ends.some((end) => REFUSALS.has(end))) return "refusal";
    if (ends.some((end) => LENGTHS.has(end))) return "length";
    // `stop` with calls is common; what was asked for decides.
    if (uses.length > 0) return "tools";
    return this.#refused ? "refusal" : "end";
  }

  #carry(
    keep: readonly ReasoningKey[],
    calls: ChatCarry["calls"] & unknown[],
  ): ChatCarry | undefined {
    const kept = keep.flatMap((key): [ReasoningKey, unknown][] => {
      if (key === "reasoning_details") {
        return this.#details.length > 0 ? [[key, this.#details]] : [];
      }
      const texts = this.#reasoning.get(key);
      // An empty thought is one, too: DeepSeek refuses a turn with calls that lacks it.
      return texts ? [[key, texts.join("")]] : [];
    });
    if (kept.length === 0 && calls.length === 0) return undefined;
    return {
      api: "openai-chat",
      ...(kept.length > 0 && { reasoning: Object.fromEntries(kept) }),
      ...(calls.length > 0 && { calls }),
    };
  }
}

/** As the model wrote it, which is what a server has cached, unless it holds half a surrogate pair. */
function sendable(written: string, args: Params): string {
  if (written.trim() === "" || written.trim() === "null") return "{}";
  return /\\ud[89a-f]/i.test(written) ? JSON.stringify(wellFormed(args)) : written;
}

function first(choices: unknown): unknown {
  return Array.isArray(choices) ? choices[0] : undefined;
}
