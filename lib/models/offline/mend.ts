/** Reads why a tool refused and changes the argument it named, where the text says what it wants. @module */
import { plainText } from "../../kit/json.ts";
import { nearest } from "../../kit/near.ts";
import { words } from "../../kit/rank.ts";
import type { Params } from "../../protocol/types.ts";
import { complaintsIn } from "./complaints.ts";
import { isoDay } from "./dates.ts";
import type { Param } from "./params.ts";
import type { ToolView } from "./tools.ts";
import { coerce } from "./values.ts";

/** One argument, changed because the tool said so. */
export interface Change {
  name: string;
  from: unknown;
  /** Absent when the argument was left out. */
  to?: unknown;
}

export interface Mended {
  args: Params;
  changes: readonly Change[];
}

export interface MendOptions {
  /** The ISO day that is today, where anything said so. */
  today?: string | undefined;
  /** A value for a parameter that turned out to be needed. */
  supply?: (param: Param) => unknown;
}

/** The arguments as the refusal wants them; undefined when it does not say, or says what we do not have. */
export function mend(
  tool: ToolView,
  args: Params,
  refusal: string,
  options: MendOptions = {},
): Mended | undefined {
  if (HOPELESS.test(refusal)) return undefined;
  const values = new Map(Object.entries(args));
  const changes: Change[] = [];
  for (const { param, text } of complaintsIn(refusal.slice(0, 8000), tool, args)) {
    if (changes.some(({ name }) => name === param.name)) continue;
    const from = values.get(param.name);
    const has = values.has(param.name);
    if (has && !param.required && UNKNOWN.test(text) && !EXPECTS.test(text)) {
      values.delete(param.name);
      changes.push({ name: param.name, from });
      continue;
    }
    const to = has
      ? better(param, from, text, refusal, tool, options.today)
      : MISSING.test(text)
      ? options.supply?.(param)
      : undefined;
    if (to === undefined || to === from) continue;
    values.set(param.name, to);
    changes.push({ name: param.name, from, to });
  }
  return changes.length > 0 ? { args: Object.fromEntries(values), changes } : undefined;
}

// Nobody answered, or somebody said no to the call as such: other arguments would change nothing.
const HOPELESS =
  /\b(?:timed? ?out|did not answer|no answer|offline|unreachable|exited|crashed|denied|not allowed|--allow|permission|unauthori[sz]ed|forbidden|rate limit)\b/i;
const UNKNOWN =
  /\b(?:unknown|unexpected|unrecogni[sz]ed|additional propert|extra (?:field|argument)|not (?:a (?:known|valid)|an? allowed) (?:argument|parameter|property|field))/i;
const EXPECTS = /\b(?:must be|expected|one of|should be)\b/i;
const MISSING =
  /\b(?:missing|required|is undefined|received undefined|is needed|give (?:its|a|the))\b/i;

