/** What of a tool is not what it was, for people and for machines. @module */
import { toJson } from "../../kit/json.ts";
import { cut, escaped } from "../../kit/printable.ts";
import { isObject } from "../../protocol/codec.ts";
import type { Kept } from "./texts.ts";

/** One place in a tool; a side without a value had nothing there. */
export interface Change {
  /** `description`, `inputSchema.properties.path.type`, … */
  path: string;
  before?: unknown;
  after?: unknown;
}

const FIELDS = ["title", "description", "annotations", "inputSchema", "outputSchema"] as const;
const MAX_CHANGES = 100;

/** At most a hundred places, in the order in which a reader looks; `isCut` where there are or may be more. */
export function changesOf(
  before: Kept | undefined,
  after: Kept,
): { changes: readonly Change[]; isCut: boolean } {
  const changes: Change[] = [];
  let isCut = before === undefined || before.isCut === true || after.isCut === true;
  const look = (path: string, one: unknown, other: unknown): void => {
    if (changes.length >= MAX_CHANGES) {
      isCut = true;
      return;
    }
    if (isObject(one) && isObject(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        look(`${path}.${key}`, member(one, key), member(other, key));
      }
    } else if (toJson(one) !== toJson(other) || (one === undefined) !== (other === undefined)) {
      changes.push({
        path,
        ...(one !== undefined && { before: one }),
        ...(other !== undefined && { after: other }),
      });
    }
  };
  for (const field of FIELDS) look(field, before?.tool[field], after.tool[field]);
  return { changes, isCut };
}

function member(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

const MAX_LINES = 40;
const MAX_LINE = 400;
const AROUND = 60;

/**
 * A change as lines: the path, then what was there behind `-` and what is there behind `+`. What steers a
 * terminal or hides from the eye is written as escapes: it may be all that has changed.
 */
export function linesOf({ path, before, after }: Change): readonly string[] {
  const isText = [before, after].every((it) => it === undefined || typeof it === "string");
  const [were, are] = [textLines(before, isText), textLines(after, isText)];
  const start = common(were, are);
  const end = common(were.slice(start).reverse(), are.slice(start).reverse());
  const [old, now] = [were, are].map((lines) => lines.slice(start, lines.length - end));
  const shown = old!.length === now!.length
    ? old!.flatMap((line, index) => line === now![index] ? [] : beside(line, now![index]!))
    : [
      ...old!.map((line) => `- ${shortened(line)}`),
      ...now!.map((line) => `+ ${shortened(line)}`),
    ];
  const more = shown.length - MAX_LINES;
  return [
    shortened(escaped(path)),
    ...shown.slice(0, MAX_LINES).map((line) => `  ${line}`),
    ...more > 0 ? [`  … and ${more} more lines`] : [],
  ];
}

/** Two versions of one line, from a little before to a little behind what differs. */
function beside(one: string, other: string): string[] {
  const start = common([...one], [...other]);
  const end = common([...one].slice(start).reverse(), [...other].slice(start).reverse());
  const window = (line: string) => {
    const chars = [...line];
    const [from, to] = [Math.max(0, start - AROUND), chars.length - Math.max(0, end - AROUND)];
    return (from > 0 ? "…" : "") + shortened(chars.slice(from, to).join("")) +
      (to < chars.length ? "…" : "");
  };
  return [`- ${window(one)}`, `+ ${window(other)}`];
}

function textLines(value: unknown, isText: boolean): string[] {
  if (value === undefined) return [];
  const text = isText ? String(value) : toJson(value);
  return text.split("\n").map(escaped);
}

/** How many items two lists have in common at their beginning. */
function common(a: readonly string[], b: readonly string[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}

function shortened(line: string): string {
  const more = line.length - MAX_LINE;
  return more > 0 ? `${cut(line, MAX_LINE)}… (${more} more characters)` : line;
}
