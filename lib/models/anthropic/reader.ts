/** Anthropic's Messages: one turn, from events or in one piece. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { Blocks } from "./blocks.ts";
import { anthropicErrorIn } from "./errors.ts";
import { readArguments, readEvent } from "../format/arguments.ts";
import { idOf } from "../format/dialogue.ts";
import { failed, failure } from "../format/failure.ts";
import type { Delta, ToolUse, Turn, Usage } from "../model.ts";
import type { Reader, StreamEvent } from "../wire.ts";

/** The blocks as they came: thoughts with their signatures, calls, what the API's own tools did. */
export interface AnthropicCarry {
  api: "anthropic";
  content: readonly Params[];
}

export interface AnthropicReaderOptions {
  restore: (name: string, args: Params) => Params;
  /** Counts from 1 in a conversation. */
  turn: number;
  note?: (line: string) => void;
}

export function anthropicReader(options: AnthropicReaderOptions): Reader {
  return new AnthropicReader(options);
}

class AnthropicReader implements Reader {
  readonly #options: AnthropicReaderOptions;
  readonly #blocks = new Blocks();
  #stop: unknown;
  #details: unknown;
  #usage: Params | undefined;
  #over = false;

  constructor(options: AnthropicReaderOptions) {
    this.#options = options;
  }

  take({ name, data }: StreamEvent): readonly Delta[] {
    const line = data.trim();
    // Behind the end there may be another answer; it is not the one to this request.
    if (this.#over || line === "" || line === "[DONE]") return [];
    const event = readEvent(line);
    const error = anthropicErrorIn(event, name);
    if (error) throw error;
    switch (event.type ?? name) {
      case "message_start":
        this.#begin(event.message);
        return [];
      case "content_block_start":
        return this.#blocks.start(event.index, event.content_block);
      case "content_block_delta":
        return isObject(event.delta) ? this.#blocks.grow(event.index, event.delta) : [];
      case "content_block_stop":
        this.#blocks.stop(event.index);
        return [];
      case "message_delta":
        this.#count(event.usage);
        if (isObject(event.delta)) this.#finish(event.delta);
        return [];
      case "message_stop":
        this.#over = true;
        return [];
      default:
        return []; // Pings, and events of tomorrow.
    }
  }

  end(): Turn {
    if (!this.#over) throw failed(failure("garbled", "the stream ended before the answer did"));
    return this.#turn();
  }

  whole(body: unknown, tell?: (delta: Delta) => void): Turn {
    if (!isObject(body)) throw failed(failure("garbled", "the answer is no JSON object"));
    const error = anthropicErrorIn(body);
    if (error) throw error;
    if (!Array.isArray(body.content)) throw failed(failure("garbled", "there is no answer in it"));
    for (const [at, block] of body.content.entries()) {
      for (const delta of this.#blocks.start(at, block)) tell?.(delta);
    }
    this.#count(body.usage);
    this.#finish(body);
    return this.#turn();
  }

  #begin(message: unknown): void {
    // Proxies say it twice. In the middle of an answer it begins another, and the two can't be told apart.
    if (!this.#blocks.isEmpty) {
      throw failed(failure("garbled", "another answer began in the middle of this one"));
    }
    if (isObject(message)) this.#count(message.usage);
  }

  #finish({ stop_reason, stop_details }: Params): void {
    this.#stop = stop_reason ?? this.#stop;
    this.#details = stop_details ?? this.#details;
  }

  /** Counts are running totals: what comes later replaces what came before. */
  #count(usage: unknown): void {
    if (!isObject(usage)) return;
    const counts = Object.entries(usage).filter(([, count]) => typeof count === "number");
    this.#usage = { ...this.#usage, ...Object.fromEntries(counts) };
  }

  #turn(): Turn {
    const { restore, turn } = this.#options;
    const content: Params[] = [];
    const uses: ToolUse[] = [];
    const ids = new Set<unknown>();
    for (const { value, input } of this.#blocks.whole()) {
      content.push(value);
      if (value.type !== "tool_use" || typeof value.name !== "string") {
        // What the API's own tools are given: theirs to read.
        if (input !== undefined) value.input = readArguments(input).args;
        continue;
      }
      if (typeof value.id !== "string" || value.id === "" || ids.has(value.id)) {
        value.id = idOf(turn, uses.length);
      }
      const id = value.id as string;
      ids.add(id);
      const read = readInput(value.input, input);
      value.input = read.args;
      const { name } = value;
      uses.push({
        id,
        name,
        args: restore(name, read.args),
        ...(read.unreadable !== undefined && { unreadable: read.unreadable }),
      });
    }
    const usage = this.#usage && usageOf(this.#usage);
    return {
      text: content.map(({ type, text }) => type === "text" ? text : "").join(""),
      uses,
      stop: this.#stopOf(uses),
      ...(usage && { usage }),
      ...(content.length > 0 && { carry: { api: "anthropic", content } satisfies AnthropicCarry }),
    };
  }

  #stopOf(uses: readonly ToolUse[]): Turn["stop"] {
    const { note } = this.#options;
    switch (this.#stop) {
      case "refusal":
        note?.(`The model declined to answer${whyOf(this.#details)}`);
        return "refusal";
      case "pause_turn":
        if (uses.length > 0) return "tools";
        note?.("The model API paused the turn before it was done");
        return "length";
      case "max_tokens":
        return "length";
      case "model_context_window_exceeded":
        note?.("The answer was cut off where the model's context window ends");
        return "length";
      default:
        return uses.length > 0 ? "tools" : "end";
    }
  }
}

/** A start holds `{}`, or all of the input where a gateway does not stream it. */
function readInput(start: unknown, written = ""): ReturnType<typeof readArguments> {
  if (written.trim() !== "") return readArguments(written);
  if (isObject(start)) return { args: start };
  if (start === undefined || start === null) return { args: {} };
  return readArguments(typeof start === "string" ? start : JSON.stringify(start));
}

function whyOf(details: unknown): string {
  if (!isObject(details)) return "";
  const { category, explanation } = details;
  const words = [category, explanation].filter((word) => typeof word === "string" && word !== "");
  return words.length > 0 ? `: ${words.join(": ")}` : "";
}

/** What was read from the cache and written to it is not among the `input_tokens`. */
function usageOf(counts: Params): Usage | undefined {
  if (counts.input_tokens === undefined && counts.output_tokens === undefined) return undefined;
  const count = (key: string) => Number(counts[key] ?? 0);
  const cachedInput = count("cache_read_input_tokens");
  const cacheWrite = count("cache_creation_input_tokens");
  return {
    input: count("input_tokens") + cachedInput + cacheWrite,
    output: count("output_tokens"),
    cachedInput,
    cacheWrite,
  };
}
