/** The messages as model APIs want them: every use answered, in the order asked, nothing empty. @module */
import type { Message, UseResult } from "../model.ts";

export interface Dialogue {
  messages: readonly Message[];
  /** Messages from here on are new to the model: what they lose has not been told yet. */
  fresh: number;
  /** How many turns the model has had; makes the ids that an API leaves out unique. */
  turns: number;
}

/**
 * A use without a result (the run ended in between) is answered with an error, for model APIs refuse
 * a conversation with a hole; a result that nothing asked for is left out, and so is a silent turn.
 */
export function dialogueOf(messages: readonly Message[]): Dialogue {
  const lines: Message[] = [];
  let fresh = 0;
  messages.forEach((message, at) => {
    if (message.role === "user") lines.push(message);
    if (message.role !== "assistant") return;
    if (message.text !== "" || message.uses.length > 0) lines.push(message);
    fresh = lines.length;
    if (message.uses.length === 0) return;
    const next = messages[at + 1];
    const left = next?.role === "tool" ? [...next.results] : [];
    const results = message.uses.map(({ id, name }): UseResult => {
      const found = left.findIndex((result) => result.id === id);
      if (found !== -1) return left.splice(found, 1)[0]!;
      return { id, name, content: [{ type: "text", text: "Not run." }], isError: true };
    });
    lines.push({ role: "tool", results });
  });
  const turns = messages.filter(({ role }) => role === "assistant").length;
  return { messages: lines, fresh, turns };
}

/** An id for a use that came without one: nine letters and digits, the narrowest rule there is. */
export function idOf(turn: number, at: number): string {
  return `fb${pad(turn, 4)}${pad(at, 3)}`;
}

function pad(count: number, width: number): string {
  return count.toString(36).padStart(width, "0").slice(-width);
}
