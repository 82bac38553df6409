/** All results of one turn as the model is told them: within their limits, what is too long kept whole. @module */
import { excerpt, shares } from "../kit/excerpt.ts";
import { noteByUs, unforged } from "../kit/note.ts";
import { withCommas } from "../kit/size.ts";
import type { ToolUse, UseResult } from "../models/model.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Content } from "../protocol/types.ts";
import type { KeptResults } from "../tools/kept.ts";
import type { Target } from "../tools/tool.ts";
import { mediaRoom, type Part, partsOf } from "./parts.ts";
import type { MediaSaver } from "./saver.ts";

/** Text, in UTF-16 units, and the key of the configuration that changes it. */
export interface TextLimit {
  chars: number;
  key: string;
}

/** How results are told. */
export interface Telling {
  /** Of one result. Default 50,000. */
  limitOf?: (target: Target | undefined) => TextLimit;
  /** Of all results of a turn. Default 150,000. */
  turn?: TextLimit;
  /** Where goes what is too long. */
  kept?: KeptResults;
  saver?: MediaSaver;
  /** Told in one line what was cut. */
  note?: (line: string) => void;
}

export interface Tellable {
  use: ToolUse;
  target?: Target;
  result: ToolResult;
}

/** Where the configuration says nothing. */
const OF_RESULT: TextLimit = { chars: 50_000, key: "limits.result" };
const OF_TURN: TextLimit = { chars: 150_000, key: "limits.results" };
/** More parts than this are told as one. */
const PARTS = 50;

/** In the order given. The same results are told in the same bytes, but for where they are kept. */
export async function tell(results: readonly Tellable[], telling: Telling): Promise<UseResult[]> {
  const { limitOf = () => OF_RESULT, turn = OF_TURN, saver } = telling;
  const room = mediaRoom();
  const read: Awaited<ReturnType<typeof partsOf>>[] = [];
  // In order, for who comes first has the room.
  for (const { result, target } of results) read.push(await partsOf(result, target, saver, room));
  const limits = results.map(({ target }) => limitOf(target));
  const wants = read.map(({ parts }, at) => Math.min(sizeOf(parts), limits[at]!.chars));
  const rooms = shares(wants, turn.chars);
  const told: UseResult[] = [];
  for (const [at, tellable] of results.entries()) {
    const { use, result } = tellable;
    const { parts, notes } = read[at]!;
    const { key } = rooms[at]! < wants[at]! ? turn : limits[at]!;
    const fitted = sizeOf(parts) <= rooms[at]!
      ? { content: whole(parts), notes: [] }
      : await cutDown(tellable, parts, { chars: rooms[at]!, key }, telling);
    const ours = [...notes, ...fitted.notes, ...result.notes ?? []].map((it) => text(noteByUs(it)));
    const content = [...fitted.content, ...ours];
    told.push({ id: use.id, name: use.name, content, isError: result.isError });
  }
  return told;
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + (part.kind === "words" ? part.text.length : 0), 0);
}

function whole(parts: readonly Part[]): Content[] {
  const together = stretchesOf(parts).map(said);
  if (parts.length > PARTS) return together;
  const each = parts.map(said);
  // A mark of ours may be spread over parts, which an API puts together.
  return wordsOf(each) === wordsOf(together) ? each : together;
}

function said(part: Part): Content {
  return part.kind === "words" ? text(unforged(part.text)) : part.content;
}

function wordsOf(content: readonly Content[]): string {
  return content.flatMap((it) => it.type === "text" ? [it.text] : []).join("\n");
}

async function cutDown(
  { use, target }: Tellable,
  parts: readonly Part[],
  { chars, key }: TextLimit,
  { kept, note }: Telling,
): Promise<{ content: Content[]; notes: string[] }> {
  const stretches = stretchesOf(parts);
  const rooms = shares(stretches.map((it) => it.kind === "words" ? it.text.length : 0), chars);
  const content = stretches.map((it, at) =>
    it.kind === "words" ? excerpted(it.text, rooms[at]!, it.from) : it.content
  );
  const all = parts.map(inWords).join("\n");
  const of = target ? `${target.ref.alias}.${target.ref.tool}` : use.name;
  const stored = await kept?.keep(of, all);
  const [told, size] = [withCommas(chars), `${withCommas(all.length)} characters`];
  const where = stored === undefined
    ? undefined
    : "why" in stored
    ? `the whole could not be kept: ${stored.why}`
    : `the whole is in ${stored.path}`;
  if (where) note?.(`${of} gave ${size}; the model is told ${told} of them (${key}); ${where}`);
  const reading = stored && "id" in stored ? `; read_result reads on in it as ${stored.id}` : "";
  const shown = `${told} of ${size} are shown (${key} changes that)`;
  return { content, notes: [where ? `${shown}; ${where}${reading}` : shown] };
}

/** Words between media, as one, and where in the whole they begin. */
type Stretch = Part & { from: number };

function stretchesOf(parts: readonly Part[]): Stretch[] {
  const stretches: Stretch[] = [];
  let from = 0;
  for (const part of parts) {
    const last = stretches.at(-1);
    if (part.kind === "words" && last?.kind === "words") last.text += `\n${part.text}`;
    else stretches.push({ ...part, from });
    from += inWords(part).length + 1;
  }
  return stretches;
}

function inWords(part: Part): string {
  return part.kind === "words" ? part.text : part.stub;
}

function excerpted(words: string, room: number, from: number): Content {
  if (words.length <= room) return text(unforged(words));
  const { head, tail, tailAt } = excerpt(words, room);
  const left = withCommas(tailAt - head.length);
  const gap = noteByUs(`${left} characters are left out here, from offset ${from + head.length}`);
  const pieces = [unforged(head).replace(/\n$/, ""), gap, unforged(tail)];
  return text(pieces.filter((piece) => piece !== "").join("\n"));
}

function text(text: string): Content {
  return { type: "text", text };
}
