/** Contestants side by side in one run: noise hits all of them, so ratios hold where times do not. @module */

/** One contestant: does its work once. What is prepared and put away is not measured. */
export type Contestant = () => Promise<void>;

const ROUNDS = 7;

/** Milliseconds of each, the median of seven rounds, in which they take turns. */
export async function medians<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
  rounds = ROUNDS,
): Promise<Record<Name, number>> {
  const times = await timed(contestants, rounds);
  const names = Object.keys(contestants) as Name[];
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<
    Name,
    number
  >;
}

/** Milliseconds of each by round: what two took in one round has the same noise in it. */
export async function timed<Name extends string>(
  contestants: Readonly<Record<Name, Contestant>>,
  rounds = ROUNDS,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(contestants) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (const name of names) await contestants[name](); // Warm: caches of files, of code, of packages.
  for (let round = 0; round < rounds; round++) {
    // Whoever goes first in one round goes last in the next.
    for (const name of round % 2 ? names.toReversed() : names) {
      const began = performance.now();
      await contestants[name]();
      times[name].push(performance.now() - began);
    }
  }
  return times;
}

export function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;
}

let missed = 0;

/** Prints one claim with its figure, and remembers when it does not hold. */
export function claim(
  what: string,
  figure: number,
  wanted: { atMost: number } | { atLeast: number },
): void {
  const [limit, holds, sign] = "atMost" in wanted
    ? [wanted.atMost, figure <= wanted.atMost, "≤"]
    : [wanted.atLeast, figure >= wanted.atLeast, "≥"];
  if (!holds) missed++;
  print(`  ${holds ? "holds" : "MISSED"}  ${what}: ${figure.toFixed(2)} (wanted ${sign} ${limit})`);
}

export function print(line: string): void {
  // deno-lint-ignore no-console -- a benchmark is read by people
  console.log(line);
}

export function table(times: Readonly<Record<string, number>>): void {
  const width = Math.max(...Object.keys(times).map((name) => name.length));
  for (const [name, ms] of Object.entries(times)) {
    print(`  ${name.padEnd(width)}  ${ms.toFixed(1).padStart(9)} ms`);
  }
}

/** 1 when a claim was missed. */
export function verdict(): number {
  return missed > 0 ? 1 : 0;
}
