/** A server as a child process: one JSON message per line. Three phases: start, exchange, close. @module */
import { type Clock, unlessSilent } from "../kit/clock.ts";
import { printable } from "../kit/printable.ts";
import { decode, encode } from "../protocol/codec.ts";
import { NotSent, TransportError } from "../protocol/errors.ts";
import type { Call, Notice, Reply } from "../protocol/types.ts";
import { Desk } from "./desk.ts";
import { idAtEnds, idOfUnreadable, type Line, Lines } from "./lines.ts";
import { type Ending, endProcess, type ProcessOptions, startProcess } from "./process.ts";
import type { Transport } from "./transport.ts";

export interface PipeOptions {
  clock: Clock;
  /** A longer line fails the call it answers. Default 32 MiB. */
  lineCapBytes?: number;
  /** Each line of the server's stderr as it comes. A stranger's text. */
  onStderr?: (line: string) => void;
  /** Each line on its stdout that is no message: banners, logs. A stranger's text. */
  onNoise?: (line: string) => void;
  /** Each line that crosses, as it is on the wire; for tests and traces. */
  onFrame?: (direction: "sent" | "received", line: string) => void;
  /** Each line that is over the cap, of which little more than its beginning is kept. */
  onOversized?: (line: { bytes: number; head: string }) => void;
}

export interface StdioOptions extends ProcessOptions, PipeOptions {
  onStart?: (pid: number) => void;
  onEnd?: (ending: Ending) => void;
}

/** Whoever is at the other end of three pipes; those that are read are byte streams. */
export interface Peer {
  stdin: WritableStream<Uint8Array>;
  stdout: ReadableStream<Uint8Array>;
  stderr: ReadableStream<Uint8Array>;
  status: Promise<Ending>;
  /** Makes it leave, in bounded time, once its stdin has ended. Does not fail. */
  end(): Promise<void>;
}

export const LINE_CAP = 32 * 1024 * 1024;
export const STDERR_LINES = 50;
export const STDERR_LINE_CAP = 4096;
/** More than this unread by the server, and it is not reading. */
export const QUEUE_CAP = 64 * 1024 * 1024;
/** How long one pipe may have the event loop to itself. */
const TURN_MS = 10;
/** What a read costs by itself: floods of small pieces are floods, too. */
const READ_MS = 0.02;
/** How long the end of a process and the end of its output may lie apart. */
const LAST_WORDS_MS = 250;

/**
 * Starts the server.
 * @throws {TransportError} `spawn_not_found`, `spawn_denied`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio
 */
export function stdioTransport(options: StdioOptions): Transport {
  const child = startProcess(options);
  const { stdin, stdout, stderr, status } = child;
  options.onStart?.(child.pid);
  if (options.onEnd) status.then(options.onEnd);
  const peer = { stdin, stdout, stderr, status, end: () => endProcess(child, options) };
  return { ...pipeTransport(peer, options), pid: child.pid };
}

