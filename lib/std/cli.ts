/** What `@std/cli/parse-args` promises, over `npm:minimist`: the part of `parseArgs` we use. @module */
// @ts-types="@types/minimist"
import minimist from "minimist";

type Names<N extends string> = N | readonly N[];
type Aliases = Readonly<Record<string, string | readonly string[]>>;
type Defaults = Readonly<Record<string, unknown>>;

export interface ParseOptions<
  B extends string = string,
  S extends string = string,
  C extends string = string,
  N extends string = string,
  D extends Defaults = Defaults,
  A extends Aliases = Aliases,
  DD extends boolean = boolean,
> {
  /** Whether what follows `--` goes to `["--"]` instead of `_`. */
  "--"?: DD;
  alias?: A;
  /** Take no value; false when absent. */
  boolean?: Names<B>;
  default?: D;
  /** Whether everything from the first positional argument on goes to `_`, flags and all. */
  stopEarly?: boolean;
  /** Never turned into numbers; `""` when given without a value, undefined when absent. */
  string?: Names<S>;
  /** Become lists, empty when absent. Of other flags the last one counts. */
  collect?: Names<C>;
  /** `--no-x` sets x to false. */
  negatable?: Names<N>;
  /** Called for what no option names, positional arguments included; false drops it. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

type Value<K, B, S, C, N> =
  | (K extends C ? (K extends B ? boolean : K extends S ? string : unknown)[]
    : K extends B ? boolean
    : K extends S ? string
    : unknown)
  | (K extends B ? never : K extends N ? false : never);

type Always<B, S, C> = B | Extract<S, C> | Exclude<C, B | S>;

type Named<B extends string, S extends string, C extends string, N extends string, D> =
  & { [K in Exclude<Always<B, S, C>, keyof D>]: Value<K, B, S, C, N> }
  & { [K in Exclude<S, Always<B, S, C> | keyof D | "_">]?: Value<K, B, S, C, N> }
  & { [K in keyof D]: K extends B | S | C ? D[K] | Value<K, B, S, C, N> : unknown };

type AliasOf<V> = V extends string ? V : V extends readonly string[] ? V[number] : never;

type Aliased<V, A> =
  & V
  & { [K in keyof V as K extends keyof A ? AliasOf<A[K]> : never]: V[K] };

export type Args<V = Record<string, unknown>, DD extends boolean = false> =
  & Record<string, unknown>
  & V
  & { _: Array<string | number> }
  & (DD extends true ? { "--": string[] } : Record<never, never>);

// minimist takes every `--no-x` for a negation and a lone dash for a value, and falls over
// `--toString`. Behind these marks, which Unicode keeps free of meaning, it sees none of them.
const HIDE = "\uFDD0";
const EMPTY = "\uFDD1";
const mark = (name: string) => name.startsWith("no-") || name in {} ? HIDE + name : name;
const unmark = (text: string) => text.replace(HIDE, "").replace(`=${EMPTY}`, "");

const list = (names: Names<string> | undefined): string[] =>
  names === undefined ? [] : typeof names === "string" ? [names] : [...names];

/** Flags by name, the rest under `_`. Numbers among the values become numbers unless `string`. */
export function parseArgs<
  const B extends string = never,
  const S extends string = never,
  const C extends string = never,
  const N extends string = never,
  const D extends Defaults = Record<never, never>,
  const A extends Aliases = Record<never, never>,
  const DD extends boolean = false,
>(
  args: readonly string[],
  options: ParseOptions<B, S, C, N, D, A, DD> = {},
): Args<Aliased<Named<B, S, C, N, D>, A>, DD> {
  const families = Object.entries(options.alias ?? {})
    .map(([name, others]) => [name, ...list(others)]);
  const family = (name: string) => families.find((names) => names.includes(name)) ?? [name];
  const withAliases = (names: Names<string> | undefined) => list(names).flatMap(family);
  const booleans = withAliases(options.boolean);
  const strings = withAliases(options.string);
  const collected = new Set(withAliases(options.collect));
  const negatable = new Set(withAliases(options.negatable));
  const known = new Set([...booleans, ...strings, ...collected, ...families.flat()]);

  const end = args.indexOf("--");
  const flags = end < 0 ? args : args.slice(0, end);
  const rest = end < 0 ? [] : args.slice(end + 1);
  const parsed = minimist(
    flags.map((arg, i) => {
      const [, name, value = ""] = /^--([^=]+)(=.*)?$/s.exec(arg) ?? [];
      if (!name) return arg;
      if (!value && name.startsWith("no-") && negatable.has(name.slice(3))) return arg;
      const alone = !value && strings.includes(name) && flags[i + 1] === "-";
      return `--${mark(name)}${alone ? `=${EMPTY}` : value}`;
    }),
    {
      alias: Object.fromEntries(
        families.map((names) => [mark(names[0]!), names.slice(1).map(mark)]),
      ),
      boolean: booleans.map(mark),
      string: strings.map(mark),
      // So that a boolean that was not given can be told from one that was negated.
      default: Object.fromEntries(booleans.map((name) => [mark(name), null])),
      stopEarly: options.stopEarly ?? false,
      unknown: stranger(known, options.unknown),
    },
  );

  const positional = parsed._.map((arg) => typeof arg === "string" ? unmark(arg) : arg);
  const result: Record<string, unknown> = {
    _: options["--"] ? positional : [...positional, ...rest],
  };
  for (const [marked, value] of Object.entries(parsed)) {
    const name = unmark(marked);
    if (name === "_" || name === "__proto__" || value === null) continue;
    const values = (Array.isArray(value) ? value : [value]).map((v) => v === EMPTY ? "" : v);
    const negated = values.at(-1) === false && negatable.has(name);
    result[name] = collected.has(name) && !negated ? values : values.at(-1);
  }
  for (const [name, value] of Object.entries(options.default ?? {})) {
    for (const other of family(name)) if (!Object.hasOwn(result, other)) result[other] = value;
  }
  for (const name of booleans) {
    if (!Object.hasOwn(result, name)) result[name] = collected.has(name) ? [] : false;
  }
  for (const name of strings) {
    if (!Object.hasOwn(result, name) && collected.has(name)) result[name] = [];
  }
  if (options["--"]) result["--"] = rest;
  return result as Args<Aliased<Named<B, S, C, N, D>, A>, DD>;
}

/** minimist names only the argument; `unknown` is also told the flag, and a value joined by `=`. */
function stranger(
  known: ReadonlySet<string>,
  unknown: ParseOptions["unknown"],
): (arg: string) => boolean {
  let letters: string[] = [];
  return (marked) => {
    const arg = unmark(marked);
    if (known.has(/^--([^=]+)/.exec(arg)?.[1] ?? "")) return true;
    if (!arg.startsWith("-") || arg === "-") return unknown?.(arg) !== false;
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name) return unknown?.(arg, name, value) !== false;
    // One call comes for each strange letter of a group like `-abc`.
    if (letters.length === 0) letters = [...arg.slice(1)].filter((letter) => !known.has(letter));
    const letter = letters.shift();
    return letter === undefined || unknown?.(arg, letter) !== false;
  };
}
