/** A server in the same process: the transport is its handler. @module */
import { classify } from "../protocol/codec.ts";
import { TransportError } from "../protocol/errors.ts";
import type { Call, Notice, Reply } from "../protocol/types.ts";
import { Desk } from "./desk.ts";
import type { Listener, Transport } from "./transport.ts";

/** A server as a function. `out` lets it speak unasked: notices, and calls in the legacy dialect. */
export type Handler = (
  message: Call | Notice | Reply,
  out: (message: unknown) => void,
) => Promise<unknown>;

export function memoryTransport(handle: Handler): Transport {
  const desk: Desk = new Desk({
    send: (call) =>
      void say(call).catch((cause) => {
        desk.fail(call.id, new TransportError("exited", "its handler failed", { cause }));
      }),
    cancel: (notice) => void say(notice).catch(() => {}),
    answer: (reply) => void say(reply).catch(() => {}),
  });

  /** What crosses is copied, as any wire would. */
  async function say(message: Call | Notice | Reply): Promise<void> {
    const answer = await handle(copied(message), (unasked) => hear(unasked));
    if (answer !== undefined) hear(answer);
  }

  function hear(message: unknown): void {
    desk.receive(classify(copied(message)));
  }

  return {
    exchange: (call, options = {}) => desk.exchange(call, options),
    notify: (notice) => desk.gone ? Promise.reject(desk.gone) : say(notice),
    listen: (on: Listener) => desk.listen(on),
    closed: desk.closed,
    tail: () => [],
    [Symbol.asyncDispose](): Promise<void> {
      desk.close(new TransportError("closed", "it was detached"));
      return Promise.resolve();
    },
  };
}

/** As a wire copies: by JSON, however deep. */
function copied<T>(message: T): T {
  return JSON.parse(JSON.stringify(message));
}
