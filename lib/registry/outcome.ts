/** What a result comes to: in one word for whoever counts, and whether it keeps its tool's promise. @module */
import { TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Params } from "../protocol/types.ts";
import type { CallOutcome } from "./status.ts";

export function outcomeOf({ failure, isError }: ToolResult): CallOutcome {
  if (failure) return failure instanceof TransportError ? failure.fault : "refused";
  return isError ? "tool_error" : "ok";
}

/** The same result, with a note when `structuredContent` is not what the tool's schema promises. */
export async function checked(outputSchema: Params, result: ToolResult): Promise<ToolResult> {
  if (result.isError || result.structuredContent === undefined) return result;
  const { checkValue } = await import("../protocol/schema.ts");
  const verdict = checkValue(outputSchema, result.structuredContent);
  if (verdict.kind === "valid") return result;
  const note = verdict.kind === "invalid"
    ? `structuredContent does not match the tool's outputSchema: ${verdict.problems.join("; ")}`
    : `structuredContent was not checked: ${verdict.why}`;
  return { ...result, notes: [...result.notes ?? [], note] };
}
