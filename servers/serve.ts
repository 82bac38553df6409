/** What a handler is, and how one is served on stdio; imports nothing of the client, on purpose. @module */
import { dialectFrom, type DialectOptions } from "./dialect.ts";

// deno-lint-ignore no-explicit-any -- the wire is untyped; whoever reads a message narrows it
export type Message = any;
export type Id = string | number;

/** Takes what a server sends of its own accord: progress, changes, calls to the client. */
export type Out = (message: Message) => void;

/**
 * One connection to a server. Resolves to the reply; to nothing for a notice, for a reply of the
 * client, and for a call that was cancelled.
 */
export type Handler = (message: Message, out?: Out) => Promise<Message | undefined>;

/** Where a handler is served: bytes in, bytes out. */
export interface Wire {
  readable: ReadableStream<Uint8Array>;
  /** Writes some of the bytes and says how many, as `Deno.stdout.write` does. */
  write(bytes: Uint8Array): Promise<number>;
  /** The bytes of one message, in as many writes as there are chunks. */
  frame(message: Message): Uint8Array[];
}

/** One message, one line. */
export function frame(message: Message): Uint8Array[] {
  return [new TextEncoder().encode(JSON.stringify(message) + "\n")];
}

/** This process's own stdin and stdout. */
export function stdio(): Wire {
  return { readable: Deno.stdin.readable, write: (bytes) => Deno.stdout.write(bytes), frame };
}

/** A JSON-RPC error; without an id where the call could not be read. */
export function errorReply(
  id: Id | undefined,
  code: number,
  message: string,
  data?: unknown,
): Message {
  const error = data === undefined ? { code, message } : { code, message, data };
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

/** Above this many unread bytes of answers, no further question is read. */
const HIGH_WATER = 1 << 20;

/** Serves until the client closes our stdin or stops reading our stdout. Calls run side by side. */
export async function serveStdio(handle: Handler, wire: Wire = stdio()): Promise<void> {
  const reader = wire.readable.getReader();
  const open = new Set<Id>();
  let written: Promise<void> = Promise.resolve();
  let queued = 0;
  let deaf = false;

  async function write(bytes: Uint8Array): Promise<void> {
    try {
      for (let at = 0; at < bytes.length && !deaf;) at += await wire.write(bytes.subarray(at));
    } catch {
      deaf = true;
      reader.cancel().catch(() => {});
    }
    queued -= bytes.length;
  }
  function send(message: Message): void {
    for (const bytes of wire.frame(message)) {
      queued += bytes.length;
      written = written.then(() => write(bytes));
    }
  }
  async function take(line: string): Promise<void> {
    if (line.trim() === "") return;
    let message: Message;
    try {
      message = JSON.parse(line);
    } catch {
      return send(errorReply(undefined, -32700, "Parse error: not a line of JSON"));
    }
    const id = message?.method === undefined ? undefined : message.id;
    if (id !== undefined) open.add(id);
    try {
      const reply = await handle(message, send);
      if (reply !== undefined) send(reply);
    } catch (error) {
      send(errorReply(id, -32603, `Internal error: ${error}`));
    } finally {
      open.delete(id);
    }
  }

  const decoder = new TextDecoder();
  let begun: string[] = []; // Pieces of the line being read, joined once: a line may be large.
  for (;;) {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
    if (done) break;
    const lines = decoder.decode(value, { stream: true }).split("\n");
    const last = lines.pop()!;
    for (const line of lines) {
      take(begun.join("") + line);
      begun = [];
    }
    begun.push(last);
    while (queued > HIGH_WATER) await written;
  }
  take(begun.join("") + decoder.decode());
  // Whoever answers at once is still heard. The rest is cancelled: its timers would keep us alive.
  await new Promise((resolve) => setTimeout(resolve, 0));
  for (const requestId of open) {
    handle({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  }
  await written;
}

/** Serves on stdio what `make` makes, in the dialect that the command line asks for. */
export async function serveMain(make: (options: DialectOptions) => Handler): Promise<void> {
  await serveStdio(make(dialectFrom(Deno.args)));
}
