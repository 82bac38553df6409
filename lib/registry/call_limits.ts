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

/** Of one server, and of its tools by pattern. */
interface OfServer {
  alias: string;
  limits: Limits;
  toolLimits: readonly ToolLimits[];
}

/** Its very name beats patterns, wherever it stands; of those the first that means it counts. */
function ownLimits(tool: string, { toolLimits }: OfServer): ToolLimits | undefined {
  return toolLimits.find(({ pattern }) => pattern === tool) ??
    toolLimits.find(({ pattern }) => matches(pattern, tool));
}

/** What a tool has of its own; what is not said there is the server's. */
export function toolLimits(tool: string, server: OfServer): CallLimits | undefined {
  const { alias, limits } = server;
  const own = ownLimits(tool, server);
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
export function resultLimit(tool: string, server: OfServer): { chars: number; key: string } {
  const { alias, limits } = server;
  const own = ownLimits(tool, server);
  return own?.resultChars === undefined
    ? { chars: limits.resultChars, key: `servers.${alias}.limits.result` }
    : { chars: own.resultChars, key: `servers.${alias}.tools.limits.${own.pattern}.result` };
}
