/** Bytes → lines: framing that no chunk boundary, no encoding and no length can break. @module */

const NEWLINE = 10;
/** Enough of both ends of an oversized line to find out whose answer it was. */
const ENDS = 1024;

export type Line =
  | { kind: "line"; text: string }
  /** A line longer than the cap: its bytes were dropped, but for its two ends. */
  | { kind: "oversized"; bytes: number; head: string; tail: string };

/** Splits a byte stream at newlines. Invalid UTF-8 becomes U+FFFD. A line over `capBytes` is dropped as it comes. */
export class Lines {
  readonly #cap: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: false });
  /** Chunks of the line that has not ended yet: joined once, so that a long line costs linear time. */
  #parts: Uint8Array[] = [];
  #size = 0;
  /** Set while an oversized line goes by. */
  #ends: { head: Uint8Array; tail: Uint8Array } | undefined;

  constructor(capBytes: number) {
    this.#cap = capBytes;
  }

  *push(chunk: Uint8Array): Generator<Line> {
    let start = 0;
    // The first newline ends a line that began in an earlier chunk; from there on, whole lines.
    if (this.#size > 0) {
      const end = chunk.indexOf(NEWLINE);
      if (end < 0) return this.#keep(chunk);
      this.#keep(chunk.subarray(0, end));
      yield this.#finish();
      start = end + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= start) {
      // One decode for all whole lines of a chunk: small messages come by the hundred.
      for (const text of this.#decode(chunk.subarray(start, last)).split("\n")) {
        yield text.length > this.#cap ? oversized(text) : { kind: "line", text };
      }
      start = last + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** What was left without a newline when the stream ended. */
  *end(): Generator<Line> {
    if (this.#size > 0) yield this.#finish();
  }

  #keep(part: Uint8Array): void {
    this.#size += part.length;
    if (!this.#ends && this.#size <= this.#cap) {
      this.#parts.push(part);
      return;
    }
    const all = join([...(this.#ends ? [this.#ends.tail] : this.#parts), part]);
    const head = this.#ends?.head ?? all.slice(0, ENDS);
    this.#ends = { head, tail: all.slice(-ENDS) };
    this.#parts = [];
  }

  #finish(): Line {
    const line: Line = this.#ends
      ? {
        kind: "oversized",
        bytes: this.#size,
        head: this.#decode(this.#ends.head),
        tail: this.#decode(this.#ends.tail),
      }
      : { kind: "line", text: this.#decode(join(this.#parts)) };
    this.#parts = [];
    this.#size = 0;
    this.#ends = undefined;
    return line;
  }

  #decode(bytes: Uint8Array): string {
    return this.#decoder.decode(bytes);
  }
}

function oversized(text: string): Line {
  return {
    kind: "oversized",
    bytes: text.length,
    head: text.slice(0, ENDS),
    tail: text.slice(-ENDS),
  };
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const AT_HEAD = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,`);
const AT_TAIL = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);

/**
 * The id of a reply of which only the ends are known; undefined when neither end shows one. Servers
 * write the id first or last, and an anchored match can't mistake an `"id"` inside the result for it.
 */
export function idAtEnds(head: string, tail: string): number | string | undefined {
  const found = AT_HEAD.exec(head)?.[1] ?? AT_TAIL.exec(tail)?.[1];
  return found === undefined ? undefined : JSON.parse(found);
}
