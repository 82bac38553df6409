/** The first thing a description says, on one line. @module */
import { printableLine } from "../../kit/printable.ts";

/** What follows a full stop that ends nothing. */
const GOES_ON = /\b(?:e\.g|i\.e|etc|vs|cf|approx|no|incl)\.$/i;
const LOOK_AT = 2_000;

/** Up to the first full stop, empty line or `max` characters; markup at its beginning is left out. */
export function firstSentence(text: string, max: number): string {
  const [paragraph = ""] = text.slice(0, LOOK_AT).trim().split(/\n\s*\n/);
  const line = printableLine(paragraph, LOOK_AT).replace(/^[#*>\s-]+/, "");
  for (const { index, 0: stop } of line.matchAll(/[.!?](?=\s)|[。！？]/gu)) {
    const sentence = line.slice(0, index + stop.length);
    if (!GOES_ON.test(sentence)) return printableLine(sentence, max);
  }
  return printableLine(line, max);
}
