/** Which mode a run is in: as the user says, else by how much the definitions would take. @module */
import { DEFAULT_FORWARD_ABOVE, type Mode } from "../config/config.ts";
import { prefixTokens } from "../models/budget.ts";
import type { Registry } from "../registry/registry.ts";
import { toSpec } from "../tools/full.ts";
import type { Mind } from "./minds.ts";
import { count, type Screen } from "./screen.ts";

export interface Chosen {
  mode: Exclude<Mode, "auto">;
  /** Servers are started when they are wanted, and not before. */
  lazily: boolean;
}

/**
 * `auto` is full, unless what is known of the servers' tools takes more than `percent` of the model's
 * window, or more tools than its API takes: then forward, with a line that says so.
 */
export function chooseMode(
  mode: Mode,
  registry: Registry,
  mind: Mind,
  screen: Screen,
  percent = DEFAULT_FORWARD_ABOVE,
): Chosen {
  if (mode !== "auto") return { mode, lazily: mode !== "full" };
  const specs = [...registry.table.entries.values()]
    .filter(({ denied }) => denied === undefined)
    .map(toSpec);
  const tokens = prefixTokens("", specs);
  const room = mind.window === undefined ? Infinity : mind.window * percent / 100;
  const most = mind.maxTools ?? Infinity;
  if (tokens <= room && specs.length <= most) return { mode: "full", lazily: false };
  const why = tokens > room
    ? `about ${tokens} tokens, over ${percent} % of the model's ${mind.window}`
    : `more than the ${most} that the model's API takes`;
  screen.say(
    `${count(specs.length, "tool")} are ${why}: offering one (--mode full offers all)`,
    "dim",
  );
  return { mode: "forward", lazily: true };
}
