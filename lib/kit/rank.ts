/** BM25 over small documents with weighted fields: which tool, note or line is meant. @module */

/** Something to be found. `name`, where given, is what a person would type to mean exactly this. */
export interface RankDoc {
  id: string;
  name?: string;
  fields: readonly { text: string; weight: number }[];
}

export interface Ranked {
  id: string;
  score: number;
}

export interface RankIndex {
  /** The best first; equal scores by id, so that the order is the same on every machine. */
  search(query: string, limit: number): Ranked[];
}

export interface RankOptions {
  /** Whether a query that equals a document's `name` comes first, and one that begins it rises. */
  boostNames?: boolean;
}

interface Postings {
  docs: number[];
  /** Weighted term frequency while building; the finished contribution to a score afterwards. */
  impacts: number[];
}

const K1 = 1.2;
/** Descriptions vary in length by what their authors felt like; half the usual penalty. */
const B = 0.5;
const PREFIX_WEIGHT = 0.35;
const PREFIX_MIN = 3;
const PREFIX_MAX_TERMS = 12;
const WORD_MAX = 64;
/** Below this many wanted, picking beats sorting. */
const FEW = 100;

/** Indexes `docs` once; a search then touches only the postings of its own words. */
export function rankIndex(docs: readonly RankDoc[], options: RankOptions = {}): RankIndex {
  const { boostNames = true } = options;
  const postings = new Map<string, Postings>();
  const lengths = new Float64Array(docs.length);
  const names = boostNames ? docs.map((doc) => doc.name && words(doc.name).join(" ")) : [];
  let total = 0;
  docs.forEach((doc, at) => {
    const counts = new Map<string, number>();
    for (const { text, weight } of doc.fields) {
      for (const word of words(text)) {
        counts.set(word, (counts.get(word) ?? 0) + weight);
        lengths[at]! += weight;
      }
    }
    total += lengths[at]!;
    for (const [word, count] of counts) {
      const list = postings.get(word);
      if (list) {
        list.docs.push(at);
        list.impacts.push(count);
      } else postings.set(word, { docs: [at], impacts: [count] });
    }
  });
  const average = total / docs.length || 1;
  for (const { docs: where, impacts } of postings.values()) {
    const idf = Math.log(1 + (docs.length - where.length + 0.5) / (where.length + 0.5));
    for (let i = 0; i < where.length; i++) {
      const count = impacts[i]!;
      const norm = K1 * (1 - B + (B * lengths[where[i]!]!) / average);
      impacts[i] = (idf * count * (K1 + 1)) / (count + norm);
    }
  }

  let dictionary: string[] | undefined;
  const scores = new Float64Array(docs.length);

  function search(query: string, limit: number): Ranked[] {
    const asked = words(query);
    const touched: number[] = [];
    const add = (list: Postings, weight: number) => {
      for (let i = 0; i < list.docs.length; i++) {
        const at = list.docs[i]!;
        if (scores[at] === 0) touched.push(at);
        scores[at]! += list.impacts[i]! * weight;
      }
    };
    for (const word of new Set(asked)) {
      const list = postings.get(word);
      if (list) add(list, 1);
      if (word.length < PREFIX_MIN) continue;
      dictionary ??= [...postings.keys()].sort();
      const from = lowerBound(dictionary, word);
      for (let i = from, left = PREFIX_MAX_TERMS; i < dictionary.length && left > 0; i++) {
        const term = dictionary[i]!;
        if (!term.startsWith(word)) break;
        if (term === word) continue;
        add(postings.get(term)!, PREFIX_WEIGHT * (word.length / term.length));
        left--;
      }
    }
    if (boostNames) {
      const name = asked.join(" ");
      const top = touched.reduce((max, at) => Math.max(max, scores[at]!), 0);
      for (const at of touched) {
        if (!names[at]?.startsWith(name)) continue;
        scores[at]! += names[at]!.length === name.length ? top + 1 : scores[at]! * 0.25;
      }
    }
    const order = (a: number, b: number) =>
      scores[b]! - scores[a]! || (docs[a]!.id < docs[b]!.id ? -1 : 1);
    const best = limit < FEW ? firstOf(touched, limit, order) : touched.sort(order).slice(0, limit);
    const found = best.map((at) => ({ id: docs[at]!.id, score: scores[at]! }));
    for (const at of touched) scores[at] = 0;
    return found;
  }

  return { search };
}

/** The first `limit` in order, without sorting the rest. */
function firstOf(
  all: readonly number[],
  limit: number,
  order: (a: number, b: number) => number,
): number[] {
  const best: number[] = [];
  if (limit < 1) return best;
  for (const at of all) {
    if (best.length === limit && order(at, best[limit - 1]!) > 0) continue;
    let low = 0;
    for (let high = best.length; low < high;) {
      const middle = (low + high) >> 1;
      if (order(at, best[middle]!) < 0) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, at);
    if (best.length > limit) best.pop();
  }
  return best;
}

function lowerBound(sorted: readonly string[], word: string): number {
  let low = 0;
  for (let high = sorted.length; low < high;) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The words of a text as they are compared: split at camelCase, snake_case, kebab-case and digits,
 * lower-cased, without accents, plurals made singular. `GitHub` gives `git`, `hub` and `github`.
 */
export function words(text: string): string[] {
  const out: string[] = [];
  // deno-lint-ignore no-control-regex
  if (/^[\x00-\x7f]*$/.test(text)) {
    for (const [run] of text.matchAll(/[A-Za-z0-9]+/g)) {
      if (/^[a-z]+$/.test(run)) out.push(stem(run.slice(0, WORD_MAX)));
      else split(run, /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g, out);
    }
    return out;
  }
  const plain = text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC");
  for (const [run] of plain.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (UNSPACED.test(run)) segment(run, out);
    else split(run, /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+/gu, out);
  }
  return out;
}

function split(run: string, parts: RegExp, out: string[]): void {
  const found = run.match(parts) ?? [];
  for (const part of found) out.push(stem(part.toLowerCase().slice(0, WORD_MAX)));
  if (found.length > 1) out.push(stem(run.toLowerCase().slice(0, WORD_MAX)));
}

const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
let segmenter: Intl.Segmenter | undefined;

function segment(run: string, out: string[]): void {
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  for (const { segment: word, isWordLike } of segmenter.segment(run)) {
    if (!isWordLike) continue;
    out.push(stem(word.toLowerCase().slice(0, WORD_MAX)));
    // The same word is cut differently in other company; its pairs still meet.
    if (word.length > 2 && UNSPACED.test(word)) {
      for (let i = 0; i + 2 <= word.length && i < WORD_MAX; i++) out.push(word.slice(i, i + 2));
    }
  }
}

/** A plural made singular, lightly: both sides of a comparison go through it, so it need not be English. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  if (/ies?$/.test(word)) return word.length > 4 ? word.replace(/ies?$/, "y") : word;
  if (/(?:ss|x|ch|sh|zz|o)es$/.test(word)) return word.slice(0, -2);
  if (/s$/.test(word) && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}
