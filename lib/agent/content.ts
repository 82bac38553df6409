/** A tool's result as the model is told it: cut to size, nothing said twice, nothing lost in silence. @module */
import { canonical, toJson } from "../kit/json.ts";
import { cut } from "../kit/printable.ts";
import { isObject } from "../protocol/codec.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Content } from "../protocol/types.ts";

/**
 * The parts a model is given, with at most `capLength` UTF-16 units of text in all. Structured content
 * is written out as JSON unless a text part says the same. Notes of ours come last.
 */
export function contentForModel(result: ToolResult, capLength: number): Content[] {
  const parts = result.content.map(readable);
  const { structuredContent, notes = [] } = result;
  if (structuredContent !== undefined && !saidAlready(parts, structuredContent)) {
    parts.push(text(toJson(structuredContent)));
  }
  if (parts.length === 0) parts.push(text("(the tool returned nothing)"));
  let left = capLength;
  const kept: Content[] = [];
  for (const part of parts) {
    if (part.type !== "text") {
      kept.push(part);
      continue;
    }
    const whole = String(part.text);
    const shown = cut(whole, left);
    left -= shown.length;
    kept.push(
      shown.length === whole.length ? part : text(
        `${shown}\n[… ${whole.length - shown.length} of ${whole.length} characters left out]`,
      ),
    );
  }
  return [...kept, ...notes.map((note) => text(`[note by fusebox: ${note}]`))];
}

/** Text as text; images and audio as they are, for model APIs that take them; the rest as words. */
function readable(part: Content): Content {
  switch (part.type) {
    case "text":
      return text(
        typeof part.text === "string" ? part.text.toWellFormed() : "(a text part without text)",
      );
    case "image":
    case "audio":
      return typeof part.data === "string" && typeof part.mimeType === "string"
        ? part
        : text(`(an ${part.type} part without data)`);
    case "resource":
      return readableResource(part.resource);
    case "resource_link":
      return text(`(a link to the resource ${said(part.uri)}${named(part.title ?? part.name)})`);
    default:
      return text(`(a part of unknown type ${JSON.stringify(part.type)})`);
  }
}

function readableResource(resource: unknown): Content {
  if (!isObject(resource)) return text("(a resource part without a resource)");
  const { uri, text: words, blob, mimeType } = resource;
  if (typeof words === "string") return text(`(resource ${said(uri)})\n${words.toWellFormed()}`);
  const size = typeof blob === "string" ? `${Math.floor(blob.length * 0.75)} bytes` : "no data";
  return text(`(resource ${said(uri)}, ${said(mimeType)}, ${size}, not shown)`);
}

function said(value: unknown): string {
  return typeof value === "string" ? value : "without a name";
}

function named(value: unknown): string {
  return typeof value === "string" ? `, "${value}"` : "";
}

function saidAlready(parts: readonly Content[], value: unknown): boolean {
  const canon = canonical(value);
  return parts.some((part) => {
    if (part.type !== "text") return false;
    try {
      return canonical(JSON.parse(String(part.text))) === canon;
    } catch {
      return part.text === value;
    }
  });
}

function text(text: string): Content {
  return { type: "text", text };
}
