/** What a model says in a scene, and how what came of it is read. @module */
import assert from "node:assert/strict";
import type { Body, Format, Refusal } from "./models_formats.ts";
import type { Seen } from "./models_play.ts";

/** What every turn says to have cost. */
const COST = { input_tokens: 100, output_tokens: 10, prompt_tokens: 100, completion_tokens: 10 };

export interface Call {
  name: string;
  /** As the model writes them. */
  arguments: string;
}

export function say(content: string, more: object = {}): Body {
  return { content, usage: COST, ...more };
}

export function call(tool: string, args: object | string = {}): Call {
  const name = `mcp__${tool.replace(".", "__")}`;
  return { name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

export function use(calls: readonly Call[], more: object = {}): Body {
  const toolCalls = calls.map((each, at) => ({ id: `call_${at}_${each.name.length}`, ...each }));
  return { toolCalls, usage: COST, ...more };
}

export function refuse({ status, error }: Refusal, retryAfter?: number): Body {
  return { error, status, ...(retryAfter !== undefined && { retryAfter }) };
}

export const SEARCH = call("notes.search", { query: "Lisbon" });
export const ANSWER = "Lisbon won the vote.";

/** What the model asked for, and whether it was told no. */
export function called({ report }: Seen): unknown[] {
  return report.calls.map(({ alias, tool, arguments: args, isError }: Body) => [
    `${alias}.${tool}`,
    args,
    isError ? "error" : "ok",
  ]);
}

export function answered(seen: Seen, answer: string, turns: number): void {
  const { report } = seen;
  assert.deepEqual([report.ending, report.answer], ["answered", answer]);
  assert.equal(report.steps, turns);
  costs(seen, turns);
}

export function costs({ report }: Seen, turns: number): void {
  assert.deepEqual(report.usage, {
    input: 100 * turns,
    output: 10 * turns,
    cachedInput: 0,
    cacheWrite: 0,
  });
}

/** The results that the model was told with a request. */
export function told({ format, sent }: Seen, request: number): ReturnType<Format["results"]> {
  return format.results(sent[request]!.body);
}

/** It went wrong at the API: a sentence, a hint, and nothing on stdout. */
export function failedWith(
  { result: { stdout, stderr } }: Seen,
  sentence: RegExp,
  hint?: RegExp,
): void {
  assert.equal(stdout, "");
  const at = stderr.indexOf("fusebox: ");
  const [said = "", advice, ...more] = stderr.slice(at).trimEnd().split("\n");
  assert.match(said, sentence);
  if (hint) assert.match(advice ?? "", hint);
  else assert.equal(advice, undefined);
  assert.deepEqual(more, []);
}
