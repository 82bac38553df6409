/** Whether a run can do its work with the servers it has. @module */
import type { ServerStatus } from "../registry/status.ts";

export interface Readiness {
  ready: boolean;
  /** Why it is not, a line each; aliases and words of ours. */
  why: readonly string[];
}

/** Not ready is who has no usable server at all, or lacks a `required` one. */
export function readiness(servers: readonly ServerStatus[]): Readiness {
  const missing = servers
    .filter((server) => server.required && !isUsable(server))
    .map(({ alias, reason, state }) => `${alias} is required and ${reason?.code ?? state}`);
  const none = servers.some(isUsable) ? [] : ["no server is usable"];
  const why = [...none, ...missing];
  return { ready: why.length === 0, why };
}

/** A call would go through: it is there, or is started when it is wanted, and its fuse lets it pass. */
export function isUsable({ state, fuse }: ServerStatus): boolean {
  const passes = fuse.state === "closed" || fuse.state === "probation";
  return passes && (state === "online" || state === "idle");
}
