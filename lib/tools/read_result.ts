/** The tool that reads on in results that were cut: of this run alone, and never a file by its path. @module */
import type { ToolSpec } from "../models/model.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Params } from "../protocol/types.ts";
import type { KeptResults } from "./kept.ts";
import { refuses } from "./words.ts";

const text = (description: string) => ({ type: "string", description });
const number = (description: string) => ({ type: "integer", description });

/** Constant, like all meta tools. */
export const READ_RESULT: ToolSpec = {
  name: "read_result",
  description: "Read on in a result that was cut, page by page, or find a text in it.",
  inputSchema: {
    type: "object",
    properties: {
      result: text("Its name, as the note beside it says"),
      offset: number("Character to begin at"),
      line: number("Line to begin at"),
      search: text("Text to find"),
    },
    required: ["result"],
  },
};

/** @param args in the words of {@linkcode READ_RESULT}; a model's, so of any type */
export async function readResult(
  { result, offset, line, search }: Params,
  kept: KeptResults | undefined,
): Promise<ToolResult> {
  return await kept?.read({ result, offset, line, search }) ?? refuses("No result is kept here.");
}
