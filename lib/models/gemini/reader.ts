/** Gemini's generateContent: one turn, from responses that each hold some parts of it. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { readEvent } from "../format/arguments.ts";
import { idOf } from "../format/dialogue.ts";
import { failed, failure } from "../format/failure.ts";
import { PartialArguments } from "./arguments.ts";
import { geminiErrorIn } from "./errors.ts";
import type { Delta, ToolUse, Turn, Usage } from "../model.ts";
import type { Reader, StreamEvent } from "../wire.ts";

/** The parts as they came, signatures and all; they go back as they are. */
export interface GeminiCarry {
  api: "gemini";
  parts: readonly Params[];
}

export interface GeminiReaderOptions {
  restore: (name: string, args: Params) => Params;
  /** Counts from 1 in a conversation. */
  turn: number;
  note?: (line: string) => void;
}

/** The API stopped the answer for what is in it. */
const REFUSALS = new Set([
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
]);
/**
 * The call is none, whatever of it can be seen. Nothing ran, so another try is free, and it is
 * usually better; an empty turn would end the run, and a refusal would be untrue.
 */
const BAD_CALLS = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
]);
const BREAKS = new Set(["OTHER", "IMAGE_OTHER", "NO_IMAGE"]);

export function geminiReader(options: GeminiReaderOptions): Reader {
  return new GeminiReader(options);
}

class GeminiReader implements Reader {
  readonly #options: GeminiReaderOptions;
  readonly #parts: Params[] = [];
  readonly #text: string[] = [];
  /** Of the call that is still being written. */
  #open: { call: Params; args: PartialArguments } | undefined;
  #finish: string | undefined;
  #blocked: string | undefined;
  #usage: Usage | undefined;

  constructor(options: GeminiReaderOptions) {
    this.#options = options;
  }

  take({ data }: StreamEvent): readonly Delta[] {
    const line = data.trim();
    return line === "" || line === "[DONE]" ? [] : this.#response(readEvent(line));
  }

  end(): Turn {
    if (this.#finish === undefined && this.#blocked === undefined) {
      throw failed(failure("garbled", "the stream ended before the answer did"));
    }
    return this.#turn();
  }

  whole(body: unknown, tell?: (delta: Delta) => void): Turn {
    if (!isObject(body)) throw failed(failure("garbled", "the answer is no JSON object"));
    const said = this.#response(body);
    if (this.#parts.length === 0 && this.#finish === undefined && this.#blocked === undefined) {
      throw failed(failure("garbled", "there is no answer in it"));
    }
    for (const delta of said) tell?.(delta);
    return this.#turn();
  }

  #response(response: Params): Delta[] {
    const error = geminiErrorIn(response);
    if (error) throw error;
    const { candidates, promptFeedback, usageMetadata } = response;
    this.#usage = usageOf(usageMetadata) ?? this.#usage;
    if (isObject(promptFeedback) && typeof promptFeedback.blockReason === "string") {
      this.#blocked = promptFeedback.blockReason;
    }
    const candidate = Array.isArray(candidates) ? candidates[0] : undefined;
    if (!isObject(candidate)) return [];
    const { content, finishReason, finishMessage } = candidate;
    const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
    const deltas = parts.filter(isObject).flatMap((part) => this.#part(part));
    if (typeof finishReason === "string" && finishReason !== "FINISH_REASON_UNSPECIFIED") {
      this.#finish = finishReason;
      const why = typeof finishMessage === "string" ? finishMessage : finishReason;
      if (BAD_CALLS.has(finishReason)) throw failed(failure("bad_call", why));
      if (BREAKS.has(finishReason)) throw failed(failure("failed", `it ended the answer: ${why}`));
      // Ours to bring back: asking again changes nothing.
      if (finishReason === "MISSING_THOUGHT_SIGNATURE") throw failed(failure("refused", why));
    }
    return deltas;
  }

