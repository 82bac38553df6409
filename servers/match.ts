/** Finds what a question in plain words is about; small, deterministic, and good enough for a notebook. @module */

const NOISE = new Set(
  ("a about all an and any are as at by do does find for from have how i in is it me my note notes of on " +
    "or our please say search show that the there this ticket tickets to us was we what which with")
    .split(" "),
);

/** The words of a text that carry meaning, in lower case, plurals cut. */
export function words(text: string): string[] {
  const all = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return all.filter((word) => !NOISE.has(word)).map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word
  );
}

/**
 * The items that hold at least one word of the query, best first: those with more of its words, then
 * those with a word in an earlier field. Equals keep their order. A query without words finds all.
 * @param fields what to look at, the weightiest first
 */
export function match<T>(query: string, items: T[], fields: (item: T) => string[]): T[] {
  const wanted = [...new Set(words(query))];
  if (wanted.length === 0) return items;
  const score = (item: T) => {
    const texts = fields(item).map((text) => new Set(words(text)));
    let hits = 0;
    let weight = 0;
    for (const word of wanted) {
      const at = texts.findIndex((text) => text.has(word));
      if (at === -1) continue;
      hits++;
      weight += texts.length - at;
    }
    return { hits, weight };
  };
  return items.map((item) => ({ item, ...score(item) }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits || b.weight - a.weight)
    .map(({ item }) => item);
}
