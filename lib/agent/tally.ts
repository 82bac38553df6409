/** What a run adds up to: tokens, repetitions, refusals, and whether a turn ends it. @module */
import { canonical } from "../kit/json.ts";
import { messageTokens, textTokens } from "../models/budget.ts";
import type { Message, ToolUse, Turn, Usage } from "../models/model.ts";
import { TransportError } from "../protocol/errors.ts";
import type { Acted } from "./act.ts";
import type { Ending } from "./terms.ts";

/** The same use with the same result this often in a row is going nowhere. */
export const SAME_USE = 5;

export class Tally {
  usage: Usage | undefined;
  #last = "";
  #same = 0;
  #refused = 0;
  #ran = 0;

  /** All tokens so far; an estimate where the model API does not tell. */
  tokens = 0;

  count({ usage, text }: Turn, messages: readonly Message[]): void {
    if (!usage) {
      const input = messages.reduce((sum, message) => sum + messageTokens(message), 0);
      this.tokens += input + textTokens(text);
      return;
    }
    this.tokens += usage.input + usage.output;
    const sum = this.usage ?? { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 };
    this.usage = {
      input: sum.input + usage.input,
      output: sum.output + usage.output,
      cachedInput: sum.cachedInput + usage.cachedInput,
      cacheWrite: sum.cacheWrite + usage.cacheWrite,
    };
  }

  note(uses: readonly ToolUse[], results: readonly Acted[]): void {
    for (const { result } of results) {
      const { failure } = result;
      if (failure instanceof TransportError && failure.fault === "denied") this.#refused++;
      else this.#ran++;
    }
    // Ids differ from turn to turn, and a result that changed is progress.
    const now = canonical([
      uses.map(({ name, args }) => [name, args]),
      results.map(({ told }) => told.content),
    ]);
    this.#same = now === this.#last ? this.#same + 1 : 1;
    this.#last = now;
  }

  get stuck(): boolean {
    return this.#same >= SAME_USE;
  }

  /** Whether this turn ends the run, and as what. */
  end({ stop, text, uses }: Turn): { ending: Ending; why?: string } | undefined {
    if (stop === "length") {
      return { ending: "length", why: "The answer was cut off at the model's length limit" };
    }
    if (stop === "refusal") return { ending: "refusal", why: "The model declined to answer" };
    if (uses.length > 0) return undefined;
    if (text.trim() === "") return { ending: "empty", why: "The model returned an empty answer" };
    if (this.#refused > 0 && this.#ran === 0) {
      return { ending: "denied", why: "Every tool that the model asked for was refused" };
    }
    return { ending: "answered" };
  }
}
