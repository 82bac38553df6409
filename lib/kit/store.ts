/** A folder of small texts, wherever it is: what is kept between runs goes through this. @module */

export interface TextStore {
  /** Undefined when there is none. */
  read(name: string): Promise<string | undefined>;
  /** All or nothing: whoever reads meanwhile has the old text or the new one. `isPrivate` means 0600. */
  write(name: string, text: string, options: { isPrivate: boolean }): Promise<void>;
  /** Nothing happens when there is none. */
  remove(name: string): Promise<void>;
  list(): Promise<string[]>;
}
