/** Words of ours beside a stranger's: how they are marked, and how no other text gets such a mark. @module */
import { printableLine } from "./printable.ts";

const MARK = "note by fusebox";
const LONGEST = 1_200;

/**
 * One line in brackets that says who speaks. Whatever a stranger wrote and stands beside it went
 * through {@linkcode unforged}: a line that begins so is ours.
 */
export function noteByUs(words: string): string {
  // Words of a stranger may be quoted in it: they end no line and open no second note.
  return `[${MARK}: ${unforged(printableLine(words, LONGEST))}]`;
}

/** The same text; where it would pass for a mark of ours, in any dress, it says that it is none. */
export function unforged(text: string): string {
  // deno-lint-ignore no-control-regex -- what is ASCII alone needs no folding
  if (/^[\u0000-\u007f]*$/.test(text)) return text.replace(PLAIN, "not a $&");
  const { letters, places } = folded(text);
  let out = "";
  let from = 0;
  for (const { index } of letters.matchAll(FOLDED)) {
    out += `${text.slice(from, places[index])}not a `;
    from = places[index]!;
  }
  return out + text.slice(from);
}

const PLAIN = new RegExp(`(?<![a-z])${MARK.replaceAll(" ", "[\\s_.*-]*")}(?![a-z])`, "gi");
const FOLDED = new RegExp(`(?<![a-z])${MARK.replaceAll(" ", " *")}(?![a-z])`, "g");

/** What only sets two words apart, and what is not seen between two letters. */
const APART = /[\s_.*-]/u;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{M}]/u;

/** Letters of other alphabets that pass for those of the mark. */
const ALIKE = new Map(
  Object.entries({
    b: "Ьвʙ",
    e: "еєҽᴇε",
    f: "ꜰғ",
    n: "ɴոпη",
    o: "оοօσᴏ",
    s: "ѕꜱ",
    t: "тτᴛ",
    u: "ᴜυսц",
    x: "хχ",
    y: "уүγʏ",
  }).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);

/** The text as one reads it aloud, and where in it each character came from. */
function folded(text: string): { letters: string; places: number[] } {
  let letters = "";
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    for (const each of code < 0x80 ? character : character.normalize("NFKD")) {
      if (UNSEEN.test(each)) continue;
      const small = APART.test(each) ? " " : each.toLowerCase();
      const letter = ALIKE.get(small) ?? small;
      letters += letter;
      for (let unit = 0; unit < letter.length; unit++) places.push(at);
    }
    at += character.length;
  }
  return { letters, places };
}
