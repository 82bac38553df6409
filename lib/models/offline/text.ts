/** The stretches of a clause that are somebody's words rather than an order: topics, terms, the rest. @module */
import type { Intent } from "./intent.ts";
import { unmask } from "./facts.ts";
import type { Clause, Token } from "./prompt.ts";
import { isOrder, isStop } from "./words.ts";

const TOPIC =
  /^(?:about|regarding|concerning|for|on|mention|mentions|mentioning|contain|contains|containing|match|matches|matching|called|named|titled|关于|über|sobre)$/i;
const MAKING_TOPIC =
  /^(?:about|regarding|concerning|for|to|that|saying|titled|called|named|关于)$/i;
const SCOPE =
  /^(?:in|from|on|using|within|across|through|via|with|of|my|our|the|all|every|any|both|and|or|在|里|中)$/i;
/** Words that begin another part of an order. */
export const ENDS =
  /^(?:due|with|by|tagged|labelled|labeled|priority|assigned|before|until|in|into|and|using|via|as|saying)$/i;
/** The same, for one end of a "from … to …". */
export const WAY_ENDS = /^(?:from|to|into|as|with|by|and|on|at|in|using|via|due|before|until)$/i;
const ARTICLE =
  /^(?:an?|the|this|that|my|our|some|me|back|to|following|please|just|for|of|about|called|named|titled|with|on|off|up|out|down)$/i;
// Where the thing stands last (关于发布的笔记) what follows "about" ends in it.
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const MOST_TERMS = 12;

/** What to look for: a quote, else the words after "about", else the words that carry meaning. */
export function keyTerms(
  { clause, intent, scope }: { clause: Clause; intent: Intent; scope: ReadonlySet<string> },
  tools: ReadonlySet<string>,
  taken: ReadonlySet<Token>,
): string | undefined {
  const { tokens } = clause;
  const place = (token: Token) =>
    token.stems.length > 0 && token.stems.every((word) => scope.has(word) || tools.has(word));
  const dropped = scopes(tokens, place);
  const content = (token: Token, topic: boolean) =>
    !taken.has(token) && !dropped.has(token) && token !== intent.verb &&
    (token.fact !== undefined ||
      (!isStop(token.text) &&
        ((topic && !UNSPACED.test(token.text)) || (!place(token) && !isVerbal(token, intent)))));
  let region = tokens.filter((token) => content(token, false));
  for (const [at, token] of tokens.entries()) {
    if (!TOPIC.test(token.text) || token === intent.verb) continue;
    const after = tokens.slice(at + 1).filter((each) => content(each, true));
    if (after.length > 0) region = after;
  }
  const quoted = region.filter(({ fact }) => fact?.kind === "quote");
  const ids = intent.question ? region.filter(({ fact }) => fact?.kind === "id") : [];
  if (quoted.length > 0) region = quoted;
  else if (ids.length > 0) region = ids;
  if (region.length === 0) {
    region = tokens.filter((token) => !token.fact && place(token)).slice(0, 1);
  }
  return joined(clause, region.slice(0, MOST_TERMS)) || undefined;
}

/** Words that only say where: "in my notes", "from notes and tickets". */
function scopes(tokens: readonly Token[], place: (token: Token) => boolean): Set<Token> {
  const dropped = new Set<Token>();
  for (const [at, token] of tokens.entries()) {
    if (!/^(?:in|from|on|to|into|using|within|across|through|via|在)$/i.test(token.text)) continue;
    let end = at + 1;
    while (
      end < tokens.length && !tokens[end]!.fact &&
      (SCOPE.test(tokens[end]!.text) || place(tokens[end]!))
    ) end++;
    while (end > at + 1 && !place(tokens[end - 1]!)) end--;
    // "search in notes for" is a place; "notes on tickets" with nothing else said is a topic.
    const rest = tokens.some((each, i) =>
      (i < at || i >= end) && !isStop(each.text) && !place(each) && !isOrder(each.text)
    );
    if (rest && end > at + 1) { for (let i = at; i < end; i++) dropped.add(tokens[i]!); }
  }
  return dropped;
}

