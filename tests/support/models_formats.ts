/** The four wire formats as data, seen from the other end of the wire: where each says what. @module */

// deno-lint-ignore no-explicit-any -- a body is whatever JSON was sent
export type Body = any;

/** A tool's result as it went over the wire. */
export interface SentResult {
  text: string;
  isError: boolean;
}

/** A refusal in a provider's own words; aimock puts them into the provider's own shape. */
export interface Refusal {
  status: number;
  error: { message: string; type?: string; code?: string };
}

export type Trouble =
  | "key"
  | "model"
  | "context"
  | "quota"
  | "rate"
  | "failed"
  | "overloaded"
  | "refused";

export interface Format {
  /** As the user writes it before the slash. */
  provider: string;
  /** How its models are called; whoever plays one adds a name of his own. */
  model: string;
  /** What a user sets to reach a server of his own with a key. */
  env(url: string, key: string): Record<string, string>;
  /** Where a request for this model is posted. */
  path(model: string, stream: boolean): string;
  /** The header that carries the key. */
  auth(key: string): [name: string, value: string];
  /** Which of the schemas that are made of the SDKs' types its bodies are valid for. */
  schema: string;
  system(body: Body): string;
  /** Names of the tools that are offered, in order. */
  tools(body: Body): string[];
  /** The user's words of the first message. */
  prompt(body: Body): string;
  /** What the last message says of tools, in order. */
  results(body: Body): SentResult[];
  /** The arguments of all calls that the model is reminded of, in order, as JSON. */
  calls(body: Body): string[];
  /** How many pictures and documents are in the body. */
  media(body: Body): number;
  /** What the model is given back of what it thought; undefined where the API wants nothing back. */
  thoughts(body: Body): unknown[] | undefined;
  refusals: Record<Trouble, Refusal>;
  /** What is told of an input that is too long, beside the sentence: numbers, where the API tells them. */
  tooLong: string;
  /** The `finishReason` of a fixture that is a refusal; undefined where aimock can't tell one. */
  refusal?: string;
}

const bearer = (key: string): [string, string] => ["authorization", `Bearer ${key}`];

const LONG = "Request too large, or too long, or both: this model's maximum context length is " +
  "128000 tokens. However, your messages resulted in 141000 tokens.";

/** The same for both formats of OpenAI. */
const OPENAI: Format["refusals"] = {
  key: {
    status: 401,
    error: {
      message: "Incorrect API key provided: sk-12**89.",
      type: "invalid_request_error",
      code: "invalid_api_key",
    },
  },
  model: {
    status: 404,
    error: {
      message: "The model `gpt-nope` does not exist or you do not have access to it.",
      type: "invalid_request_error",
      code: "model_not_found",
    },
  },
  context: {
    status: 400,
    error: { message: LONG, type: "invalid_request_error", code: "context_length_exceeded" },
  },
  quota: {
    status: 429,
    error: {
      message: "You exceeded your current quota, please check your plan and billing details.",
      type: "insufficient_quota",
      code: "insufficient_quota",
    },
  },
  rate: {
    status: 429,
    error: {
      message: "Rate limit reached for requests",
      type: "requests",
      code: "rate_limit_exceeded",
    },
  },
  failed: {
    status: 500,
    error: { message: "The server had an error", type: "server_error" },
  },
  overloaded: {
    status: 529,
    error: { message: "The engine is currently overloaded", type: "server_error" },
  },
  refused: {
    status: 400,
    error: { message: "Invalid value: 'frobnicate'", type: "invalid_request_error" },
  },
};

