/** What a clause wants done, and to what: read from its words, before any tool is looked at. @module */
import type { FactKind } from "./facts.ts";
import type { Clause, Token } from "./prompt.ts";
import { idShapes } from "./tools.ts";
import { type Act, actsOf, alike, english, HARMLESS, isQuestionWord, isStop } from "./words.ts";

export interface Intent {
  /** How well each act would serve, about 1 to 3. */
  acts: ReadonlyMap<Act, number>;
  verb?: Token;
  question: boolean;
  /** Whether it says what not to do. */
  forbids: boolean;
  /** Words about things, with how much each says about the tool: less after "about". */
  nouns: ReadonlyMap<string, number>;
  /** What literals imply: a path means a file. */
  implied: ReadonlySet<string>;
  /** The kinds of literals in the clause. */
  kinds: ReadonlySet<FactKind>;
  /** On, off, up, down. */
  ways: ReadonlySet<string>;
  /** What ids begin with: `t` for T-3. */
  shapes: readonly string[];
}

/** Acts that serve for want of a better one. */
const NEAR: Partial<Record<Act, readonly Act[]>> = {
  read: ["search", "list"],
  list: ["search", "read"],
  search: ["list", "read"],
  close: ["update"],
  send: ["create"],
};
const LEAD =
  /^(?:please|kindly|can|could|would|will|you|i|we|want|need|like|to|let|lets|s|me|us|go|ahead|and|hey|hi|ok|okay|now|also|just|help|try|first|second|third|next|finally|then|d|ll|should|must|请|帮|帮我|我|想|要|再|并)$/i;
const ORDERED = /^(?:to|should|must|please|you|请)$/i;
const TOPIC =
  /^(?:about|regarding|concerning|on|mention(?:s|ing)?|contain(?:s|ing)?|match(?:es|ing)?|关于|über|sobre)$/i;

