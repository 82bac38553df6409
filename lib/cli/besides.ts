/** What of a result is no text: a line for each part, and a file where the user wants one. @module */
import { pieceOf, stubOf } from "../agent/pieces.ts";
import type { MediaSaver } from "../agent/saver.ts";
import type { Content } from "../protocol/types.ts";
import { saidIn } from "./said.ts";

export interface Besides {
  /** Whatever a server wrote into them, they are for {@linkcode Screen} to make safe. */
  lines: string[];
  /** Paths. */
  saved: string[];
}

export async function besides(
  content: readonly Content[],
  alias: string,
  saver: MediaSaver | undefined,
): Promise<Besides> {
  const lines: string[] = [];
  const saved: string[] = [];
  for (const part of content) {
    if (saidIn(part) !== undefined) continue;
    const piece = pieceOf(part);
    if (piece.kind === "text") {
      lines.push(`${piece.text}: --json has it`);
      continue;
    }
    const file = await saver?.save(alias, piece.media);
    if (file && "path" in file) saved.push(file.path);
    const where = !file
      ? "not shown; --save-media DIR saves it, --json has it"
      : "path" in file
      ? `saved as ${file.path}`
      : `not saved: ${file.why}`;
    lines.push(stubOf(piece, where));
  }
  return { lines, saved };
}
