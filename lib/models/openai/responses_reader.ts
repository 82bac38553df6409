/** OpenAI Responses: one turn, from the events of its items or from the whole of it. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { readArguments, readEvent } from "../format/arguments.ts";
import { idOf } from "../format/dialogue.ts";
import { failed, failure } from "../format/failure.ts";
import type { Delta, ToolUse, Turn } from "../model.ts";
import { errorInStream } from "./errors.ts";
import { responsesUsage } from "./usage.ts";
import type { Reader, StreamEvent } from "../wire.ts";

/** The output items as they came; they go back as input. */
export interface ResponsesCarry {
  api: "openai-responses";
  items: readonly Params[];
}

export interface ResponsesReaderOptions {
  restore: (name: string, args: Params) => Params;
  /** Counts from 1 in a conversation. */
  turn: number;
  note?: (line: string) => void;
}

/** An output item as far as it has come. */
interface Slot {
  item: Params;
  /** Text that was told. */
  told: string[];
  written: string[];
  done: boolean;
}

export function responsesReader(options: ResponsesReaderOptions): Reader {
  return new ResponsesReader(options);
}

class ResponsesReader implements Reader {
  readonly #options: ResponsesReaderOptions;
  /** By `output_index`: Copilot gives an item another id with every event. */
  readonly #slots = new Map<number, Slot>();
  readonly #text: string[] = [];
  #refused = false;
  #final: Params | undefined;

  constructor(options: ResponsesReaderOptions) {
    this.#options = options;
  }

  take({ name, data }: StreamEvent): readonly Delta[] {
    const line = data.trim();
    // Not OpenAI's, but a habit of servers that speak both of its formats.
    if (line === "" || line === "[DONE]") return [];
    // The turn is over; what a proxy appends is another one.
    if (this.#final) return [];
    const event = readEvent(line);
    const type = typeof event.type === "string" ? event.type : name;
    const error = errorInStream(event, type);
    if (error) throw error;
    return this.#event(type, event);
  }

  end(): Turn {
    if (!this.#final) throw failed(failure("garbled", "the stream ended before the answer did"));
    return this.#turn(this.#final);
  }

  whole(body: unknown, tell?: (delta: Delta) => void): Turn {
    if (!isObject(body)) throw failed(failure("garbled", "the answer is no JSON object"));
    const error = errorInStream(body);
    if (error) throw error;
    if (!Array.isArray(body.output)) throw failed(failure("garbled", "there is no answer in it"));
    for (const item of body.output.filter(isObject)) {
      for (const delta of thoughts(item)) tell?.(delta);
    }
    for (const delta of this.#finish(body)) tell?.(delta);
    return this.end();
  }

  #event(type: string, event: Params): Delta[] {
    switch (type) {
      case "response.output_item.added":
        return isObject(event.item) ? this.#added(event) : [];
      case "response.output_text.delta":
        return this.#say(this.#slot(event), event.delta);
      case "response.refusal.delta":
        this.#refused = true;
        return this.#say(this.#slot(event), event.delta);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return thought(event.delta);
      case "response.reasoning_summary_part.added":
        return event.summary_index === 0 ? [] : thought("\n\n");
      case "response.function_call_arguments.delta":
        if (typeof event.delta === "string") this.#slot(event).written.push(event.delta);
        return [];
      case "response.function_call_arguments.done":
        if (typeof event.arguments === "string") this.#slot(event).written = [event.arguments];
        return [];
      case "response.output_item.done":
        return isObject(event.item) ? this.#itemDone(this.#slot(event), event.item) : [];
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
      case "response.done":
        return isObject(event.response) ? this.#finish(event.response) : [];
      default:
        return [];
    }
  }

  #added(event: Params): Delta[] {
    const { output_index = this.#slots.size } = event;
    this.#slot({ output_index }).item = event.item as Params;
    return [];
  }

  #slot({ output_index }: Params): Slot {
    // Without an index it is the item that was spoken of last.
    const index = typeof output_index === "number"
      ? output_index
      : Math.max(0, this.#slots.size - 1);
    const known = this.#slots.get(index);
    if (known) return known;
    const slot: Slot = { item: {}, told: [], written: [], done: false };
    this.#slots.set(index, slot);
    return slot;
  }

  #say(slot: Slot, text: unknown): Delta[] {
    if (typeof text !== "string" || text === "") return [];
    // A turn may hold several messages: what is said before the calls, and after.
    const apart = slot.told.length === 0 && this.#text.length > 0 ? "\n\n" : "";
    slot.told.push(text);
    this.#text.push(apart + text);
    return [{ type: "text", text: apart + text }];
  }

  /** The finished item counts; what of its text was not told yet is told now. */
  #itemDone(slot: Slot, item: Params): Delta[] {
    slot.item = item;
    slot.done = true;
    if (typeof item.arguments === "string" && item.arguments !== "") {
      slot.written = [item.arguments];
    }
    const parts = Array.isArray(item.content) ? item.content.filter(isObject) : [];
    if (item.type !== "message") return [];
    this.#refused ||= parts.some(({ type }) => type === "refusal");
    const text = parts.map(({ text, refusal }) => text ?? refusal).filter(isText).join("");
    const told = slot.told.join("");
    return text.startsWith(told) ? this.#say(slot, text.slice(told.length)) : [];
  }

