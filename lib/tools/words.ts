/** What meta tools say: results of our own, in words a model can go on with. @module */
import { toJson } from "../kit/json.ts";
import { cut, printableLine } from "../kit/printable.ts";
import { TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { ToolInfo } from "../protocol/types.ts";
import type { Registry } from "../registry/registry.ts";
import { firstSentence } from "../registry/search/sentence.ts";
import { signature } from "../registry/search/signature.ts";
import type { Entry } from "../registry/table.ts";
import { nearest } from "../kit/near.ts";
import { withCommas } from "../kit/size.ts";
import { offeredSchema, offeredWords } from "./offered.ts";
import type { RunOptions } from "./tool.ts";

const MAX_SCHEMA = 8_000;

export function says(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: false };
}

export function refuses(text: string, failure?: Error): ToolResult {
  return { content: [{ type: "text", text }], isError: true, ...(failure && { failure }) };
}

/** A server that nobody configured: the model names aliases, never commands. */
export function unknownServer(registry: Registry, alias: string): ToolResult {
  const aliases = registry.servers().map((server) => server.alias);
  const near = nearest(alias, aliases);
  const known = near.length > 0
    ? `Near it: ${near.join(", ")}.`
    : `There are: ${aliases.join(", ")}.`;
  return refuses(`No server is called "${printableLine(alias, 60)}". ${known}`);
}

export function unavailable(alias: string, error: TransportError): ToolResult {
  return refuses(`${error.message}. Go on without "${alias}", or try again later.`, error);
}

/**
 * The entry, where it is what was approved; else what the model is told. A tool may become known
 * between the question and the call: then nobody was asked about it.
 */
export function unapproved(entry: Entry, approved: RunOptions["approved"]): ToolResult | undefined {
  const { alias, tool } = entry.ref;
  if (approved === undefined) return undefined;
  if (approved !== "nothing" && approved.alias === alias && approved.tool === tool) {
    return undefined;
  }
  return refuses(
    `The server "${alias}" was started to see what it has. Nothing was run yet: call it again. ` +
      described(entry),
  );
}

/** A tool on one line: its name, its parameters, its first sentence. */
export function toolLine(name: string, info: ToolInfo): string {
  const said = firstSentence(info.description || info.title || "", 140);
  return `${name}(${signature(info)})${said && ` – ${said}`}`;
}

/** A tool with its whole schema, as far as that goes. */
export function described({ name, info, descriptionChars }: Entry): string {
  const { text, left } = offeredWords(info, descriptionChars);
  return `${name}: ${text}${leftOut(left)}\nIts arguments: ${schemaOf(info)}`;
}

export function schemaOf(info: ToolInfo): string {
  const whole = toJson(offeredSchema(info.inputSchema));
  const shown = cut(whole, MAX_SCHEMA);
  return shown + leftOut(whole.length - shown.length);
}

function leftOut(characters: number): string {
  return characters > 0 ? ` (… ${withCommas(characters)} characters are left out)` : "";
}
