/** Chat Completions, of OpenAI and of everybody who says to be compatible: the request. @module */
import { isObject } from "../protocol/codec.ts";
import type { Params } from "../protocol/types.ts";
import { wellFormed } from "./format/arguments.ts";
import { unmarked, unmarkedIn } from "./format/control.ts";
import { dialogueOf } from "./format/dialogue.ts";
import { type Bytes, dataUrl, flagged, resultText } from "./format/media.ts";
import type { Message, ToolUse, UseResult } from "./model.ts";
import { answerOf, offerOf } from "./format/offer.ts";
import { type ChatCarry, chatReader, type ReasoningKey } from "./openai/chat_reader.ts";
import { explainOpenai } from "./openai/errors.ts";
import { readModels } from "./openai/models.ts";
import { userMessage } from "./openai/user.ts";
import { type Dialect, RULES } from "./schema/rules.ts";
import type { Format, FormatRequest } from "./wire.ts";

/** What differs between those who speak this format. The defaults are OpenAI's. */
export interface ChatOptions {
  maxTokensKey?: "max_completion_tokens" | "max_tokens";
  systemRole?: "system" | "developer";
  /** Whether `stream_options` is understood: without it OpenAI tells no usage. */
  streamOptions?: boolean;
  /** Whether `prompt_cache_key` is understood. */
  cacheKey?: boolean;
  /** Tools in one request at the most. */
  toolLimit?: number;
  /** UTF-16 units of a tool's description at the most. Default: no limit. */
  descriptionLimit?: number;
  /** Which rules the tools' schemas must keep to. */
  schema?: Dialect;
  /** Whether messages of the user may hold pictures. */
  images?: boolean;
  /** Whether a user's message may follow a tool's; without it, pictures in results are not shown. */
  userAfterTool?: boolean;
  /** Whether messages of the user may hold PDF files. */
  files?: boolean;
  /** Which fields of its reasoning the API wants back. */
  reasoning?: readonly ReasoningKey[];
  /** How an answer that is to be JSON is asked for. */
  answer?: "schema" | "object" | "none";
  /** Whether JSON may be asked for while tools are offered. */
  answerWithTools?: boolean;
  /** Whether marks of the chat template count wherever they stand: then no result may hold any. */
  marksCount?: boolean;
}

