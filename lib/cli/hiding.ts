/** Ways out of the program on which no secret of the configuration leaves it. @module */
import { printableJson } from "../kit/json.ts";
import type { Secrets } from "../kit/secrets.ts";
import type { Args } from "./args.ts";
import type { Sink, Terminal, World } from "./world.ts";

export interface Out extends Sink {
  /** Writes what the user asked for, and what is theirs to see, as it is. */
  answer(text: string): Promise<void>;
}

/** Texts leave without these secrets, those that are added later among them. */
export function hidingSink(sink: Sink, secrets: Secrets): Out {
  return {
    isTerminal: sink.isTerminal,
    write: (text) => sink.write(secrets.hide(text)),
    answer: (text) => sink.write(text),
  };
}

export function hidingTerminal(
  terminal: Terminal | undefined,
  secrets: Secrets,
): Terminal | undefined {
  return terminal && {
    ask: (question, signal) => terminal.ask(secrets.hide(question), signal),
  };
}

/**
 * Writes an object to stdout as `--json` or `--jsonl` wants it. Its texts hold no secrets, but for
 * those of the members in `asked`: they are the answer.
 */
export async function writeJson(
  value: object,
  args: Args,
  world: World,
  asked: readonly string[] = [],
): Promise<void> {
  const theirs = Object.entries(value).filter(([name]) => asked.includes(name));
  const shown = { ...world.secrets.hideIn(value), ...Object.fromEntries(theirs) };
  await world.out.answer(printableJson(shown, args.json ? 2 : undefined) + "\n");
}
