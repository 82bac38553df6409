/** A name that leads to no server: what may have been meant by it. @module */
import { nearest } from "../kit/near.ts";
import { UsageError } from "../kit/usage.ts";
import type { ToolRef } from "../registry/names.ts";

/** `known` are tools of servers that were met before: nothing is started for the sake of a typo. */
export function unaddressed(
  name: string,
  aliases: readonly string[],
  known: readonly ToolRef[],
): UsageError {
  if (aliases.includes(name)) {
    return new UsageError(`Cannot call "${name}": it is a server, and no tool of it is named`, {
      hint: `fusebox tools ${name} lists them`,
    });
  }
  const meant = known.filter(({ tool }) => tool === name).map(({ alias }) => `${alias}.${name}`);
  // As others write it: alias:tool, alias/tool, alias__tool.
  const [, server = "", tool = ""] = /^(?:mcp__)?([^.:/]+?)(?:[.:/]|__)(.+)$/s.exec(name) ?? [];
  const [near] = aliases.includes(server) ? [server] : nearest(server, aliases, 1);
  if (near !== undefined) meant.push(`${near}.${tool}`);
  return new UsageError(`Cannot call "${name}": it names no configured server`, {
    hint: meant.length > 0
      ? `Did you mean ${meant.slice(0, 3).join(" or ")}?`
      : `Write alias.tool; the servers are: ${aliases.join(", ") || "none"}`,
  });
}
