/** Whether a tool is still the one we knew. @module */
import { canonical, isDeeper } from "../../kit/json.ts";
import type { ToolInfo } from "../../protocol/types.ts";
import { sha256 } from "./seal.ts";

/** A digest of all that a model or a check would see; the order of keys counts for nothing. */
export function toolHash(info: ToolInfo): Promise<string> {
  const { name, title, description, inputSchema, outputSchema, annotations } = info;
  return sha256(
    canonical({ name, title, description, inputSchema, outputSchema, annotations }),
  );
}

/** Deeper, what is deepest may be left out of a digest, and two tools would pass for one. */
const DEEPEST = 500;

/** Whether a tool is nested too deep to be told from others like it. */
export function isTooDeep(info: ToolInfo): boolean {
  return isDeeper(info, DEEPEST);
}

/** Raw names, each list in the order of the list it is from. */
export interface Changes {
  added: readonly string[];
  removed: readonly string[];
  changed: readonly string[];
}

/** What a live list holds that is not what was remembered. */
export async function changesOf(
  known: ReadonlyMap<string, string>,
  live: readonly ToolInfo[],
): Promise<Changes> {
  const hashes = await Promise.all(live.map(toolHash));
  const names = new Set(live.map(({ name }) => name));
  return {
    added: live.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    removed: [...known.keys()].filter((name) => !names.has(name)),
    changed: live
      .filter(({ name }, at) => known.has(name) && known.get(name) !== hashes[at])
      .map(({ name }) => name),
  };
}
