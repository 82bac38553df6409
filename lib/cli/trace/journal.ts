/** A trace on its way to a file: numbered, without secrets, bounded, and never waited for. @module */
import { type Clock, unlessSilent } from "../../kit/clock.ts";
import { toJson } from "../../kit/json.ts";
import { cut } from "../../kit/printable.ts";
import type { Secrets } from "../../kit/secrets.ts";
import type { Log } from "../log.ts";
import type { Fields, Kind } from "./records.ts";

export interface JournalOptions {
  log: Log;
  secrets: Secrets;
  /** For patience at the end. */
  clock: Clock;
  /** Milliseconds since the trace was opened; never goes back. */
  elapsed: () => number;
  /** Told once of each thing that keeps a record from being written. */
  warn: (line: string) => void;
  /** Default {@linkcode TRACE_MAX}. */
  maxBytes?: number;
  /** Of what waits to be written. Default {@linkcode WAITING_MAX}. */
  maxQueued?: number;
  /** Of one line or record, in UTF-16 units. Default {@linkcode RECORD_MAX}. */
  maxLength?: number;
}

/** A secret that begins before a cut ends within so much. */
const OVERLAP = 16_384;
/** So long after a failure nothing is tried: a full disk stays full for a while. */
const PAUSE_MS = 1_000;
/** How long whoever leaves waits for a slow disk, or for a pipe that nobody reads. */
const GOODBYE_MS = 1_000;
const MIB = 2 ** 20;
/** Bytes of a whole trace, and of what waits to be written; UTF-16 units of one line. */
export const TRACE_MAX = 256 * MIB;
export const WAITING_MAX = 32 * MIB;
export const RECORD_MAX = MIB;

interface Waiting {
  bytes: Uint8Array;
  /** How many records are missing when this is. */
  stands: number;
}

export class Journal {
  readonly #options: JournalOptions;
  readonly #maxBytes: number;
  readonly #maxQueued: number;
  readonly #maxLength: number;
  readonly #encoder = new TextEncoder();
  #seq = 0;
  #queue: Waiting[] = [];
  #queued = 0;
  #written = 0;
  #dropped = 0;
  /** Since when nothing is tried. */
  #failedAt: number | undefined;
  #hasFailed = false;
  #isFull = false;
  #pumping: Promise<void> | undefined;

  constructor(options: JournalOptions) {
    const { maxBytes = TRACE_MAX, maxQueued = WAITING_MAX, maxLength = RECORD_MAX } = options;
    this.#options = options;
    this.#maxBytes = maxBytes;
    this.#maxQueued = maxQueued;
    this.#maxLength = maxLength;
  }

  /**
   * Writes a record as soon as can be, in this order. Returns its number, whether or not it is written.
   * `at` is when it happened: now, unless it was held back since.
   */
  write<K extends Kind>(kind: K, fields: Fields<K>, at?: number): number {
    if (kind !== "end" && !this.#hasRoom()) return this.#seq++;
    this.#confess();
    const seq = this.#seq++;
    const bytes = this.#encode(seq, kind, fields, at);
    if (kind === "end" || this.#written + bytes.length <= this.#maxBytes) this.#push(bytes);
    else {
      this.#isFull = true;
      this.#push(this.#encode(seq, "truncated", { bytes: this.#written }));
      this.#options.warn(
        `The trace has its ${Math.ceil(this.#maxBytes / MIB)} MiB: what follows is not in it`,
      );
    }
    return seq;
  }

  /** Resolves once all is written, or given up. Does not fail. */
  async close(): Promise<void> {
    await unlessSilent(this.#options.clock, GOODBYE_MS, Promise.resolve(this.#pumping));
    this.#options.log.close();
  }

  /** Who has begun to drop records goes on until there is room for many. */
  #hasRoom(): boolean {
    const { elapsed } = this.#options;
    const isPausing = this.#failedAt !== undefined && elapsed() - this.#failedAt < PAUSE_MS;
    const most = this.#dropped > 0 ? this.#maxQueued / 2 : this.#maxQueued;
    const isBehind = isPausing || this.#queued > most;
    if (isBehind && !this.#isFull) this.#dropped++;
    return !isBehind && !this.#isFull;
  }

  /** Says how many are missing, where the first that is not missing stands. */
  #confess(): void {
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#push(this.#encode(this.#seq++, "dropped", { count }), 1 + count);
  }

  #push(bytes: Uint8Array, stands = 1): void {
    this.#queue.push({ bytes, stands });
    this.#queued += bytes.length;
    this.#written += bytes.length;
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    await Promise.resolve(); // All that is told in one turn of the event loop goes in one write.
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      const bytes = joined(batch.map((it) => it.bytes));
      try {
        await this.#options.log.write(bytes);
        this.#failedAt = undefined;
      } catch (error) {
        this.#failed(error, batch.reduce((sum, { stands }) => sum + stands, 0));
        this.#written -= bytes.length;
      }
      this.#queued -= bytes.length;
    }
    this.#pumping = undefined;
  }

  #failed(error: unknown, count: number): void {
    this.#dropped += count;
    this.#failedAt = this.#options.elapsed();
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    const why = error instanceof Error ? error.message : String(error);
    this.#options.warn(
      `Cannot write the trace: ${why}. The run goes on, and parts of it are missing`,
    );
  }

  #encode<K extends Kind>(
    seq: number,
    kind: K,
    fields: Fields<K>,
    at = this.#options.elapsed(),
  ): Uint8Array {
    const { secrets } = this.#options;
    const head = { seq, at: rounded(at), kind };
    const said: Record<string, unknown> = secrets.hideIn(this.#shortened(fields));
    if (typeof said.ms === "number") said.ms = rounded(said.ms);
    let text = toJson({ ...head, ...said });
    if (text.length > 2 * this.#maxLength) {
      const whole = toJson(said);
      const small = Object.entries(said).filter(([, value]) => toJson(value).length < 200);
      const rest = { cut: cut(whole, this.#maxLength), length: whole.length };
      text = toJson({ ...head, ...Object.fromEntries(small), ...rest });
    }
    return this.#encoder.encode(text + "\n");
  }

  /** A line is cut, with its length kept, before anything else is done with it. */
  #shortened(fields: object): Record<string, unknown> {
    const { line } = fields as { line?: unknown };
    if (typeof line !== "string" || line.length <= this.#maxLength) return { ...fields };
    const hidden = this.#options.secrets.hide(cut(line, this.#maxLength + OVERLAP));
    return { ...fields, line: cut(hidden, this.#maxLength), length: line.length };
  }
}

/** Milliseconds, to the microsecond. */
function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
