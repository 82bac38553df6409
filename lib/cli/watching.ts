/** What a command shows of its servers while they run: all of it only with `--verbose`. @module */
import type { Watchers } from "./household.ts";
import { type Screen, stateLine } from "./screen.ts";

export function watching(screen: Screen): Watchers {
  return {
    onStderr: (alias, line) => screen.stderr(alias, line),
    onNoise: (alias, line) => screen.noise(alias, line),
    onChange: (status) => screen.detail(stateLine(status)),
  };
}