  #finish(response: Params): Delta[] {
    const { status, error } = response;
    if (status === "failed" || isObject(error)) {
      throw errorInStream({ error: isObject(error) ? error : {} })!;
    }
    if (status === "cancelled") throw failed(failure("failed", "it cancelled the answer"));
    this.#final = response;
    // Some tell items only here, and some only before.
    if (!Array.isArray(response.output)) return [];
    return response.output.filter(isObject).flatMap((item, index) =>
      this.#slots.get(index)?.done ? [] : this.#itemDone(this.#slot({ output_index: index }), item)
    );
  }

  #turn(final: Params): Turn {
    const { restore, turn, note } = this.#options;
    const slots = [...this.#slots].sort(([a], [b]) => a - b).map(([, slot]) => slot);
    const ids = new Set<string>();
    const uses: ToolUse[] = [];
    const items = slots.map(({ item, written }): Params => {
      if (item.type !== "function_call") return item;
      const name = isText(item.name) ? item.name : "";
      if (name === "") throw failed(failure("bad_call", "it names no tool"));
      const given = [item.call_id, item.id].find((id) => isText(id) && id !== "" && !ids.has(id));
      const id = isText(given) ? given : idOf(turn, uses.length);
      ids.add(id);
      const text = written.join("");
      const { args, unreadable } = readArguments(text);
      uses.push(
        unreadable === undefined
          ? { id, name, args: restore(name, args) }
          : { id, name, args, unreadable },
      );
      const isEmpty = unreadable !== undefined || text.trim() === "";
      return { ...item, call_id: id, arguments: isEmpty ? "{}" : text };
    }).filter(({ type }) => type !== undefined);
    const text = this.#text.join("");
    const stop = this.#stop(final, uses);
    if (stop === "refusal" && text === "") note?.("The model API's content filter kept the answer");
    const usage = responsesUsage(isObject(final.usage) ? final.usage : undefined);
    return {
      text,
      uses,
      stop,
      ...(usage && { usage }),
      ...(items.length > 0 &&
        { carry: { api: "openai-responses", items } satisfies ResponsesCarry }),
    };
  }

  #stop({ status, incomplete_details }: Params, uses: readonly ToolUse[]): Turn["stop"] {
    if (status === "incomplete") {
      const reason = isObject(incomplete_details) ? incomplete_details.reason : undefined;
      return reason === "content_filter" ? "refusal" : "length";
    }
    if (uses.length > 0) return "tools";
    return this.#refused ? "refusal" : "end";
  }
}

function thought(text: unknown): Delta[] {
  return isText(text) && text !== "" ? [{ type: "reasoning", text }] : [];
}

/** What a finished reasoning item holds: a summary, or with some servers the whole of it. */
function thoughts({ type, summary, content }: Params): Delta[] {
  if (type !== "reasoning") return [];
  const parts = [summary, content].filter(Array.isArray).flat().filter(isObject);
  return parts.flatMap(({ text }, index) =>
    thought(index > 0 && isText(text) ? `\n\n${text}` : text)
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
