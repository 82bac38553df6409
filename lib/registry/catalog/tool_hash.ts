/** Whether a tool is still the one we knew. @module */
import { canonical, isDeeper } from "../../kit/json.ts";
import type { ToolInfo } from "../../protocol/types.ts";
import { sha256 } from "./seal.ts";

/** Pins and catalogue ask for the same tools: nobody changes one after it was read. */
const known = new WeakMap<ToolInfo, Promise<string>>();

/** A digest of all that a model or a check would see; the order of keys counts for nothing. */
export function toolHash(info: ToolInfo): Promise<string> {
  const hash = known.get(info) ?? hashOf(info);
  known.set(info, hash);
  return hash;
}

function hashOf(info: ToolInfo): Promise<string> {
  const { name, title, description, inputSchema, outputSchema, annotations } = info;
  return sha256(
    canonical({ name, title, description, inputSchema, outputSchema, annotations }),
  );
}

/** Deeper, what is deepest may be left out of a digest, and two tools would pass for one. */
export const DEEPEST = 500;

/** Whether a tool is nested too deep to be told from others like it. */
export function isTooDeep(info: ToolInfo): boolean {
  return isDeeper(info, DEEPEST);
}
