/** Where a text stands in a long one, with what stands around it. @module */
import { cut } from "../kit/printable.ts";
import { withCommas } from "../kit/size.ts";

const FOUND = 20;
const AROUND = 120;
const LONGEST = 200;

/** What {@linkcode findIn} gives: words, whether they are an error, notes of ours. */
type Said = [text: string, isError: boolean, notes: string[]];

/**
 * The first places from `from` on, a line for each, in at most `max` UTF-16 units. Letters are the
 * same in any case; nothing in `wanted` is a pattern.
 */
export function findIn(text: string, wanted: string, from: number, max: number): Said {
  if (wanted.length > LONGEST) {
    return [`Cannot search for more than ${LONGEST} characters at once`, true, []];
  }
  const pattern = new RegExp(RegExp.escape(wanted), "gi");
  pattern.lastIndex = from;
  const lines: string[] = [];
  let [length, count, next] = [0, 0, -1];
  let [lineNumber, countedTo] = [1, 0];
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    count++;
    if (next >= 0) continue;
    const { index } = found;
    for (let at = text.indexOf("\n", countedTo); at >= 0 && at < index;) {
      lineNumber++;
      countedTo = at + 1;
      at = text.indexOf("\n", countedTo);
    }
    const line = `offset ${index}, line ${lineNumber}: ${around(text, index, found[0].length)}`;
    if (lines.length === FOUND || length + line.length > max) next = index;
    else {
      lines.push(line);
      length += line.length + 1;
    }
  }
  if (count === 0) return ["It does not stand there.", false, []];
  const more = next < 0 ? "" : `; those shown end before offset ${next}`;
  return [lines.join("\n"), false, [`found ${withCommas(count)} times${more}`]];
}

/** What stands before and behind it on its line, or as much of that as goes. */
function around(text: string, at: number, length: number): string {
  const before = text.slice(Math.max(0, at - AROUND), at).toWellFormed();
  const behind = cut(text.slice(at, at + length + AROUND), length + AROUND).toWellFormed();
  const lead = before.slice(before.lastIndexOf("\n") + 1);
  const end = behind.indexOf("\n", length);
  return (lead + (end < 0 ? behind : behind.slice(0, end))).replace(/\s+/g, " ").trim();
}