const anthropic: Format = {
  provider: "anthropic",
  model: "claude-sonnet-5",
  env: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
  path: () => "/v1/messages",
  auth: (key) => ["x-api-key", key],
  schema: "anthropic",
  system: ({ system }) => textOf(system),
  tools: ({ tools = [] }) => tools.map(({ name }: Body) => name),
  prompt: ({ messages }) => textOf(messages[0].content),
  results: ({ messages }) =>
    blocks(messages.at(-1).content, "tool_result").map(({ content, is_error }) => ({
      text: textOf(content),
      isError: is_error === true,
    })),
  calls: ({ messages }) =>
    messages.flatMap(({ content }: Body) => blocks(content, "tool_use"))
      .map(({ input }: Body) => JSON.stringify(input)),
  media: ({ messages }) =>
    messages.flatMap(({ content }: Body) =>
      everyBlock(content).filter(({ type }) => type === "image" || type === "document")
    ).length,
  thoughts: ({ messages }) =>
    messages.flatMap(({ content }: Body) => blocks(content, "thinking"))
      .map(({ thinking, signature }: Body) => [thinking, signature]),
  refusals: {
    key: { status: 401, error: { message: "invalid x-api-key", type: "authentication_error" } },
    model: { status: 404, error: { message: "model: claude-nope", type: "not_found_error" } },
    context: {
      status: 400,
      error: {
        message: "prompt is too long: 3333404 tokens > 200000 maximum",
        type: "invalid_request_error",
      },
    },
    quota: {
      status: 400,
      error: {
        message: "Your credit balance is too low to access the Anthropic API.",
        type: "invalid_request_error",
      },
    },
    rate: { status: 429, error: { message: "Slow down", type: "rate_limit_error" } },
    failed: { status: 500, error: { message: "Internal server error", type: "api_error" } },
    overloaded: { status: 529, error: { message: "Overloaded", type: "overloaded_error" } },
    refused: {
      status: 400,
      error: { message: "frobnicate: extra inputs", type: "invalid_request_error" },
    },
  },
  tooLong: "3333404 tokens where 200000 fit",
  refusal: "refusal",
};

const responses: Format = {
  provider: "openai",
  model: "gpt-6.1-terra",
  env: (url, key) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key }),
  path: () => "/v1/responses",
  auth: bearer,
  schema: "responses",
  system: ({ instructions = "" }) => instructions,
  tools: ({ tools = [] }) => tools.map(({ name }: Body) => name),
  prompt: ({ input }) => textOf(input[0].content),
  results: ({ input }) =>
    trailing(input, ({ type }) => type === "function_call_output")
      .map(({ output }) => errorText(textOf(output))),
  calls: ({ input }) =>
    input.filter(({ type }: Body) => type === "function_call")
      .map((call: Body) => call.arguments),
  media: ({ input }) =>
    input.flatMap(({ content, output }: Body) => [...list(content), ...list(output)])
      .filter(({ type }: Body) => type === "input_image" || type === "input_file").length,
  thoughts: ({ input }) =>
    input.filter(({ type }: Body) => type === "reasoning")
      .map(({ summary, encrypted_content }: Body) => [textOf(summary), typeof encrypted_content]),
  refusals: OPENAI,
  tooLong: "141000 tokens where 128000 fit",
};

const chat: Format = {
  provider: "openai-chat",
  model: "gpt-5-mini",
  env: responses.env,
  path: () => "/v1/chat/completions",
  auth: bearer,
  schema: "chat",
  system: ({ messages: [{ role, content }] }) => role === "system" ? content : "",
  tools: ({ tools = [] }) => tools.map((tool: Body) => tool.function.name),
  prompt: ({ messages }) => textOf(messages.find(({ role }: Body) => role === "user").content),
  results: ({ messages }) => {
    // Pictures of tools come in a message behind theirs.
    const said = messages.at(-1).role === "user" ? messages.slice(0, -1) : messages;
    return trailing(said, ({ role }) => role === "tool")
      .map(({ content }) => errorText(textOf(content)));
  },
  calls: ({ messages }) =>
    messages.flatMap(({ tool_calls = [] }: Body) => tool_calls)
      .map((call: Body) => call.function.arguments),
  media: ({ messages }) =>
    messages.flatMap(({ content }: Body) => list(content))
      .filter(({ type }: Body) => type === "image_url" || type === "file").length,
  thoughts: () => undefined,
  refusals: OPENAI,
  tooLong: "141000 tokens where 128000 fit",
  refusal: "content_filter",
};

