/** Anthropic's Messages: the blocks of one turn, put together from their deltas. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { failed, failure } from "../format/failure.ts";
import type { Delta } from "../model.ts";

/** A block as the API would give it in one piece. */
export interface Block {
  value: Params;
  /** The arguments as the model wrote them; undefined where none were streamed. */
  input?: string;
}

/** Pieces are joined once, at the end: there are tens of thousands of them. */
interface Open {
  value: Params;
  /** By the field that they continue. */
  pieces: Map<string, string[]>;
}

/** The field of a block that a delta continues. */
const FIELDS: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
};
/** The block that a delta belongs to, where its start was lost. */
const STARTS: Readonly<Record<string, string>> = { text_delta: "text", thinking_delta: "thinking" };

export class Blocks {
  readonly #all: Open[] = [];
  readonly #open = new Map<unknown, Open>();

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  start(index: unknown, value: unknown): Delta[] {
    if (!isObject(value)) return [];
    const open = this.#open.get(index)?.value;
    if (open && open.type === value.type && open.id === value.id) return []; // Said twice.
    const block = { value: structuredClone(value), pieces: new Map() };
    this.#all.push(block);
    this.#open.set(index, block);
    return deltas(value.type, value.text ?? value.thinking);
  }

  /** @throws {ModelError} for arguments that belong to no call */
  grow(index: unknown, { type, ...fields }: Params): Delta[] {
    const kind = String(type);
    if (!this.#open.has(index)) {
      if (Object.hasOwn(STARTS, kind)) this.start(index, { type: STARTS[kind] });
      else if (kind === "input_json_delta") {
        throw failed(failure("garbled", "arguments came for a call that did not begin"));
      }
    }
    const block = this.#open.get(index);
    if (!block) return [];
    const { value, pieces } = block;
    const field = Object.hasOwn(FIELDS, kind) ? FIELDS[kind]! : undefined;
    if (field !== undefined) {
      const piece = fields[field];
      if (typeof piece !== "string") return [];
      const known = pieces.get(field);
      if (known) known.push(piece);
      else pieces.set(field, [piece]);
      return field === "partial_json" ? [] : deltas(value.type, piece);
    }
    if (kind === "citations_delta") {
      const { citations } = value;
      if (Array.isArray(citations)) citations.push(fields.citation);
      else value.citations = [fields.citation];
    } else Object.assign(value, fields); // A signature comes whole; so may what we don't know.
    return [];
  }

  /** Some gateways use the same index again. */
  stop(index: unknown): void {
    this.#open.delete(index);
  }

  /** All of them, in the order in which they began. */
  whole(): Block[] {
    return this.#all.map(({ value, pieces }) => {
      for (const field of ["text", "thinking"]) {
        const start = value[field];
        const more = pieces.get(field);
        if (more) value[field] = `${typeof start === "string" ? start : ""}${more.join("")}`;
      }
      const input = pieces.get("partial_json")?.join("");
      return input === undefined ? { value } : { value, input };
    });
  }
}

function deltas(type: unknown, text: unknown): Delta[] {
  if (typeof text !== "string" || text === "") return [];
  if (type === "text") return [{ type: "text", text }];
  return type === "thinking" ? [{ type: "reasoning", text }] : [];
}
