/** A server in memory that lives and dies when a test tells it to, and counts how often it was started. @module */
import type { Opener } from "../../lib/client/handshake.ts";
import { classify } from "../../lib/protocol/codec.ts";
import { TransportError } from "../../lib/protocol/errors.ts";
import { Desk } from "../../lib/transport/desk.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { server, type Tool } from "../../servers/server.ts";
import type { Frame } from "./wire.ts";

export interface MortalOptions {
  tools?: Tool[];
  /** Dies with exit code 1 once it has answered, or instead of answering, a call with this method. */
  diesAfter?: string;
  diesOn?: string;
  /** Never answers a call with this method. */
  muteOn?: string;
}

const echo: Tool = {
  name: "echo",
  inputSchema: { type: "object" },
  run: () => ({ content: [{ type: "text", text: "echo" }] }),
};

export class Mortal {
  /** How often it was started. */
  starts = 0;
  /** When, by the clock of the test that asks for it. */
  readonly startedAt: number[] = [];
  /** All that it was sent, over all its lives. */
  readonly heard: Frame[] = [];
  /** May change from one life to the next, and within one. */
  options: MortalOptions;
  #desk: Desk | undefined;

  constructor(options: MortalOptions = {}) {
    this.options = options;
  }

  /** Its process goes by itself. */
  die(): void {
    this.#desk?.close(new TransportError("exited", "it ended with exit code 1"));
  }

  count(method: string): number {
    return this.heard.filter((frame) => frame.method === method).length;
  }

  opener(now: () => number = () => 0): Opener {
    return () => {
      this.starts++;
      this.startedAt.push(now());
      return this.#live();
    };
  }

  #live(): Transport {
    const { tools = [echo] } = this.options;
    const handle = server({ name: "mortal", version: "1", dialect: "modern", tools });
    const desk: Desk = this.#desk = new Desk({
      send: (call) => void say(call),
      cancel: (notice) => void say(notice),
      answer: () => {},
    });
    const say = async (message: Frame) => {
      this.heard.push(message);
      const { diesAfter, diesOn, muteOn } = this.options;
      if (message.method === muteOn) return;
      if (message.method === diesOn) return this.#end(desk);
      const reply = await handle(structuredClone(message), () => {});
      if (reply !== undefined) desk.receive(classify(reply));
      if (message.method === diesAfter) this.#end(desk);
    };
    return {
      exchange: (call, options = {}) => desk.exchange(call, options),
      notify: (notice) => say(notice),
      listen: (on) => desk.listen(on),
      closed: desk.closed,
      tail: () => [],
      [Symbol.asyncDispose]: () =>
        Promise.resolve(desk.close(new TransportError("closed", "it was detached"))),
    };
  }

  #end(desk: Desk): void {
    desk.close(new TransportError("exited", "it ended with exit code 1"));
  }
}
