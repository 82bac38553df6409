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

const LETTERS = [...MARK.replaceAll(" ", "")];
const DIGITS: Readonly<Record<string, string>> = { b: "b8", e: "e3", o: "o0", s: "s5" };
/** Whatever stands between its letters: blanks, dots, dashes, the end of a line. */
const PLAIN = marked(LETTERS.map((it) => `[${DIGITS[it] ?? it}]`).join("[^a-z0-9]*"));
const FOLDED = marked(LETTERS.join(" *"));

function marked(pattern: string): RegExp {
  return new RegExp(`(?<![a-z])${pattern}(?![a-z])`, "gi");
}

/** What only sets two letters apart, and what is not seen between them. */
const APART = /[^\p{L}\p{N}]/u;
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{M}]/u;

/** Letters of other alphabets that pass for those of the mark, small or capital. */
const ALIKE = new Map(
  Object.entries({
    b: "ЬьвßβʙƅƄɓƀбᏏᖯᑲꓐᏴꞴꞵ8",
    e: "еєҽҿᴇεɛɇ℮ꓰᎬⲉ3",
    f: "ꜰғƒϝꞙꓝᖴ",
    n: "ɴпηνɲոռƞŋꞑᴨⲛꓠиᥒ",
    o: "оοօσᴏøɵөѳⲟꓳ०০੦૦೦൦๐໐၀۰٥סჿ0",
    s: "ѕꜱƽꞩʂꓢട5Ꮪꮪ",
    t: "тτᴛŧƭⲧꓔᎢ",
    u: "ᴜυսцʋμꓴᑌ",
    x: "хχҳӿⲭꓫᕁ᙭",
    y: "уүΥγʏყɏƴⲩꓬᎩ",
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
      const small = each.toLowerCase();
      // A capital may be like another letter than its small one is.
      const letter = ALIKE.get(each) ?? ALIKE.get(small) ?? (APART.test(each) ? " " : small);
      letters += letter;
      for (let unit = 0; unit < letter.length; unit++) places.push(at);
    }
    at += character.length;
  }
  return { letters, places };
}
