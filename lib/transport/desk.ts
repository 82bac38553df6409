/** Who waits for which answer: ids, progress tokens, cancellation, on any channel with one stream. @module */
import { printableLine } from "../kit/printable.ts";
import type { Incoming } from "../protocol/codec.ts";
import { TransportError } from "../protocol/errors.ts";
import type { Call, Id, Notice, Reply } from "../protocol/types.ts";
import type { ExchangeOptions, Listener } from "./transport.ts";

interface Waiter {
  resolve(reply: Reply): void;
  reject(error: unknown): void;
  onNotice: ((notice: Notice) => void) | undefined;
}

/** How the desk reaches the other side. */
export interface Channel {
  send(): void;
  cancel(notice: Notice): void;
}

export class Desk {
  readonly #waiting = new Map<Id, Waiter>();
  readonly #closed = Promise.withResolvers<TransportError>();
  readonly #answer: (reply: Reply) => void;
  #listener: Listener | undefined;
  #gone: TransportError | undefined;

  /** `answer` sends our reply to a call of the server's. */
  constructor(answer: (reply: Reply) => void) {
    this.#answer = answer;
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

  exchange(call: Call, options: ExchangeOptions, channel: Channel): Promise<Reply> {
    const { signal, onNotice } = options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      const leave = () => {
        if (!this.#waiting.delete(call.id)) return;
        const notice = cancelledNotice(call, signal!.reason);
        if (notice) channel.cancel(notice);
        reject(signal!.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      const done = () => signal?.removeEventListener("abort", leave);
      this.#waiting.set(call.id, {
        resolve: (reply) => (done(), resolve(reply)),
        reject: (error) => (done(), reject(error)),
        onNotice,
      });
      channel.send();
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
        if (reply && !this.#gone) this.#answer(reply);
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
    for (const waiter of [...this.#waiting.values()]) waiter.reject(error);
    this.#waiting.clear();
    this.#closed.resolve(error);
  }

  #take(id: Id): Waiter | undefined {
    // Some servers turn ids into strings. Ours are integers, so "5" can only mean 5.
    const key = this.#waiting.has(id) ? id : Number(id);
    const waiter = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiter;
  }

  #notice(notice: Notice): void {
    // Our progress tokens are the ids of their calls.
    const token = notice.params?.progressToken as Id | undefined;
    if (notice.method !== "notifications/progress" || token === undefined) {
      return this.#listener?.notice(notice);
    }
    this.#waiting.get(token)?.onNotice?.(notice);
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
