/** What a command shows of its servers while they run: all of it only with `--verbose`. @module */
import type { Watchers } from "./household.ts";
import { type Screen, stateLine } from "./screen.ts";

/** `listsHeld`: the command itself says what is held back, so nobody need say it before. */
export function watching(screen: Screen, { listsHeld = false } = {}): Watchers {
  return {
    onStderr: (alias, line) => screen.stderr(alias, line),
    onNoise: (alias, line) => screen.noise(alias, line),
    onPins: ({ kind, line }) => {
      if (kind === "detail" || (kind === "held" && listsHeld)) screen.detail(line);
      else screen.say(line, "yellow");
    },
    onChange: (status) => screen.detail(stateLine(status)),
  };
}
