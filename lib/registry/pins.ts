/** Tools as they were seen first, and what of a later list is not what was pinned. @module */

/** Nothing may change in this run, and something has: it ends, before anything that changed is used. */
export class FrozenPins extends Error {
  override readonly name = "FrozenPins";
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
