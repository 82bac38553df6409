/** Servers that are not to be had just now, as all commands tell of them. @module */
import { formatDuration } from "../kit/duration.ts";
import type { ReasonCode } from "../protocol/errors.ts";
import type { Registry } from "../registry/registry.ts";
import type { Reason, ServerStatus } from "../registry/status.ts";

/** As JSON shows it. */
export interface Offline {
  alias: string;
  reason: ReasonCode;
  message: string;
}

/** Those that failed, and not those that the configuration has switched off. */
export function offline(registry: Registry): { alias: string; reason: Reason }[] {
  return registry.servers().flatMap(({ alias, state, reason }) =>
    state === "offline" && reason && reason.code !== "disabled" ? [{ alias, reason }] : []
  );
}

/** Those that are being started: once the start budget is over, they are late, and still may come. */
export function late(registry: Registry): readonly ServerStatus[] {
  return registry.servers().filter(({ state }) => state === "attaching");
}

export function lateLine(alias: string, budgetMs: number): string {
  return `${alias}: not ready after ${formatDuration(budgetMs)} (limits.start)`;
}

/** For `--json`: both, by name. */
export function absentReport(registry: Registry): { offline: Offline[]; late: string[] } {
  return {
    offline: offline(registry).map(({ alias, reason: { code, message } }) => ({
      alias,
      reason: code,
      message,
    })),
    late: late(registry).map(({ alias }) => alias),
  };
}
