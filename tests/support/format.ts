/** A wire format at work in a test: one request, one stream, one turn. @module */
import assert from "node:assert/strict";
import type { Message, ToolSpec, Turn, TurnRequest } from "../../lib/models/model.ts";
import { ModelError } from "../../lib/models/model.ts";
import type { ErrorResponse, Failure, Format, FormatRequest } from "../../lib/models/wire.ts";
import type { Params } from "../../lib/protocol/types.ts";

export interface Asked extends Partial<Omit<FormatRequest, "signal">> {
  notes?: string[];
}

export function requestOf({ notes, ...asked }: Asked = {}): FormatRequest {
  return {
    model: "m",
    stream: true,
    cacheKey: "run-1",
    refused: new Set(),
    system: "",
    messages: [{ role: "user", text: "Hello" }],
    tools: [],
    ...(notes && { note: (line: string) => notes.push(line) }),
    ...asked,
  };
}

export function bodyOf(format: Format, asked?: Asked): Params {
  return format.write(requestOf(asked)).body;
}

export function toolOf(name: string, inputSchema: Params = { type: "object" }): ToolSpec {
  return { name, description: `[from test] ${name}`, inputSchema };
}

/** The events as objects; a text goes over the wire as it is. */
export function readStream(
  format: Format,
  events: readonly (Params | string)[],
  asked?: Asked,
): Turn & { deltas: string; thoughts: string } {
  const { reader } = format.write(requestOf(asked));
  let deltas = "";
  let thoughts = "";
  for (const event of events) {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    for (const { type, text } of reader.take({ name: "message", data })) {
      if (type === "text") deltas += text;
      else thoughts += text;
    }
  }
  const turn = reader.end();
  assert.equal(deltas, turn.text);
  return { ...turn, deltas, thoughts };
}

export function readWhole(format: Format, body: unknown, asked?: Asked): Turn {
  return format.write(requestOf({ ...asked, stream: false })).reader.whole(body);
}

/** The {@linkcode ModelError} that a stream ends in. */
export function streamError(format: Format, events: readonly (Params | string)[]): ModelError {
  return errorOf(() => readStream(format, events));
}

export function errorOf(work: () => unknown): ModelError {
  try {
    work();
  } catch (error) {
    assert(error instanceof ModelError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: "nothing was thrown" });
}

export function explained(format: Format, status: number, body: unknown): Failure {
  const response: ErrorResponse = { status, headers: new Headers(), body };
  return format.explain(response);
}

/** A user's question, one turn with uses, and what they gave. */
export function talk(
  turn: Pick<Turn, "text" | "uses"> & { carry?: unknown },
  results: TurnRequest["messages"] = [],
): Message[] {
  const { text, uses, carry } = turn;
  return [
    { role: "user", text: "Hello" },
    { role: "assistant", text, uses, ...(carry !== undefined && { carry }) },
    ...results,
  ];
}