const DEFAULTS: Required<Omit<ChatOptions, "descriptionLimit">> = {
  maxTokensKey: "max_completion_tokens",
  systemRole: "system",
  streamOptions: true,
  cacheKey: true,
  toolLimit: 128,
  schema: "openai",
  images: true,
  userAfterTool: true,
  files: true,
  reasoning: [],
  answer: "schema",
  answerWithTools: true,
  marksCount: false,
};

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** {@link https://platform.openai.com/docs/api-reference/chat} */
export function openaiChatFormat(options: ChatOptions = {}): Format {
  const { descriptionLimit, ...chosen } = options;
  const traits = { ...DEFAULTS, ...chosen };
  const rules = {
    schema: RULES[traits.schema],
    limit: traits.toolLimit,
    ...(descriptionLimit !== undefined && { description: descriptionLimit }),
  };
  return {
    auth: (key) => ({ authorization: `Bearer ${key}` }),
    write(request) {
      const { model, stream, system, cacheKey, maxTokens, note } = request;
      const offer = offerOf(request, rules);
      const { messages, turns, fresh } = dialogueOf(request.messages);
      const told = messages.flatMap((message, at) =>
        write(message, traits, at < fresh ? undefined : note)
      );
      const format = answerFormat(request, traits, offer.tools.length > 0);
      return {
        path: "/chat/completions",
        headers: {},
        body: {
          model,
          messages: system === "" ? told : [{ role: traits.systemRole, content: system }, ...told],
          ...(offer.tools.length > 0 && {
            tools: (traits.marksCount ? unmarkedIn(offer.tools) : offer.tools).map((tool) => ({
              type: "function",
              function: {
                name: tool.name,
                description: tool.description,
                parameters: tool.inputSchema,
              },
            })),
          }),
          ...(stream && { stream }),
          ...(stream && traits.streamOptions && { stream_options: { include_usage: true } }),
          ...(maxTokens !== undefined && { [traits.maxTokensKey]: maxTokens }),
          ...(traits.cacheKey && { prompt_cache_key: cacheKey }),
          ...(format && { response_format: format }),
        },
        tools: offer.names,
        reader: chatReader({
          restore: offer.restore,
          turn: turns + 1,
          keep: traits.reasoning,
          ...(note && { note }),
        }),
      };
    },
    explain: explainOpenai,
    models: { path: "/models", read: readModels },
  };
}

type Traits = typeof DEFAULTS;
type Note = FormatRequest["note"];

function write(message: Message, traits: Traits, note: Note): Params[] {
  switch (message.role) {
    case "user": {
      const take = (bytes: Bytes) => attachment(bytes, traits);
      return [userMessage(message, { words: textPart, take }, note)];
    }
    case "assistant":
      return [assistant(message.text, message.uses, message.carry)];
    case "tool":
      return results(message.results, traits, note);
  }
}

function assistant(text: string, uses: readonly ToolUse[], carry: unknown): Params {
  const { reasoning = {}, calls = [] } = isCarry(carry) ? carry : {};
  return {
    role: "assistant",
    content: text === "" ? null : text,
    ...reasoning,
    ...(uses.length > 0 && {
      tool_calls: uses.map(({ id, name, args, unreadable }, at) => ({
        id,
        type: "function",
        // Many servers parse this again for their prompt template, and fail at all but an object.
        function: {
          name,
          arguments: unreadable !== undefined
            ? "{}"
            : calls[at] ?? JSON.stringify(wellFormed(args)),
        },
      })),
    }),
  };
}

/** One message per use; pictures come behind all of them, for a tool's message holds text alone. */
function results(all: readonly UseResult[], traits: Traits, note: Note): Params[] {
  const pictures: Params[] = [];
  const messages = all.map((result): Params => {
    const { id, name, isError } = result;
    const show = (bytes: Bytes) => {
      if (!traits.userAfterTool || !takesImage(bytes, traits)) return false;
      pictures.push(textPart(`(an image that ${name} gave, call ${id})`), imagePart(bytes));
      return true;
    };
    const text = flagged(resultText(result, show, note), isError);
    const content = traits.marksCount ? unmarked(text) : text;
    return { role: "tool", tool_call_id: id, content };
  });
  return pictures.length > 0 ? [...messages, { role: "user", content: pictures }] : messages;
}

function answerFormat(request: FormatRequest, traits: Traits, hasTools: boolean) {
  const { answer, answerWithTools, schema } = traits;
  if (!request.answerSchema || answer === "none" || (hasTools && !answerWithTools)) {
    return undefined;
  }
  if (answer === "object") return { type: "json_object" };
  const fitted = answerOf(request, RULES[schema]);
  return fitted && { type: "json_schema", json_schema: { name: "answer", schema: fitted } };
}

function takesImage(medium: Bytes, { images }: Traits): boolean {
  return images && IMAGE_TYPES.has(medium.mimeType);
}

function attachment(bytes: Bytes, traits: Traits): Params | undefined {
  if (takesImage(bytes, traits)) return imagePart(bytes);
  if (!traits.files || bytes.mimeType !== "application/pdf") return undefined;
  const file = { filename: bytes.name ?? "attached.pdf", file_data: dataUrl(bytes) };
  return { type: "file", file };
}

function textPart(text: string): Params {
  return { type: "text", text };
}

function imagePart(image: Bytes): Params {
  return { type: "image_url", image_url: { url: dataUrl(image) } };
}

function isCarry(carry: unknown): carry is ChatCarry {
  return isObject(carry) && carry.api === "openai-chat";
}
