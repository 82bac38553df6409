/** The folder of `--save-media`: every picture, sound and file of a result, under a name of our own. @module */
import type { Drop } from "../kit/drop.ts";
import { extensionOf, type Media } from "../kit/media.ts";
import { formatBytes } from "../kit/size.ts";

/** Of one run: what a server sends without end fills no disk. */
export const MEDIA_MAX = 1_000_000_000;

export class MediaSaver {
  readonly #drop: Drop;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(drop: Drop, maxBytes = MEDIA_MAX) {
    this.#drop = drop;
    this.#maxBytes = maxBytes;
  }

  /**
   * Its path. The same bytes have the same name in every run: the alias and a digest; no word of a
   * server is in it. Or why it is not saved, to follow a colon.
   */
  async save(
    alias: string,
    { bytes, mimeType }: Media,
  ): Promise<{ path: string } | { why: string }> {
    if (this.#bytes + bytes.length > this.#maxBytes) {
      return { why: `a run saves ${formatBytes(this.#maxBytes)} at the most` };
    }
    this.#bytes += bytes.length;
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    const name = `${alias}-${digest.slice(0, 12)}.${extensionOf(mimeType)}`;
    try {
      return { path: await this.#drop.put(name, bytes) };
    } catch (error) {
      return { why: error instanceof Error ? error.message : String(error) };
    }
  }
}
