/** What meta tools say: results of our own, in words a model can go on with. @module */
import { toJson } from "../kit/json.ts";
import { cut, printableLine } from "../kit/printable.ts";
import { TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { ToolInfo } from "../protocol/types.ts";
import type { Registry } from "../registry/registry.ts";
import { nearest } from "../kit/near.ts";

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

/** A tool with its whole schema, as far as that goes. */
export function described(name: string, info: ToolInfo): string {
  const words = info.description ?? info.title ?? "";
  return `${name}: ${cut(words, 4_000)}\nIts arguments: ${schemaOf(info)}`;
}

export function schemaOf(info: ToolInfo): string {
  return cut(toJson(info.inputSchema), MAX_SCHEMA);
}
