/** A folder that new files go into, wherever it is: what is too long for a model, or no text at all. @module */

export interface Drop {
  /** Where it is, for people. */
  readonly path: string;
  /**
   * Writes a file, whole or not at all, in the place of one of that name, and returns its path.
   * @throws {Error} with why it can't be written, in plain words
   */
  put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string>;
  /** What was put there as text; undefined when it is gone. @throws {Error} in plain words */
  text(name: string): Promise<string | undefined>;
}
