/** What a person is asked before a tool runs: it fits on a small screen, and nothing of it is left out unseen. @module */
import { printableJson } from "../kit/json.ts";
import { cut, printableLine, visible } from "../kit/printable.ts";
import { withCommas } from "../kit/size.ts";
import type { Params } from "../protocol/types.ts";
import type { Target } from "../tools/tool.ts";
import { hintLine } from "./hints.ts";

/** Of a terminal, for arguments: with the other lines of a question they fill one of 24 rows and 80 columns. */
const ROWS = 14;
const COLUMNS = 76;
const NAME_COLUMNS = 40;

/** Safe to print; what hides is shown as escapes. */
export function question(target: Target, args: Params): string {
  const { alias, tool } = target.ref;
  const title = target.title ? ` (${printableLine(target.title, 60)})` : "";
  return `Run ${nameOf(alias, tool)}${title}?\n` +
    argumentLines(args).map((line) => `  ${line}\n`).join("") +
    `${hintLine(alias, target.annotations)}\n` +
    `[y] once  [a] always this tool  [s] always this server  [n] no: `;
}

/** Two names that look alike are not to be taken for each other. */
function nameOf(alias: string, tool: string): string {
  const others = tool.match(FOREIGN) ?? [];
  const isDisguised = /\p{Script=Latin}/u.test(tool) || others.every((it) => ALIKE.includes(it));
  const told = isDisguised ? tool.replace(FOREIGN, codeOf) : tool;
  const name = visible(`${alias}.${told}`);
  return name.length > NAME_SHOWN ? `${cut(name, NAME_SHOWN)}…` : name;
}

/** Letters of alphabets that share many shapes with ours, and those that do. */
const FOREIGN =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/gu;
const ALIKE = "авеһіјкмнорсѕтухԁԍԛԝАВЕЅІЈКМНОРСТХУαικνορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";

function codeOf(letter: string): string {
  return `\\u{${letter.codePointAt(0)!.toString(16)}}`;
}

const NAME_SHOWN = 100;

/**
 * As JSON where there is room. Else each argument by itself, so that a long one hides no other, with its
 * beginning and its end: what a command is about may stand behind a thousand blanks.
 */
function argumentLines(args: Params): readonly string[] {
  const whole = printableJson(args, 2).split("\n");
  if (whole.reduce((sum, line) => sum + rowsOf(line), 0) <= ROWS) return whole;
  const names = Object.keys(args);
  const shown = names.length > ROWS ? names.slice(0, ROWS - 1) : names;
  const columns = Math.floor(ROWS / shown.length) * COLUMNS;
  const lines = shown.map((name) => {
    const start = `${shortened(printableJson(name), NAME_COLUMNS)}: `;
    return start + shortened(printableJson(args[name]), columns - widthOf(start));
  });
  const left = names.slice(shown.length);
  if (left.length === 0) return lines;
  const more = `… and ${left.length} more: ${
    left.slice(0, 10).map((it) => printableJson(it)).join(", ")
  }`;
  return [...lines, shortened(more, COLUMNS)];
}

/** Beginning and end of a line that is wider, and how much is left out between them. */
function shortened(line: string, columns: number): string {
  if (line.length <= columns && widthOf(line) <= columns) return line;
  const room = columns - GAP;
  const head = within(Array.from(cut(line, room)), Math.ceil(room * 0.6));
  const tail = within(Array.from(line.slice(-room)).reverse(), Math.floor(room * 0.4));
  const left = withCommas(line.length - head.join("").length - tail.join("").length);
  return `${head.join("")} …(${left} characters)… ${tail.reverse().join("")}`.toWellFormed();
}

/** What the words in a gap take: ` …(1,234,567 characters)… `. */
const GAP = 26;

/** The first of these characters that are no wider together. */
function within(chars: readonly string[], columns: number): string[] {
  let width = 0;
  const end = chars.findIndex((char) => (width += widthOf(char)) > columns);
  return end < 0 ? [...chars] : chars.slice(0, end);
}

/** At most: letters of East Asia and pictures take two columns. */
function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += char.codePointAt(0)! < 0x1100 ? 1 : 2;
  return width;
}

function rowsOf(line: string): number {
  // What is longer than all there is need not be measured.
  return line.length > ROWS * COLUMNS ? ROWS + 1 : Math.ceil(widthOf(line) / COLUMNS);
}
