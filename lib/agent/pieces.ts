/** A tool's result as pieces that a model can be told: words without what hides in them, and media. @module */
import { isDeeper, toJson } from "../kit/json.ts";
import { legible } from "../kit/legible.ts";
import { type Media, readMedia } from "../kit/media.ts";
import { printableLine } from "../kit/printable.ts";
import { formatBytes } from "../kit/size.ts";
import { isObject } from "../protocol/codec.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Content } from "../protocol/types.ts";
import { saysTheSame } from "./same.ts";

export type Piece =
  | { kind: "text"; text: string }
  /** `name` is where it comes from, where that was said. */
  | { kind: "media"; media: Media; name?: string };

export interface Pieces {
  pieces: Piece[];
  /** Characters that were taken out because they hide from the eye. */
  hidden: number;
}

/** Nothing is said twice, nothing is lost in silence, and no Base64 passes for words. */
export function piecesOf({ content, structuredContent }: ToolResult): Pieces {
  const pieces = content.map(pieceOf);
  if (structuredContent !== undefined) {
    const texts = pieces.flatMap((piece) => piece.kind === "text" ? [piece.text] : []);
    if (!saysTheSame(texts, structuredContent)) {
      pieces.push(words(toJson(withoutMedia(structuredContent))));
    }
  }
  let hidden = 0;
  const clean = pieces.map((piece): Piece => {
    if (piece.kind !== "text") return piece;
    const read = legible(piece.text);
    hidden += read.hidden;
    return words(read.text);
  });
  return { pieces: clean.length > 0 ? clean : [words("(the tool returned nothing)")], hidden };
}

/** What stands in the place of media, in brackets: `image/png, 12 kB`, and what became of it. */
export function stubOf({ media, name }: Piece & { kind: "media" }, ...more: string[]): string {
  const said = name === undefined ? [] : [line(name)];
  return `(${[...said, media.mimeType, formatBytes(media.bytes.length)].join(", ")}${
    more.map((each) => `; ${each}`).join("")
  })`;
}

/** One part, as it came: what hides in its words is still in it. */
export function pieceOf(part: Content): Piece {
  switch (part.type) {
    case "text":
      return words(typeof part.text === "string" ? part.text : "(a text part without text)");
    case "image":
    case "audio":
      return typeof part.data === "string"
        ? mediaOr(part.data, part.mimeType)
        : words(`(an ${part.type} part without data)`);
    case "resource":
      return resourceOf(part.resource);
    case "resource_link": {
      const name = part.title ?? part.name;
      const named = typeof name === "string" ? `, "${line(name)}"` : "";
      return words(`(a link to the resource ${said(part.uri)}${named})`);
    }
    default:
      return words(`(a part of unknown type "${line(part.type, 40)}")`);
  }
}

function resourceOf(resource: unknown): Piece {
  if (!isObject(resource)) return words("(a resource part without a resource)");
  const { uri, text, blob, mimeType } = resource;
  if (typeof text === "string") return words(`(resource ${said(uri)})\n${text}`);
  if (typeof blob !== "string") return words(`(resource ${said(uri)}, without data)`);
  return mediaOr(blob, mimeType, typeof uri === "string" ? `resource ${uri}` : "a resource");
}

function mediaOr(data: string, type: unknown, name?: string): Piece {
  const media = readMedia(data, type);
  if ("bytes" in media) return { kind: "media", media, ...(name !== undefined && { name }) };
  const from = name === undefined ? "" : `${line(name)}, `;
  return words(`(${from}${media.mimeType}: not shown, for ${media.why})`);
}

/** Servers write parts of content into structured content too: their bytes are no words there either. */
function withoutMedia(value: unknown): unknown {
  return isDeeper(value, 100) ? value : stubbed(value);
}

function stubbed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stubbed);
  if (!isObject(value)) return value;
  const holds = value.type === "image" || value.type === "audio"
    ? "data"
    : typeof value.uri === "string"
    ? "blob"
    : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key === holds && typeof each === "string"
        ? `(${formatBytes(Math.floor(each.length * 0.75))}, not shown)`
        : stubbed(each),
    ]),
  );
}

function said(value: unknown): string {
  return typeof value === "string" ? line(value) : "without a name";
}

function line(text: string, max = 200): string {
  return printableLine(text, max);
}

function words(text: string): Piece & { kind: "text" } {
  return { kind: "text", text };
}
