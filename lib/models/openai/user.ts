/** What a user said and attached, as both of OpenAI's formats write it. @module */
import type { Params } from "../../protocol/types.ts";
import { attachedParts, type PartWriter } from "../format/media.ts";
import type { Message } from "../model.ts";

/** Without attachments the content is plain text: some servers read nothing else. */
export function userMessage(
  { text, parts = [] }: Message & { role: "user" },
  writer: PartWriter,
  note?: (line: string) => void,
): Params {
  if (parts.length === 0) return { role: "user", content: text };
  const written = attachedParts(parts, writer, note);
  return { role: "user", content: text === "" ? written : [writer.words(text), ...written] };
}
