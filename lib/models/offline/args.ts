/** Fills a tool's arguments from a clause, by the tool's JSON Schema; says what it could not fill. @module */
import type { Params } from "../../protocol/types.ts";
import type { Hit } from "./hits.ts";
import type { Intent } from "./intent.ts";
import { unmask } from "./facts.ts";
import { byLabel } from "./labels.ts";
import { fromJson, fromPairs, fromSlug } from "./pairs.ts";
import type { Clause, Token } from "./prompt.ts";
import { ENDS, keyTerms, phraseAt, restOf, topicOf } from "./text.ts";
import { type Param, record, type Role } from "./params.ts";
import type { ToolView } from "./tools.ts";
import { byKind, type Form, give, hasFact, splitList, TYPED } from "./values.ts";

/** Where values may come from. */
export interface Source {
  clause: Clause;
  intent: Intent;
  /** What came in beside the prompt. */
  context: string;
  /** What earlier results named, the likeliest first. */
  hits: readonly Hit[];
  /** The words that name servers: "in my notes" is no part of what is looked for. */
  scope: ReadonlySet<string>;
}

export interface Filled {
  args: Params;
  /** Parameters that a sensible call would have and the prompt does not give. */
  missing: readonly Param[];
  /** How many of the prompt's literals found a place, and how many did not. */
  used: number;
  unused: number;
}

// The freest texts come last: they are what nobody else claimed.
const LAST: readonly Role[] = [
  "id",
  "path",
  "url",
  "title",
  "place",
  "person",
  "other",
  "body",
  "query",
];

export function fillArgs(tool: ToolView, source: Source): Filled {
  const { clause } = source;
  const { verb } = source.intent;
  const taken = new Set(
    clause.tokens.filter((token) => token.fact?.kind === "tool" || token === verb),
  );
  const form: Form = { clause, values: new Map(), taken, used: 0, nouns: tool.nouns };
  const open = () => tool.params.filter(({ name }) => !form.values.has(name));
  const identities = identitiesOf(tool, clause);
  const names = (param: Param) =>
    param === identities[0] && !identities.some(({ name }) => form.values.has(name));
  const wanted = (param: Param) =>
    param.required || names(param) || (param.role === "query" && tool.verbs.has("search")) ||
    (tool.params.length === 1 && param.kind === "string" && !("default" in param.schema) &&
      !tool.verbs.has("list"));

  fromJson(tool, form);
  fromPairs(tool, form);
  fromSlug(tool, form);
  for (const param of open()) byLabel(param, form);
  for (const param of open()) byKind(param, form, wanted(param));
  for (const param of open().sort((a, b) => LAST.indexOf(a.role) - LAST.indexOf(b.role))) {
    byText(param, wanted(param), tool, source, form);
  }
  for (const param of open().filter(({ required }) => required)) {
    const value = fallbackFor(param);
    if (value !== undefined) form.values.set(param.name, value);
  }
  const known = tool.params.map(({ name }) => name).filter((name) => form.values.has(name));
  const given = new Set([...known, ...form.values.keys()]);
  return {
    // Not by assignment: a parameter may be called __proto__.
    args: Object.fromEntries([...given].map((name) => [name, form.values.get(name)])),
    missing: open().filter((param) => param.required || names(param)),
    used: form.used,
    unused: clause.tokens.filter((token) => token.fact && !taken.has(token)).length,
  };
}

