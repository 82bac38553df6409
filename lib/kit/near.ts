/** Did you mean …? The names that look most like one that does not exist. @module */

// Names are short. What is longer is compared by its beginning, so that a stranger's megabyte of
// a name costs no more than a line of it.
const LONGEST = 96;

/**
 * Up to `limit` of `candidates`, most alike first: equal but for case and separators, a few typing
 * mistakes away, or one holding the other as whole words (`search` in `mcp__notes__search`).
 * The same input gives the same answer in whichever order the candidates come.
 */
export function nearest(word: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = fold(word);
  if (wanted === "") return [];
  const found: { candidate: string; score: number; apart: number }[] = [];
  for (const candidate of new Set(candidates)) {
    if (candidate === word) continue;
    const other = fold(candidate);
    const score = unlikeness(wanted, other);
    if (score === undefined) continue;
    found.push({ candidate, score, apart: Math.abs(wanted.length - other.length) });
  }
  found.sort((a, b) =>
    a.score - b.score || a.apart - b.apart || (a.candidate < b.candidate ? -1 : 1)
  );
  // Beside the same name in another spelling, no other was meant.
  const same = found.filter(({ score }) => score === 0);
  return (same.length > 0 ? same : found).slice(0, limit).map(({ candidate }) => candidate);
}

/** Lower case, with every run of separators as one space: `readNote` and `read_note` are alike. */
function fold(name: string): string {
  return name.slice(0, LONGEST)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** 0 for the same name; undefined for names that have nothing to do with each other. */
function unlikeness(a: string, b: string): number | undefined {
  if (a === b) return 0;
  const most = a.length < 2 ? 0 : Math.min(4, Math.max(1, Math.floor((a.length + 1) / 4)));
  const typos = distance(a, b, most);
  if (typos !== undefined) return typos;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length < 3) return undefined;
  if (` ${long} `.includes(` ${short} `)) return 2.5;
  return long.startsWith(short) ? 3.5 : undefined;
}

/**
 * How many characters must be put in, left out, replaced or swapped with their neighbour to make
 * `b` of `a`, or undefined when that is more than `most`.
 */
export function distance(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(above[j]! + 1, row[j - 1]! + 1, above[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      row.push(cost);
      best = Math.min(best, cost);
    }
    // A swap may reach back over one row, so a bad row ends the search only after another.
    if (best > most && Math.min(...above) > most) return undefined;
    before = above;
    above = row;
  }
  const result = above[b.length]!;
  return result <= most ? result : undefined;
}
