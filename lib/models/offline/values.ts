/** Which literal or word of a clause is the value of a parameter, by the kind of both. @module */
import { isoDay } from "./dates.ts";
import type { Fact, FactKind } from "./facts.ts";
import type { Clause, Token } from "./prompt.ts";
import { type Kind, type Param, record, type Role } from "./params.ts";

/** Arguments while they are being filled. */
export interface Form {
  clause: Clause;
  values: Map<string, unknown>;
  /** Tokens that have found their place. */
  taken: Set<Token>;
  used: number;
  /** What the tool is about: "5 resource links". */
  nouns: ReadonlySet<string>;
}

/** The tokens that a match covers whole. */
export function tokensIn(tokens: readonly Token[], match: RegExpExecArray): Token[] {
  const end = match.index + match[0].length;
  return tokens.filter((token) => token.start >= match.index && token.end <= end);
}

/** Sets a value, if it is one, and takes the tokens it came from. */
export function give(
  form: Form,
  param: Param,
  value: unknown,
  ...tokens: readonly Token[]
): boolean {
  if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) {
    return false;
  }
  form.values.set(param.name, value);
  for (const token of tokens) form.taken.add(token);
  form.used += tokens.filter(({ fact }) => fact).length;
  return true;
}

export function hasFact({ tokens }: Clause, kind: FactKind): boolean {
  return tokens.some(({ fact }) => fact?.kind === kind);
}

/** Which literals a role takes unasked. */
export const TYPED: Partial<Record<Role, readonly FactKind[]>> = {
  date: ["date"],
  email: ["email"],
  url: ["url"],
  path: ["path", "slug"],
  place: ["slug"],
  id: ["id", "number"],
};

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
  .split(" ");

/**
 * A literal of the parameter's own kind, an enum value, a switch. Numbers may mean anything, so only
 * a `needed` parameter takes one that has no label.
 */
