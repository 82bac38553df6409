/** What a result says in text, for people and for stdout. @module */
import { toJson } from "../kit/json.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Content } from "../protocol/types.ts";

/** All that a result says in text. */
export function textOf(result: ToolResult): string {
  const texts = result.content.map(saidIn).filter((text) => text !== undefined);
  if (texts.length > 0) return texts.join("\n");
  return result.structuredContent === undefined ? "" : toJson(result.structuredContent);
}

/** The text of a part that is or holds one. */
export function saidIn({ type, text, resource }: Content): string | undefined {
  if (type === "text") return typeof text === "string" ? text : undefined;
  if (type !== "resource" || typeof resource !== "object" || resource === null) return undefined;
  return "text" in resource && typeof resource.text === "string" ? resource.text : undefined;
}