const gemini: Format = {
  provider: "gemini",
  // Older ones refuse JSON beside tools and pictures in results.
  model: "gemini-3-flash",
  // aimock has no v1.
  env: (url, key) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
    GOOGLE_GENAI_API_VERSION: "v1beta",
  }),
  path: (model, stream) =>
    `/v1beta/models/${model}:${stream ? "streamGenerateContent" : "generateContent"}`,
  auth: (key) => ["x-goog-api-key", key],
  schema: "gemini",
  system: ({ systemInstruction }) => textOf(systemInstruction?.parts),
  tools: ({ tools = [] }) =>
    tools.flatMap(({ functionDeclarations }: Body) => functionDeclarations)
      .map(({ name }: Body) => name),
  prompt: ({ contents }) => textOf(contents[0].parts),
  results: ({ contents }) =>
    contents.at(-1).parts.flatMap(({ functionResponse }: Body) => {
      if (!functionResponse) return [];
      const { error, output } = functionResponse.response;
      return [{ text: error ?? output, isError: error !== undefined }];
    }),
  calls: ({ contents }) =>
    contents.flatMap(({ parts }: Body) => parts)
      .flatMap(({ functionCall }: Body) => functionCall ? [JSON.stringify(functionCall.args)] : []),
  media: ({ contents }) =>
    contents.flatMap(({ parts }: Body) =>
      parts.flatMap((part: Body) => [part, ...part.functionResponse?.parts ?? []])
    ).filter(({ inlineData }: Body) => inlineData).length,
  thoughts: ({ contents }) =>
    contents.flatMap(({ parts }: Body) => parts).filter(({ thought }: Body) => thought)
      .map(({ text }: Body) => text),
  refusals: {
    key: {
      status: 400,
      error: {
        message: "API key not valid. Please pass a valid API key.",
        type: "INVALID_ARGUMENT",
      },
    },
    model: {
      status: 404,
      error: {
        message: "models/gemini-nope is not found for API version v1beta.",
        type: "NOT_FOUND",
      },
    },
    context: {
      status: 400,
      error: {
        message:
          "The input token count (1250074) exceeds the maximum number of tokens allowed (1048576).",
        type: "INVALID_ARGUMENT",
      },
    },
    quota: {
      status: 429,
      error: {
        message: "You exceeded your current quota. * Quota exceeded for metric: x, limit: 0",
        type: "RESOURCE_EXHAUSTED",
      },
    },
    rate: {
      status: 429,
      error: { message: "Resource has been exhausted.", type: "RESOURCE_EXHAUSTED" },
    },
    failed: { status: 500, error: { message: "An internal error occurred.", type: "INTERNAL" } },
    overloaded: {
      status: 529,
      error: { message: "The model is overloaded. Please try again later.", type: "UNAVAILABLE" },
    },
    refused: {
      status: 400,
      error: { message: 'Unknown name "frobnicate"', type: "INVALID_ARGUMENT" },
    },
  },
  tooLong: "1250074 tokens where 1048576 fit",
  refusal: "content_filter",
};

export const FORMATS: readonly Format[] = [anthropic, responses, chat, gemini];

function list(content: unknown): Body[] {
  return Array.isArray(content) ? content : [];
}

function blocks(content: unknown, type: string): Body[] {
  return list(content).filter((block) => block.type === type);
}

/** Those inside of results, too. */
function everyBlock(content: unknown): Body[] {
  return list(content).flatMap((block) => [block, ...everyBlock(block.content)]);
}

function textOf(content: unknown): string {
  return typeof content === "string"
    ? content
    : list(content).map(({ text = "" }) => text).join("");
}

function trailing(items: readonly Body[], belongs: (item: Body) => boolean): Body[] {
  return items.slice(items.findLastIndex((item) => !belongs(item)) + 1);
}

/** APIs without a flag are told by the first word. */
function errorText(text: string): SentResult {
  const isError = text.startsWith("Error: ");
  return { text: isError ? text.slice("Error: ".length) : text, isError };
}
