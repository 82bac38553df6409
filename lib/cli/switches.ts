/** Flags that are on or off: no word of a prompt is their value, and nothing but true and false is. @module */
import { UsageError } from "../kit/usage.ts";

/**
 * The same arguments with the value of each switch written out: `--yes false alarms` would be read as
 * `--yes=false` and a prompt of one word. Only such forms are left as `parseArgs` reads for sure:
 * `--x=true`, `--x=false` and, of one named `no-x`, `--no-x` alone.
 * @throws {UsageError} for a switch with a value of its own, which would be on whatever that says
 */
export function withSwitches(
  argv: readonly string[],
  names: readonly string[],
  letters: Readonly<Record<string, string>>,
): readonly string[] {
  const end = argv.indexOf("--");
  return argv.flatMap((arg, at) => {
    if (end >= 0 && at > end) return arg;
    const [, long, short = "", , value = "true"] =
      /^(?:--([^=-][^=]*)|-([^=-]+))(=(.*))?$/s.exec(arg) ?? [];
    const all = long === undefined
      ? [...short].map((letter) => flagOf(letter, letters) ?? "")
      : [long];
    if (all.length === 0 || !all.every((name) => names.includes(name))) return arg;
    const last = all.at(-1)!;
    if (value !== "true" && value !== "false") {
      throw new UsageError(`Cannot read ${arg}: --${last} takes no value`, {
        hint: `Write --${last}, or leave it out`,
      });
    }
    return [
      ...all.slice(0, -1).map((name) => written(name, true)),
      written(last, value === "true"),
    ];
  });
}

/** The flag that a letter is short for. */
export function flagOf(
  letter: string,
  letters: Readonly<Record<string, string>>,
): string | undefined {
  return Object.hasOwn(letters, letter) ? letters[letter] : undefined;
}

function written(name: string, on: boolean): string {
  if (!name.startsWith("no-")) return `--${name}=${on}`;
  return on ? `--${name}` : `--${name.slice("no-".length)}=true`;
}
