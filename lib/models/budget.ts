/** How much of a context window a conversation takes, and what goes first when it is too much. @module */
import { toJson } from "../kit/json.ts";
import type { Content } from "../protocol/types.ts";
import { mediumOf } from "./format/media.ts";
import type { Message, ToolSpec, UseResult } from "./model.ts";

/** What an image costs, whatever its bytes: between the makers' own figures. */
const IMAGE_TOKENS = 1_500;
/** Of a document's base64, for its pages as text and as pictures. */
const FILE_CHARS_PER_TOKEN = 20;
/** Role marks, ids and brackets around a message, a use, a result or a tool. */
const FRAME_TOKENS = 8;
/** Taking out what is hardly longer than the note in its place makes no room. */
const LEAST_SAVED = 50;
/** How far a context is shed, so that many turns pass before the next time changes its prefix again. */
const SHED_TO = 0.7;
/** Characters of Base64 that a request holds of results: the narrowest API takes 20 MB in all. */
const MEDIA_CHARS = 15_000_000;

/** Roughly: a token is four letters of ASCII, two of other alphabets, one character of Chinese or the like. */
export function textTokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    quarters += code < 0x80 ? 1 : code < 0x2e80 ? 2 : 4;
  }
  return Math.ceil(quarters / 4);
}

/** Roughly what comes before the first message. */
export function prefixTokens(system: string, tools: readonly ToolSpec[]): number {
  return tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + FRAME_TOKENS + textTokens(name + description + toJson(inputSchema)),
    textTokens(system),
  );
}

export function messageTokens(message: Message): number {
  switch (message.role) {
    case "user":
      return FRAME_TOKENS + textTokens(message.text) + contentTokens(message.parts ?? []);
    case "tool":
      return message.results.reduce((sum, result) => sum + resultTokens(result), 0);
    case "assistant": {
      const own = message.uses.reduce(
        (sum, { name, args }) => sum + FRAME_TOKENS + textTokens(name + toJson(args)),
        FRAME_TOKENS + textTokens(message.text),
      );
      // What is carried is sent instead of the rest, and may hold reasoning beside it.
      return message.carry === undefined ? own : Math.max(own, textTokens(toJson(message.carry)));
    }
  }
}

/** What a turn may put in: most of the window, for the estimate is rough, less the room for the answer. */
export function inputLimit(window: number, maxTokens = 16_384): number {
  return Math.floor(window * 0.9) - Math.min(maxTokens, Math.floor(window / 4));
}

export interface Shed {
  /** The same array when nothing had to go. */
  messages: readonly Message[];
  /** Results that were taken out this time. */
  count: number;
  /** Roughly what is left, with the prefix; above the limit when nothing more can go. */
  tokens: number;
}

/**
 * Takes the oldest tool results out of a conversation that, with `prefix` tokens before it, is over
 * `limit`, and leaves a note in the place of each. Never what the user or the model said, and never
 * the results that the model is about to read. Keep what it returns: on that it changes nothing until
 * the limit is passed again. The same conversation always sheds the same results.
 */
export function shed(messages: readonly Message[], limit: number, prefix = 0): Shed {
  let tokens = messages.reduce((sum, message) => sum + messageTokens(message), prefix);
  if (tokens <= limit) return { messages, count: 0, tokens };
  const goal = limit * SHED_TO;
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  let count = 0;
  const left = messages.map((message, at) => {
    if (message.role !== "tool" || at > last || tokens <= goal) return message;
    const results = message.results.map((result) => {
      const size = resultTokens(result);
      const note = noted(result, size);
      const saved = size - resultTokens(note);
      if (tokens <= goal || saved < LEAST_SAVED) return result;
      tokens -= saved;
      count++;
      return note;
    });
    return { ...message, results };
  });
  return { messages: count > 0 ? left : messages, count, tokens };
}

/**
 * Takes the oldest images and sounds out of the results of a conversation that holds more of them than
 * a request may, with words in their place. The latest results keep theirs, and so does the user.
 */
export function shedMedia(messages: readonly Message[], limit = MEDIA_CHARS): Omit<Shed, "tokens"> {
  const mediaOf = ({ type, data }: Content) =>
    (type === "image" || type === "audio") && typeof data === "string" ? data.length : 0;
  let chars = 0;
  for (const message of messages) {
    if (message.role !== "tool") continue;
    for (const { content } of message.results) for (const part of content) chars += mediaOf(part);
  }
  if (chars <= limit) return { messages, count: 0 };
  const last = messages.findLastIndex(({ role }) => role === "tool");
  let count = 0;
  const left = messages.map((message, at) => {
    if (message.role !== "tool" || at === last) return message;
    const results = message.results.map((result) => ({
      ...result,
      content: result.content.map((part) => {
        if (mediaOf(part) === 0 || chars <= limit * SHED_TO) return part;
        chars -= mediaOf(part);
        count++;
        return { type: "text", text: `(${part.mimeType}; taken out to make room)` };
      }),
    }));
    return { ...message, results };
  });
  return { messages: count > 0 ? left : messages, count };
}

function noted(result: UseResult, tokens: number): UseResult {
  const text = `[This result, about ${tokens} tokens, was taken out to make room. ` +
    `Call ${result.name} again if you still need it.]`;
  return { ...result, content: [{ type: "text", text }] };
}

function resultTokens({ name, content }: UseResult): number {
  return FRAME_TOKENS + textTokens(name) + contentTokens(content);
}

function contentTokens(content: readonly Content[]): number {
  return content.reduce((sum, part) => sum + partTokens(part), 0);
}

function partTokens(part: Content): number {
  const medium = mediumOf(part);
  if (medium.kind === "text") return textTokens(medium.text);
  return medium.kind === "image"
    ? IMAGE_TOKENS
    : Math.ceil(medium.data.length / FILE_CHARS_PER_TOKEN);
}
