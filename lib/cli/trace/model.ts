/** A model whose requests and turns are told to a trace. @module */
import { toJson } from "../../kit/json.ts";
import {
  type Delta,
  type Model,
  ModelError,
  type Turn,
  type TurnRequest,
} from "../../models/model.ts";
import type { Tracing } from "./tracing.ts";

/** The same model. What it is asked is told by its size and digest, what it answers as it is. */
export function tracedModel(model: Model, trace: Tracing, elapsed: () => number): Model {
  let step = 0;
  async function* turn(request: TurnRequest): AsyncGenerator<Delta, Turn> {
    step++;
    const sizes = await sizesOf(request);
    const began = elapsed();
    trace.write("request", { step, model: model.name, ...sizes });
    try {
      const turn = yield* model.turn(request);
      const { text, uses, stop, usage } = turn;
      const ms = elapsed() - began;
      trace.write("turn", { step, text, uses, stop, ...(usage && { usage }), ms });
      return turn;
    } catch (error) {
      const status = error instanceof ModelError ? { status: error.status } : {};
      const ms = elapsed() - began;
      trace.write("turn_failed", { step, message: messageOf(error), ...status, ms });
      throw error;
    }
  }
  return { name: model.name, turn };
}

async function sizesOf({ system, messages, tools }: TurnRequest) {
  const bytes = new TextEncoder().encode(toJson([system, messages, tools]));
  const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return { messages: messages.length, tools: tools.length, bytes: bytes.length, sha256 };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
