/** Who waits for which answer: ids, progress tokens, cancellation, on any channel with one stream. @module */
import type { LeaveSignal } from "../kit/leaving.ts";
import { printableLine } from "../kit/printable.ts";
import type { Incoming } from "../protocol/codec.ts";
import { NotSent, TransportError } from "../protocol/errors.ts";
import type { Call, Id, Notice, Reply } from "../protocol/types.ts";
import type { ExchangeOptions, Listener } from "./transport.ts";

interface Waiter {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
  onNotice: ((notice: Notice) => void) | undefined;
  signal: LeaveSignal | undefined;
  /** What listens to the caller's signal. */
  leave: () => void;
}

/** How the desk reaches the other side. */
export interface Channel {
  /** Sends a call, or fails it on the desk. */
  send(call: Call): void;
  cancel(notice: Notice): void;
  /** Sends our reply to a call of the server's. */
  answer(reply: Reply): void;
}

export class Desk {
  readonly #waiting = new Map<Id, Waiter>();
  readonly #closed = Promise.withResolvers<TransportError>();
  readonly #channel: Channel;
  #listener: Listener | undefined;
  #gone: TransportError | undefined;

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  get closed(): Promise<TransportError> {
    return this.#closed.promise;
  }

  get gone(): TransportError | undefined {
    return this.#gone;
  }

  get waiting(): readonly Id[] {
    return [...this.#waiting.keys()];
  }

  listen(on: Listener): void {
    this.#listener = on;
  }

  exchange(call: Call, options: ExchangeOptions): Promise<Reply> {
    const { signal, onNotice } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#gone) {
      const { fault, message } = this.#gone;
      return Promise.reject(new NotSent(fault, message, { cause: this.#gone }));
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(call.id);
        reject(signal!.reason);
        const notice = cancelledNotice(call, signal!.reason);
        if (notice) this.#channel.cancel(notice);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.set(call.id, { resolve, reject, onNotice, signal, leave });
      this.#channel.send(call);
    });
  }

  receive(incoming: Incoming): void {
    switch (incoming.kind) {
      case "reply":
        // A reply to nobody is late, doubled or made up. It is not for us.
        return this.#take(incoming.reply.id)?.resolve(incoming.reply);
      case "garbled":
        return this.fail(
          incoming.id,
          new TransportError("garbled", `the answer is ${incoming.why}`),
        );
      case "notice":
        return this.#notice(incoming.notice);
      case "call": {
        const reply = this.#listener?.call(incoming.call);
        if (reply && !this.#gone) this.#channel.answer(reply);
        return;
      }
      case "noise":
        return;
    }
  }

  /** Fails one call and no other. */
  fail(id: Id, error: TransportError): void {
    this.#take(id)?.reject(error);
  }

  /** Fails whoever waits, and whoever comes later, with the same reason. */
  close(error: TransportError): void {
    if (this.#gone) return;
    this.#gone = error;
    for (const id of this.waiting) this.#take(id)?.reject(error);
    this.#closed.resolve(error);
  }

  #take(id: Id): Waiter | undefined {
    const key = this.#keyOf(id);
    const waiter = this.#waiting.get(key);
    this.#waiting.delete(key);
    waiter?.signal?.removeEventListener("abort", waiter.leave);
    return waiter;
  }

  /** Some servers turn ids into strings. Ours are integers, so "5" can only mean 5. */
  #keyOf(id: Id): Id {
    return this.#waiting.has(id) ? id : Number(id);
  }

  #notice(notice: Notice): void {
    // Our progress tokens are the ids of their calls.
    const token = idIn(notice.params?.progressToken);
    if (notice.method !== "notifications/progress" || token === undefined) {
      return this.#listener?.notice(notice);
    }
    this.#waiting.get(this.#keyOf(token))?.onNotice?.(notice);
  }
}

/**
 * What tells the server that an answer is not wanted any more; undefined for `initialize`, which
 * must not be cancelled.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation
 */
function cancelledNotice(call: Call, reason: unknown): Notice | undefined {
  if (call.method === "initialize") return undefined;
  const why = reason instanceof Error ? { reason: printableLine(reason.message) } : {};
  return {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: call.id, ...why },
  };
}

/** Undefined for what is no id: a list of one number is none, though it converts to one. */
function idIn(value: unknown): Id | undefined {
  return typeof value === "number" || typeof value === "string" ? value : undefined;
}