/** The same over the pipes of whatever runs already. */
export function pipeTransport(child: Peer, options: PipeOptions): Transport {
  const { clock } = options;
  const cap = options.lineCapBytes ?? LINE_CAP;
  const stdin = child.stdin.getWriter();
  const stdout = child.stdout.getReader({ mode: "byob" });
  const stderr = child.stderr.getReader({ mode: "byob" });
  const desk: Desk = new Desk({
    send: (call) => void send(call).catch((error) => desk.fail(call.id, error)),
    cancel: (notice) => void send(notice).catch(() => {}),
    answer: (reply) => void send(reply).catch(() => {}),
  });
  const tail: string[] = [];
  let closing: Promise<void> | undefined;

  // Start: from here on, both pipes are always drained, or the server would block on a full one.
  const output = readLines(stdout, new Lines(cap), (line) => hear(line));
  const errors = readLines(stderr, new Lines(STDERR_LINE_CAP), (line) => keep(line));
  watch();

  // Exchange.
  let queue: string[] = [];
  let queued = 0;
  let writing: Promise<void> | undefined;

  function send(message: Call | Notice | Reply): Promise<void> {
    if (desk.gone) return Promise.reject(desk.gone);
    const line = encode(message);
    // A single message may be larger: how much a server leaves unread says nothing about that one.
    if (queued > 0 && queued + line.length > QUEUE_CAP) {
      return Promise.reject(new NotSent("closed", "it does not read its input"));
    }
    options.onFrame?.("sent", line);
    queue.push(line);
    queued += line.length;
    return writing ??= write();
  }

  /** All that was said in one turn of the event loop leaves in one write. */
  async function write(): Promise<void> {
    await Promise.resolve();
    try {
      while (queue.length > 0) {
        const bytes = new TextEncoder().encode(queue.join(""));
        queue = [];
        queued = 0;
        await stdin.write(bytes);
      }
    } catch (cause) {
      // Most often because it is leaving: how it left says more than that it does not listen.
      const leaving = Promise.race([child.status, desk.closed]);
      if (await unlessSilent(clock, LAST_WORDS_MS, leaving)) await desk.closed;
      // One that lives and can't be told anything is gone for us: it may be started again.
      desk.close(new TransportError("closed", "it closed its input", { cause }));
      throw desk.gone;
    } finally {
      writing = undefined;
    }
  }

  function hear(line: Line): void {
    if (line.kind === "line") {
      options.onFrame?.("received", line.text);
      const incoming = decode(line.text);
      if (incoming.kind !== "noise") return desk.receive(incoming);
      if (line.text.trim() !== "") options.onNoise?.(line.text);
      const id = idOfUnreadable(line.text); // Some write NaN, or what no parser goes through.
      if (id === undefined) return;
      return desk.fail(id, new TransportError("garbled", "the answer is no JSON that can be read"));
    }
    const { bytes, head, tail } = line;
    options.onOversized?.({ bytes, head });
    const id = idAtEnds(head, tail);
    if (id === undefined) return; // A banner, a notice: it fails nobody.
    const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`;
    desk.fail(
      id,
      new TransportError(
        "garbled",
        `the answer is one line of ${size}, over the cap of ${(cap / 2 ** 20).toFixed(1)} MiB`,
      ),
    );
  }

  function keep(line: Line): void {
    const text = printable(line.kind === "line" ? line.text : line.head + " …");
    if (text.trim() === "") return;
    tail.push(text);
    if (tail.length > STDERR_LINES) tail.shift();
    options.onStderr?.(text);
  }

  /** Says why the server is gone, once its last words on both pipes were heard. */
  async function watch(): Promise<void> {
    let status: Ending | undefined;
    const ended = child.status.then((it) => {
      status = it;
    });
    await Promise.race([ended, output]);
    // A grandchild may hold the pipes open: the end of the process is not the end of its output.
    const lastWords: Promise<unknown> = status
      ? Promise.all([output, errors])
      : ended.then(() => errors);
    await unlessSilent(clock, LAST_WORDS_MS, lastWords);
    const why = status ? `it ended with ${ending(status)}` : "it closed its output";
    desk.close(new TransportError(status ? "exited" : "closed", why));
  }

  // Close.
  async function close(): Promise<void> {
    desk.close(new TransportError("closed", "it was detached"));
    // Not awaited: a server that does not read would hold us here.
    stdin.close().catch(() => {});
    await child.end();
    await stdin.abort().catch(() => {});
    // A grandchild that left the group may hold the pipes; we do not wait for it.
    await Promise.all([stdout.cancel(), stderr.cancel()].map((it) => it.catch(() => {})));
    await Promise.all([output, errors]);
  }

  return {
    exchange: (call, exchangeOptions = {}) => desk.exchange(call, exchangeOptions),
    notify: send,
    listen: (on) => desk.listen(on),
    closed: desk.closed,
    tail: () => tail,
    [Symbol.asyncDispose]: () => closing ??= close(),
  };
}

/** One read takes no more. */
const CHUNK_BYTES = 65_536;
const ENDED = { value: undefined, done: true };

/** Reads to the end, whatever comes. What `take` throws is a bug of ours, and is thrown. */
async function readLines(
  reader: ReadableStreamBYOBReader,
  lines: Lines,
  take: (line: Line) => void,
): Promise<void> {
  let busyMs = 0;
  // One for all reads, however small: a new one for each would be a hundred megabytes in a second.
  let buffer = new ArrayBuffer(CHUNK_BYTES);
  while (true) {
    // A pipe that was cancelled by close(), or broken by the other side, has ended.
    const { value, done } = await reader.read(new Uint8Array(buffer)).catch(() => ENDED);
    if (done || !value) break;
    buffer = value.buffer;
    const began = performance.now();
    for (const line of lines.push(value)) take(line);
    busyMs += performance.now() - began + READ_MS;
    // A flood never lets the event loop come round by itself: timers and signals would wait for ever.
    if (busyMs < TURN_MS) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    busyMs = 0;
  }
  for (const line of lines.end()) take(line);
}

function ending(status: Ending): string {
  return status.signal ? `signal ${status.signal}` : `exit code ${status.code}`;
}