/** `orders` are the first words of the offered tools' names: verbs here, whatever they are elsewhere. */
export function readIntent(clause: Clause, orders: ReadonlySet<string>): Intent {
  const { tokens } = clause;
  const question = isQuestion(clause);
  const verb = question ? tokens.find(asks) : orderIn(tokens, orders);
  return {
    acts: actsIn(clause, verb, question),
    ...(verb && { verb }),
    question,
    forbids: /^\W*(?:please\s+)?(?:do not|don['’]?t|never|stop \w+ing)\s/i.test(clause.text) ||
      /^(?:不要|别)/.test(clause.text),
    nouns: nounsIn(tokens, verb),
    implied: impliedBy(clause),
    kinds: kindsIn(tokens),
    ways: new Set(
      tokens.map(({ text }) => text.toLowerCase()).filter((word) =>
        /^(?:on|off|up|down)$/.test(word)
      ),
    ),
    shapes: tokens.flatMap(({ fact }) => fact?.kind === "id" ? idShapes(fact.text) : []),
  };
}

function asks({ text }: Token): boolean {
  return [...actsOf(text)].some((act) => HARMLESS.has(act));
}

function isQuestion({ tokens, text }: Clause): boolean {
  if (/^\W*(?:(?:can|could|would|will) you|(?:i|we) (?:want|need|would))\b/i.test(text)) {
    return false;
  }
  const first = tokens.find(({ text }) => !/^(?:and|so|but|ok|okay|hey|hi|please)$/i.test(text));
  if (!first) return false;
  return isQuestionWord(first.text) || (/[?？]\s*$/.test(text) && actsOf(first.text).size === 0) ||
    tokens.some(({ text }) => /^(?:什么|哪些|哪里|吗)$/.test(text));
}

/** The first word, else a later verb; but one that changes things only where it is plainly an order. */
function orderIn(tokens: readonly Token[], orders: ReadonlySet<string>): Token | undefined {
  const at = tokens.findIndex(({ text }) => !LEAD.test(text));
  const first = tokens[at];
  if (!first) return undefined;
  if (!first.fact && (actsOf(first.text).size > 0 || orders.has(first.stems[0] ?? ""))) {
    return first;
  }
  return tokens.slice(at).find((token, i) =>
    actsOf(token.text).size > 0 &&
    ((asks(token) && !isStop(token.text)) || ORDERED.test(tokens[at + i - 1]?.text ?? ""))
  );
}

const SUMS: readonly [RegExp, string][] = [
  [/\b(?:add|plus|sum|total)\b|\+/i, "sum add plus total addition"],
  [/\b(?:subtract|minus|difference)\b|\d\s*[-−]\s*\d/i, "subtract minus difference subtraction"],
  [/\b(?:multiply|multiplied|times|product)\b|[×*]/i, "multiply product multiplication"],
  [/\b(?:divide|divided|quotient)\b|÷/i, "divide quotient division"],
  [/\b(?:average|mean)\b/i, "average mean"],
  [/\b(?:calculate|compute)\b/i, ""],
];

/** For a sum over numbers: what tools that do such sums are called. */
function sumIn({ tokens, text }: Clause): string[] | undefined {
  const numbers = tokens.filter(({ fact }) => fact?.kind === "number").length;
  const names = SUMS.find(([said]) => said.test(text))?.[1];
  if (names === undefined || numbers < 2 || kindsIn(tokens).has("quote")) return undefined;
  // "Add 2 and 3", but not "add a note about 2 and 3".
  const others = tokens.filter((token) =>
    !token.fact && !isStop(token.text) && !/^(?:numbers?|values?|result)$/i.test(token.text) &&
    !SUMS.some(([said]) => said.test(token.text))
  );
  if (others.length > 1) return undefined;
  return [...names.split(" "), "calculate", "calculator", "calc"].filter((name) => name !== "");
}

function kindsIn(tokens: readonly Token[]): Set<FactKind> {
  return new Set(tokens.flatMap(({ fact }) => fact ? [fact.kind] : []));
}

const HOW_TO = new RegExp(
  "^\\W*(?:how (?:do|can|could|should|to)|should|shall|may|can (?:i|we))\\b.*" +
    "\\b(?:add|create|make|open|write|close|delete|remove|update|edit|change|move|send|run)\\b",
  "i",
);

function actsIn(
  clause: Clause,
  verb: Token | undefined,
  question: boolean,
): ReadonlyMap<Act, number> {
  const { tokens, text } = clause;
  const acts = new Map<Act, number>();
  const weigh = (act: Act, weight: number) => acts.set(act, Math.max(weight, acts.get(act) ?? 0));
  if (sumIn(clause)) return acts.set("calc", 3);

  const word = english(verb?.text ?? "");
  // "How do I delete a ticket?" asks for no call at all.
  if (question && HOW_TO.test(text)) return acts;
  // A thing without a verb ("weather in Paris") is a question too.
  if (question || !verb) {
    weigh("search", 2);
    weigh("list", 1.5);
    weigh("read", /^(?:read|show|explain|describe|in)$/.test(word) ? 2 : 1.5);
    weigh("calc", 1);
  } else {
    for (const act of actsOf(word)) weigh(act, 2);
  }
  const next = verb ? tokens[tokens.indexOf(verb) + 1]?.text ?? "" : "";
  if (word === "open") {
    if (/^(?:an?|new|another)$/i.test(next)) acts.delete("read");
    else if (/^(?:the|my|it|that|this)$/i.test(next)) acts.delete("create");
  }
  if (/^(?:say|repeat|echo)$/.test(word)) acts.delete(question ? "echo" : "read");
  if (
    /^(?:mark|set|move|make|change)$/.test(word) &&
    /\b(?:done|closed|resolved|finished|completed?)\b/i.test(text)
  ) {
    weigh("close", 2.5);
  }
  const kinds = kindsIn(tokens);
  const literal = (["quote", "id", "path", "url"] as const).some((kind) => kinds.has(kind));
  if (question && (kinds.has("path") || kinds.has("url"))) acts.set("read", 2).set("search", 1);
  else if (acts.has("read") && !literal && tokens.some(({ text }) => TOPIC.test(text))) {
    weigh("search", 2.5);
  }
  for (const [act, weight] of [...acts]) {
    for (const near of NEAR[act] ?? []) weigh(near, weight >= 2 ? 1 : weight);
  }
  return acts;
}

function nounsIn(tokens: readonly Token[], verb: Token | undefined): ReadonlyMap<string, number> {
  const nouns = new Map<string, number>();
  const raise = (noun: string, to: number) => nouns.set(noun, Math.max(to, nouns.get(noun) ?? 0));
  let weight = 1;
  for (const token of tokens) {
    if (token.fact || token === verb) continue;
    if (TOPIC.test(token.text) || (/^for$/i.test(token.text) && nouns.size > 0)) weight = 0.5;
    else if (/^(?:in|from|using|with|via|into)$/i.test(token.text)) weight = Math.max(weight, 0.9);
    if (isStop(token.text)) continue;
    for (const word of token.stems) {
      if (isStop(word)) continue;
      raise(word, weight);
      for (const other of alike(word)) raise(other, 0.6 * weight);
    }
  }
  return nouns;
}

function impliedBy(clause: Clause): ReadonlySet<string> {
  const { tokens } = clause;
  const implied = [...sumIn(clause) ?? []];
  for (const { fact } of tokens) {
    if (fact?.kind === "path") {
      implied.push("file", "path");
      if (!/\.\w+$/.test(fact.text)) implied.push("directory", "folder", "dir");
    } else if (fact?.kind === "glob") implied.push("file");
    else if (fact?.kind === "url") implied.push("url", "page", "web", "website", "link", "http");
    else if (fact?.kind === "email") implied.push("email", "mail");
    else if (fact?.kind === "tag") implied.push("channel");
  }
  return new Set(implied);
}