/** In a question a harmless verb is part of asking: "do my notes mention …". */
function isVerbal(token: Token, { question }: Intent): boolean {
  return question && /^(?:mentions?|says?|tells?|knows?|exists?|have)$/i.test(token.text);
}

function joined({ masked, facts }: Clause, tokens: readonly Token[]): string {
  let out = "";
  let end = -1;
  for (const token of tokens) {
    const near = end === token.start;
    out += (out === "" || near ? "" : " ") +
      unmask(masked.slice(token.start, token.end), facts, true);
    end = token.end;
  }
  return out.slice(0, 300);
}

/** What something new is to be about: the text after a colon, or after "about", "to", "that". */
export function topicOf(
  clause: Clause,
  intent: Intent,
  taken: ReadonlySet<Token>,
): string | undefined {
  const { tokens, masked, facts } = clause;
  const colon = /[\p{L}\p{N}][:：]\s*(?=\S)/u.exec(masked);
  if (colon) {
    const from = colon.index + colon[0].length;
    const inside = tokens.filter((token) => token.start >= from);
    const free = inside.findIndex((token) => taken.has(token));
    const own = free === -1 ? inside : inside.slice(0, free);
    const end = free === -1 ? masked.length : own.at(-1)?.end ?? from;
    const text = unmask(masked.slice(from, end), facts, true).trim().replace(/[.。;；,，]$/, "");
    if (text !== "") return text;
  }
  for (const [at, token] of tokens.entries()) {
    if (token === intent.verb || !MAKING_TOPIC.test(token.text)) continue;
    const phrase = phraseAt(clause, at + 1, taken, ENDS);
    if (phrase && phrase.tokens.some((each) => each.fact || !isStop(each.text))) return phrase.text;
  }
  return undefined;
}

/** What follows the order itself: "echo hello world" leaves "hello world". */
export function restOf(
  clause: Clause,
  intent: Intent,
  tools: ReadonlySet<string>,
  taken: ReadonlySet<Token>,
): string | undefined {
  const { tokens } = clause;
  const place = (token: Token) =>
    token.stems.length > 0 && token.stems.every((word) => tools.has(word) || word === "list");
  const closed = new Set([...taken, ...scopes(tokens, place)]);
  let at = intent.verb ? tokens.indexOf(intent.verb) + 1 : 0;
  const skips = (token: Token) => ARTICLE.test(token.text) || closed.has(token) || place(token);
  while (at < tokens.length && skips(tokens[at]!)) at++;
  const mixed = tokens.slice(at).some((token) => closed.has(token));
  const phrase = phraseAt(clause, at, closed, mixed ? ENDS : undefined);
  return phrase?.tokens.some((token) =>
      token.fact || !isStop(token.text) || intent.acts.has("echo")
    )
    ? phrase.text
    : undefined;
}

/**
 * The phrase that begins at a token, up to the first taken one, a comma, or a word of `ends`:
 * "the login bug | due tomorrow". Without `ends` it goes on to the end.
 */
export function phraseAt(
  { tokens, masked, facts }: Clause,
  at: number,
  taken: ReadonlySet<Token>,
  ends: RegExp | undefined,
): { text: string; tokens: Token[] } | undefined {
  let from = at;
  if (ends) { while (tokens[from] && /^(?:an?|the|my|our)$/i.test(tokens[from]!.text)) from++; }
  let end = from;
  while (end < tokens.length) {
    const token = tokens[end]!;
    if (taken.has(token)) break;
    if (
      end > from && ends &&
      (ends.test(token.text) || /[,;:，；：]/.test(masked.slice(tokens[end - 1]!.end, token.start)))
    ) break;
    end++;
  }
  // What joined the phrase to the taken part goes with that part.
  while (
    end > from && ends &&
    /^(?:due|with|by|on|in|at|to|and|for|as|is)$/i.test(tokens[end - 1]!.text)
  ) end--;
  if (end === from) return undefined;
  const part = tokens.slice(from, end);
  return {
    text: unmask(masked.slice(part[0]!.start, part.at(-1)!.end), facts, true).trim(),
    tokens: part,
  };
}
