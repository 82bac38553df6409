/** The values of flags, each read or refused in a sentence. @module */
import { type Mode, MODES } from "../config/config.ts";
import { durationHint, parseDuration } from "../kit/duration.ts";
import { UsageError } from "../kit/usage.ts";

export function needsValue(flag: string, value: string | undefined): void {
  if (value === "") {
    throw new UsageError(`Cannot read --${flag}: it needs a value`, {
      hint: "fusebox --help shows which",
    });
  }
}

/** A whole number under `key`, or nothing where the flag was not given. */
export function readCount<Key extends string>(
  key: Key,
  flag: string,
  text: string | undefined,
  most: number,
  hint = "fusebox --help shows what it means",
): { [K in Key]?: number } {
  if (text === undefined) return {};
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= most) {
    return { [key]: count } as { [K in Key]: number };
  }
  throw new UsageError(`Cannot read --${flag} ${text}: not a whole number from 1 to ${most}`, {
    hint,
  });
}

/** `--lazy` and `--forward` are `--mode lazy` and `--mode forward`. */
export function readMode(
  text: string | undefined,
  lazy: boolean,
  forward: boolean,
): Mode | undefined {
  const named = [text, lazy && "lazy", forward && "forward"].filter((it) => typeof it === "string");
  if (named.length > 1) {
    throw new UsageError("Cannot run in two modes at once", {
      hint: "--mode, --lazy or --forward",
    });
  }
  const [name] = named;
  if (name === undefined) return undefined;
  const mode = MODES.find((each) => each === name);
  if (mode) return mode;
  throw new UsageError(`Cannot read --mode ${name}: no such mode`, {
    hint: `The modes are ${MODES.join(", ")}`,
  });
}

export function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`Cannot read --timeout ${text}: not a duration`, {
    hint: durationHint(text),
  });
}

/** Lists may be given as `a,b` and as a flag given twice. */
export function split(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(",")).map((item) => item.trim()).filter((item) =>
    item
  );
}
