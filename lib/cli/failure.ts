/** What went wrong, as a sentence, a hint and an exit code. @module */
import { printable, printableLine } from "../kit/printable.ts";
import { type Issue, UsageError } from "../kit/usage.ts";
import { ModelError } from "../models/model.ts";
import { ProtocolError, TransportError } from "../protocol/errors.ts";
import { FrozenPins } from "../registry/failures.ts";
import { ReaderLeft, UserLeft, WriteFailed } from "./world.ts";

export const EXIT = {
  ok: 0,
  toolSaidNo: 1,
  usage: 2,
  refused: 3,
  unanswered: 4,
  model: 5,
  unfinished: 6,
  denied: 7,
  bug: 70,
  output: 74,
} as const;

export interface Failure {
  exit: number;
  /** For stderr; empty when there is nothing to say. */
  text: string;
}

/** Every error of ours has a place here; whatever else comes is a bug, and shown as one. */
export function describe(error: unknown): Failure {
  if (error instanceof ReaderLeft) return { exit: EXIT.ok, text: "" };
  if (error instanceof UserLeft) return { exit: error.exitCode, text: "" };
  if (error instanceof WriteFailed) return { exit: EXIT.output, text: line(error.message) };
  if (error instanceof UsageError) return { exit: EXIT.usage, text: usageText(error) };
  if (error instanceof ProtocolError) return { exit: EXIT.refused, text: line(error.message) };
  if (error instanceof TransportError) {
    return { exit: exitOf(error), text: line(error.message) + lastWords(error) };
  }
  if (error instanceof FrozenPins) {
    return { exit: EXIT.denied, text: line(error.message) + hint(error.hint) };
  }
  if (error instanceof ModelError) {
    return { exit: EXIT.model, text: line(error.message) + hint(error.hint) };
  }
  const stack = error instanceof Error ? error.stack ?? error.message : String(error);
  return {
    exit: EXIT.bug,
    text: `fusebox: This is a bug in fusebox; please report it.\n${printable(stack)}\n`,
  };
}

/** The exit code that `call` owes a failure kept on a result. */
export function exitOf(failure: Error): number {
  if (failure instanceof ProtocolError) return EXIT.refused;
  if (!(failure instanceof TransportError)) return EXIT.bug;
  return failure.fault === "denied" ? EXIT.denied : EXIT.unanswered;
}

/** The last lines that a server wrote before it failed, for people. */
export function lastWords(failure: Error | undefined, count = 5): string {
  if (!(failure instanceof TransportError)) return "";
  return failure.tail.slice(-count).map((text) => `  stderr: ${printableLine(text, 300)}\n`).join(
    "",
  );
}

function usageText({ message, hint: advice, issues }: UsageError): string {
  return line(message) + issues.map((issue) => `  ${issueText(issue)}\n`).join("") + hint(advice);
}

function issueText({ file, path, line, message, hint }: Issue): string {
  const where = [file + (line === undefined ? "" : `:${line}`), path].filter((part) => part !== "");
  return printableLine(`${where.join(": ")}: ${message}${hint ? ` (${hint})` : ""}`, 1000);
}

function line(message: string): string {
  return `fusebox: ${printableLine(message, 2000)}\n`;
}

function hint(text: string | undefined): string {
  return text === undefined ? "" : `  ${printableLine(text, 500)}\n`;
}
