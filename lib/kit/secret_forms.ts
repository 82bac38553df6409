/** The forms in which one secret may stand in a text, as patterns. @module */

/** Less than this of a secret gives nothing away, and may be anything. */
const SHOWN = 6;
/** The same where nothing but the end of a text says that it was cut: many a header begins with `Bearer`. */
const SHOWN_AT_END = 8;
/** So much of the beginning of a long one is looked for where a text was cut. */
const BEGINNING = 64;
/** What a cut may leave of an escaped character. */
const HALF_ESCAPE = String.raw`(?:%[\da-fA-F]{0,2}|\\{1,8}(?:u[\da-fA-F]{0,4})?){0,4}`;

/** One secret, in the forms that are cheap to see. Who wants to can always find another. */
export interface Forms {
  /** As it is, in base64, in hexadecimal. */
  literals: readonly string[];
  /** Characters escaped as in JSON, also in JSON within JSON, or as in a URL. */
  escaped: RegExp;
  /** The beginning of any of these, before an ellipsis. */
  cut: RegExp;
  /** The same at the end of a text. */
  end: RegExp;
}

/** Of one that gives itself away wherever it stands. */
export function formsOf(secret: string): Forms {
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
