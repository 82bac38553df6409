/** What `@std/cli/parse-args` promises: the part of `parseArgs` we use. @module */

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

// Written here: minimist and node:util take 20 and 5 ms to load, and a bare `deno run` takes 16.

const list = (names: Names<string> | undefined): string[] =>
  names === undefined ? [] : typeof names === "string" ? [names] : [...names];

const NUMBER = /^(?:0x[0-9a-f]+|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)$/i;

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
  const withAliases = (names: Names<string> | undefined) => new Set(list(names).flatMap(family));
  const booleans = withAliases(options.boolean);
  const strings = withAliases(options.string);
  const collected = withAliases(options.collect);
  const negatable = withAliases(options.negatable);
  const known = new Set([...booleans, ...strings, ...collected, ...negatable, ...families.flat()]);

  const found = new Map<string, unknown>();
  const positional: (string | number)[] = [];
  const valueOf = (name: string, text: string) =>
    !strings.has(name) && NUMBER.test(text) ? Number(text) : text;

  /** `text` is undefined for a flag without a value. */
  function set(arg: string, name: string, text: string | undefined): void {
    if (!known.has(name) && options.unknown?.(arg, name, text) === false) return;
    const value = booleans.has(name)
      ? text !== "false"
      : text === undefined
      ? (strings.has(name) ? "" : true)
      : valueOf(name, text);
    for (const each of family(name)) {
      const before = found.get(each);
      found.set(
        each,
        collected.has(each) ? [...(Array.isArray(before) ? before : []), value] : value,
      );
    }
  }

  /** Whether what comes next is this flag's value. */
  function takes(name: string, next: string | undefined): next is string {
    if (next === undefined) return false;
    if (booleans.has(name)) return next === "true" || next === "false";
    return !next.startsWith("-");
  }

  const end = args.indexOf("--");
  const flags = end < 0 ? args : args.slice(0, end);
  const rest = end < 0 ? [] : args.slice(end + 1);
  for (let at = 0; at < flags.length; at++) {
    const arg = flags[at]!;
    const [, long, , joined] = /^--([^=]+)(=(.*))?$/s.exec(arg) ?? [];
    if (long !== undefined) {
      const off = long.startsWith("no-") ? long.slice(3) : "";
      if (joined === undefined && negatable.has(off)) {
        for (const each of family(off)) found.set(each, false);
      } else if (joined === undefined && takes(long, flags[at + 1])) set(arg, long, flags[++at]);
      else set(arg, long, joined);
    } else if (/^-[^-]/.test(arg)) {
      at += readLetters(arg, flags[at + 1]);
    } else if (options.unknown?.(arg) !== false) {
      positional.push(valueOf("_", arg));
      if (options.stopEarly) {
        positional.push(...flags.slice(at + 1));
        break;
      }
    }
  }

  /** `-abc`, `-n5`, `-n=5`, `-n 5`; returns how many further arguments it took. */
  function readLetters(arg: string, next: string | undefined): number {
    for (let at = 1; at < arg.length; at++) {
      const [letter, after] = [arg[at]!, arg.slice(at + 1)];
      if (after === "") {
        const own = takes(letter, next) || (next === "-" && !booleans.has(letter));
        set(arg, letter, own ? next : undefined);
        return own ? 1 : 0;
      }
      // The rest of the group is this letter's value, where it can't be more letters.
      if (after.startsWith("=") || NUMBER.test(after) || /^\W/.test(after)) {
        set(arg, letter, after.replace(/^=/, ""));
        return 0;
      }
      set(arg, letter, undefined);
    }
    return 0;
  }

  const result: Record<string, unknown> = Object.fromEntries(
    [...found].filter(([name]) => name !== "__proto__"),
  );
  result._ = options["--"] ? positional : [...positional, ...rest];
  for (const [name, value] of Object.entries(options.default ?? {})) {
    for (const each of family(name)) if (!Object.hasOwn(result, each)) result[each] = value;
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
