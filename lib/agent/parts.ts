/** The pieces of a result as parts for the model: media that some API takes, and words for all the rest. @module */
import type { ToolResult } from "../protocol/tools.ts";
import type { Content } from "../protocol/types.ts";
import type { Target } from "../tools/tool.ts";
import { type Piece, piecesOf, stubOf } from "./pieces.ts";
import type { MediaSaver } from "./saver.ts";

/** `stub` is what stands for media where only words can. */
export type Part =
  | { kind: "words"; text: string }
  | { kind: "media"; content: Content; stub: string };

/** The narrowest API takes 5 MiB of Base64, and refuses the whole request over one picture more. */
export const MEDIA_BYTES = 3_900_000;
/** More of a result are only named. */
export const MEDIA_PER_RESULT = 10;

/** Of all results of a turn: they are sent together, whatever was sent before. */
const MEDIA_BYTES_OF_TURN = 9_000_000;

/** What media a turn has still room for. */
export interface MediaRoom {
  bytes: number;
}

export function mediaRoom(): MediaRoom {
  return { bytes: MEDIA_BYTES_OF_TURN };
}

/** @returns the parts, and notes of ours about them; `room` is less by what they take of it */
export async function partsOf(
  result: ToolResult,
  target: Target | undefined,
  saver: MediaSaver | undefined,
  room: MediaRoom,
): Promise<{ parts: Part[]; notes: string[] }> {
  const { pieces, hidden } = piecesOf(result);
  const parts: Part[] = [];
  let media = 0;
  for (const piece of pieces) {
    if (piece.kind === "text") parts.push({ kind: "words", text: piece.text });
    else parts.push(...await mediaParts(piece, target, saver, room, media++));
  }
  const characters = hidden === 1 ? "One character that hides" : `${hidden} characters that hide`;
  return { parts, notes: hidden > 0 ? [`${characters} from the eye: taken out`] : [] };
}

async function mediaParts(
  piece: Piece & { kind: "media" },
  target: Target | undefined,
  saver: MediaSaver | undefined,
  room: MediaRoom,
  before: number,
): Promise<Part[]> {
  const { media } = piece;
  const type = /^(?:image|audio)(?=\/)/.exec(media.mimeType)?.[0];
  const unshown = type === undefined
    ? "not shown"
    : media.bytes.length > MEDIA_BYTES
    ? "not shown: too large for a model"
    : before >= MEDIA_PER_RESULT
    ? `not shown: ${MEDIA_PER_RESULT} of a result are`
    : media.bytes.length > room.bytes
    ? "not shown: too much for one turn"
    : undefined;
  const saved = await saver?.save(target?.ref.alias ?? "result", media);
  const where = saved && ("path" in saved ? `saved as ${saved.path}` : `not saved: ${saved.why}`);
  if (type === undefined || unshown !== undefined) {
    const words = stubOf(piece, unshown ?? "", where ?? "--save-media DIR saves it");
    return [{ kind: "words", text: words }];
  }
  room.bytes -= media.bytes.length;
  const content = { type, data: media.data, mimeType: media.mimeType };
  const shown: Part = { kind: "media", content, stub: stubOf(piece) };
  return where === undefined ? [shown] : [{ kind: "words", text: stubOf(piece, where) }, shown];
}
