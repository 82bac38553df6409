/** A wire format as plain as can be, and a model over it that is asked with a clock of its own. @module */
import assert from "node:assert/strict";
import { apiModel, type ApiModelOptions } from "../../lib/models/api.ts";
import {
  type Delta,
  ModelError,
  type ToolSpec,
  type Turn,
  type TurnRequest,
} from "../../lib/models/model.ts";
import { isPassing } from "../../lib/models/api/retries.ts";
import type { Format, Reader } from "../../lib/models/wire.ts";
import { FakeClock } from "./clock.ts";
import { type Answer, type Asked, calm, eventStream, scriptedFetch } from "./fetch.ts";

export const KEY = "sk-very-secret";

/** `{text}`, `{args}`, `{error, retryable}` and `{end: true}`, one an event; in one piece, all at once. */
function plainReader(): Reader {
  let [text, args, ended] = ["", "", false];
  // deno-lint-ignore no-explicit-any -- the wire is untyped
  const take = (event: any): Delta[] => {
    if (event.error) throw new ModelError(event.error, { retryable: event.retryable ?? false });
    text += event.text ?? "";
    args += event.args ?? "";
    ended ||= event.end ?? false;
    if (event.reasoning) return [{ type: "reasoning", text: event.reasoning }];
    return event.text === undefined ? [] : [{ type: "text", text: event.text }];
  };
  const end = (): Turn => {
    if (!ended) throw new ModelError("the stream ended before the answer did", { retryable: true });
    const uses = args === "" ? [] : [{ id: "1", name: "t", args: JSON.parse(args) }];
    return { text, uses, stop: uses.length > 0 ? "tools" : "end" };
  };
  return {
    take: ({ data }) => data === "[DONE]" ? [] : take(JSON.parse(data)),
    end,
    whole(body) {
      take(body);
      return end();
    },
  };
}

export const plain: Format = {
  auth: (key) => ({ authorization: `Bearer ${key}` }),
  write({ model, stream, cacheKey, refused, tools, note }) {
    const left = tools.filter(({ name }) => !refused.has(name));
    for (const { name } of left.splice(3)) note?.(`${name} is held back`);
    const names = left.map(({ name }) => name);
    return {
      path: "/turn?alt=sse",
      headers: { "x-plain": "1" },
      body: { model, stream, cacheKey, tools: names },
      tools: names,
      reader: plainReader(),
    };
  },
  explain({ status, body }) {
    // deno-lint-ignore no-explicit-any -- the wire is untyped
    const { message = `no (${status})`, tool } = (body as any)?.error ?? {};
    return { message, retryable: isPassing(status), ...(tool !== undefined && { tool }) };
  },
  // deno-lint-ignore no-explicit-any -- the wire is untyped
  models: { path: "/models", read: (body: any) => body.names.map(String) },
};

export const REQUEST: TurnRequest = { system: "", messages: [], tools: [] };
export const tool = (name: string): ToolSpec => ({ name, description: "", inputSchema: {} });
export const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const END = event({ end: true });
export const stream = (...events: unknown[]): Response => eventStream(events.map(event).join(""));

export interface Going {
  clock: FakeClock;
  asked: Asked[];
  notes: string[];
  /** What was yielded so far. */
  deltas: Delta[];
  turn: Promise<Turn>;
  leaving: AbortController;
}

export async function going(
  answers: Answer[],
  { request = {}, ...options }: Partial<ApiModelOptions> & { request?: Partial<TurnRequest> } = {},
): Promise<Going> {
  const clock = new FakeClock();
  const { fetch, asked } = scriptedFetch(...answers);
  const notes: string[] = [];
  const leaving = new AbortController();
  const deltas: Delta[] = [];
  const model = apiModel({
    provider: "acme",
    model: "m-1",
    format: plain,
    baseUrl: "https://api.acme.test/v1/",
    key: KEY,
    fetch,
    clock,
    random: () => 0.5,
    stream: true,
    note: (line) => notes.push(line),
    ...options,
  });
  const turn = (async () => {
    const events = model.turn({ ...REQUEST, ...request, signal: leaving.signal });
    while (true) {
      const { value, done } = await events.next();
      if (done) return value;
      deltas.push(value);
    }
  })();
  turn.catch(() => {});
  await calm();
  return { clock, asked, notes, deltas, turn, leaving };
}

export async function failureOf({ turn }: Going): Promise<ModelError> {
  const error = await turn.then(() => undefined, (error) => error);
  assert(error instanceof ModelError, String(error));
  return error;
}

export const textOf = ({ deltas }: Going): string => deltas.map(({ text }) => text).join("|");
