/** Scenes between a model and two servers: what it says, what has to come of it. @module */
import type { Scene } from "./models_play.ts";
import { REASONING, TEXT, TOOLS } from "./models_scenes_talk.ts";
import { CONTINUED, PATIENCE, REFUSED } from "./models_scenes_trouble.ts";
import { WITH } from "./models_scenes_with.ts";

export const SCENES: readonly Scene[] = [
  ...TEXT,
  ...TOOLS,
  ...REASONING,
  ...PATIENCE,
  ...CONTINUED,
  ...REFUSED,
  ...WITH,
];
