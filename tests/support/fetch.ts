/** A fetch that answers from a script, and bodies that are fed by hand. @module */
import type { Fetch } from "../../lib/models/api/request.ts";
import { settle } from "./clock.ts";

export interface Asked {
  url: string;
  method: string;
  headers: Headers;
  // deno-lint-ignore no-explicit-any -- the wire is untyped
  body: any;
  signal: AbortSignal;
}

export type Answer = Response | Error | ((asked: Asked) => Response | Promise<Response>);

/** Answers in order, and keeps what it was asked. The last answer is not given twice. */
export function scriptedFetch(...answers: Answer[]): { fetch: Fetch; asked: Asked[] } {
  const asked: Asked[] = [];
  const fetch: Fetch = async (url, { method = "GET", headers, body, signal }) => {
    const one: Asked = {
      url,
      method,
      headers: new Headers(headers),
      body: typeof body === "string" ? JSON.parse(body) : undefined,
      signal: signal!,
    };
    asked.push(one);
    const answer = answers[asked.length - 1];
    if (answer === undefined) throw new Error(`nobody expects request ${asked.length}`);
    if (answer instanceof Error) throw answer;
    return typeof answer === "function" ? await answer(one) : answer;
  };
  return { fetch, asked };
}

/** Never answers, and leaves when it is told to, as a real fetch does. */
export function silence({ signal }: Asked): Promise<Response> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A body that gives what it is fed. It heeds no signal: who waits must leave by itself. */
export class Feed {
  readonly stream: ReadableStream<Uint8Array>;
  cancelled: { reason: unknown } | undefined;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #failure: Error | undefined;

  constructor(...texts: string[]) {
    this.stream = new ReadableStream({
      start: (controller) => void (this.#controller = controller),
      pull: (controller) => this.#failure && controller.error(this.#failure),
      cancel: (reason) => void (this.cancelled = { reason }),
    });
    this.push(...texts);
  }

  push(...texts: string[]): void {
    for (const text of texts) this.#controller.enqueue(new TextEncoder().encode(text));
  }

  end(): this {
    this.#controller.close();
    return this;
  }

  /** Breaks once all that was pushed has been read, as a socket does. */
  fail(error: Error): this {
    this.#failure = error;
    if (this.#controller.desiredSize! > 0) this.#controller.error(error);
    return this;
  }
}

export function eventStream(body: ReadableStream<Uint8Array> | string): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}

/** Lets everything go on that needs neither time nor IO, streams through several hands among it. */
export async function calm(): Promise<void> {
  for (let i = 0; i < 20; i++) await settle();
}
