/** Full mode: the model is shown every tool of every server. @module */
import { noteByUs } from "../kit/note.ts";
import { withCommas } from "../kit/size.ts";
import type { ToolSpec, ToolUse } from "../models/model.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Registry } from "../registry/registry.ts";
import type { Entry } from "../registry/table.ts";
import type { KeptResults } from "./kept.ts";
import { offeredSchema, offeredWords } from "./offered.ts";
import { READ_RESULT, readResult } from "./read_result.ts";
import type { RunOptions, Target, Toolbox } from "./tool.ts";
import { unapproved } from "./words.ts";

export function fullToolbox(registry: Registry, kept?: KeptResults): Toolbox {
  /** By public name. A `Map` keeps the order in which names came, and that is the order on the wire. */
  const shown = new Map<string, ToolSpec>();
  grow();

  /** New names go to the end; bytes that a model has seen never move and never change. */
  function grow(): void {
    for (const entry of registry.table.entries.values()) {
      if (entry.denied === undefined && !shown.has(entry.name)) {
        shown.set(entry.name, toSpec(entry));
      }
    }
    // Of no use before, and paid for with every request.
    if (kept?.isEmpty === false) shown.set(READ_RESULT.name, READ_RESULT);
  }

  return {
    specs: () => [...shown.values()],
    async refresh(signal?: AbortSignal): Promise<void> {
      await registry.refresh(signal);
      grow();
    },
    target: (use: ToolUse) => {
      const entry = registry.find(use.name);
      return entry && toTarget(entry);
    },
    run: (use, options) =>
      use.name === READ_RESULT.name
        ? readResult(use.args, kept)
        : callApproved(registry, use, options),
  };
}

/** Runs a use by its public name, if that is what was approved. */
export async function callApproved(
  registry: Registry,
  use: ToolUse,
  { approved, ...options }: RunOptions,
): Promise<ToolResult> {
  const entry = registry.find(use.name);
  const refused = entry && entry.denied === undefined && unapproved(entry, approved);
  return refused || await registry.call(use.name, use.args, options);
}

/** The description says where the tool comes from, and is otherwise the server's own, as far as it goes. */
export function toSpec({ name, ref, info, descriptionChars }: Entry): ToolSpec {
  const { text, left } = offeredWords(info, descriptionChars);
  const key = `servers.${ref.alias}.limits.description`;
  const note = noteByUs(`${withCommas(left)} characters are left out (${key} changes that)`);
  return {
    name,
    description: `[from ${ref.alias}] ${text}${left > 0 ? `\n${note}` : ""}`,
    inputSchema: offeredSchema(info.inputSchema),
  };
}

export function toTarget({ ref, info }: Entry): Target {
  const title = info.title ?? info.annotations?.title;
  return {
    ref,
    ...(title !== undefined && { title }),
    ...(info.annotations && { annotations: info.annotations }),
  };
}
