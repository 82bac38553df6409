/** Bytes → lines: framing that no chunk boundary, no encoding and no length can break. @module */

const NEWLINE = 10;
/** Enough of both ends of an oversized line to find out whose answer it was. */
const ENDS = 1024;

export type Line =
  | { kind: "line"; text: string }
  /** A line longer than the cap: its bytes were dropped, but for its two ends. */
  | { kind: "oversized"; bytes: number; head: string; tail: string };

/**
 * Splits a byte stream at newlines, the same whatever its chunks. Invalid UTF-8 becomes U+FFFD. A
 * line over `capBytes` is dropped as it comes.
 */
export class Lines {
  readonly #cap: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The line that has not ended yet: it grows by doubling, so that small pieces cost their own size. */
  #buffer = new Uint8Array(0);
  #size = 0;
  /** The last bytes of an oversized line that goes by; its first are in the buffer still. */
  #tail: Uint8Array | undefined;

  constructor(capBytes: number) {
    this.#cap = capBytes;
  }

  *push(chunk: Uint8Array): Generator<Line> {
    let start = 0;
    // The first newline ends a line that began in an earlier chunk. Where a line may be over the
    // cap, each is looked at by itself.
    while (this.#size > 0 || chunk.length - start > this.#cap) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) return this.#keep(chunk.subarray(start));
      this.#keep(chunk.subarray(start, end));
      yield this.#finish();
      start = end + 1;
    }
    const last = chunk.lastIndexOf(NEWLINE);
    if (last >= start) {
      // One decode for all other whole lines of a chunk: small messages come by the hundred.
      const texts = this.#decoder.decode(chunk.subarray(start, last)).split("\n");
      for (const text of texts) yield { kind: "line", text };
      start = last + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  /** What was left without a newline when the stream ended. */
  *end(): Generator<Line> {
    if (this.#size > 0) yield this.#finish();
  }

  #keep(part: Uint8Array): void {
    const kept = this.#size;
    this.#size += part.length;
    if (this.#size <= this.#cap) {
      if (this.#size > this.#buffer.length) this.#grow(kept);
      this.#buffer.set(part, kept);
      return;
    }
    const before = this.#tail ?? this.#buffer.subarray(0, kept);
    if (!this.#tail) {
      const head = new Uint8Array(Math.min(ENDS, this.#size));
      head.set(before.subarray(0, ENDS));
      head.set(part.subarray(0, Math.max(0, head.length - kept)), Math.min(kept, head.length));
      this.#buffer = head;
    }
    const tail = new Uint8Array(Math.min(ENDS, before.length + part.length));
    const own = part.subarray(-tail.length);
    tail.set(before.subarray(before.length - (tail.length - own.length)));
    tail.set(own, tail.length - own.length);
    this.#tail = tail;
  }

  #grow(kept: number): void {
    const larger = new Uint8Array(Math.max(256, this.#size, Math.min(2 * this.#size, this.#cap)));
    larger.set(this.#buffer.subarray(0, kept));
    this.#buffer = larger;
  }

  #finish(): Line {
    const line: Line = this.#tail
      ? {
        kind: "oversized",
        bytes: this.#size,
        head: this.#decoder.decode(this.#buffer),
        tail: this.#decoder.decode(this.#tail),
      }
      : { kind: "line", text: this.#decoder.decode(this.#buffer.subarray(0, this.#size)) };
    // What one long line took is not held for the short ones that follow.
    this.#buffer = new Uint8Array(0);
    this.#size = 0;
    this.#tail = undefined;
    return line;
  }
}

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const AT_HEAD = new RegExp(String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?${ID}\s*,`);
const AT_TAIL = new RegExp(String.raw`,\s*${ID}\s*(?:,\s*${VERSION}\s*)?\}\s*$`);
const BEFORE = String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?(?:${ID}\s*,\s*)?(?:${VERSION}\s*,\s*)?`;
/** What begins like this is no answer, whoever's id it has. */
const ASKS = new RegExp(`${BEFORE}"method"`);
/** Servers log in JSON, too: what begins like this is meant as an answer. */
const ANSWERS = new RegExp(`${BEFORE}"(?:result|error)"`);

/**
 * The id of a reply of which only the ends are known; undefined when neither end shows one. Servers
 * write the id first or last, and an anchored match can't mistake an `"id"` inside the result for it.
 */
export function idAtEnds(head: string, tail: string): number | string | undefined {
  if (!/^\s*\{/.test(head) || ASKS.test(head)) return undefined;
  const found = AT_HEAD.exec(head)?.[1] ?? AT_TAIL.exec(tail)?.[1];
  try {
    return found === undefined ? undefined : JSON.parse(found);
  } catch {
    return undefined; // A text with an escape that is none.
  }
}

/** The id of a whole line that begins and ends like a reply, though nobody can read what is between. */
export function idOfUnreadable(line: string): number | string | undefined {
  const [head, tail] = [line.slice(0, ENDS), line.slice(-ENDS)];
  return ANSWERS.test(head) && /\}\s*$/.test(tail) ? idAtEnds(head, tail) : undefined;
}
