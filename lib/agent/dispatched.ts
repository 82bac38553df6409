/** The uses of one turn, as they are dispatched: none of them ever runs twice, whatever is retried around it. @module */
import { canonical } from "../kit/json.ts";
import type { ToolUse } from "../models/model.ts";
import type { ToolResult } from "../protocol/tools.ts";

export class Dispatched {
  readonly #turn: string;
  readonly #results = new Map<string, { use: string; result: Promise<ToolResult> }>();

  /** `turn` tells this turn from all others, of this run and of any other. */
  constructor(turn: string) {
    this.#turn = turn;
  }

  /**
   * What the use gave, if it was dispatched before; else what `dispatch` gives. The key is of this use
   * alone: some model APIs give two uses the same id, and these are two all the same.
   */
  once(use: ToolUse, dispatch: (key: string) => Promise<ToolResult>): Promise<ToolResult> {
    const wanted = canonical([use.name, use.args]);
    for (let twin = 0;; twin++) {
      const key = `${this.#turn}/${use.id}${twin > 0 ? `~${twin}` : ""}`;
      const known = this.#results.get(key);
      if (known?.use === wanted) return known.result;
      if (known) continue;
      const result = dispatch(key);
      this.#results.set(key, { use: wanted, result });
      return result;
    }
  }
}
