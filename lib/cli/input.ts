/** The prompt, and what stands beside it: arguments, stdin, environment. @module */
import { UsageError } from "../kit/usage.ts";
import { someText } from "../kit/encoding.ts";
import type { Content } from "../protocol/types.ts";
import type { Args } from "./args.ts";
import type { Screen } from "./screen.ts";
import { plain } from "./disk.ts";
import type { World } from "./world.ts";

export interface Input {
  prompt: string;
  context?: string;
  /** What `--attach` names. */
  parts?: readonly Content[];
}

/** Silence of a pipe after which people are told what we wait for. */
const SILENCE_MS = 2_000;
/** More than any context window takes. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * The arguments, else stdin, else `QUESTION`. With arguments, a stdin that is no terminal is context.
 * Undefined when there is no prompt at all.
 * @throws {UsageError} for an input that is too large; the signal's reason
 */
export async function readInput(
  args: Args,
  world: World,
  screen: Screen,
): Promise<Input | undefined> {
  const words = args.words.join(" ").trim();
  const typed = words === "-" ? "" : words; // As in "call NAME -", and in most programs.
  const piped = args.stdin && !world.stdin.isTerminal
    ? (await readStdin(world, screen)).trim()
    : "";
  if (typed) return { prompt: typed, ...(piped && { context: piped }) };
  const prompt = piped || (world.env.QUESTION ?? "").trim();
  return prompt ? { prompt } : undefined;
}

/** All of stdin as text. */
export async function readStdin(world: World, screen: Screen): Promise<string> {
  const { clock, signal, stdin } = world;
  const heard = clock.after(
    SILENCE_MS,
    () => screen.warn("Waiting for the end of stdin (--no-stdin does not read it)"),
  );
  const reader = stdin.readable.getReader();
  const leave = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", leave, { once: true });
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    while (true) {
      const { value, done } = await reader.read().catch((cause) => {
        throw new UsageError(`Cannot read stdin: ${plain(cause)}`, {
          hint: "--no-stdin does not read it",
        });
      });
      signal.throwIfAborted();
      if (done) break;
      heard();
      parts.push(value);
      size += value.length;
      if (size > MAX_BYTES) {
        throw new UsageError("Cannot read stdin: it is over 64 MiB", { hint: "Cut it down first" });
      }
    }
  } finally {
    heard();
    signal.removeEventListener("abort", leave);
    reader.releaseLock();
  }
  const text = someText(await new Blob(parts as BlobPart[]).bytes());
  if (text !== undefined) return text;
  throw new UsageError("Cannot read stdin: it is no text", {
    hint: "--attach FILE takes images and PDFs",
  });
}
