/** What a person types under a question, and not what they typed before it was there. @module */
import { type Clock, unlessSilent } from "../kit/clock.ts";

/** That of a terminal, which hands over whole lines. */
export interface Keyboard {
  /** The next line without its newline, as soon as it ends; undefined at the end of input. */
  read(): Promise<string | undefined>;
  /** Whether a read ends with each key, and not with a line. */
  keyByKey(isOn: boolean): void;
}

/** What was typed before takes less time to be read. */
const TYPED_MS = 20;
/** A read takes less time to begin. */
const BEGUN_MS = 5;
/** Whoever types on and on answers nothing. */
const MOST_READS = 1_000;

/**
 * The line that is typed from now on; undefined at the end of input. What was typed before answers
 * nothing. Half a line of it would wait to be ended under the question: so for a moment each key counts.
 * A read is under way by then, for one that begins while keys count would not see Ctrl-D later.
 */
export async function nextLine(
  keyboard: Keyboard,
  clock: Clock,
): Promise<{ line: Promise<string | undefined> }> {
  for (let left = MOST_READS; left > 0; left--) {
    const line = keyboard.read();
    const typed = line.then((text) => text !== undefined);
    const isTyped = async (ms: number) => await unlessSilent(clock, ms, typed) ?? false;
    if (await isTyped(BEGUN_MS)) continue;
    keyboard.keyByKey(true);
    const isHalf = await isTyped(TYPED_MS);
    keyboard.keyByKey(false);
    if (!isHalf && !await isTyped(TYPED_MS)) return { line };
  }
  return { line: Promise.resolve(undefined) };
}