  #part(part: Params): Delta[] {
    if (isObject(part.functionCall)) {
      this.#call(part, part.functionCall);
      return [];
    }
    const { text, thought } = part;
    this.#keep(part);
    if (typeof text !== "string" || text === "") return [];
    if (thought === true) return [{ type: "reasoning", text }];
    this.#text.push(text);
    return [{ type: "text", text }];
  }

  /** Pieces of plain text are one part; what has a signature must stay the part that it was signed as. */
  #keep(part: Params): void {
    const last = this.#parts.at(-1);
    if (isPlain(part)) {
      if (part.text === "") return;
      if (last && isPlain(last) && last.thought === part.thought) {
        last.text = `${last.text}${part.text}`;
        return;
      }
    }
    this.#parts.push({ ...part });
  }

  /** Whole, or as a name, then arguments by their paths, then an empty call that ends it. */
  #call(part: Params, call: Params): void {
    if (typeof call.name === "string" && call.name !== "") {
      this.#close();
      const kept = { ...call };
      delete kept.willContinue;
      delete kept.partialArgs;
      this.#parts.push({ ...part, functionCall: kept });
      if (call.willContinue === true || Array.isArray(call.partialArgs)) {
        this.#open = { call: kept, args: new PartialArguments(call.args) };
      }
    } else if (this.#open && part.thoughtSignature !== undefined) {
      this.#parts.at(-1)!.thoughtSignature = part.thoughtSignature;
    }
    if (!this.#open) return;
    if (Array.isArray(call.partialArgs)) {
      call.partialArgs.forEach((piece) => this.#open!.args.take(piece));
    }
    if (call.willContinue !== true) this.#close();
  }

  #close(): void {
    if (this.#open) this.#open.call.args = this.#open.args.whole();
    this.#open = undefined;
  }

  #turn(): Turn {
    const { restore, turn, note } = this.#options;
    this.#close();
    const uses: ToolUse[] = [];
    const ids = new Set<string>();
    for (const { functionCall: call } of this.#parts) {
      if (!isObject(call) || typeof call.name !== "string") continue;
      const { name, args } = call;
      const isNew = typeof call.id === "string" && call.id !== "" && !ids.has(call.id);
      const id = isNew ? call.id as string : idOf(turn, uses.length);
      ids.add(id);
      if (args === undefined || args === null) uses.push({ id, name, args: {} });
      else if (isObject(args)) uses.push({ id, name, args: restore(name, args) });
      else {
        uses.push({ id, name, args: {}, unreadable: JSON.stringify(args) });
        call.args = {};
      }
    }
    const text = this.#text.join("");
    const stop = this.#stop(uses);
    if (stop === "refusal") {
      note?.(`The model API stopped the answer: ${this.#blocked ?? this.#finish}`);
    }
    return {
      text,
      uses,
      stop,
      ...(this.#usage && { usage: this.#usage }),
      ...(this.#parts.length > 0 && {
        carry: { api: "gemini", parts: this.#parts } satisfies GeminiCarry,
      }),
    };
  }

  /** `STOP` is said of calls, too: the parts decide. */
  #stop(uses: readonly ToolUse[]): Turn["stop"] {
    if (this.#blocked !== undefined || REFUSALS.has(this.#finish ?? "")) return "refusal";
    if (this.#finish === "MAX_TOKENS") return "length";
    return uses.length > 0 ? "tools" : "end";
  }
}

function isPlain(part: Params): boolean {
  return typeof part.text === "string" &&
    Object.keys(part).every((key) => key === "text" || key === "thought");
}

/** Counts grow from chunk to chunk; thoughts are not among the candidates'. */
function usageOf(counts: unknown): Usage | undefined {
  if (!isObject(counts) || typeof counts.promptTokenCount !== "number") return undefined;
  const count = (key: string) => typeof counts[key] === "number" ? counts[key] : 0;
  return {
    input: counts.promptTokenCount + count("toolUsePromptTokenCount"),
    output: count("candidatesTokenCount") + count("thoughtsTokenCount"),
    cachedInput: count("cachedContentTokenCount"),
    cacheWrite: 0,
  };
}