export function byKind(param: Param, form: Form, needed: boolean): void {
  const free = form.clause.tokens.filter((token) => token.fact && !form.taken.has(token));
  if (param.values.length > 0) byEnum(param, form, needed);
  else if (param.kind === "boolean") give(form, param, flagIn(param, form.clause));
  else if (param.kind === "array") {
    const { type } = record(param.schema.items);
    const kinds: readonly FactKind[] = type === "number" || type === "integer"
      ? ["number"]
      : TYPED[param.role] ?? ["tag"];
    const all = free.filter(({ fact }) => kinds.includes(fact!.kind));
    if (all.length === 0 || (!needed && kinds.includes("number"))) return;
    give(
      form,
      param,
      all.map(({ fact }) =>
        kinds[0] === "number" ? Number(fact!.text) : fact!.text.replace(/^#/, "")
      ),
      ...all,
    );
  } else if (isNumeric(param)) {
    const number = needed ? free.find(({ fact }) => suits(param, fact!, false)) : undefined;
    const word = needed && !number
      ? form.clause.tokens.find((token) =>
        !form.taken.has(token) && NUMBER_WORDS.includes(token.text.toLowerCase())
      )
      : undefined;
    if (number) give(form, param, valueOf(param, number.fact!), number);
    else if (word) give(form, param, coerce(word.text, param.kind), word);
  } else {
    const kinds: readonly FactKind[] = param.words.includes("channel")
      ? ["tag"]
      : param.role === "query"
      ? ["glob"]
      : TYPED[param.role] ?? [];
    for (const kind of needed ? kinds : kinds.filter((each) => each !== "number")) {
      const token = free.find(({ fact }) => fact!.kind === kind);
      if (token && give(form, param, valueOf(param, token.fact!), token)) return;
    }
  }
}

const LEVELS: readonly [RegExp, RegExp][] = [
  [
    /\b(?:urgent|urgently|critical|asap|important|emergency|blocker)\b|紧急/i,
    /^(?:urgent|critical|highest|high|p0|p1|blocker|major)$/i,
  ],
  [/\b(?:minor|trivial|whenever|unimportant)\b/i, /^(?:low|lowest|minor|trivial|p3|p4)$/i],
];

/** The enum value a clause holds. An optional one is not looked for in what the clause is about. */
function byEnum(param: Param, form: Form, needed: boolean): void {
  const { masked, tokens } = form.clause;
  const about = needed ? -1 : masked.search(/\s(?:about|regarding|for|mentioning|containing)\s/i);
  const text = about === -1 ? masked : masked.slice(0, about);
  const within = (where: string, said: string) =>
    said === ""
      ? undefined
      : new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(said)}(?![\\p{L}\\p{N}_])`, "iu").exec(
        where,
      ) ?? undefined;
  for (const value of param.values) {
    const said = String(value).slice(0, 100);
    const beside = param.words.flatMap((word) => [`${said} ${word}`, `${word} ${said}`]);
    const match = beside.map((each) => within(masked, each)).find((each) => each) ??
      within(text, said) ?? within(text, said.replace(/[_-]/g, " "));
    if (!match) continue;
    give(form, param, value, ...tokensIn(tokens, match));
    return;
  }
  if (/^(?:priority|severity|urgency|importance|level)$/.test(param.words.at(-1) ?? "")) {
    const meant = LEVELS.find(([said]) => said.test(masked))?.[1];
    if (meant && give(form, param, param.values.find((value) => meant.test(String(value))))) return;
  }
  const mark = tokens.find((token) =>
    token.fact && !form.taken.has(token) && param.values.includes(token.fact.text)
  );
  if (mark) give(form, param, mark.fact!.text, mark);
}

/** True when every word of a switch is in the clause; false after a "no" or "without". */
function flagIn({ words }: Param, { tokens }: Clause): boolean | undefined {
  const parts = words.filter((word) =>
    !/^(?:is|has|should|include|with|use|enable|show)$/.test(word)
  );
  const places = parts.map((part) =>
    tokens.findIndex(({ stems }) => stems.some((word) => word === part || word === `${part}ly`))
  );
  if (places.length === 0 || places.includes(-1)) return undefined;
  const before = tokens.slice(Math.max(0, places[0]! - 2), places[0]);
  return !before.some(({ text }) => /^(?:no|not|without|never|don['’]?t|disable)$/i.test(text));
}

export function isNumeric({ kind }: Param): boolean {
  return kind === "number" || kind === "integer";
}

export function suits(param: Param, fact: Fact, labelled: boolean): boolean {
  if (
    fact.kind === "tool" || fact.kind === "json" || param.kind === "boolean" ||
    param.kind === "object"
  ) return false;
  if (isNumeric(param)) {
    return fact.kind === "number" || (fact.kind === "id" && /^#\d+$/.test(fact.text)) ||
      (labelled && !Number.isNaN(Number(fact.text)));
  }
  if (param.values.length > 0) return sameValue(param, fact.text) !== undefined;
  if (param.role === "date" || param.role === "email") {
    return fact.kind === param.role || fact.kind === "quote";
  }
  return labelled;
}

export function sameValue({ values }: Param, text: string): unknown {
  return values.find((value) => String(value).toLowerCase() === text.toLowerCase());
}

export function valueOf(param: Param, fact: Fact): unknown {
  if (param.values.length > 0) return sameValue(param, fact.text);
  if (isNumeric(param)) {
    const number = Number(fact.text.replace(/^#/, ""));
    const { minimum, maximum } = param.schema;
    if (param.role !== "limit") return number;
    const low = typeof minimum === "number" ? minimum : -Infinity;
    const high = typeof maximum === "number" ? maximum : Infinity;
    return Math.max(low, Math.min(high, number));
  }
  if (fact.kind === "tag") return fact.text.slice(1);
  // A day that needs no calendar is written the way machines read it.
  return param.role === "date" && !fact.text.includes("T")
    ? isoDay(fact.text) ?? fact.text
    : fact.text;
}

/** A word as a value of a kind; undefined when it is none. */
export function coerce(text: string, kind: Kind): unknown {
  switch (kind) {
    case "number":
    case "integer": {
      const number = text.trim() === "" ? NaN : Number(text.replaceAll(",", ""));
      const word = NUMBER_WORDS.indexOf(text.toLowerCase());
      return Number.isFinite(number) ? number : word === -1 ? undefined : word;
    }
    case "boolean":
      return /^(?:true|yes|on|1)$/i.test(text)
        ? true
        : /^(?:false|no|off|0)$/i.test(text)
        ? false
        : undefined;
    case "array":
      return splitList(text);
    case "object":
      return undefined;
    default:
      return text;
  }
}

export function splitList(text: string): string[] {
  const parts = text.split(/\s*(?:,|;|、|，|\band\b)\s*/i);
  return parts.map((part) => part.trim().replace(/^#/, "")).filter((part) => part !== "");
}
