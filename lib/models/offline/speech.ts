/** Text told a few words at a time, by models that have all of it at once. @module */
import type { Delta } from "../model.ts";

const AT_ONCE = 4;

/** Yields deltas that join to exactly `text`. @throws the signal's reason when aborted between them. */
export async function* speak(text: string, signal?: AbortSignal): AsyncGenerator<Delta, void> {
  let part = "";
  let count = 0;
  for (const word of text.match(/\s*\S+\s*/g) ?? (text === "" ? [] : [text])) {
    part += word;
    if (++count % AT_ONCE !== 0) continue;
    signal?.throwIfAborted();
    yield { type: "text", text: part };
    part = "";
    // Lets whoever listens show the words and, maybe, leave.
    await Promise.resolve();
  }
  if (part !== "") yield { type: "text", text: part };
}
