/** The search over all that is known of the user's servers, running or not. @module */
import type { ToolInfo } from "../protocol/types.ts";
import type { Registry } from "../registry/registry.ts";
import { type ToolIndex, toolIndex } from "../registry/search.ts";
import type { Table } from "../registry/table.ts";

/** An index is built once for a table; a table is made anew whenever something changed. */
const indexes = new WeakMap<Table, ToolIndex>();

export function menu(registry: Registry): ToolIndex {
  const known = indexes.get(registry.table);
  if (known) return known;
  const offered = new Map<string, ToolInfo[]>();
  for (const { ref, info, denied } of registry.table.entries.values()) {
    if (denied !== undefined) continue;
    const tools = offered.get(ref.alias);
    if (tools) tools.push(info);
    else offered.set(ref.alias, [info]);
  }
  const index = toolIndex(
    registry.servers().map(({ alias, description, reason, instructions }) => {
      const words = description ?? instructions;
      return {
        alias,
        tools: offered.get(alias) ?? [],
        ...(words !== undefined && { description: words }),
        ...(reason && { reason: reason.message }),
      };
    }),
  );
  indexes.set(registry.table, index);
  return index;
}
