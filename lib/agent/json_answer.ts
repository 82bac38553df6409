/** An answer that has to be JSON: asked for, checked, and asked for once more. @module */
import { toJson } from "../kit/json.ts";
import { checkValue } from "../protocol/schema.ts";
import type { Params } from "../protocol/types.ts";

/** What the model is told beside the prompt; also where its API knows such answers, for it does no harm. */
export function jsonDemand(schema: Params): string {
  return `Answer with one JSON value that is valid for this JSON Schema, and with nothing else:\n` +
    toJson(schema);
}

export type JsonAnswer = { text: string } | { why: string };

/** The JSON in an answer, without a fence around it; or why it is none, or not valid for the schema. */
export function readJsonAnswer(answer: string, schema: Params): JsonAnswer {
  const text = (/^\s*```\w*\s*\n([\s\S]*?)\n\s*```\s*$/.exec(answer)?.[1] ?? answer).trim();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { why: `it is no JSON: ${(error as Error).message}` };
  }
  const verdict = checkValue(schema, value);
  if (verdict.kind === "invalid") return { why: verdict.problems.join("; ") };
  // A schema of the user's that can't be checked is told of before the run begins.
  return { text };
}

/** The one reminder that a model gets. */
export function jsonReminder(why: string): string {
  return `That answer is not valid: ${why}. Answer again, with the JSON alone.`;
}
