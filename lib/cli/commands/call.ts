/** `fusebox call`: one tool, no model. @module */
import { printableLine } from "../../kit/printable.ts";
import { UsageError } from "../../kit/usage.ts";
import type { MediaSaver } from "../../agent/saver.ts";
import { TransportError } from "../../protocol/errors.ts";
import type { ToolResult } from "../../protocol/tools.ts";
import type { Params } from "../../protocol/types.ts";
import type { Entry } from "../../registry/table.ts";
import type { Args } from "../args.ts";
import { parseObject, readArguments } from "../arguments.ts";
import { configure } from "../configure.ts";
import { EXIT, exitOf, lastWords } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { type Household, household } from "../household.ts";
import { attaching, watching } from "../watching.ts";
import { readStdin } from "../input.ts";
import type { Catalogue } from "../memory.ts";
import { textOf } from "../said.ts";
import { forOut, Screen } from "../screen.ts";
import type { World } from "../world.ts";

/** @returns 0, 1 when the tool said no, 3 when the server refused, 4 when nobody answered, 7 denied */
export async function callCommand(args: Args, world: World): Promise<number> {
  const [name, ...words] = args.words;
  if (name === undefined) {
    throw new UsageError("Cannot call: no tool is named", {
      hint: "fusebox call alias.tool key=value; fusebox tools lists them",
    });
  }
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  const saver = args.saveMedia === undefined
    ? undefined
    : await (await import("../results.ts")).openSaver(args, world);
  const house = household(config, args, world, watching(screen, { listsHeld: true }), {
    catalogue: catalogue(world, screen),
  });
  await using registry = house.registry;
  const entry = await screen.during(attaching(registry), reach(name, house, world))
    .catch((error) => unreached(name, error, args, world));
  const input = await readInput(words, entry, world, screen);
  const began = world.clock.elapsed();
  const use = { id: "call", name: entry.name, args: input };
  world.trace?.event({ type: "use", use, target: entry });
  const calling = registry.call(entry.name, input, {
    signal: world.signal,
    onProgress: ({ progress, total, message }) =>
      screen.progress(
        `${progress}${total === undefined ? "" : `/${total}`} ${printableLine(message ?? "")}`,
      ),
  });
  const result = await screen.during(name, calling);
  const ms = world.clock.elapsed() - began;
  world.trace?.event({ type: "result", use, target: entry, result, ms });
  await screen.flush();
  await print({ entry, result, ms, args, world, screen, saver });
  if (result.failure) return exitOf(result.failure);
  return result.isError ? EXIT.toolSaidNo : EXIT.ok;
}

/** A script finds the reason code in the same place, whether it was the call that failed or the start. */
async function unreached(name: string, error: unknown, args: Args, world: World): Promise<never> {
  if (error instanceof TransportError && (args.json || args.jsonl)) {
    const content = [{ type: "text", text: error.message }];
    await writeJson({ name, isError: true, content, failure: error.fault }, args, world);
  }
  throw error;
}

/** Loaded while the server starts: what is remembered of it is wanted only then. */
async function catalogue(world: World, screen: Screen): Promise<Catalogue | undefined> {
  const { openCatalogue } = await import("../memory.ts");
  return await openCatalogue(world, (line) => screen.detail(line));
}

/** Attaches the one server that the name points at, and finds the tool there. */
async function reach(name: string, house: Household, world: World): Promise<Entry> {
  const { registry } = house;
  const aliases = registry.servers().map(({ alias }) => alias);
  const alias = aliases.find((it) => name.startsWith(`${it}.`) || name.startsWith(`mcp__${it}__`));
  if (alias === undefined) {
    await registry.recallAll();
    const known = [...registry.table.entries.values()].filter(({ denied }) => denied === undefined);
    const { unaddressed } = await import("../unaddressed.ts");
    throw unaddressed(name, aliases, known.map(({ ref }) => ref));
  }
  await registry.attachAll({ aliases: [alias], signal: world.signal });
  await house.pins.settle();
  const entry = registry.find(name);
  if (entry) return entry;
  const changed = registry.changed(name) && registry.refusal(name)?.failure;
  if (changed) throw changed;
  const reason = registry.servers().find((it) => it.alias === alias)?.reason;
  if (reason) throw new TransportError(reason.code, reason.message, { tail: reason.tail });
  const held = registry.heldBack().find((it) => `${it.alias}.${it.tool}` === name);
  if (held) throw new UsageError(`Cannot call "${name}": it is held back, for it ${held.why}`);
  const near = registry.near(name);
  throw new UsageError(`Cannot call "${name}": "${alias}" has no such tool`, {
    hint: near.length > 0 ? `Near it: ${near.join(", ")}` : `fusebox tools ${alias} lists them`,
  });
}

async function readInput(
  words: readonly string[],
  entry: Entry,
  world: World,
  screen: Screen,
): Promise<Params> {
  if (words.length === 1 && words[0] === "-") {
    return parseObject(await readStdin(world, screen), "stdin");
  }
  return readArguments(words, entry.info.inputSchema);
}

interface Shown {
  entry: Entry;
  result: ToolResult;
  ms: number;
  args: Args;
  world: World;
  screen: Screen;
  saver: MediaSaver | undefined;
}

async function print({ entry, result, ms, args, world, screen, saver }: Shown): Promise<void> {
  const { content, structuredContent, isError, notes = [], failure } = result;
  const { lines, saved } = content.every(({ type }) => type === "text")
    ? { lines: [], saved: [] }
    : await (await import("../besides.ts")).besides(content, entry.ref.alias, saver);
  if (args.json || args.jsonl) {
    const report = {
      name: entry.name,
      ...entry.ref,
      isError,
      content,
      ...(structuredContent !== undefined && { structuredContent }),
      ...(notes.length > 0 && { notes }),
      ...(saver && { saved }),
      ...(failure && { failure: failure instanceof TransportError ? failure.fault : "refused" }),
      ms,
    };
    // A result is what was asked for; a "no" is an error like any other.
    return await writeJson(report, args, world, isError ? [] : ["content", "structuredContent"]);
  }
  for (const note of [...notes, ...lines]) screen.warn(printableLine(note, 500));
  const text = textOf(result);
  if (isError) {
    // Stdout holds answers alone; a "no" belongs where errors go.
    const who = failure ? "" : `${printableLine(`${entry.ref.alias}.${entry.ref.tool}`)} said no: `;
    return screen.warn(who + printableLine(text, 4000) + "\n" + lastWords(failure));
  }
  if (text !== "") await world.out.answer(forOut(world, text.replace(/\n*$/, "\n")));
}
