/** Texts that nothing we write may show, and what takes them out of it, in whatever form they come. @module */
import { Forms, namedPattern, spelledIn, wordPattern } from "./secret_forms.ts";

/** Characters that one may take where it is escaped. */
const ESCAPED = 12;
const DEEPEST = 500;

/** One that may well be a word, or a part of some. */
export interface ShortSecret {
  text: string;
  /** Hidden is what stands behind it, and nothing else; without a name, where it stands by itself. */
  name?: string;
}

export type Secret = string | ShortSecret;

/** Grows while a configuration is read; what was added is hidden from then on. */
export class Secrets {
  readonly #mark: string;
  readonly #texts = new Set<string>();
  readonly #short = new Map<string, ShortSecret>();
  /** Made when they are wanted first: most runs print next to nothing. */
  #forms: readonly Forms[] | undefined;
  #patterns: readonly (readonly [pattern: RegExp, shown: string])[] = [];
  /** How far before the end of a text the last one may begin. */
  #reach = 0;

  /** @param mark what stands in the place of a secret */
  constructor(secrets: Iterable<Secret> = [], mark = "[hidden]") {
    this.#mark = mark;
    this.add(secrets);
  }

  /** What may be a plain word is for the caller to leave out. */
  add(secrets: Iterable<Secret>): void {
    for (const secret of secrets) {
      if (typeof secret !== "string") this.#short.set(shortId(secret), secret);
      else if (secret !== "") this.#texts.add(secret);
    }
    this.#forms = undefined;
    this.#reach = Math.max(0, ...[...this.#texts].map(({ length }) => length * ESCAPED));
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0 && this.#short.size === 0;
  }

  /** The same text with a mark in the place of each secret. */
  hide(text: string): string {
    if (this.isEmpty || text === "") return text;
    this.#forms ??= this.#made();
    const spelled = spelledIn(text);
    const isCut = text.includes("…");
    let hidden = text;
    for (const forms of this.#forms) {
      hidden = forms.withoutWhole(hidden, spelled, this.#mark);
      if (isCut) hidden = forms.withoutCut(hidden, spelled, this.#mark);
    }
    for (const [pattern, shown] of this.#patterns) hidden = hidden.replace(pattern, shown);
    // Bounds cut texts without a word.
    const from = Math.max(0, hidden.length - this.#reach);
    const last = hidden.slice(from);
    const cleared = this.#forms.reduce(
      (left, forms) => forms.withoutEnd(left, spelled, this.#mark),
      last,
    );
    return cleared === last ? hidden : hidden.slice(0, from) + cleared;
  }

  /** {@linkcode hide} in every text of a JSON value, the names of its members among them. */
  hideIn<T>(value: T): T {
    return this.isEmpty ? value : this.#hideIn(value, 0) as T;
  }

  /** {@linkcode hideIn} for `JSON.stringify`; undefined when there is nothing to hide. */
  get replacer(): ((key: string, value: unknown) => unknown) | undefined {
    if (this.isEmpty) return undefined;
    return (name, value) => {
      if (typeof value === "string") return this.#hideBehind(name, value);
      return typeof value === "object" && value !== null && this.#namesOne(value)
        ? this.#renamed(value, (_, item) => item)
        : value;
    };
  }

  #hideIn(value: unknown, depth: number): unknown {
    if (typeof value === "string") return this.hide(value);
    if (typeof value !== "object" || value === null) return value;
    if (depth === DEEPEST) return "[nested too deep]";
    const each = (name: unknown, item: unknown) =>
      typeof item === "string" ? this.#hideBehind(name, item) : this.#hideIn(item, depth + 1);
    // Of arguments, one may name the next.
    if (Array.isArray(value)) return value.map((item, at) => each(value[at - 1], item));
    return this.#renamed(value, each);
  }

  /** {@linkcode hide} for what stands behind this name, where that is one. */
  #hideBehind(name: unknown, text: string): string {
    const isNamed = typeof name === "string" && this.#short.has(shortId({ text, name }));
    return isNamed ? this.#mark : this.hide(text);
  }

  #made(): readonly Forms[] {
    this.#patterns = [...this.#short.values()].map(({ text, name }) =>
      name === undefined
        ? [wordPattern(text), this.#mark] as const
        : [namedPattern(name, text), `$1${this.#mark}`] as const
    );
    // The longest first: one may hold another.
    return [...this.#texts].sort((a, b) => b.length - a.length)
      .map((text) => new Forms(text));
  }

  #namesOne(value: object): boolean {
    return !Array.isArray(value) && Object.keys(value).some((name) => this.hide(name) !== name);
  }

  #renamed(value: object, each: (name: string, item: unknown) => unknown): unknown {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [this.hide(name), each(name, item)]),
    );
  }
}

function shortId({ text, name }: ShortSecret): string {
  return `${name?.toLowerCase() ?? ""}\0${text}`;
}
