/** The beginning and the end of a text that is too long, and how several texts share what room there is. @module */
import { cut } from "./printable.ts";

export interface Excerpt {
  head: string;
  tail: string;
  /** UTF-16 units of the text before the tail. */
  tailAt: number;
}

/** Of the room for both: what a text is about stands at its beginning, how it went at its end. */
const HEAD_SHARE = 0.7;
/** Of a side, what may be given up for the end of a line. */
const SLACK_SHARE = 0.1;
const SLACK_MAX = 2_000;

/**
 * At most `max` UTF-16 units of a text that is longer: never half a character, whole lines where that
 * costs little. Head and tail are empty where there is no room.
 */
export function excerpt(text: string, max: number): Excerpt {
  const headMax = Math.floor(max * HEAD_SHARE);
  const head = wholeLines(cut(text, headMax));
  const from = startOf(text, text.length - Math.max(0, max - headMax));
  return { head, tail: text.slice(from), tailAt: from };
}

/** At most `max` UTF-16 units of the text, up to the end of a line where that costs little. */
export function beginning(text: string, max: number): string {
  return text.length <= max ? text : wholeLines(cut(text, max));
}

function wholeLines(head: string): string {
  const end = head.lastIndexOf("\n") + 1;
  return end > 0 && head.length - end <= slack(head.length) ? head.slice(0, end) : head;
}

/** Where a tail begins that is not to begin before `at`. */
function startOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const whole = code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
  const line = text.indexOf("\n", whole - 1) + 1;
  return line > 0 && line - whole <= slack(text.length - whole) ? line : whole;
}

function slack(length: number): number {
  return Math.min(length * SLACK_SHARE, SLACK_MAX);
}

/**
 * How much each gets of `total`, in order: all that it wants, or what is left for each alike. The sum
 * is never above `total`.
 */
export function shares(wants: readonly number[], total: number): number[] {
  let [left, many] = [total, wants.length];
  const given = new Array<number>(many).fill(0);
  const smallFirst = wants.map((want, at) => ({ want, at })).sort((a, b) => a.want - b.want);
  for (const { want, at } of smallFirst) {
    given[at] = Math.min(want, Math.max(0, Math.floor(left / many)));
    left -= given[at];
    many--;
  }
  return given;
}
