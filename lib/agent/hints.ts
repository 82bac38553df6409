/** What a server says about a tool, and how far that word goes. @module */
import type { Annotations } from "../protocol/types.ts";

/** What it calls the tool, in words: `read-only`, `destructive`, … */
export function hintWords(annotations: Annotations = {}): string[] {
  const words = {
    readOnlyHint: "read-only",
    destructiveHint: "destructive",
    idempotentHint: "idempotent",
    openWorldHint: "open-world",
  } as const;
  return Object.entries(words)
    .filter(([hint]) => annotations[hint as keyof typeof words])
    .map(([, word]) => word);
}

/** Whether a server whose word counts says that the tool changes nothing. Who contradicts itself does not. */
export function isHarmless({ readOnlyHint, destructiveHint }: Annotations = {}): boolean {
  return readOnlyHint === true && destructiveHint !== true;
}

/** For a person who is asked: a sentence that leaves no doubt whose word it is. */
export function hintLine(alias: string, annotations: Annotations = {}): string {
  const { readOnlyHint, destructiveHint } = annotations;
  const words = hintWords(annotations);
  if (destructiveHint === false && !readOnlyHint) words.unshift("not destructive");
  if (readOnlyHint || destructiveHint !== undefined) return `${alias} calls it ${words.join(", ")}`;
  const silent = "does not say whether it destroys anything";
  return words.length > 0
    ? `${alias} calls it ${words.join(", ")}, and ${silent}`
    : `${alias} ${silent}`;
}
