/** OpenAI Responses, without anything kept at the API: the request. @module */
import { isObject } from "../protocol/codec.ts";
import type { Params } from "../protocol/types.ts";
import { wellFormed } from "./format/arguments.ts";
import { dialogueOf } from "./format/dialogue.ts";
import { type Bytes, dataUrl, flagged, resultText } from "./format/media.ts";
import type { Message, ToolUse, UseResult } from "./model.ts";
import { answerOf, offerOf } from "./format/offer.ts";
import { explainOpenai } from "./openai/errors.ts";
import { readModels } from "./openai/models.ts";
import { type ResponsesCarry, responsesReader } from "./openai/responses_reader.ts";
import { userMessage } from "./openai/user.ts";
import { type Dialect, RULES } from "./schema/rules.ts";
import type { Format, FormatRequest } from "./wire.ts";

/** What differs between those who speak this format. The defaults are OpenAI's. */
export interface ResponsesOptions {
  /** Tools in one request at the most. The documents give no number: that of Chat Completions. */
  toolLimit?: number;
  /** UTF-16 units of a tool's description at the most. Default: no limit. */
  descriptionLimit?: number;
  /** Which rules the tools' schemas must keep to. */
  schema?: Dialect;
  /** Whether pictures are taken, from the user and in results. */
  images?: boolean;
  /** Whether messages of the user may hold PDF files. */
  files?: boolean;
  /** Whether `prompt_cache_key` is understood. */
  cacheKey?: boolean;
  /** Whether items go back under their ids. Azure and Copilot refuse ids of what they did not keep. */
  itemIds?: boolean;
  /** Whether reasoning is asked for in a form that can be sent back. */
  encrypted?: boolean;
  /** Whether models that reason are asked to tell of it; OpenAI does not do so for everybody. */
  summaries?: boolean;
}

const DEFAULTS: Required<Omit<ResponsesOptions, "descriptionLimit">> = {
  toolLimit: 128,
  schema: "openai",
  images: true,
  files: true,
  cacheKey: true,
  itemIds: true,
  encrypted: true,
  summaries: false,
};

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Models that do not reason may refuse to be asked for their reasoning. */
const UNREASONING = /(?:^|[/:])(?:gpt-[34]|chatgpt|gpt-5(?:\.\d+)?-chat)/;

/** {@link https://platform.openai.com/docs/api-reference/responses} */
export function openaiResponsesFormat(options: ResponsesOptions = {}): Format {
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
      const format = answerFormat(request, traits);
      const reasons = !UNREASONING.test(model);
      return {
        path: "/responses",
        headers: {},
        body: {
          model,
          ...(system !== "" && { instructions: system }),
          input: messages.flatMap((message, at) =>
            items(message, traits, at < fresh ? undefined : note)
          ),
          ...(offer.tools.length > 0 && {
            tools: offer.tools.map(({ name, description, inputSchema }) => ({
              type: "function",
              name,
              description,
              parameters: inputSchema,
              strict: false,
            })),
          }),
          ...(stream && { stream }),
          store: false,
          ...(reasons && traits.encrypted && { include: ["reasoning.encrypted_content"] }),
          ...(reasons && traits.summaries && { reasoning: { summary: "auto" } }),
          ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
          ...(traits.cacheKey && { prompt_cache_key: cacheKey }),
          ...(format && { text: { format } }),
        },
        tools: offer.names,
        reader: responsesReader({
          restore: offer.restore,
          turn: turns + 1,
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

function items(message: Message, traits: Traits, note: Note): Params[] {
  switch (message.role) {
    case "user": {
      const take = (bytes: Bytes) => attachment(bytes, traits);
      return [userMessage(message, { words: textPart, take }, note)];
    }
    case "assistant":
      return isCarry(message.carry)
        ? carried(message.carry.items, traits)
        : retold(message.text, message.uses);
    case "tool":
      return message.results.map((result) => output(result, traits, note));
  }
}

/**
 * The items of a turn as they came. A reasoning item that is neither encrypted nor open can't be
 * found again by its id, since nothing was stored; without it the ids of its siblings are refused.
 */
function carried(all: readonly Params[], { itemIds }: Traits): Params[] {
  const kept = all.filter((item) =>
    item.type !== "reasoning" || typeof item.encrypted_content === "string" ||
    (Array.isArray(item.content) && item.content.length > 0)
  );
  if (itemIds && kept.length === all.length) return kept;
  return kept.map(({ id: _, ...item }) => item);
}

/** A turn of another model, or of one whose items are not known. */
function retold(text: string, uses: readonly ToolUse[]): Params[] {
  const calls = uses.map(({ id, name, args, unreadable }) => ({
    type: "function_call",
    call_id: id,
    name,
    arguments: unreadable !== undefined ? "{}" : JSON.stringify(wellFormed(args)),
  }));
  return text === "" ? calls : [{ role: "assistant", content: text }, ...calls];
}

function output(result: UseResult, traits: Traits, note: Note): Params {
  const images: Params[] = [];
  const show = (bytes: Bytes) => {
    const taken = takesImage(bytes, traits);
    if (taken) images.push(imagePart(bytes));
    return taken;
  };
  const text = flagged(resultText(result, show, note), result.isError);
  return {
    type: "function_call_output",
    call_id: result.id,
    output: images.length > 0 ? [textPart(text), ...images] : text,
  };
}

function answerFormat(request: FormatRequest, { schema }: Traits): Params | undefined {
  const fitted = answerOf(request, RULES[schema]);
  return fitted && { type: "json_schema", name: "answer", schema: fitted, strict: false };
}

function takesImage(medium: Bytes, { images }: Traits): boolean {
  return images && IMAGE_TYPES.has(medium.mimeType);
}

function attachment(bytes: Bytes, traits: Traits): Params | undefined {
  if (takesImage(bytes, traits)) return imagePart(bytes);
  if (!traits.files || bytes.mimeType !== "application/pdf") return undefined;
  return {
    type: "input_file",
    filename: bytes.name ?? "attached.pdf",
    file_data: dataUrl(bytes),
  };
}

function textPart(text: string): Params {
  return { type: "input_text", text };
}

function imagePart(image: Bytes): Params {
  return { type: "input_image", image_url: dataUrl(image), detail: "auto" };
}

function isCarry(carry: unknown): carry is ResponsesCarry {
  return isObject(carry) && carry.api === "openai-responses" && Array.isArray(carry.items);
}
