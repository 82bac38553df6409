/** Media of results that an API won't take: they are left out, so that one picture costs no turn. @module */
import type { Content } from "../../protocol/types.ts";
import { described, mediumOf } from "../format/media.ts";
import type { Message, ModelError } from "../model.ts";

/** What an API answers to what it can't read, or does not take at all. */
const REFUSALS = new Set([400, 404, 413, 415, 422]);
/** How a server of one's own says it, which has no such status. */
const WORDS = /\b(?:images?|pictures?|vision|visual|audio|media|multi-?modal|mmproj)\b/i;
/** Twice refused and never taken: it has no eyes. */
const STRIKES = 2;

/** What one model has taken and refused so far. */
export class Pictures {
  readonly #taken = new WeakSet<Content>();
  readonly #refused = new WeakSet<Content>();
  #anyTaken = false;
  #strikes = 0;

  /** The messages with words in the place of what was refused. */
  allowed(messages: readonly Message[]): readonly Message[] {
    const isOut = (part: Content) => isMedia(part) && (this.#isBlind || this.#refused.has(part));
    return messages.map((message) => {
      if (message.role !== "tool") return message;
      if (!message.results.some(({ content }) => content.some(isOut))) return message;
      const results = message.results.map((result) => ({
        ...result,
        content: result.content.map((part) => isOut(part) ? stubOf(part) : part),
      }));
      return { ...message, results };
    });
  }

  /** All that was sent was taken. */
  take(messages: readonly Message[]): void {
    for (const part of mediaIn(this.allowed(messages))) {
      this.#taken.add(part);
      this.#anyTaken = true;
    }
  }

  /**
   * Takes a failure for one of the media that were sent for the first time, if it may be. Their number
   * is how many are left out from now on; 0 when they are not to blame. `body` is what was sent.
   */
  blame(failure: unknown, messages: readonly Message[], body: string): number {
    const { status, message } = failure as ModelError;
    if (!REFUSALS.has(status) && !(status >= 500 && WORDS.test(message))) return 0;
    const suspects = mediaIn(this.allowed(messages)).filter((part) =>
      !this.#taken.has(part) && body.includes(String(part.data).slice(0, 200))
    );
    for (const part of suspects) this.#refused.add(part);
    if (suspects.length > 0) this.#strikes++;
    return suspects.length;
  }

  get #isBlind(): boolean {
    return !this.#anyTaken && this.#strikes >= STRIKES;
  }
}

function mediaIn(messages: readonly Message[]): Content[] {
  const results = messages.flatMap((message) => message.role === "tool" ? message.results : []);
  return results.flatMap(({ content }) => content.filter(isMedia));
}

function isMedia({ type }: Content): boolean {
  return type === "image" || type === "audio";
}

function stubOf(part: Content): Content {
  const medium = mediumOf(part);
  const said = medium.kind === "text" ? medium.text : described(medium);
  return { type: "text", text: `(${said}; not shown: the model API refused it)` };
}
