/** How a run tells its results: within the limits of its configuration, with the folders that it may fill. @module */
import { MediaSaver } from "../agent/saver.ts";
import type { Telling, TextLimit } from "../agent/tell.ts";
import type { Config } from "../config/config.ts";
import { UsageError } from "../kit/usage.ts";
import { resultLimit } from "../registry/call_limits.ts";
import { KeptResults } from "../tools/kept.ts";
import type { Target } from "../tools/tool.ts";
import type { Args } from "./args.ts";
import type { World } from "./world.ts";

/** Of the model's window, what the results of one turn may take: two letters of four a token. */
const CHARS_PER_TOKEN = 2;
const PAGE_CHARS = 20_000;

/** What was too long in this run, and is read on page by page. */
export function keptResults({ limits }: Config, world: World): KeptResults {
  // A page that is cut would be kept in its turn.
  const pageChars = Math.min(PAGE_CHARS, limits.resultChars);
  return new KeptResults(() => world.openSpill(), {
    pageChars,
    hide: (text) => world.secrets.hide(text),
  });
}

/** The folder of `--save-media`. @throws {UsageError} where there is none */
export async function openSaver(args: Args, world: World): Promise<MediaSaver | undefined> {
  const path = args.saveMedia;
  if (path === undefined) return undefined;
  const cannot = `Cannot save media in ${path}: `;
  const folder = await world.openFolder(path).catch((error) => {
    throw new UsageError(cannot + (error as Error).message);
  });
  if (folder) return new MediaSaver(folder);
  throw new UsageError(`${cannot}no such folder`, { hint: `mkdir ${path} makes it` });
}

export function tellingOf(
  { servers, limits }: Config,
  window: number | undefined,
  kept: KeptResults,
  saver: MediaSaver | undefined,
): Telling {
  const ofAll: TextLimit = { chars: limits.resultChars, key: "limits.result" };
  const room = window === undefined ? Infinity : window * CHARS_PER_TOKEN;
  return {
    limitOf(target: Target | undefined) {
      const { alias, tool } = target?.ref ?? {};
      const server = servers.find((it) => it.alias === alias);
      if (!server || tool === undefined) return ofAll;
      const { limits, tools } = server;
      return resultLimit(tool, { alias: server.alias, limits, toolLimits: tools.limits });
    },
    turn: room < limits.resultsChars
      ? { chars: room, key: `the model's window of ${window} tokens` }
      : { chars: limits.resultsChars, key: "limits.results" },
    kept,
    ...(saver && { saver }),
  };
}
