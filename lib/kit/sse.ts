/** Server-sent events of a byte stream, however its chunks fall. @module */
import { createParser } from "eventsource-parser";

/** One event. Events without data are passed too: MCP servers send them for the sake of their id. */
export interface SseEvent {
  /** "message" where the stream named none. */
  name: string;
  data: string;
  id?: string;
  /** The stream ended inside this event: `data` may be half of what was meant. */
  unended?: true;
}

export interface BodyOptions {
  /** Ends the wait for more: what is read rejects with its reason, whether or not the sender heeds it. */
  signal?: AbortSignal;
  /** Told of every chunk. Comments and half an event are signs of life too. */
  onLife?: () => void;
}

export interface SseOptions extends BodyOptions {
  /** The longest event, in UTF-16 units. Default 64 Mi. */
  maxEvent?: number;
}

/** An event that would not end: nobody knows how long it might have become. */
export class OversizedEvent extends Error {
  override readonly name = "OversizedEvent";
}

const MAX_EVENT = 64 * 1024 * 1024;

/**
 * The events of `body` as they come. Leaving early cancels the body. An event that the end of the
 * stream cut short is the last one, and marked.
 * @throws {OversizedEvent}, what the body fails with, or the signal's reason
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export async function* sseEvents(
  body: ReadableStream<Uint8Array>,
  options: SseOptions = {},
): AsyncGenerator<SseEvent, void> {
  const maxBufferSize = options.maxEvent ?? MAX_EVENT;
  const decoder = new TextDecoder();
  let ready: SseEvent[] = [];
  let oversized = false;
  const { feed } = createParser({
    maxBufferSize,
    onEvent({ event = "message", data, id }) {
      ready.push(id === undefined ? { name: event, data } : { name: event, data, id });
    },
    onError: ({ type }) => oversized ||= type === "max-buffer-size-exceeded",
  });
  for await (const chunk of chunks(body, options)) {
    feed(decoder.decode(chunk, { stream: true }));
    if (ready.length > 0) {
      const events = ready;
      ready = [];
      for (const event of events) yield event;
    }
    if (oversized) throw new OversizedEvent(`an event is longer than ${maxBufferSize} characters`);
  }
  feed(decoder.decode() + "\n\n");
  for (const event of ready) yield { ...event, unended: true };
}

/** The chunks of `body` that are not empty. Leaving early cancels it. */
export async function* chunks(
  body: ReadableStream<Uint8Array>,
  { signal, onLife }: BodyOptions = {},
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  // Nobody waits for it: a source that can't be cancelled must not keep us.
  const cancel = (reason?: unknown) => void reader.cancel(reason).catch(() => {});
  // Settles the read that we are waiting in.
  const leave = () => cancel(signal!.reason);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    while (true) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return;
      if (value.length === 0) continue;
      onLife?.();
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", leave);
    cancel();
    reader.releaseLock();
  }
}

/** The text of `body`, of which no more than about `maxBytes` are read. */
export async function bodyText(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  options: BodyOptions = {},
): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of chunks(body, options)) {
    parts.push(decoder.decode(chunk, { stream: true }));
    size += chunk.length;
    if (size >= maxBytes) break;
  }
  return parts.join("") + decoder.decode();
}
