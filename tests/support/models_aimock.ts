/** aimock, a model server that we did not write, behind a tap on its wire. @module */
import assert from "node:assert/strict";
import type { Body, Format } from "./models_formats.ts";
import { AIMOCK, onModelPackages } from "./models_npm.ts";
import { type Sent, Tap } from "./models_tap.ts";

/** One answer of a model; the first that matches is given. */
export interface Fixture {
  match: {
    model: string;
    /** How many turns the model has had at the least. */
    turnIndex?: number;
    /** How often this has matched before. */
    sequenceIndex?: number;
    toolResultContains?: string;
  };
  response: Body;
  /** Characters of a piece of the stream. */
  chunkSize?: number;
  /** Milliseconds before each of them. */
  latency?: number;
  truncateAfterChunks?: number;
  streamingProfile?: { ttft?: number; tps?: number; jitter?: number };
  chaos?: { malformedRate?: number; disconnectRate?: number };
}

/** The key that aimock takes; it refuses every other. */
export const KEY = "sk-good-0123456789";

/**
 * Starts it as a child process. What it is asked is read off the wire: its journal holds its own
 * translation of what the formats other than Chat Completions say.
 */
export async function aimock(fixtures: readonly Fixture[]): Promise<Aimock> {
  const folder = await Deno.makeTempDir({ prefix: "fusebox-aimock-" });
  const file = `${folder}/fixtures.json`;
  await Deno.writeTextFile(file, JSON.stringify({ fixtures }));
  const child = new Deno.Command(Deno.execPath(), {
    args: onModelPackages(`${AIMOCK}/llmock`, ["-p", "0", "-f", file]),
    env: { AIMOCK_API_KEYS: KEY },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const mock = new Aimock(child, folder);
  try {
    await mock.ready;
    return mock;
  } catch (error) {
    await mock[Symbol.asyncDispose]();
    throw error;
  }
}

export class Aimock implements AsyncDisposable {
  readonly ready: Promise<void>;
  readonly #child: Deno.ChildProcess;
  readonly #folder: string;
  readonly #log: Promise<unknown>;
  readonly #heard = Promise.withResolvers<string>();
  #said = "";
  #own = "";
  #tap: Tap | undefined;

  constructor(child: Deno.ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    this.#log = Promise.all([this.#read(child.stdout), this.#read(child.stderr)])
      .then(() => this.#heard.reject(new Error(`aimock has left: ${this.#said}`)));
    this.ready = this.#begin();
  }

  /** Where the wire begins. */
  get url(): string {
    return this.#tap!.url;
  }

  get sent(): readonly Sent[] {
    return this.#tap!.sent;
  }

  /** What was sent to this model, in order. */
  to(format: Format, model: string): Sent[] {
    const paths = [true, false].map((stream) => format.path(model, stream));
    return this.sent.filter(({ path, body }) =>
      paths.includes(path) && (body.model === undefined || body.model === model)
    );
  }

  /** How often aimock says to have been asked for each model; requests with a wrong key do not count. */
  async journalled(): Promise<Map<string, number>> {
    const answer = await fetch(`${this.#own}/__aimock/journal`, {
      headers: { authorization: `Bearer ${KEY}` },
    });
    const counts = new Map<string, number>();
    for (const { body } of await answer.json()) {
      if (body) counts.set(body.model, (counts.get(body.model) ?? 0) + 1);
    }
    return counts;
  }

  async #begin(): Promise<void> {
    this.#own = await this.#heard.promise;
    const { hostname, port } = new URL(this.#own);
    this.#tap = new Tap({ transport: "tcp", hostname, port: Number(port) });
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      this.#said += decoder.decode(bytes, { stream: true });
      const url = /listening on (http:\S+)/.exec(this.#said)?.[1];
      if (url) this.#heard.resolve(url);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tap?.[Symbol.asyncDispose]();
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It left first.
    }
    await this.#child.status;
    await this.#log;
    await Deno.remove(this.#folder, { recursive: true });
    assert(!/uncaught|TypeError/i.test(this.#said), this.#said);
  }
}
