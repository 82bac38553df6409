/** Anthropic's Messages: the request. @module */
import { commonType } from "../kit/media.ts";
import { isObject } from "../protocol/codec.ts";
import type { Params } from "../protocol/types.ts";
import { answerFormat } from "./anthropic/answer.ts";
import { explainAnthropic } from "./anthropic/errors.ts";
import { type AnthropicCarry, anthropicReader } from "./anthropic/reader.ts";
import { wellFormed } from "./format/arguments.ts";
import { dialogueOf } from "./format/dialogue.ts";
import { attachedParts, type Bytes, described, mediumOf } from "./format/media.ts";
import type { Message, ToolUse, UseResult } from "./model.ts";
import { offerOf } from "./format/offer.ts";
import { RULES } from "./schema/rules.ts";
import type { Format, FormatRequest } from "./wire.ts";

export interface AnthropicOptions {
  /** `anthropic-version`; the one before is 2023-06-01, and still taken. */
  version?: string;
  /** In which header the key goes: that of `ANTHROPIC_AUTH_TOKEN` is a bearer's. */
  auth?: "x-api-key" | "bearer";
  /** Tokens of a turn at the most, where the request does not say: the API wants a number. */
  maxTokens?: number;
  /** Tools in one request at the most. */
  toolLimit?: number;
}

const VERSION = "2026-10-21";
const MAX_TOKENS = 8192;
/** No limit is documented but that of its own tool search. */
const TOOL_LIMIT = 10_000;
/** Base64 characters of one image; a larger one gets the whole conversation refused. */
const IMAGE_LIMIT = 5 * 1024 * 1024;

const CACHE = { cache_control: { type: "ephemeral" } };
/** Of four breakpoints, the tools and the system text have one each. */
const MESSAGE_BREAKPOINTS = 2;

/** {@link https://platform.claude.com/docs/en/api/messages} */
export function anthropicFormat(options: AnthropicOptions = {}): Format {
  const { version = VERSION, auth = "x-api-key", toolLimit = TOOL_LIMIT } = options;
  const headers = { "anthropic-version": version };
  return {
    auth: (key) => auth === "bearer" ? { authorization: `Bearer ${key}` } : { "x-api-key": key },
    write(request) {
      const { model, stream, system, note } = request;
      const offer = offerOf(request, { schema: RULES.anthropic, limit: toolLimit });
      const dialogue = dialogueOf(request.messages);
      const messages = messagesOf(dialogue, note);
      const output = answerFormat(request);
      // Who is asked once, and can't come back with a result, pays for a cache in vain.
      if (offer.tools.length > 0 || messages.length > 1) mark(messages);
      return {
        path: "/v1/messages",
        headers,
        body: {
          model,
          max_tokens: request.maxTokens ?? options.maxTokens ?? MAX_TOKENS,
          ...(offer.tools.length > 0 && {
            tools: offer.tools.map(({ name, description, inputSchema }, at) => ({
              name,
              description,
              input_schema: inputSchema,
              ...(at === offer.tools.length - 1 && CACHE),
            })),
            tool_choice: { type: "auto" },
          }),
          ...(!isBlank(system) && { system: [{ ...words(system), ...CACHE }] }),
          messages,
          ...(output && { output_config: { format: output } }),
          ...(stream && { stream }),
        },
        tools: offer.names,
        reader: anthropicReader({
          restore: offer.restore,
          turn: dialogue.turns + 1,
          ...(note && { note }),
        }),
      };
    },
    explain: explainAnthropic,
    models: { path: "/v1/models?limit=1000", headers, read: readModels },
  };
}

type Note = FormatRequest["note"];

interface Line {
  role: "user" | "assistant";
  content: Params[];
}

/** What comes from one side is one message: results first, as the API wants it, and nothing empty. */
function messagesOf(
  { messages, fresh }: { messages: readonly Message[]; fresh: number },
  note: Note,
): Line[] {
  const lines: Line[] = [];
  messages.forEach((message, at) => {
    const content = blocksOf(message, at < fresh ? undefined : note);
    if (content.length === 0) return;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = lines.at(-1);
    if (last?.role === role) last.content.push(...content);
    else lines.push({ role, content });
  });
  return lines;
}

function blocksOf(message: Message, note: Note): Params[] {
  switch (message.role) {
    case "user": {
      // Documents and images come before what is asked about them.
      const parts = attachedParts(message.parts ?? [], { words, take: blockOf }, note);
      return [...parts, words(message.text)].filter((block) => !isSilent(block));
    }
    case "assistant": {
      const { text, uses, carry } = message;
      const blocks = isCarry(carry) ? carry.content : retold(text, uses);
      return blocks.filter((block) => !isSilent(block));
    }
    case "tool":
      return message.results.map((result) => resultBlock(result, note));
  }
}

/** A turn that another model wrote, or a script. */
function retold(text: string, uses: readonly ToolUse[]): Params[] {
  const calls = uses.map(({ id, name, args }) => ({
    type: "tool_use",
    id: safeId(id),
    name,
    input: wellFormed(args),
  }));
  return [words(text), ...calls];
}

function resultBlock({ id, name, content, isError }: UseResult, note: Note): Params {
  const blocks = content.flatMap((part): Params[] => {
    const medium = mediumOf(part);
    if (medium.kind === "text") return isBlank(medium.text) ? [] : [words(medium.text)];
    // The API refuses all but text in the result of a use that failed.
    const block = isError ? undefined : blockOf(medium);
    if (block) return [block];
    const said = described(medium);
    note?.(`The model API does not take what ${name} gave (${said}); it is only named`);
    return [words(`(${said}; not shown)`)];
  });
  const [first = words("(the tool returned nothing)"), ...others] = blocks;
  return {
    type: "tool_result",
    tool_use_id: safeId(id),
    content: others.length === 0 && first.type === "text" ? first.text : [first, ...others],
    ...(isError && { is_error: true }),
  };
}

/** An image or a PDF; undefined for what the API does not take. */
function blockOf({ data, name }: Bytes): Params | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  // Servers mislabel images, and the API refuses such a one.
  const mimeType = commonType(Uint8Array.fromBase64(data.slice(0, 64)));
  if (mimeType === undefined) return undefined;
  const source = { type: "base64", media_type: mimeType, data };
  if (mimeType !== "application/pdf") {
    return data.length > IMAGE_LIMIT ? undefined : { type: "image", source };
  }
  return { type: "document", source, ...(name !== undefined && { title: name.slice(0, 200) }) };
}

/** The ends of the last two messages of the user: the older one is where the last turn left off. */
function mark(messages: readonly Line[]): void {
  const asked = messages.filter(({ role }) => role === "user").slice(-MESSAGE_BREAKPOINTS);
  for (const { content } of asked) content.push({ ...content.pop(), ...CACHE });
}

function words(text: string): Params {
  return { type: "text", text };
}

/** The API refuses text without anything to read, also where it wrote it itself. */
function isSilent({ type, text }: Params): boolean {
  return type === "text" && (typeof text !== "string" || isBlank(text));
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** As the API wants ids; those of its own are so already. */
function safeId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, "_") || "_";
}

function isCarry(carry: unknown): carry is AnthropicCarry {
  return isObject(carry) && carry.api === "anthropic" && Array.isArray(carry.content);
}

function readModels(body: unknown): string[] {
  const list = isObject(body) && Array.isArray(body.data) ? body.data : [];
  return list.filter(isObject).map(({ id }) => id)
    .filter((id): id is string => typeof id === "string" && id !== "");
}