/** Texts: a quote where there is one, else the stretch of the clause that the role asks for. */
function byText(param: Param, needed: boolean, tool: ToolView, source: Source, form: Form): void {
  const { clause, values, taken } = form;
  const { intent, context, hits } = source;
  const { role, kind } = param;
  if (!/^(?:string|any|array)$/.test(kind) || param.values.length > 0 || "format" in param.schema) {
    return;
  }
  const quotes = clause.tokens.filter((token) => token.fact?.kind === "quote" && !taken.has(token));
  const names = new Set([...tool.nouns, ...tool.aliasWords]);
  const topic = () => topicOf(clause, intent, taken);
  const rest = () => restOf(clause, intent, names, taken);
  if (kind === "array") {
    const { type = "string" } = record(param.schema.items);
    if (!needed || type !== "string") return;
    if (quotes.length > 0) give(form, param, quotes.map(({ fact }) => fact!.text), ...quotes);
    else give(form, param, splitList(rest() ?? ""));
    return;
  }
  // An id has no spaces: words in quotes say what to look for, not what to name.
  const quote = role === "id" && /\s/.test(quotes[0]?.fact?.text ?? "") ? undefined : quotes[0];
  if (quote && role !== "date" && (needed || /^(?:title|body|query)$/.test(role))) {
    give(form, param, quote.fact!.text, quote);
    return;
  }
  if (!needed) return;
  const makes = tool.verbs.has("create") || tool.verbs.has("send");
  if (/^(?:id|path|url|title)$/.test(role) && !makes) {
    const key = role as "id";
    const found = hits.find((hit) => hit[key] !== undefined)?.[key];
    if (found !== undefined) {
      give(form, param, found);
      return;
    }
  }
  switch (role) {
    case "id":
    case "path":
    case "url":
    case "date":
    case "email":
      return;
    case "query":
      give(form, param, keyTerms(source, names, taken));
      return;
    case "place":
      give(form, param, properName(form, true) ?? topic());
      return;
    case "person":
      give(form, param, properName(form, false));
      return;
    case "title":
      give(form, param, makes ? topic() ?? rest() : keyTerms(source, names, taken));
      return;
    case "body": {
      const titled = tool.params.find((each) => each.role === "title" && each.required);
      // "Add this as a note": what came in beside the prompt is the text.
      if (context !== "" && POINTS.test(clause.text)) give(form, param, context);
      // One text for both: a note "Buy milk" says buy milk.
      else if (titled) give(form, param, topic() ?? rest() ?? values.get(titled.name));
      else give(form, param, rest() ?? topic());
      return;
    }
    default: {
      // With several to fill, nobody can tell which of them a loose text is.
      const rivals = tool.params.filter(({ required }) => required);
      if (rivals.length <= 1) give(form, param, rest() ?? topic());
    }
  }
}

const POINTS =
  /\b(?:this|these|it|that|the (?:text|context|input|output|log|above|following)|stdin|attached)\b/i;

/** What stands capitalised after a preposition, or else whatever stands after "in". */
function properName({ clause, taken }: Form, loose: boolean): string | undefined {
  const { tokens, masked, facts } = clause;
  for (const [at, token] of tokens.entries()) {
    if (!/^(?:in|at|for|near|of|from|to|by)$/i.test(token.text)) continue;
    let end = at;
    for (let next = tokens[end + 1]; next && /^\p{Lu}/u.test(next.text) && !taken.has(next);) {
      end++;
      next = tokens[end + 1];
    }
    if (end > at) return unmask(masked.slice(tokens[at + 1]!.start, tokens[end]!.end), facts, true);
  }
  const at = loose ? tokens.findIndex(({ text }) => /^(?:in|at|near)$/i.test(text)) : -1;
  return at === -1 ? undefined : phraseAt(clause, at + 1, taken, ENDS)?.text;
}

/** Acts that are done to one thing. */
const ON_ONE: ReadonlySet<string> = new Set(["read", "close", "delete", "update", "move", "copy"]);

/** For a tool that asks for nothing by schema: what may say which thing is meant, the likeliest first. */
function identitiesOf({ params, verbs }: ToolView, clause: Clause): Param[] {
  const one = [...verbs].some((verb) => ON_ONE.has(verb));
  if (!one || params.some(({ required }) => required)) return [];
  const which = params.filter(({ role, schema }) =>
    /^(?:id|title|path|url)$/.test(role) && !("default" in schema)
  );
  const fitting = ({ role }: Param) =>
    TYPED[role]?.some((kind) => hasFact(clause, kind)) ? 2 : role === "title" ? 1 : 0;
  return which.sort((a, b) => fitting(b) - fitting(a));
}

/** What a schema itself says to use. A switch nobody mentioned is off. */
function fallbackFor({ schema, values, kind }: Param): unknown {
  if ("default" in schema) return schema.default;
  if (values.length === 1) return values[0];
  return kind === "boolean" ? false : undefined;
}

/** The tokens of one literal kind: a clause may name several things at once. */
export function factsOf(clause: Clause, role: Role): Token[] {
  return clause.tokens.filter(({ fact }) => fact && fact.kind === TYPED[role]?.[0]);
}
