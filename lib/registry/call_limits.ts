/** Which limits a call and its result have, and which key of the configuration changes each. @module */
import type { CallOptions } from "../client/client.ts";
import type { Limits, ToolLimits } from "../config/config.ts";
import { matches } from "../kit/pattern.ts";

export type CallLimits = Pick<CallOptions, "idle" | "cap">;

/** Those of calls whose tool has none of its own. */
export function serverLimits(alias: string, { idleMs, capMs }: Limits): CallLimits {
  return {
    idle: { ms: idleMs, key: `--timeout or servers.${alias}.limits.idle` },
    cap: { ms: capMs, key: `servers.${alias}.limits.cap` },
  };
}

/** What the first pattern that means this tool says; what it does not say is the server's. */
export function toolLimits(
  tool: string,
  { alias, limits, toolLimits }: {
    alias: string;
    limits: Limits;
    toolLimits: readonly ToolLimits[];
  },
): CallLimits | undefined {
  const own = toolLimits.find(({ pattern }) => matches(pattern, tool));
  if (!own) return undefined;
  const key = (limit: "idle" | "cap", given: number | undefined) =>
    given === undefined
      ? `servers.${alias}.limits.${limit}`
      : `servers.${alias}.tools.limits.${own.pattern}.${limit}`;
  return {
    idle: { ms: own.idleMs ?? limits.idleMs, key: key("idle", own.idleMs) },
    cap: { ms: own.capMs ?? limits.capMs, key: key("cap", own.capMs) },
  };
}

/** How much text of a result the model is told, and the key that changes it. */
export function resultLimit(
  tool: string,
  { alias, limits, toolLimits }: {
    alias: string;
    limits: Limits;
    toolLimits: readonly ToolLimits[];
  },
): { chars: number; key: string } {
  const own = toolLimits.find(({ pattern }) => matches(pattern, tool));
  return own?.resultChars === undefined
    ? { chars: limits.resultChars, key: `servers.${alias}.limits.result` }
    : { chars: own.resultChars, key: `servers.${alias}.tools.limits.${own.pattern}.result` };
}