function better(
  param: Param,
  value: unknown,
  text: string,
  refusal: string,
  tool: ToolView,
  today: string | undefined,
): unknown {
  if (
    typeof value === "string" && /\bISO[ -]?8601\b|YYYY-MM-DD|\bdate\b|\bRFC ?3339\b/i.test(text)
  ) {
    const day = isoDay(value, today);
    if (day) {
      return /date-?time|RFC ?3339|HH:MM|Thh/i.test(text) && day !== value
        ? `${day}T00:00:00Z`
        : day;
    }
    if (/date/i.test(param.role)) return undefined;
  }
  const values = valuesIn(text);
  if (values.length > 0) return closest(value, values, param);
  const kind =
    /(?:expected|must be|should be|type)(?: an?| of type)?:? ["'`]?(number|integer|boolean|array|string|list|object)\b/i
      .exec(text)?.[1]?.toLowerCase();
  if (kind === "string" && typeof value !== "string") return plainText(value);
  if ((kind === "array" || kind === "list") && !Array.isArray(value)) return [value];
  if (
    (kind === "number" || kind === "integer" || kind === "boolean") && typeof value === "string"
  ) {
    const loose = kind === "boolean" ? value : /-?\d+(?:\.\d+)?/.exec(value)?.[0] ?? value;
    return coerce(loose, kind);
  }
  if (kind === "integer" && typeof value === "number" && !Number.isInteger(value)) {
    return Math.round(value);
  }
  const bound =
    /(at most|no more than|maximum(?: is| of)?|<=|less than or equal to|up to|at least|minimum(?: is| of)?|>=|greater than or equal to)\s*:?\s*(-?\d+(?:\.\d+)?)/i
      .exec(text);
  if (bound && typeof value === "number") {
    return /most|more|max|<=|less|up to/i.test(bound[1]!)
      ? Math.min(value, Number(bound[2]))
      : Math.max(value, Number(bound[2]));
  }
  return typeof value === "string" ? otherName(value, refusal, tool) : undefined;
}

/** "must be one of low, normal, high", "expected 'a' | 'b'", "allowed values: …" */
function valuesIn(text: string): string[] {
  const list =
    /(?:one of|expected(?: one of)?|allowed(?: values)?(?: are)?|valid (?:values|options|choices)(?: are)?|choose (?:from|between)|either|options(?: are)?|enum)\s*:?\s*(?!\w+,? (?:received|got)\b)([^.;\n]{1,400})/i
      .exec(text)?.[1];
  if (!list) return [];
  const own = list.split(/,?\s*\b(?:but )?(?:got|received|instead|not)\b/i)[0]!;
  const quoted = [...own.matchAll(/["'`]([^"'`]{1,80})["'`]/g)].map((match) => match[1]!);
  if (quoted.length > 1) return quoted;
  const plain = own.replace(/[[\](){}]/g, "").split(/\s*(?:,|\||\/|\bor\b|\band\b)\s*/i).map((
    part,
  ) => part.trim()).filter((part) => part !== "");
  return plain.length > 1 && plain.every((part) => /^\S{1,40}(?: \S{1,40})?$/.test(part))
    ? plain
    : [];
}

const LADDER = [
  /^(?:low|lowest|minor|trivial|p3|p4)$/i,
  /^(?:normal|medium|moderate|default|p2)$/i,
  /^(?:high|major|important|p1)$/i,
  /^(?:urgent|critical|highest|blocker|asap|p0)$/i,
];

/** The offered value that means the same, as far as spelling and the usual ladder of priorities tell. */
function closest(value: unknown, values: readonly string[], param: Param): unknown {
  const said = plainText(value).trim().toLowerCase();
  const typed = (chosen: string) =>
    typeof value === "number" || param.kind === "number" || param.kind === "integer"
      ? coerce(chosen, "number") ?? chosen
      : chosen;
  const same = values.find((each) => each.toLowerCase() === said);
  if (same) return typed(same);
  const near = nearest(said, values, 1)[0] ??
    values.find((each) => said.split(/\W+/).includes(each.toLowerCase()));
  if (near) return typed(near);
  const rung = LADDER.findIndex((step) => step.test(said));
  if (rung === -1) return undefined;
  for (const step of [rung, rung - 1, rung + 1]) {
    const found = values.find((each) => LADDER[step]?.test(each));
    if (found) return found;
  }
  return undefined;
}

/**
 * A name the refusal offers for one that does not exist. A tool that changes things gets another name
 * only where it is the same but for case and punctuation: closing a similar ticket is no repair.
 */
function otherName(value: string, refusal: string, tool: ToolView): string | undefined {
  const offered = [
    ...refusal.matchAll(
      /"([^"\n]{1,200})"|'([^'\n]{1,200})'(?![\p{L}])|`([^`\n]{1,200})`|(?<![\w-])([A-Za-z]{1,10}-\d{1,10})(?![\w-])/gu,
    ),
  ]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? match[4]!)
    .filter((name) => name !== value);
  const fold = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const same = offered.find((name) => fold(name) === fold(value));
  if (same || !tool.harmless) return same;
  const meant = /did you mean:?\s*["'`]?([^"'`?\n]{1,200}?)["'`?.]/i.exec(refusal)?.[1];
  if (meant && meant !== value) return meant;
  const wanted = words(value);
  const holds = offered.find((name) =>
    wanted.length > 0 && wanted.every((word) => words(name).includes(word))
  );
  return holds ?? nearest(value, offered, 1)[0];
}
