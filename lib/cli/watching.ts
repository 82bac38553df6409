/** What a command shows of its servers while they run: all of it only with `--verbose`. @module */
import type { Watchers } from "./household.ts";
import type { Registry } from "../registry/registry.ts";
import type { ServerStatus } from "../registry/status.ts";
import { late } from "./absence.ts";
import { type Screen, stateLine } from "./screen.ts";

/** Both are told of all that happens, the first one first. */
export function both(one: Watchers, other: Watchers | undefined): Watchers {
  if (!other) return one;
  const merged: Record<string, (...told: unknown[]) => void> = {};
  for (const [name, told] of [...Object.entries(one), ...Object.entries(other)]) {
    const before = merged[name];
    merged[name] = before ? (...all) => (before(...all), told(...all)) : told;
  }
  return merged;
}

/** `listsHeld`: the command itself says what is held back, so nobody need say it before. */
export function watching(screen: Screen, { listsHeld = false } = {}): Watchers {
  const lineOf = stateLines();
  return {
    onStderr: (alias, line) => screen.stderr(alias, line),
    onNoise: (alias, line) => screen.noise(alias, line),
    onPins: ({ kind, line }) => {
      if (kind === "detail" || (kind === "held" && listsHeld)) screen.detail(line);
      else screen.say(line, "yellow");
    },
    onChange: (status) => screen.detail(lineOf(status)),
  };
}

/** {@linkcode stateLine}, but who fails time and again for the same reason says it once. */
export function stateLines(): (status: ServerStatus) => string {
  const told = new Map<string, string>();
  return (status) => {
    const { alias, state } = status;
    const line = stateLine(status);
    if (state !== "offline") return line;
    if (told.get(alias) === line) return `${alias}: offline as before`;
    told.set(alias, line);
    return line;
  };
}

/** Who is waited for, in few words. */
export function attaching(registry: Registry): () => string {
  return () => {
    const waited = late(registry);
    const names = waited.slice(0, 3).map(({ alias }) => alias).join(", ");
    const more = waited.length - 3;
    return `attaching ${names || "servers"}${more > 0 ? ` and ${more} more` : ""}`;
  };
}
