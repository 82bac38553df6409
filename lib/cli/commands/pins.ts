/** `fusebox pins`: what is pinned of servers, what waits to be looked at, and the word that lets it in. @module */
import type { Config, ServerConfig } from "../../config/config.ts";
import { nearest } from "../../kit/near.ts";
import { matches, parseToolPattern } from "../../kit/pattern.ts";
import { printableLine, visible } from "../../kit/printable.ts";
import { UsageError } from "../../kit/usage.ts";
import { accept } from "../../registry/pins.ts";
import { pinKey } from "../../registry/pins/identity.ts";
import { reset } from "../../registry/pins/record.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { isPinned } from "../household.ts";
import { PinFiles, type Reading } from "../pin_files.ts";
import { diffLines, waitingOf } from "../pin_report.ts";
import { type Colour, coloured, columns, count, paint, Screen } from "../screen.ts";
import { needState } from "../state.ts";
import type { World } from "../world.ts";

const ACTIONS = ["list", "accept", "reset"] as const;

/** A configured server, with what is kept of it. */
interface Kept {
  server: ServerConfig;
  key: string;
  reading: Reading;
}

interface Desk {
  args: Args;
  world: World;
  screen: Screen;
  files: PinFiles;
  config: Config;
  kept: readonly Kept[];
}

/** Starts nothing: it shows what was seen last. @returns 0 */
export async function pinsCommand(args: Args, world: World): Promise<number> {
  const [word = "list", ...words] = args.words;
  const action = ACTIONS.find((each) => each === word);
  if (!action || (action === "list" && words.length > 0)) {
    throw new UsageError(`Cannot run "fusebox pins ${args.words.join(" ")}": no such action`, {
      hint: "There are: list, accept ALIAS[.TOOL], reset ALIAS",
    });
  }
  const config = await configure(args, world);
  const screen = new Screen(args, world);
  for (const note of config.notes) screen.say(note, "dim");
  const what = action === "list" ? "show pins" : `${action} pins`;
  const files = new PinFiles(await needState(what, world));
  const servers = config.servers.filter(({ alias }) => args.only?.includes(alias) ?? true);
  const kept = await Promise.all(
    servers.filter(isPinned).map(async (server) => {
      const key = await pinKey(server.alias, server.reach, world.folder);
      return { server, key, reading: await files.read(key) };
    }),
  );
  const desk: Desk = { args, world, screen, files, config: { ...config, servers }, kept };
  if (action === "list") await list(desk);
  else if (words.length === 0) throw nothingNamed(action, kept);
  else if (action === "accept") await acceptAll(words, desk);
  else await resetAll(words, desk);
  return EXIT.ok;
}

async function list({ args, world, screen, config, kept }: Desk): Promise<void> {
  const known = new Map(kept.map((each) => [each.server.alias, each.reading]));
  if (args.json || args.jsonl) {
    const servers = config.servers.map(({ alias, pins }) => {
      const reading = known.get(alias);
      if (!reading) return { alias, pins: pins === false ? "off" : "built-in" };
      const { pinned, why } = reading;
      return {
        alias,
        pins: "on",
        pinned: [...pinned.pins.keys()],
        waiting: waitingOf(pinned),
        ...(why !== undefined && { problem: why }),
      };
    });
    return await writeJson({ servers }, args, world);
  }
  const rows = config.servers.map(({ alias, pins }) => {
    const reading = known.get(alias);
    if (!reading) return [alias, "-", "-", pins === false ? "off (pins: off)" : "built in"];
    const { pinned, why } = reading;
    if (why !== undefined) return [alias, "?", "?", `can't be read: ${why} (${reset(alias)})`];
    const remark = pinned.pins.size > 0 ? "" : "never listed";
    return [alias, String(pinned.pins.size), String(pinned.waiting.size), remark];
  });
  const colours = coloured(world, world.out.isTerminal);
  const shade = (line: string, colour: Colour) => paint(line, colours ? colour : undefined);
  let text = columns([["ALIAS", "PINNED", "WAITING", "REMARK"], ...rows]);
  for (const { server: { alias }, reading } of kept) {
    for (const waiting of waitingOf(reading.pinned)) {
      const name = visible(`${alias}.${waiting.tool}`, 200);
      const since = new Date(waiting.since).toISOString().slice(0, 16).replace("T", " ");
      const what = waiting.was === undefined
        ? "has changed"
        : `takes the place of "${visible(waiting.was, 100)}"`;
      text += `\n${shade(`${name} ${what}, seen ${since} UTC`, "bold")}\n`;
      for (const line of diffLines(waiting)) {
        const colour = /^ *-/.test(line) ? "red" : /^ *\+/.test(line) ? "green" : "dim";
        text += `  ${shade(line, colour)}\n`;
      }
    }
  }
  await world.out.write(text);
  if (kept.some(({ reading }) => reading.pinned.waiting.size > 0)) {
    screen.say("fusebox pins accept ALIAS.TOOL lets it in as it was seen", "dim");
  }
}

