/** Flags that are on or off: no word of a prompt is their value, and nothing but true and false is. @module */
import { UsageError } from "../kit/usage.ts";

/**
 * The same arguments with the value of each switch written out: `--yes false alarms` would be read as
 * `--yes=false` and a prompt of one word.
 * @throws {UsageError} for a switch with a value of its own, which would be on whatever that says
 */
export function withSwitches(
  argv: readonly string[],
  names: readonly string[],
  letters: Readonly<Record<string, string>>,
): readonly string[] {
  const end = argv.indexOf("--");
  return argv.map((arg, at) => {
    if (end >= 0 && at > end) return arg;
    const [, long, short = "", , value] = /^(?:--([^=-][^=]*)|-([^=-]+))(=(.*))?$/s.exec(arg) ?? [];
    const known = [...short].every((letter) => Object.hasOwn(letters, letter));
    const name = long ?? (known ? letters[short.at(-1) ?? ""] : undefined);
    if (name === undefined || !names.includes(name)) return arg;
    if (value === undefined) return `${arg}=true`;
    if (value === "true" || value === "false") return arg;
    throw new UsageError(`Cannot read ${arg}: --${name} takes no value`, {
      hint: `Write --${name}, or leave it out`,
    });
  });
}
