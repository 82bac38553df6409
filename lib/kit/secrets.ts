/** Texts that nothing we write may show, and what takes them out of it, in whatever form they come. @module */

/** Less than this of a secret gives nothing away, and may be anything. */
const SHOWN = 6;
/** The same where nothing but the end of a text says that it was cut: many a header begins with `Bearer`. */
const SHOWN_AT_END = 8;
/** So much of the beginning of a long one is looked for where a text was cut. */
const BEGINNING = 64;
/** Characters that one may take where it is escaped. */
const ESCAPED = 12;
const DEEPEST = 500;
/** What a cut may leave of an escaped character. */
const HALF_ESCAPE = String.raw`(?:%[\da-fA-F]{0,2}|\\{1,8}(?:u[\da-fA-F]{0,4})?){0,4}`;

/** One secret, in the forms that are cheap to see. Who wants to can always find another. */
interface Forms {
  /** As it is, in base64, in hexadecimal. */
  literals: readonly string[];
  /** Characters escaped as in JSON, also in JSON within JSON, or as in a URL. */
  escaped: RegExp;
  /** The beginning of any of these, before an ellipsis. */
  cut: RegExp;
  /** The same at the end of a text. */
  end: RegExp;
}

/** Grows while a configuration is read; what was added is hidden from then on. */
export class Secrets {
  readonly #mark: string;
  readonly #texts = new Set<string>();
  /** Made when they are wanted first: most runs print next to nothing. */
  #forms: readonly Forms[] | undefined;
  /** How far before the end of a text the last one may begin. */
  #reach = 0;

  /** @param mark what stands in the place of a secret */
  constructor(secrets: Iterable<string> = [], mark = "[hidden]") {
    this.#mark = mark;
    this.add(secrets);
  }

  /** What may be a plain word is for the caller to leave out. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) if (secret !== "") this.#texts.add(secret);
    this.#forms = undefined;
    this.#reach = Math.max(0, ...[...this.#texts].map(({ length }) => length * ESCAPED));
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** The same text with a mark in the place of each secret. */
  hide(text: string): string {
    if (this.isEmpty || text === "") return text;
    // The longest first: one may hold another.
    this.#forms ??= [...this.#texts].sort((a, b) => b.length - a.length).map(formsOf);
    const isEscaped = text.includes("\\") || text.includes("%");
    const isCut = text.includes("…");
    let hidden = text;
    for (const { literals, escaped, cut } of this.#forms) {
      for (const literal of literals) {
        if (hidden.includes(literal)) hidden = hidden.replaceAll(literal, this.#mark);
      }
      if (isEscaped) hidden = hidden.replace(escaped, this.#mark);
      if (isCut) hidden = hidden.replace(cut, `${this.#mark}…`);
    }
    // Bounds cut texts without a word.
    const from = Math.max(0, hidden.length - this.#reach);
    const last = hidden.slice(from);
    const cleared = this.#forms.reduce((left, { end }) => left.replace(end, this.#mark), last);
    return cleared === last ? hidden : hidden.slice(0, from) + cleared;
  }

  /** {@linkcode hide} in every text of a JSON value, the names of its members among them. */
  hideIn<T>(value: T): T {
    return this.isEmpty ? value : this.#hideIn(value, 0) as T;
  }

  /** {@linkcode hideIn} for `JSON.stringify`; undefined when there is nothing to hide. */
  get replacer(): ((key: string, value: unknown) => unknown) | undefined {
    if (this.isEmpty) return undefined;
    return (_, value) => {
      if (typeof value === "string") return this.hide(value);
      return typeof value === "object" && value !== null && this.#namesOne(value)
        ? this.#renamed(value, (item) => item)
        : value;
    };
  }

  #hideIn(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.hide(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth === DEEPEST) return "[nested too deep]";
    if (Array.isArray(value)) return value.map((item) => this.#hideIn(item, depth + 1));
    return this.#renamed(value, (item) => this.#hideIn(item, depth + 1));
  }

  #namesOne(value: object): boolean {
    return !Array.isArray(value) && Object.keys(value).some((name) => this.hide(name) !== name);
  }

  #renamed(value: object, each: (item: unknown) => unknown): unknown {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.hide(name), each(item)]),
    );
  }
}

function formsOf(secret: string): Forms {
  const bytes = new TextEncoder().encode(secret);
  const hex = bytes.toHex();
  const coded = bytes.length < SHOWN
    ? []
    : [...new Set([...base64Of(bytes), hex, hex.toUpperCase()])];
  const chars = [...secret].map(escapesOf);
  const all = [chars, ...coded.map((text) => [...text].map(quoted))];
  const cutAfter = (least: number) =>
    `(?:${all.map((each) => beginningOf(each, least)).join("|")})${HALF_ESCAPE}`;
  return {
    literals: [secret, ...coded],
    escaped: new RegExp(chars.join(""), "g"),
    cut: new RegExp(`${cutAfter(SHOWN)}\\s?…`, "g"),
    end: new RegExp(`${cutAfter(SHOWN_AT_END)}$`),
  };
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
