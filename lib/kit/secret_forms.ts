/** The forms in which one secret may stand in a text, as patterns. @module */

/** Less than this of a secret gives nothing away, and may be anything. */
const SHOWN = 6;
/** The same where nothing but the end of a text says that it was cut: many a header begins with `Bearer`. */
const SHOWN_AT_END = 8;
/** So much of the beginning of a long one is looked for where a text was cut. */
const BEGINNING = 64;
/** What a cut may leave of an escaped character. */
const HALF_ESCAPE = String.raw`(?:%[\da-fA-F]{0,2}|\\{1,8}(?:u[\da-fA-F]{0,4})?){0,4}`;

/**
 * One secret, in the forms that are cheap to see. Who wants to can always find another. Each pattern
 * costs a millisecond, so none is made before a text comes that it may be found in.
 */
export class Forms {
  /** As it is, in base64, in hexadecimal. */
  readonly literals: readonly string[];
  readonly #chars: readonly string[];
  readonly #units: ReadonlySet<number>;
  readonly #made = new Map<string, RegExp>();

  /** Of one that gives itself away wherever it stands. */
  constructor(secret: string) {
    const bytes = new TextEncoder().encode(secret);
    const hex = bytes.toHex();
    const coded = bytes.length < SHOWN ? [] : [...base64Of(bytes), hex, hex.toUpperCase()];
    this.literals = [...new Set([secret, ...coded])];
    this.#chars = [...secret];
    this.#units = unitsOf(secret);
  }

  /** The text with `mark` for each that is whole; `spelled` is what escapes stand for in it. */
  withoutWhole(text: string, spelled: ReadonlySet<number>, mark: string): string {
    let hidden = text;
    for (const literal of this.literals) {
      if (hidden.includes(literal)) hidden = hidden.replaceAll(literal, mark);
    }
    if (this.#units.isDisjointFrom(spelled)) return hidden;
    return hidden.replace(this.#pattern("whole", () => this.#escaped.join("")), mark);
  }

  /** The same for its beginnings before an ellipsis. */
  withoutCut(text: string, spelled: ReadonlySet<number>, mark: string): string {
    const patterns = this.#beginnings(text, spelled, SHOWN, "\\s?…");
    return patterns.reduce((left, pattern) => left.replace(pattern, `${mark}…`), text);
  }

  /** The same for its beginning at the end of the text, where nothing says that it was cut. */
  withoutEnd(text: string, spelled: ReadonlySet<number>, mark: string): string {
    const patterns = this.#beginnings(text, spelled, SHOWN_AT_END, "$");
    return patterns.reduce((left, pattern) => left.replace(pattern, mark), text);
  }

  get #escaped(): readonly string[] {
    return this.#chars.map(escapesOf);
  }

  /** Patterns for those of its beginnings that may be in this text. */
  #beginnings(
    text: string,
    spelled: ReadonlySet<number>,
    least: number,
    behind: string,
  ): readonly RegExp[] {
    const isSpelled = !this.#units.isDisjointFrom(spelled);
    return this.literals.entries().filter(([at, literal]) =>
      at === 0 && isSpelled || text.includes(literal.slice(0, least))
    ).map(([at, literal]) =>
      this.#pattern(`${at} ${behind}`, () => {
        const chars = at === 0 ? this.#escaped : [...literal].map(quoted);
        return `${beginningOf(chars, least)}${HALF_ESCAPE}${behind}`;
      })
    ).toArray();
  }

  #pattern(name: string, source: () => string): RegExp {
    const made = this.#made.get(name) ?? new RegExp(source(), "g");
    this.#made.set(name, made);
    return made;
  }
}

