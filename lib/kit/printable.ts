/** A stranger's text, made safe to print on a terminal. @module */

/**
 * What may steer a terminal or hide from the eye, by what Unicode says of it: controls (tab and newline
 * are dealt with apart), marks of format and direction, separators of lines and paragraphs, whatever is
 * shown as nothing. Signs that Arabic, Syriac and Kaithi write before a number are seen.
 */
export const UNSAFE =
  /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]]/gv;

/**
 * Escape sequences as a whole, so that `\e[31mred` prints `red` and not `[31mred`. One without an end
 * on its line is none: it would take with it whatever stands behind.
 */
const SEQUENCE =
  // deno-lint-ignore no-control-regex -- ESC and BEL open and close these sequences
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;

/** The same text without escape sequences, controls and invisible characters; newlines and tabs stay. */
export function printable(text: string): string {
  return text.toWellFormed().replace(SEQUENCE, "").replace(/\r\n?/g, "\n").replace(UNSAFE, "");
}

/** The same text with all of {@linkcode UNSAFE} written as escapes: for whoever has to see what is there. */
export function escaped(text: string): string {
  return text.toWellFormed().replace(
    UNSAFE,
    (char) =>
      Array.from(
        { length: char.length },
        (_, at) => "\\u" + char.charCodeAt(at).toString(16).padStart(4, "0"),
      ).join(""),
  );
}

/** {@linkcode escaped} on one line of at most `max` units: two texts that differ before look different. */
export function visible(text: string, max = Infinity): string {
  return cut(escaped(text).replaceAll("\n", "\\n").replaceAll("\t", "\\t"), max);
}

/** What the next piece of a text may go on with: a sequence, a line break, a character of two units. */
const OPEN =
  // deno-lint-ignore no-control-regex -- ESC and BEL open and close sequences
  /(?:\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b\n]*\u001b?|[ -/]*)|\r|[\ud800-\udbff])$/;

/** More than any honest sequence: what stays open longer is given up. */
const MAX_OPEN = 4096;

/** {@linkcode printable} for a text in pieces: what one leaves open waits for the next. */
export class PrintableStream {
  #open = "";

  push(piece: string): string {
    const text = this.#open + piece;
    const open = OPEN.exec(text)?.[0] ?? "";
    if (open.length > MAX_OPEN) return this.#close(text);
    this.#open = open;
    return printable(text.slice(0, text.length - open.length));
  }

  end(): string {
    return this.#close(this.#open);
  }

  #close(text: string): string {
    this.#open = "";
    return printable(text);
  }
}

/** {@linkcode printable} on one line, cut to `max` characters with an ellipsis. */
export function printableLine(text: string, max = 200): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  return line.length > max ? cut(line, max - 1) + "…" : line;
}

/** At most `max` UTF-16 units of `text`, never half a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