function nothingNamed(action: "accept" | "reset", kept: readonly Kept[]): UsageError {
  const waiting = kept.flatMap(({ server: { alias }, reading }) =>
    [...reading.pinned.waiting.keys()].map((tool) => `${alias}.${printableLine(tool, 60)}`)
  );
  if (action === "reset") {
    return new UsageError("Cannot reset pins: no server is named", {
      hint: "fusebox pins reset ALIAS; '*' means all there are",
    });
  }
  return new UsageError("Cannot accept: nothing is named", {
    hint: waiting.length > 0
      ? `Waiting: ${waiting.join(", ")}; '*' accepts all of them`
      : "Nothing waits; fusebox servers asks what is there now",
  });
}

/** What was seen last is pinned, and shown once more: this is what is let in. */
async function acceptAll(words: readonly string[], desk: Desk): Promise<void> {
  const { kept, files, world, screen, args } = desk;
  const accepted: { alias: string; tool: string }[] = [];
  const chosen = words.flatMap((word) => select(word, desk));
  for (const { server: { alias }, key, reading } of kept) {
    const mine = chosen.filter((it) => it.alias === alias).map(({ tool }) => tool);
    if (mine.length === 0) continue;
    const all = waitingOf(reading.pinned).filter(({ tool }) => mine.includes(tool));
    const pinned = accept(reading.pinned, mine, world.clock.now());
    await files.write(key, reading, pinned, world.secrets);
    for (const waiting of all) {
      screen.say(`Accepted ${visible(`${alias}.${waiting.tool}`, 200)}:`);
      for (const line of diffLines(waiting)) screen.say(`  ${line}`, "dim");
      accepted.push({ alias, tool: waiting.tool });
    }
  }
  if (accepted.length === 0) screen.say("Nothing waits to be accepted");
  if (args.json || args.jsonl) await writeJson({ accepted }, args, world);
}

/** The tools that wait under a pattern. @throws {UsageError} where none do, unless it means them all */
function select(word: string, { config, kept }: Desk): { alias: string; tool: string }[] {
  const pattern = parseToolPattern(word);
  const aliases = config.servers.map(({ alias }) => alias);
  if (!pattern || !aliases.some((alias) => matches(pattern.alias, alias))) {
    throw unknown(`accept ${word}`, pattern?.alias ?? word, aliases);
  }
  const waiting = kept.filter(({ server }) => matches(pattern.alias, server.alias))
    .flatMap(({ server: { alias }, reading }) =>
      [...reading.pinned.waiting.keys()].map((tool) => ({ alias, tool }))
    );
  // A tool may be called "*", and whoever accepts that one has looked at no other.
  const exact = waiting.filter(({ tool }) => word.includes(".") && tool === pattern.tool);
  const found = exact.length > 0
    ? exact
    : waiting.filter(({ tool }) => matches(pattern.tool, tool));
  if (found.length > 0 || word.includes("*")) return found;
  const near = nearest(pattern.tool, waiting.map(({ tool }) => tool), 1);
  throw new UsageError(`Cannot accept ${word}: nothing of it waits`, {
    hint: near.length > 0
      ? `Did you mean ${pattern.alias}.${near[0]}?`
      : "fusebox pins shows what waits; fusebox servers asks what is there now",
  });
}

async function resetAll(words: readonly string[], desk: Desk): Promise<void> {
  const { config, kept, files, screen, args, world } = desk;
  const aliases = config.servers.map(({ alias }) => alias);
  for (const word of words) {
    if (word !== "*" && !aliases.includes(word)) throw unknown(`reset ${word}`, word, aliases);
  }
  // Also of servers that are not configured any more.
  if (words.includes("*")) await files.forget();
  const mine = kept.filter(({ server }) => words.includes(server.alias) || words.includes("*"));
  for (const { key } of mine) await files.forget(key);
  const named = mine.map(({ server }) => server.alias);
  screen.say(`${count(named.length, "server")} will be pinned anew: ${named.join(", ") || "none"}`);
  if (args.json || args.jsonl) await writeJson({ reset: named }, args, world);
}

function unknown(what: string, alias: string, aliases: readonly string[]): UsageError {
  const [near] = nearest(alias, aliases, 1);
  return new UsageError(`Cannot ${what}: no server has this alias`, {
    hint: near ? `Did you mean ${near}?` : `There are: ${aliases.join(", ") || "none"}`,
  });
}
