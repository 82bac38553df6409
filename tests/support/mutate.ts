/** Valid messages spoiled at random, as JSON and as bytes: the same ones in every run with the same numbers. @module */
import type { Next } from "../models/schema/random.ts";

// deno-lint-ignore no-explicit-any -- whatever JSON comes
export type Json = any;

/** Text that stands for itself in JSON: what `JSON.stringify` would never write. */
const RAW: readonly ((next: Next) => string)[] = [
  () => "1e999",
  () => "-1e999",
  () => "1e-999",
  () => "-0",
  () => "9007199254740993",
  () => "123456789012345678901234567890",
  () => "NaN",
  () => "undefined",
  () => "01",
  () => "+1",
  () => ".5",
  () => "'x'",
  () => '"unterminated',
  () => '"bad escape \\x"',
  () => '"tab\there"',
  () => '"nul\0here"',
  () => '"\\ud800"',
  () => '"\\udc00\\ud800"',
  () => '"\\u0000"',
  () => '{"a":1,"a":2}',
  () => '{"__proto__":{"polluted":true}}',
  () => '{"constructor":{"prototype":{"polluted":true}}}',
  () => '{"id":1,"result":{}}',
  () => "[1,]",
  () => '{"a":1,}',
  () => "/* note */ null",
  (next) => deep(next, "[", "]"),
  (next) => deep(next, '{"a":', "}", "null"),
  (next) => deep(next, '[{"items":', "}]", "true"),
];

function deep(next: Next, open: string, close: string, core = ""): string {
  // Seldom so deep that it is a matter of stacks, and of seconds.
  const levels = next(8) === 0 ? 20_000 : [1, 60, 210, 700][next(4)]!;
  return open.repeat(levels) + core + close.repeat(levels);
}

const VALUES: readonly (() => Json)[] = [
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -1,
  () => 1,
  () => 2,
  () => 1.5,
  () => Number.MAX_SAFE_INTEGER,
  () => -2147483648,
  () => "",
  () => " ",
  () => "1",
  () => "0x1",
  () => " 2 ",
  () => "null",
  () => "[object Object]",
  () => "\u202e\u200b\u{e0041}\ufeff\u2028",
  () => "\u001b[31mred\u001b]0;title\u0007\u009b2J",
  () => "漢字 👋 \u0301\u0301",
  () => "complete",
  () => "input_required",
  () => "2026-07-28",
  () => "2025-11-25",
  () => [],
  () => {},
  () => ({}),
  () => [null],
  () => [[], {}, "", 0],
  () => ({ type: "object" }),
  () => ({ type: "text" }),
  () => ({ $ref: "#" }),
  () => ({ code: -32602, message: "no" }),
];

const KEYS = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "then", "toJSON"],
  ...["", "id", "method", "result", "error", "params", "jsonrpc", "tools", "content", "nextCursor"],
  ...["_meta", "progressToken", "properties", "\0", "\ud800", "$ref", "length", "0"],
];

/** What is long without being much work to make. */
const LONG = ["x".repeat(5_000), "\u001b[".repeat(2_000), "😀".repeat(3_000), " \n".repeat(4_000)];
const HUGE = "y".repeat(200_000);

const MARK = /"@raw:(\d+)@"/g;

export class Mutator {
  readonly #next: Next;
  readonly #raws: string[] = [];

  constructor(next: Next) {
    this.#next = next;
  }

  odds(one: number): boolean {
    return this.#next(one) === 0;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.#next(from.length)]!;
  }

  below(limit: number): number {
    return this.#next(limit);
  }

