/** Gemini's generateContent: the request. @module */
import { isObject } from "../protocol/codec.ts";
import type { Params } from "../protocol/types.ts";
import { wellFormed } from "./format/arguments.ts";
import { dialogueOf } from "./format/dialogue.ts";
import { explainGemini } from "./gemini/errors.ts";
import { type GeminiCarry, geminiReader } from "./gemini/reader.ts";
import { attachedParts, type Bytes, resultText } from "./format/media.ts";
import type { Message, ToolUse, UseResult } from "./model.ts";
import { answerOf, offerOf } from "./format/offer.ts";
import { RULES } from "./schema/rules.ts";
import type { Format, FormatRequest } from "./wire.ts";

export interface GeminiOptions {
  /** Some aliases of models exist on v1beta alone. */
  version?: "v1" | "v1beta";
  /** Functions in one request at the most. */
  toolLimit?: number;
  /** Whether the model is asked to tell what it thinks; one that does not think answers 400. */
  thoughts?: boolean;
}

/** Names are not known to reach this far: without a number it is the older way, which all take. */
const GENERATION = /gemini-(\d+)/;
/** From this generation on, results may hold pictures, and JSON may be asked for beside tools. */
const MULTIMODAL_RESULTS = 3;

const IMAGES = ["image/png", "image/jpeg", "image/webp"];
/** What a part of a function's response may be. */
const IN_RESULTS = new Set([...IMAGES, "application/pdf"]);
const IN_MESSAGES = new Set([
  ...IN_RESULTS,
  "image/heic",
  "image/heif",
  "audio/wav",
  "audio/mp3",
  "audio/mpeg",
  "audio/aiff",
  "audio/aac",
  "audio/ogg",
  "audio/flac",
]);

/** {@link https://ai.google.dev/api/generate-content} */
export function geminiFormat(options: GeminiOptions = {}): Format {
  const { version = "v1", toolLimit = 512, thoughts = false } = options;
  return {
    auth: (key) => ({ "x-goog-api-key": key }),
    write(request) {
      const { model, stream, system, maxTokens, note } = request;
      const offer = offerOf(request, { schema: RULES.gemini, limit: toolLimit });
      const dialogue = dialogueOf(request.messages);
      const config = {
        ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
        ...answerFormat(request, offer.tools.length > 0),
        ...(thoughts && { thinkingConfig: { includeThoughts: true } }),
      };
      return {
        path: `/${version}/${pathOf(model)}:${
          stream ? "streamGenerateContent?alt=sse" : "generateContent"
        }`,
        headers: {},
        body: {
          contents: contentsOf(dialogue, isMultimodal(model), note),
          ...(system !== "" && { systemInstruction: { parts: [{ text: system }] } }),
          ...(offer.tools.length > 0 && {
            tools: [{
              functionDeclarations: offer.tools.map(({ name, description, inputSchema }) => ({
                name,
                description,
                // An object without properties was refused at times; nothing says the same.
                ...(!isEmpty(inputSchema) && { parametersJsonSchema: inputSchema }),
              })),
            }],
          }),
          ...(Object.keys(config).length > 0 && { generationConfig: config }),
        },
        tools: offer.names,
        reader: geminiReader({
          restore: offer.restore,
          turn: dialogue.turns + 1,
          ...(note && { note }),
        }),
      };
    },
    explain: explainGemini,
    models: { path: `/${version}/models?pageSize=1000`, read: readModels },
  };
}

type Note = FormatRequest["note"];

