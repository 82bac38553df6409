/** A server in memory of which any line may be spoilt, and the client that has to get on with it. @module */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { type Client, connect } from "../../lib/client/client.ts";
import { pipeTransport } from "../../lib/transport/stdio.ts";
import { numbers } from "../models/schema/random.ts";
import { LIMITS, OURS } from "./clients.ts";
import { FakeClock } from "./clock.ts";
import { answers, type Kind, strays } from "./frames.ts";
import { type Json, Mutator } from "./mutate.ts";
import { type Pipes, pipes } from "./pipes.ts";

const LINE_CAP = 256 * 1024;
/** Nothing that is still to come takes so many rounds of the event loop. */
const HANG = 2_000;
/** For who has to find out what went wrong. */
const LAST_LINES = 30;
const SHOWN = 2_000;

/** Lets all that is under way in memory get as far as it can; no time passes on the clock. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** The same for a reader who has read so much that it lets others go first. */
const breath = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

export class Session implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly mutator: Mutator;
  readonly kind: Kind;
  /** Whose signal many calls share, as those of a run do. It is never aborted. */
  readonly life = new AbortController();
  /** One line in so many is spoilt; 0 while it is honest. */
  spoils = 0;
  /** Lines that were spoilt so far. */
  frames = 0;
  #pipes: Pipes | undefined;
  /** The last id that it was asked with. */
  #id = 0;
  readonly #trail: Uint8Array[] = [];

  constructor(seed: number) {
    this.mutator = new Mutator(numbers(seed));
    this.kind = this.mutator.pick(["modern", "legacy"]);
  }

  connect(): Promise<Client> {
    const { clock } = this;
    const open = () => {
      this.#pipes = pipes((line) => this.#hear(JSON.parse(line)));
      return pipeTransport(this.#pipes.peer, { clock, lineCapBytes: LINE_CAP });
    };
    return connect(open, { alias: "peer", clock, client: OURS, limits: LIMITS });
  }

  /** A tool called `healthy…` returns its own name. */
  #hear(message: Json): void {
    this.#id = Number(message.id ?? this.#id);
    const name = message.params?.name;
    if (typeof name === "string" && name.startsWith("healthy")) {
      return this.#say({ id: message.id, result: { content: [{ type: "text", text: name }] } });
    }
    const frames = answers(this.kind, message, (from) => this.mutator.pick(from));
    for (const frame of frames) this.#say(frame);
  }

  /** Says something that nobody asked for. */
  stray(): void {
    this.#say(this.mutator.pick(strays(this.#id + this.mutator.below(3))));
  }

  #say(frame: Json): void {
    const { mutator } = this;
    const spoilt = this.spoils > 0 && mutator.odds(this.spoils);
    const line = spoilt
      ? mutator.line(frame, strays(this.#id))
      : new TextEncoder().encode(JSON.stringify(frame) + "\n");
    this.#trail.push(line);
    if (this.#trail.length > LAST_LINES) this.#trail.shift();
    if (!spoilt) return this.#pipes!.say(line);
    this.frames++;
    for (const chunk of mutator.chunks(line)) this.#pipes!.say(chunk);
    if (mutator.odds(50)) this.#pipes!.complain(line);
  }

  /** It is honest from here on, and what it has begun is ended. */
  reform(): void {
    this.spoils = 0;
    this.#pipes!.say(new Uint8Array([10]));
  }

  leave(): void {
    this.#pipes!.leave(1);
  }

  /** How each ended, with time passing for as long as one has not. */
  async ends(promises: readonly Promise<unknown>[]): Promise<PromiseSettledResult<unknown>[]> {
    let settled: PromiseSettledResult<unknown>[] | undefined;
    Promise.allSettled(promises).then((all) => settled = all);
    for (let rounds = 0; !settled; rounds++) {
      assert(rounds < HANG, "a promise never settles");
      await turn();
      if (settled) break;
      if (this.#pipes?.isUnread) await breath();
      else await this.clock.tick(15_000);
    }
    return settled;
  }

  /** The same without time passing: what is honest is heard at once. */
  async soon<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const note = () => settled = true;
    promise.then(note, note);
    for (let rounds = 0; !settled; rounds++) {
      assert(rounds < HANG, "an honest answer is not heard");
      await (rounds < 3 ? turn() : breath());
    }
    return await promise;
  }

  /** The last lines that it wrote, as far as they are text. */
  get trail(): string {
    const shown = this.#trail.map((line) => JSON.stringify(new TextDecoder().decode(line)));
    return shown.map((it) => it.length > SHOWN ? `${it.slice(0, SHOWN)}…` : it).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await turn();
    assert.equal(this.clock.sleepers, 0, "nobody sets an alarm and goes away");
  }
}