  /** The message as a line, spoiled once or a few times; `others` are what it may be spliced with. */
  line(message: Json, others: readonly Json[]): Uint8Array {
    let value = structuredClone(message);
    if (!this.odds(4)) {
      for (let n = 1 + this.#next(3); n > 0; n--) value = this.value(value);
    }
    let bytes = new TextEncoder().encode(this.#text(value) + this.#end());
    if (this.odds(2)) {
      for (let n = 1 + this.#next(3); n > 0; n--) bytes = this.bytes(bytes, others);
    }
    return bytes;
  }

  /** Cut anywhere, into few pieces or many. */
  chunks(bytes: Uint8Array): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    const most = this.odds(10) ? 1 + this.#next(7) : 1 + this.#next(Math.max(1, bytes.length));
    for (let at = 0; at < bytes.length;) {
      const size = pieces.length > 40 ? bytes.length : 1 + this.#next(most);
      pieces.push(bytes.slice(at, at + size));
      at += size;
    }
    return pieces;
  }

  /** The value with one place in it spoiled. What comes back may be it, or another. */
  value(value: Json): Json {
    const places = placesOf(value);
    if (places.length === 0) return this.odd();
    const { holder, key } = this.pick(places);
    const put = (name: string | number, it: Json) => define(holder, name, it);
    switch (this.#next(9)) {
      case 0:
      case 1:
        put(key, this.odd());
        break;
      case 2:
        if (Array.isArray(holder)) holder.splice(key as number, 1);
        else delete holder[key];
        break;
      case 3: { // The same under another name.
        const it = holder[key];
        if (!Array.isArray(holder) && this.odds(2)) delete holder[key];
        put(Array.isArray(holder) ? holder.length : this.pick(KEYS), it);
        break;
      }
      case 4:
        put(key, [holder[key], holder[key]]);
        break;
      case 5:
        put(key, { [this.pick(KEYS)]: holder[key] });
        break;
      case 6: { // Two values change places.
        const other = this.pick(places);
        const it = holder[key];
        // Not into itself: that would be no tree any more, and no JSON.
        if (holds(it, other.holder) || holds(other.holder[other.key], holder)) break;
        put(key, other.holder[other.key]);
        define(other.holder, other.key, it);
        break;
      }
      case 7: { // A list or an object that goes on and on.
        const small = (JSON.stringify(holder[key])?.length ?? 0) < 300;
        const many = 1 + this.#next(!small ? 2 : this.odds(20) ? 3_000 : 30);
        if (Array.isArray(holder)) {
          for (let n = 0; n < many; n++) holder.push(holder[Number(key)]);
        } else for (let n = 0; n < many; n++) put(`${key}${n}`, holder[key]);
        break;
      }
      case 8:
        if (typeof holder[key] === "string") put(key, this.#spoiled(holder[key]));
        else if (typeof holder[key] === "number") {
          put(key, holder[key] * this.pick([-1, 0.5, 1e300]));
        } else put(key, this.odd());
    }
    return value;
  }

  /** A value that nobody expects. */
  odd(): Json {
    if (this.odds(3)) {
      const raw = this.pick(RAW)(this.#next);
      this.#raws.push(raw);
      return `@raw:${this.#raws.length - 1}@`;
    }
    if (this.odds(40)) return this.odds(10) ? HUGE : this.pick(LONG);
    return this.pick(VALUES)();
  }

  /** JSON, with what no JSON writer writes put in. */
  #text(value: Json): string {
    const text = JSON.stringify(value) ?? "";
    const raw = text.replace(MARK, (_, at) => this.#raws[Number(at)]!);
    this.#raws.length = 0;
    return raw;
  }

  /** As `JSON.parse` would read it, where it can be read at all. */
  parsed(value: Json): Json {
    try {
      return JSON.parse(this.#text(value));
    } catch {
      return undefined;
    }
  }

  #spoiled(text: string): string {
    const at = this.#next(text.length + 1);
    const into = this.pick([
      "\0",
      "\ud800",
      "\u202e",
      "\r",
      "\n",
      "\u2028",
      '"',
      "\\",
      "\u001b[2J",
    ]);
    return this.odds(3) ? text.slice(0, at) : text.slice(0, at) + into + text.slice(at);
  }

  #end(): string {
    return this.odds(6)
      ? this.pick(["", "\r\n", "\n\n", "\n\r", " \n", "\0\n", "\n{}\n", "\n[]\n"])
      : "\n";
  }

  bytes(bytes: Uint8Array<ArrayBuffer>, others: readonly Json[]): Uint8Array<ArrayBuffer> {
    const at = this.#next(bytes.length + 1);
    const joined = (...parts: Uint8Array[]) => {
      const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
      let end = 0;
      for (const part of parts) {
        whole.set(part, end);
        end += part.length;
      }
      return whole;
    };
    const insert = (...values: number[]) =>
      joined(bytes.subarray(0, at), new Uint8Array(values), bytes.subarray(at));
    switch (this.#next(10)) {
      case 0: // A bit.
        if (at < bytes.length) bytes[at]! ^= 1 << this.#next(8);
        return bytes;
      case 1:
        if (at < bytes.length) bytes[at] = this.#next(256);
        return bytes;
      case 2:
        return bytes.slice(0, at);
      case 3:
        return bytes.slice(at);
      case 4:
        return insert(this.pick([0, 10, 13, 34, 92, 123, 125, 0xff, 0xc3, 0xed]));
      case 5: // No UTF-8: half a character, a surrogate, one that is too long.
        return insert(
          ...this.pick([[0xc3], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xc0, 0x80], [0xfe]]),
        );
      case 6:
        return insert(0xef, 0xbb, 0xbf);
      case 7: { // A piece of it twice.
        const end = Math.min(bytes.length, at + 1 + this.#next(200));
        return joined(bytes.subarray(0, end), bytes.subarray(at, end), bytes.subarray(end));
      }
      case 8: { // The head of this and the tail of another.
        const other = new TextEncoder().encode(JSON.stringify(this.pick(others)) + "\n");
        return joined(bytes.subarray(0, at), other.subarray(this.#next(other.length)));
      }
      default: { // Two lines in one another.
        const other = new TextEncoder().encode(JSON.stringify(this.pick(others)) + "\n");
        return joined(bytes.subarray(0, at), other, bytes.subarray(at));
      }
    }
  }
}

interface Place {
  holder: Json;
  key: string | number;
}

/** Everywhere in it where a value stands, the first thousand of them. */
function placesOf(value: Json): Place[] {
  const places: Place[] = [];
  const queue: Json[] = [value];
  while (queue.length > 0 && places.length < 1_000) {
    const holder = queue.pop();
    if (typeof holder !== "object" || holder === null) continue;
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      places.push({ holder, key });
      queue.push(holder[key]);
    }
  }
  return places;
}

function holds(value: Json, wanted: Json): boolean {
  if (value === wanted) return true;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((it) => holds(it, wanted));
}

/** As `JSON.parse` does: `__proto__` is a name like any other. */
function define(holder: Json, key: string | number, value: Json): void {
  const own = { value, writable: true, enumerable: true, configurable: true };
  Object.defineProperty(holder, key, own);
}
