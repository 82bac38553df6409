/** What a part of a message is to a model API: words, or bytes that it may not take. @module */
import { formatBytes } from "../../kit/size.ts";
import { isObject } from "../../protocol/codec.ts";
import type { Content, Params } from "../../protocol/types.ts";
import type { UseResult } from "../model.ts";

export interface Bytes {
  kind: "image" | "audio" | "document";
  /** Lower case, without parameters. */
  mimeType: string;
  /** Base64, without white space. */
  data: string;
  /** The last part of its URI, where it has one. */
  name?: string;
}

export type Medium = { kind: "text"; text: string } | Bytes;

/** Attachments and results are read alike; what is neither words nor bytes is said in words. */
export function mediumOf(part: Content): Medium {
  switch (part.type) {
    case "text":
      return words(typeof part.text === "string" ? part.text : "");
    case "image":
    case "audio":
      return bytes(part.data, part.mimeType) ?? words(`(an ${part.type} part without data)`);
    case "resource":
      return resourceOf(part.resource);
    default:
      return words(`(a part of type ${JSON.stringify(part.type)}, not shown)`);
  }
}

/** What stands where the bytes would: `image/png, 12 kB`. Nobody is fed Base64 as text. */
export function described({ mimeType, data, name }: Bytes): string {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const size = formatBytes(Math.floor(data.length * 0.75) - padding);
  return `${name === undefined ? "" : `${name}, `}${mimeType}, ${size}`;
}

export function dataUrl({ mimeType, data }: Bytes): string {
  return `data:${mimeType};base64,${data}`;
}

/** How an API writes words and bytes; `take` gives undefined for bytes that it does not take. */
export interface PartWriter {
  words(text: string): Params;
  take(bytes: Bytes): Params | undefined;
}

/** What a user attached, as parts of a message. Bytes that the API does not take are named. */
export function attachedParts(
  parts: readonly Content[],
  { words, take }: PartWriter,
  note?: (line: string) => void,
): Params[] {
  return parts.map((part) => {
    const medium = mediumOf(part);
    if (medium.kind === "text") return words(medium.text);
    const taken = take(medium);
    if (taken) return taken;
    note?.(`The model API does not take the attachment (${described(medium)}); it is only named`);
    return words(`(attached: ${described(medium)}; not shown)`);
  });
}

/** The text of a result. Bytes are named in their place; those that `take` takes are shown beside it. */
export function resultText(
  { name, content }: UseResult,
  take: (bytes: Bytes) => boolean,
  note?: (line: string) => void,
): string {
  const said = content.map((part) => {
    const medium = mediumOf(part);
    if (medium.kind === "text") return medium.text;
    if (take(medium)) return `(${described(medium)}; shown separately)`;
    note?.(
      `The model API does not take what ${name} gave (${described(medium)}); it is only named`,
    );
    return `(${described(medium)}; not shown)`;
  });
  return said.filter((text) => text !== "").join("\n") || "(the tool returned nothing)";
}

/** The text of a result for an API that has no flag for errors. */
export function flagged(text: string, isError: boolean): string {
  return isError && !text.startsWith("Error:") ? `Error: ${text}` : text;
}

function resourceOf(resource: unknown): Medium {
  if (!isObject(resource)) return words("(a resource part without a resource)");
  const { uri, text, blob, mimeType } = resource;
  const from = typeof uri === "string" ? uri : "without a name";
  if (typeof text === "string") return words(`(resource ${from})\n${text}`);
  const name = from.split(/[/\\]/).findLast((piece) => piece !== "");
  return bytes(blob, mimeType ?? "application/octet-stream", name) ??
    words(`(resource ${from}, without data)`);
}

function bytes(data: unknown, type: unknown, name?: string): Bytes | undefined {
  if (typeof data !== "string" || typeof type !== "string") return undefined;
  const plain = type.split(";")[0]!.trim().toLowerCase();
  const mimeType = plain === "image/jpg" ? "image/jpeg" : plain;
  const kind = mimeType.startsWith("image/")
    ? "image"
    : mimeType.startsWith("audio/")
    ? "audio"
    : "document";
  return { kind, mimeType, data: data.replace(/\s+/g, ""), ...(name !== undefined && { name }) };
}

function words(text: string): Medium {
  return { kind: "text", text };
}
