/** A stranger's regular expression, run in linear time or refused. @module */
import { RE2JS } from "re2js";

/** A pattern that is found anywhere in a text, as JSON Schema wants it. */
export interface Pattern {
  /** About how many instructions it compiled to: a test costs at most `size` × length of the text. */
  size: number;
  test(text: string): boolean;
}

/** Thrown for a pattern we can't run safely or can't be sure to read as its author did. */
export class PatternFault extends Error {}

const MAX_SOURCE = 5_000;
const MAX_SIZE = 5_000;

// ECMA-262 has more line ends and more white space than RE2.
const DOT = "[^\\n\\r\\x{2028}\\x{2029}]";
const SPACE = "\\t-\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}" +
  "\\x{3000}\\x{FEFF}";
const NOT_SPACE = "\\x{0}-\\x{8}\\x{E}-\\x{1F}!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}" +
  "\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}" +
  "\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}";
const ANYTHING = "[\\x{0}-\\x{10FFFF}]";
const NOTHING = "[^\\x{0}-\\x{10FFFF}]";

/** What matches no character, so that nothing is there to repeat. */
const EMPTY = new Map([["|", "|"], ["^", "\\A"], ["$", "\\z"]]);
const CONTROLS = new Map([["t", 9], ["n", 10], ["v", 11], ["f", 12], ["r", 13]]);
const CATEGORIES = new Map([
  ["Letter", "L"],
  ["Uppercase_Letter", "Lu"],
  ["Lowercase_Letter", "Ll"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["Punctuation", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
  ["Space_Separator", "Zs"],
  ["Other", "C"],
  ["Control", "Cc"],
]);

/**
 * Compiles an ECMA-262 pattern (read as with the flag `u`, but kind to needless escapes) for RE2.
 *
 * @throws {PatternFault} for what RE2 can't do in linear time (lookaround, back-references), what
 * engines read differently, and what grows too large.
 */
export function linearPattern(source: string): Pattern {
  if (source.length > MAX_SOURCE) throw new PatternFault("is too long");
  const { re2, size } = new Translation(source).whole();
  if (size > MAX_SIZE) throw new PatternFault("repeats too much");
  try {
    const compiled = RE2JS.compile(re2);
    return { size, test: (text) => compiled.test(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace("error parsing regexp: ", "") : "";
    throw new PatternFault(`can't be compiled: ${why.slice(0, 80)}`);
  }
}

/** A character, or the inside of a character class. */
type Atom = number | string;

class Translation {
  #at = 0;

  constructor(readonly source: string) {}

  whole(): { re2: string; size: number } {
    let re2 = "";
    let last = 0; // The size of what a quantifier here would repeat; 0 when there is nothing to.
    const sizes = [0]; // One per open group.
    const emit = (text: string, size: number) => {
      re2 += text;
      last = size;
      sizes[sizes.length - 1]! += Math.max(size, 1);
    };
    while (this.#at < this.source.length) {
      const quantifier = this.#take(/[*+?]|\{(\d+)(?:,(\d*))?\}/y);
      if (quantifier) {
        if (last === 0) throw new PatternFault("repeats nothing");
        const [text, low, high] = quantifier;
        if (Math.max(Number(low ?? 0), Number(high ?? 0)) > 1000) {
          throw new PatternFault("repeats more than 1,000 times");
        }
        this.#take(/\?/y); // Lazy or greedy, it finds the same texts.
        re2 += text;
        sizes[sizes.length - 1]! += 2 + last * 2 * Math.max(Number(low ?? 0), Number(high ?? 0));
        last = 0;
        continue;
      }
      const char = this.#char();
      if (char === "(") {
        this.#group();
        re2 += "(?:";
        last = 0;
        sizes.push(1);
      } else if (char === ")") {
        if (sizes.length === 1) throw new PatternFault("has a ) without a (");
        emit(")", sizes.pop()!);
      } else if (EMPTY.has(char)) {
        emit(EMPTY.get(char)!, 0);
      } else if (char === ".") {
        emit(DOT, 1);
      } else if (char === "[") {
        emit(this.#set(), 1);
      } else if (char === "]") {
        throw new PatternFault("has a ] without a [");
      } else if (char === "\\") {
        const boundary = this.#take(/[bB]/y);
        if (boundary) emit(`\\${boundary[0]}`, 0);
        else emit(alone(this.#escape()), 1);
      } else if (char === "{" && this.#take(/,\d+\}/y)) {
        throw new PatternFault("has {,n}, which engines read differently");
      } else {
        emit(alone(char.codePointAt(0)!), 1);
      }
    }
    if (sizes.length > 1) throw new PatternFault("has a ( without a )");
    return { re2, size: sizes[0]! + 1 };
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.source);
    if (found) this.#at = token.lastIndex;
    return found;
  }

  #char(): string {
    const code = this.source.codePointAt(this.#at);
    if (code === undefined) throw new PatternFault("ends too early");
    const char = String.fromCodePoint(code);
    this.#at += char.length;
    return char;
  }

  /** Reads what follows an opening parenthesis. */
  #group(): void {
    if (!this.#take(/\?/y)) return;
    if (this.#take(/:|<[A-Za-z_$][\w$]*>/y)) return;
    if (this.#take(/<?[=!]/y)) {
      throw new PatternFault("looks ahead or behind, which takes more than linear time");
    }
    throw new PatternFault("has a group of an unknown kind");
  }

  /** Reads a character class after its opening bracket. */
  #set(): string {
    const negated = this.#take(/\^/y) !== null;
    let items = "";
    while (!this.#take(/\]/y)) {
      const left = this.#setAtom();
      if (!this.#take(/-(?!\])/y)) {
        items += inside(left);
        continue;
      }
      const right = this.#setAtom();
      if (typeof left === "string" || typeof right === "string") {
        items += `${inside(left)}\\-${inside(right)}`; // `[\w-.]`: without the flag u, no range.
      } else if (left > right) {
        throw new PatternFault("has a range out of order");
      } else {
        items += `${inside(left)}-${inside(right)}`;
      }
    }
    if (items === "") return negated ? ANYTHING : NOTHING;
    return `[${negated ? "^" : ""}${items}]`;
  }

  #setAtom(): Atom {
    const char = this.#char();
    if (char !== "\\") return char.codePointAt(0)!;
    return this.#take(/b/y) ? 8 : this.#escape();
  }

  /** Reads what follows a backslash. */
  #escape(): Atom {
    const hex = this.#take(/u\{([\da-fA-F]{1,6})\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})/y);
    if (hex) return this.#paired(parseInt(hex[1] ?? hex[2] ?? hex[3]!, 16), hex[2] !== undefined);
    const control = this.#take(/c([A-Za-z])/y);
    if (control) return control[1]!.charCodeAt(0) & 31;
    const property = this.#take(/([pP])\{(?:(?:sc|Script|gc|General_Category)=)?(\w+)\}/y);
    if (property) return `\\${property[1]}{${CATEGORIES.get(property[2]!) ?? property[2]}}`;
    if (this.#take(/0(?!\d)/y)) return 0;
    const char = this.#char();
    if (/[dDwW]/.test(char)) return `\\${char}`;
    if (char === "s") return SPACE;
    if (char === "S") return NOT_SPACE;
    if (/[1-9k]/.test(char)) {
      throw new PatternFault("refers back to a group, which takes more than linear time");
    }
    if (/[A-Za-z0-9]/.test(char) && !CONTROLS.has(char)) {
      throw new PatternFault(`has \\${char}, which ECMA-262 does not know`);
    }
    return CONTROLS.get(char) ?? char.codePointAt(0)!;
  }

  /** Two `\u` escapes may be the halves of one character. */
  #paired(code: number, mayPair: boolean): number {
    if (code > 0x10FFFF) throw new PatternFault("has a character beyond Unicode");
    if (!mayPair || code < 0xD800 || code > 0xDBFF) return code;
    const low = this.#take(/\\u([dD][c-fC-F][\da-fA-F]{2})/y);
    return low ? (code - 0xD800) * 0x400 + parseInt(low[1]!, 16) - 0xDC00 + 0x10000 : code;
  }
}

function inside(atom: Atom): string {
  return typeof atom === "string" ? atom : `\\x{${atom.toString(16)}}`;
}

function alone(atom: Atom): string {
  return typeof atom === "string" ? `[${atom}]` : inside(atom);
}
