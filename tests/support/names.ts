/** Names of many made-up tools: what must hold of all of them, whatever they are called. @module */
import assert from "node:assert/strict";
import { publicName } from "../../lib/registry/names.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const BATCH = 5_000;

/** Everything that cleaning, cutting, joining or comparing could confuse. */
const ALPHABET = [
  ..."ab_-A",
  "__",
  "_x",
  ".",
  "/",
  " ",
  "\0",
  "\n",
  "é",
  "e\u0301",
  "\u200b",
  "\u202e",
  "👋",
  "\ud800",
  "\udc00",
  "\ufffd",
  "mcp__a__",
  "__proto__",
  "x".repeat(30),
  "0123456789ab",
];
const ALIASES = ["a", "a-b", "a_b", "b", "ab", "a0", "x".repeat(20), "mcp"];

/** The same numbers in every run: xorshift32. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/** Fails when a name is not legal, is that of two pairs, or is another one when its pair comes again. */
export async function namesHold(pairs: number): Promise<void> {
  const next = random(20260728);
  const pick = <T>(from: readonly T[]): T => from[next(from.length)]!;
  const owner = new Map<string, string>();
  let altered = 0;
  for (let done = 0; done < pairs; done += BATCH) {
    const refs = Array.from({ length: BATCH }, () => ({
      alias: pick(ALIASES),
      tool: Array.from({ length: 1 + next(6) }, () => pick(ALPHABET)).join(""),
    }));
    const names = await Promise.all(refs.map(publicName));
    for (const [index, name] of names.entries()) {
      const { alias, tool } = refs[index]!;
      if (!LEGAL.test(name)) assert.fail(`${JSON.stringify(tool)} became ${name}`);
      // A pair that comes again, later and among others, must have the same name, and no other pair.
      const pair = JSON.stringify([alias, tool]);
      const known = owner.get(name);
      if (known === undefined) owner.set(name, pair);
      else if (known !== pair) assert.fail(`${known} and ${pair} are both ${name}`);
      if (!name.endsWith(tool)) altered++;
    }
  }
  assert(altered > pairs / 2, "the alphabet is hostile");
  assert(owner.size > pairs / 2, "the pairs are many");
}