/** The UTF-16 units that escapes in this text may stand for, as JSON and URLs write them. */
export function spelledIn(text: string): ReadonlySet<number> {
  const escaped = text.includes("\\") || text.includes("%");
  if (!escaped) return NOTHING;
  // What is left of an escape may be the end of one: \\n, \\", \\\\.
  const spelled = unitsOf('\\"/\n\r\t\b\f ');
  for (const [, unit] of text.matchAll(/\\u([\da-fA-F]{4})/g)) spelled.add(parseInt(unit!, 16));
  for (const [run] of text.matchAll(/(?:%[\da-fA-F]{2})+/g)) {
    const bytes = Uint8Array.fromHex(run.replaceAll("%", ""));
    for (const unit of unitsOf(new TextDecoder().decode(bytes))) spelled.add(unit);
  }
  return spelled;
}

const NOTHING: ReadonlySet<number> = new Set();

function unitsOf(text: string): Set<number> {
  return new Set(Array.from({ length: text.length }, (_, at) => text.charCodeAt(at)));
}

/** What a letter that ends an escape is no part of: `\n`, `\u001b`, `%3A`, a colour. */
const ESCAPE = String.raw`\\[nrtbf]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}|\[[\d;]{0,9}m`;
const BEFORE = `(?<![A-Za-z0-9](?<!${ESCAPE}))`;
const BEHIND = "(?![A-Za-z0-9])";

/** One that is too short to be looked for in other words: where it stands by itself. */
export function wordPattern(secret: string): RegExp {
  return new RegExp(`${BEFORE}${[...secret].map(escapesOf).join("")}${BEHIND}`, "g");
}

/**
 * One that may be any word: where it stands behind its name, as in `NAME=it`, `"NAME": "it"`, and
 * `--name it`. The first group is what stays.
 */
export function namedPattern(name: string, secret: string): RegExp {
  const apart = name.startsWith("-")
    ? "[\\s:=,\"'\\\\]{1,12}"
    : `["'\\\\]{0,8} ?(?:[:=]|=>) ?["'\\\\]{0,8}`;
  const value = [...secret].map(escapesOf).join("");
  return new RegExp(`(${BEFORE}${quoted(name)}${apart})${value}${BEHIND}`, "gi");
}

/** What base64 of any text has in common that holds these bytes: it depends on how many come before. */
function* base64Of(bytes: Uint8Array): Generator<string> {
  for (const before of [0, 1, 2]) {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const text = padded.toBase64({ omitPadding: true });
    // The first characters are made of what comes before as well, the last of what comes behind.
    const from = Math.ceil(before * 8 / 6);
    const common = text.slice(from, Math.floor(padded.length * 8 / 6));
    yield common;
    yield common.replaceAll("+", "-").replaceAll("/", "_");
  }
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "\b": "b",
  "\f": "f",
};

/** A pattern for one character, as it is or escaped. */
function escapesOf(char: string): string {
  const literal = quoted(char);
  const slashes = "\\\\{1,7}"; // JSON within JSON has its backslashes doubled, and doubled again.
  const units = Array.from(
    { length: char.length },
    (_, at) => `${slashes}u${anyCase(char.charCodeAt(at).toString(16).padStart(4, "0"))}`,
  ).join("");
  const bytes = [...new TextEncoder().encode(char)];
  const percent = bytes.map((byte) => `%${anyCase(byte.toString(16).padStart(2, "0"))}`).join("");
  const short = SHORT_ESCAPES[char] ?? (/[\\"/]/.test(char) ? literal : undefined);
  const own = char === "\\" ? "\\\\{1,8}" : literal;
  const all = [own, units, percent];
  if (short !== undefined && char !== "\\") all.push(slashes + short);
  if (char === " ") all.push("\\+");
  return `(?:${all.join("|")})`;
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** A pattern for the `least` first of these characters, and for as many of the others as follow. */
function beginningOf(chars: readonly string[], least: number): string {
  const rest = chars.slice(least, BEGINNING);
  const tail = chars.length > BEGINNING ? "[^\\s…]*" : "";
  const nested = rest.reduceRight((behind, char) => `(?:${char}${behind})?`, tail);
  return chars.slice(0, least).join("") + nested;
}

function quoted(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
