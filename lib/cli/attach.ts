/** Files that go with a prompt: text as context, images and PDFs as what they are. @module */
import { exactText } from "../kit/encoding.ts";
import { commonType } from "../kit/media.ts";
import { UsageError } from "../kit/usage.ts";
import type { Content } from "../protocol/types.ts";
import type { World } from "./world.ts";

/** No API takes more in one request. */
const MAX_BYTES = 32 * 1024 * 1024;

/** @throws {UsageError} for a file that is missing, too large, or neither text, image nor PDF */
export async function readAttachments(paths: readonly string[], world: World): Promise<Content[]> {
  return await Promise.all(paths.map((path) => readAttachment(path, world)));
}

async function readAttachment(path: string, world: World): Promise<Content> {
  const cannot = `Cannot attach ${path}: `;
  const bytes = await world.readBytes(path).catch((error) => {
    throw new UsageError(cannot + (error as Error).message);
  });
  if (!bytes) throw new UsageError(`${cannot}no such file`);
  if (bytes.length > MAX_BYTES) {
    throw new UsageError(`${cannot}it is over 32 MiB`, { hint: "No model API takes that much" });
  }
  const uri = `file:///${path.replace(/^.*[/\\]/, "")}`; // Its name is enough: where it lies is ours.
  const mimeType = commonType(bytes); // Names lie.
  if (mimeType === undefined) {
    return {
      type: "resource",
      resource: { uri, mimeType: "text/plain", text: plainText(bytes, cannot) },
    };
  }
  const data = bytes.toBase64();
  return mimeType === "application/pdf"
    ? { type: "resource", resource: { uri, mimeType, blob: data } }
    : { type: "image", data, mimeType };
}

function plainText(bytes: Uint8Array, cannot: string): string {
  const text = exactText(bytes);
  if (text !== undefined) return text;
  throw new UsageError(`${cannot}it is neither text in UTF-8, nor an image, nor a PDF`, {
    hint: "PNG, JPEG, GIF and WebP are images",
  });
}