function contentsOf(
  { messages, fresh }: { messages: readonly Message[]; fresh: number },
  inside: boolean,
  note: Note,
): Params[] {
  /** Ids that the API gave. It matches by order where it gave none, and ours mean nothing to it. */
  let theirs: ReadonlySet<unknown> = new Set();
  return messages.map((message, at): Params => {
    const tell = at < fresh ? undefined : note;
    switch (message.role) {
      case "user": {
        const take = (bytes: Bytes) => IN_MESSAGES.has(bytes.mimeType) ? data(bytes) : undefined;
        const parts = attachedParts(message.parts ?? [], { words, take }, tell);
        const isSilent = message.text === "" && parts.length > 0;
        return { role: "user", parts: isSilent ? parts : [words(message.text), ...parts] };
      }
      case "assistant": {
        const parts = isCarry(message.carry)
          ? message.carry.parts
          : retold(message.text, message.uses, inside);
        theirs = new Set(
          parts.map(({ functionCall }) => isObject(functionCall) ? functionCall.id : undefined),
        );
        return { role: "model", parts };
      }
      case "tool":
        return { role: "user", parts: resultParts(message.results, theirs, inside, tell) };
    }
  });
}

/** What Google's documents give for calls that Gemini did not write: from its third generation on, a call must be signed. */
const UNSIGNED = "skip_thought_signature_validator";

/** A turn of another model, or of one whose parts are not known. */
function retold(text: string, uses: readonly ToolUse[], signed: boolean): Params[] {
  const calls = uses.map(({ name, args }, at) => ({
    functionCall: { name, args: wellFormed(args) },
    // Of calls side by side, the first alone has a signature.
    ...(signed && at === 0 && { thoughtSignature: UNSIGNED }),
  }));
  return text === "" ? calls : [words(text), ...calls];
}

/** All responses come first: their number is compared with that of the calls. */
function resultParts(
  results: readonly UseResult[],
  theirs: ReadonlySet<unknown>,
  inside: boolean,
  note: Note,
): Params[] {
  const beside: Params[] = [];
  const responses = results.map((result) => {
    const { id, name, isError } = result;
    const parts: Params[] = [];
    const show = (bytes: Bytes) => {
      if (inside && IN_RESULTS.has(bytes.mimeType)) parts.push(data(bytes));
      else if (IN_MESSAGES.has(bytes.mimeType)) {
        beside.push(words(`(what ${name} gave)`), data(bytes));
      } else return false;
      return true;
    };
    const text = resultText(result, show, note);
    return {
      functionResponse: {
        ...(theirs.has(id) && { id }),
        name,
        response: isError ? { error: text } : { output: text },
        ...(parts.length > 0 && { parts }),
      },
    };
  });
  return [...responses, ...beside];
}

function answerFormat(request: FormatRequest, hasTools: boolean): Params {
  // Older ones refuse JSON beside tools; the answer is checked anyway.
  if (hasTools && !isMultimodal(request.model)) return {};
  const fitted = answerOf(request, RULES.gemini);
  return fitted ? { responseMimeType: "application/json", responseJsonSchema: fitted } : {};
}

function isMultimodal(model: string): boolean {
  return Number(GENERATION.exec(model)?.[1] ?? 0) >= MULTIMODAL_RESULTS;
}

/** `models/x` for a plain name; `tunedModels/x` and the like as they are. */
function pathOf(model: string): string {
  const path = model.includes("/") ? model : `models/${model}`;
  return path.split("/").map(encodeURIComponent).join("/");
}

function isEmpty({ properties, anyOf, $ref }: Params): boolean {
  const none = !isObject(properties) || Object.keys(properties).length === 0;
  return none && anyOf === undefined && $ref === undefined;
}

function words(text: string): Params {
  return { text };
}

function data({ mimeType, data }: Bytes): Params {
  return { inlineData: { mimeType, data } };
}

function isCarry(carry: unknown): carry is GeminiCarry {
  return isObject(carry) && carry.api === "gemini" && Array.isArray(carry.parts);
}

/** Those that can hold a conversation, without the `models/` that none of them is asked for by. */
function readModels(body: unknown): string[] {
  const list = isObject(body) && Array.isArray(body.models) ? body.models.filter(isObject) : [];
  return list.flatMap(({ name, supportedGenerationMethods: methods }) => {
    if (typeof name !== "string") return [];
    if (Array.isArray(methods) && !methods.includes("generateContent")) return [];
    return [name.replace(/^models\//, "")];
  });
}
