/** The search over all that is known of the user's servers, running or not. @module */
import type { ToolInfo } from "../protocol/types.ts";
import type { Registry } from "../registry/registry.ts";
import { type ToolIndex, toolIndex } from "../registry/search.ts";

interface Known {
  index: ToolIndex;
  /** All that the index was built of: the table, and what is said of each server. */
  made: readonly unknown[];
}

const indexes = new WeakMap<Registry, Known>();

/** Built anew only when something that it is made of is another. */
export function menu(registry: Registry): ToolIndex {
  const servers = registry.servers();
  const made = [
    registry.table,
    ...servers.flatMap(({ state, reason, description, instructions }) => [
      state === "offline",
      reason,
      description ?? instructions,
    ]),
  ];
  const known = indexes.get(registry);
  if (known?.made.every((part, index) => part === made[index])) return known.index;
  const offered = new Map<string, ToolInfo[]>();
  for (const { ref, info, denied } of registry.table.entries.values()) {
    if (denied !== undefined) continue;
    const tools = offered.get(ref.alias);
    if (tools) tools.push(info);
    else offered.set(ref.alias, [info]);
  }
  const index = toolIndex(
    servers.map(({ alias, description, reason, instructions, state }) => {
      const words = description ?? instructions;
      return {
        alias,
        tools: offered.get(alias) ?? [],
        ...(words !== undefined && { description: words }),
        // Of an earlier run: it may be well by now, and a call will tell.
        ...(reason && { reason: `${state === "offline" ? "" : "last time: "}${reason.message}` }),
      };
    }),
  );
  indexes.set(registry, { index, made });
  return index;
}
