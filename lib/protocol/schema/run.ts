/** One check of one value by the rules of a schema: how far it has got, and what it found. @module */
import { Exhausted, Meter } from "./meter.ts";
import { clip, isObject, type Members } from "./value.ts";

/** A subschema, read. The `late` rules are for what all the others have left unevaluated. */
export interface Node {
  rules: readonly Rule[];
  late: readonly Rule[];
}

/** True when `value` keeps the rule; otherwise false, after telling `run` why. */
export type Rule = (run: Run, value: unknown, seen?: Seen) => boolean;

/** The members of an object, or the places of an array, that some keyword has evaluated. */
export type Seen = Set<string | number>;

interface Problem {
  path: readonly (string | number)[];
  text: string;
}

const MAX_LEVELS = 500;
export const MAX_PROBLEMS = 5;
export const MAX_TEXT = 200;

export class Run extends Meter {
  readonly #path: (string | number)[] = [];
  readonly #tracks: boolean;
  #problems: Problem[] = [];
  #room = MAX_PROBLEMS;
  #level = 0;

  /** `tracks`: some rule of the schema asks what has been evaluated, so book must be kept. */
  constructor(tracks: boolean) {
    super();
    this.#tracks = tracks;
  }

  get problems(): string[] {
    return this.#problems.map((problem) => tell(problem));
  }

  /** Nobody would read another problem, so a value known to be invalid needs no further look. */
  get #full(): boolean {
    return this.#problems.length >= this.#room;
  }

  /** Reports a problem with the value at hand. `say` is called only when somebody will read it. */
  fail(say: () => string): false {
    if (!this.#full) this.#problems.push({ path: this.#path.slice(), text: say() });
    return false;
  }

  /** Checks `value`; when it is valid, adds to `seen` what was evaluated of it. */
  check(node: Node, value: unknown, seen?: Seen): boolean {
    this.spend(1);
    if (++this.#level > MAX_LEVELS) {
      throw new Exhausted("the value is nested too deeply, or a $ref leads back to itself");
    }
    const own: Seen | undefined = this.#tracks ? new Set() : undefined;
    // What an invalid value leaves unevaluated is no news.
    const valid = this.#keeps(node.rules, value, own) && this.#keeps(node.late, value, own);
    if (valid && seen && own) {
      this.spend(own.size);
      for (const key of own) seen.add(key);
    }
    this.#level--;
    return valid;
  }

  #keeps(rules: readonly Rule[], value: unknown, seen: Seen | undefined): boolean {
    let valid = true;
    for (const rule of rules) {
      valid = rule(this, value, seen) && valid;
      if (!valid && this.#full) break;
    }
    return valid;
  }

  /** Checks the parts of the value at hand that `keys` name, each by the nodes it is given. */
  checkParts<K extends string | number>(
    whole: Readonly<Record<K, unknown>>,
    keys: Iterable<K>,
    nodesFor: (key: K) => readonly Node[],
    seen: Seen | undefined,
  ): boolean {
    let valid = true;
    for (const key of keys) {
      this.spend(1);
      const nodes = nodesFor(key);
      if (nodes.length === 0) continue;
      this.#path.push(key);
      for (const node of nodes) valid = this.check(node, whole[key]) && valid;
      this.#path.pop();
      seen?.add(key);
      if (!valid && this.#full) break;
    }
    return valid;
  }

  /** Whether `value` fits, reporting nothing. */
  fits(node: Node, value: unknown, seen?: Seen): boolean {
    return this.#aside(0, () => this.check(node, value, seen));
  }

  /** The first thing wrong with the value at hand, for use in a message; undefined when it fits. */
  complaint(node: Node, value: unknown, seen?: Seen): string | undefined {
    return this.#aside(this.#full ? 0 : 1, () => {
      if (this.check(node, value, seen)) return undefined;
      const [first] = this.#problems;
      return first ? tell({ ...first, path: first.path.slice(this.#path.length) }) : "";
    });
  }

  #aside<T>(room: number, work: () => T): T {
    this.spend(3);
    const [problems, before] = [this.#problems, this.#room];
    [this.#problems, this.#room] = [[], room];
    const result = work();
    [this.#problems, this.#room] = [problems, before];
    return result;
  }

  keysOf(value: Members): string[] {
    const keys = Object.keys(value);
    this.spend(keys.length);
    return keys;
  }

  /** Whether `count` things are within bounds. */
  within(
    count: number,
    least: number | undefined,
    most: number | undefined,
    what: string,
  ): boolean {
    if (least !== undefined && count < least) {
      return this.fail(() => `expected ${least} or more ${what}, got ${count}`);
    }
    if (most !== undefined && count > most) {
      return this.fail(() => `expected ${most} or fewer ${what}, got ${count}`);
    }
    return true;
  }
}

/** A rule that all but texts keep. */
export function forText(keeps: (run: Run, text: string) => boolean): Rule {
  return (run, value) => typeof value !== "string" || keeps(run, value);
}

/** A rule that all but arrays keep. */
export function forArray(keeps: (run: Run, items: unknown[], seen?: Seen) => boolean): Rule {
  return (run, value, seen) => !Array.isArray(value) || keeps(run, value, seen);
}

/** A rule that all but objects keep. */
export function forObject(keeps: (run: Run, members: Members, seen?: Seen) => boolean): Rule {
  return (run, value, seen) => !isObject(value) || keeps(run, value, seen);
}

function tell({ path, text }: Problem): string {
  let place = "";
  for (const key of path) {
    if (typeof key === "number") place += `[${key}]`;
    else if (/^[\w$-]{1,60}$/.test(key)) place += place ? `.${key}` : key;
    else place += `[${JSON.stringify(clip(key, 60))}]`;
  }
  if (place.length > 100) place = `…${place.slice(-99)}`;
  return clip(place ? `${place}: ${text}` : text, MAX_TEXT);
}
