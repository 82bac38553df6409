/** Takes a user's message apart: prompt, context, who is offline; and the prompt into clauses. @module */
import { stem, words } from "../../kit/rank.ts";
import { type Fact, factAt, type Masked, unmask } from "./facts.ts";
import { english, isOrder, isQuestionWord, isStop } from "./words.ts";

/** One user message. `text` is what the user asked; the rest was put beside it. */
export interface Prompt {
  text: string;
  context: string;
  offline: readonly { alias: string; reason: string }[];
}

/** A word of a clause, or a fact in it. */
export interface Token {
  text: string;
  /** Its parts as the ranking compares them, in English where we know the word. */
  stems: readonly string[];
  start: number;
  end: number;
  fact?: Fact;
}

/** One thing the prompt asks for. */
export interface Clause {
  masked: string;
  facts: readonly Fact[];
  tokens: readonly Token[];
  /** As the user wrote it. */
  text: string;
}

/** What is planned is the beginning and the end of a long prompt: orders stand there. */
const HEAD = 6000;
const TAIL = 2000;
/** Steps of a plan, and clauses that are read for them. */
export const MAX_STEPS = 8;
const MAX_CLAUSES = 40;

const AWAY = "(Offline just now: ";

export function readPrompt(message: string): Prompt {
  let text = message;
  const offline: { alias: string; reason: string }[] = [];
  const at = text.lastIndexOf(AWAY);
  const last = at === -1 ? "" : text.slice(at).trimEnd();
  if (
    /\)$/.test(last) && !last.includes("\n") && (at === 0 || text.slice(0, at).endsWith("\n\n"))
  ) {
    text = text.slice(0, at);
    for (const part of last.slice(AWAY.length, -1).split("; ")) {
      const [, alias, reason] = /^(\S+) – (.*)$/.exec(part) ?? [];
      if (alias) offline.push({ alias, reason: reason! });
      else if (offline.length > 0) offline[offline.length - 1]!.reason += `; ${part}`;
    }
  }
  let context = "";
  const open = /(?:^|\n\n)<(context(?:-\d+)?)>\n/.exec(text);
  const end = `\n</${open?.[1]}>`;
  const close = text.lastIndexOf(end);
  if (open && close > open.index) {
    context = text.slice(open.index + open[0].length, close);
    text = text.slice(0, open.index) + text.slice(close + end.length);
  }
  return { text: text.trim(), context, offline };
}

/** The part of a prompt that is planned on. */
export function plannable(text: string): string {
  return text.length > HEAD + TAIL ? `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}` : text;
}

const DETERMINER =
  /^(?:an?|the|my|our|all|it|them|that|this|these|those|any|to|me|us|for|another|new|\d+)$/i;
// Nouns at least as often as verbs: only what follows can tell.
const NOUNISH = new Set(
  ("file book note mail post message record start new open complete sum total list query search set call check plus " +
    "cat drop log view print display load run change patch schedule share register draft look store total copy move")
    .split(" "),
);

/**
 * Cuts a prompt into clauses: at the ends of sentences, at "then", and before an "and" that is
 * followed by another order. `orders` are the first words of the offered tools' names.
 */
export function clauses(masked: Masked, orders: ReadonlySet<string>): Clause[] {
  const { text, facts } = masked;
  const cuts: string[] = [];
  const sentences = text.split(/(?<=[.!?。！？…])(?:\s+|$)|(?<=[。！？])|\n+/);
  for (const sentence of sentences) {
    // After a colon comes a text, and a text's own "and" is not ours.
    const colon = /[\p{L}\p{N}]:\s/u.exec(sentence);
    const head = colon ? sentence.slice(0, colon.index) : sentence;
    const tail = colon ? sentence.slice(colon.index) : "";
    const parts = head.split(
      /[,;]?\s+(?:and\s+)?(?:then|afterwards|after that|finally)(?:,\s*|\s+)|[，,、]\s*(?:然后|并且|并|再|接着)\s*|(?:然后|接着)|[，,]\s*(?:和)?(?=请)/i,
    );
    for (const [at, part] of parts.entries()) {
      const last = at === parts.length - 1 ? tail : "";
      let from = 0;
      for (const match of part.matchAll(/,?\s+(?:and also|and|also|plus|&|but)\s+|[,;；]\s*/gi)) {
        const next = part.slice(match.index + match[0].length);
        if (!startsClause(next, orders, /^[,;；]/.test(match[0]) && !/\w/.test(match[0]))) continue;
        cuts.push(part.slice(from, match.index));
        from = match.index + match[0].length;
      }
      cuts.push(part.slice(from) + last);
    }
  }
  return cuts.map((cut) => cut.trim()).filter((cut) => cut !== "").slice(0, MAX_CLAUSES)
    .map((cut) => clause(cut, facts));
}

function startsClause(text: string, orders: ReadonlySet<string>, comma: boolean): boolean {
  const [, first = "", second = ""] = /^([\p{L}\p{N}_-]+)(?:\s+(\S[\p{L}\p{N}_-]*))?/u.exec(
    text.replace(/^(?:please|also)\s+/i, ""),
  ) ?? [];
  const lower = first.toLowerCase();
  if (isQuestionWord(lower) && !comma) return /^(?:wh|how|is|are|do)/.test(lower);
  if (second === "" || !(isOrder(lower) || orders.has(lower))) return false;
  if (DETERMINER.test(second) || /^[\ue000-\uf8ff]/.test(second)) return true;
  return isOrder(lower) && !NOUNISH.has(lower) && !isStop(second);
}

const TOKEN = /[\ue000-\uf8ff]|[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}_]|['’-](?=[\p{L}\p{N}]))*/gu;
const HAN = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;

/** Reads the words of one masked text. */
export function clause(masked: string, facts: readonly Fact[]): Clause {
  const tokens: Token[] = [];
  for (const match of masked.matchAll(TOKEN)) {
    const [text] = match;
    const start = match.index;
    const fact = factAt(text, facts);
    if (fact) tokens.push({ text, stems: [], start, end: start + 1, fact });
    else if (HAN.test(text)) {
      let at = start;
      for (const part of unspaced(text)) {
        tokens.push(token(part, at));
        at += part.length;
      }
    } else tokens.push(token(text, start));
  }
  return { masked, facts, tokens, text: unmask(masked, facts).trim() };
}

function token(text: string, start: number): Token {
  const plain = text.replace(/['’]s$/, "");
  return { text, stems: words(english(plain)).map(stem), start, end: start + text.length };
}

let segmenter: Intl.Segmenter | undefined;

function unspaced(text: string): string[] {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return [...segmenter.segment(text)].map(({ segment }) => segment);
}
