/** Who offers models, where, and under which names in the environment. @module */
import type { ChatOptions } from "../openai_chat.ts";
import { ollamaUrl } from "./ollama.ts";

/** A wire format: the file of that name in `lib/models`. */
export type FormatName = "anthropic" | "openai_chat" | "openai_responses" | "gemini";

export interface KeyVariable {
  name: string;
  /** How it is sent, where that is not the format's own way. */
  as?: "bearer" | "api-key";
}

export interface BaseUrlVariable {
  name: string;
  /** What the variable leaves out by custom. */
  suffix?: string;
  read?: (value: string) => string;
}

export interface Provider {
  name: string;
  aliases?: readonly string[];
  format: FormatName;
  /** Undefined where everybody has one of their own. */
  baseUrl?: string;
  baseUrlFrom?: readonly BaseUrlVariable[];
  /** The first that is set is the key. */
  keyFrom: readonly KeyVariable[];
  /** The key from the environment goes to this host alone. */
  keyHost?: string;
  /** Runs on the user's own machines: no key is needed, and what fits depends on how it was started. */
  isLocal?: true;
  /** Variables that become headers. */
  headersFrom?: Readonly<Record<string, string>>;
  /** Holds lines `Name: value`. */
  customHeadersFrom?: string;
  versionFrom?: string;
  /** Where it differs from OpenAI, for those who speak Chat Completions. */
  chat?: ChatOptions;
  /** Tools in one request at the most, where a limit is known. */
  maxTools?: number;
  defaultModel?: string;
}

/** A server with any model in it: the least is asked of it. */
const OWN_SERVER: ChatOptions = {
  maxTokensKey: "max_tokens",
  cacheKey: false,
  files: false,
  schema: "plain",
  marksCount: true,
};

/** One account, two formats. */
const OPENAI = {
  baseUrl: "https://api.openai.com/v1",
  baseUrlFrom: [{ name: "OPENAI_BASE_URL" }],
  keyFrom: [{ name: "OPENAI_API_KEY" }],
  headersFrom: { OPENAI_ORG_ID: "openai-organization", OPENAI_PROJECT_ID: "openai-project" },
  customHeadersFrom: "OPENAI_CUSTOM_HEADERS",
  // Documented for Chat Completions; Responses does not say.
  maxTools: 128,
} satisfies Partial<Provider>;

/** In the order in which a key decides when no model is named; those without a default model never do. */
export const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    aliases: ["claude"],
    format: "anthropic",
    baseUrl: "https://api.anthropic.com",
    baseUrlFrom: [{ name: "ANTHROPIC_BASE_URL" }],
    keyFrom: [{ name: "ANTHROPIC_API_KEY" }, { name: "ANTHROPIC_AUTH_TOKEN", as: "bearer" }],
    customHeadersFrom: "ANTHROPIC_CUSTOM_HEADERS",
    defaultModel: "claude-sonnet-5-5",
  },
  {
    name: "openai",
    format: "openai_responses",
    ...OPENAI,
    defaultModel: "gpt-6.1-terra",
  },
  {
    name: "gemini",
    aliases: ["google"],
    format: "gemini",
    baseUrl: "https://generativelanguage.googleapis.com",
    baseUrlFrom: [{ name: "GOOGLE_GEMINI_BASE_URL" }],
    keyFrom: [{ name: "GOOGLE_API_KEY" }, { name: "GEMINI_API_KEY" }],
    versionFrom: "GOOGLE_GENAI_API_VERSION",
    maxTools: 512,
    defaultModel: "gemini-3.8-flash",
  },
  {
    name: "openrouter",
    format: "openai_chat",
    baseUrl: "https://openrouter.ai/api/v1",
    chat: { maxTokensKey: "max_tokens", cacheKey: false, reasoning: ["reasoning_details"] },
    keyFrom: [{ name: "OPENROUTER_API_KEY" }],
    defaultModel: "anthropic/claude-sonnet-5.5",
  },
  {
    name: "mistral",
    format: "openai_chat",
    baseUrl: "https://api.mistral.ai/v1",
    // 422 for every field that it does not know, 400 for a user's message behind a tool's.
    chat: { maxTokensKey: "max_tokens", streamOptions: false, userAfterTool: false, files: false },
    keyFrom: [{ name: "MISTRAL_API_KEY" }],
    defaultModel: "mistral-medium-latest",
  },
  {
    name: "groq",
    format: "openai_chat",
    baseUrl: "https://api.groq.com/openai/v1",
    baseUrlFrom: [{ name: "GROQ_BASE_URL", suffix: "/openai/v1" }],
    // 400 for fields that it does not know, and for JSON mode beside tools.
    chat: { cacheKey: false, images: false, files: false, answerWithTools: false },
    keyFrom: [{ name: "GROQ_API_KEY" }],
    defaultModel: "openai/gpt-oss-120b",
  },
  {
    name: "openai-chat",
    format: "openai_chat",
    ...OPENAI,
  },
  {
    name: "azure",
    format: "openai_chat",
    baseUrlFrom: [{ name: "AZURE_OPENAI_ENDPOINT", suffix: "/openai/v1" }],
    keyFrom: [
      { name: "AZURE_OPENAI_API_KEY", as: "api-key" },
      { name: "AZURE_OPENAI_AD_TOKEN", as: "bearer" },
    ],
    maxTools: 128,
  },
  {
    name: "deepseek",
    format: "openai_chat",
    baseUrl: "https://api.deepseek.com",
    chat: {
      maxTokensKey: "max_tokens",
      cacheKey: false,
      images: false,
      files: false,
      reasoning: ["reasoning_content"],
      answer: "object",
    },
    keyFrom: [{ name: "DEEPSEEK_API_KEY" }],
  },
  {
    name: "xai",
    aliases: ["grok"],
    format: "openai_chat",
    baseUrl: "https://api.x.ai/v1",
    chat: { cacheKey: false, files: false },
    keyFrom: [{ name: "XAI_API_KEY" }],
  },
  {
    name: "together",
    format: "openai_chat",
    baseUrl: "https://api.together.xyz/v1",
    baseUrlFrom: [{ name: "TOGETHER_BASE_URL" }],
    chat: { maxTokensKey: "max_tokens", cacheKey: false, files: false },
    keyFrom: [{ name: "TOGETHER_API_KEY" }],
  },
  {
    name: "ollama",
    format: "openai_chat",
    baseUrl: "http://127.0.0.1:11434/v1",
    baseUrlFrom: [{ name: "OLLAMA_HOST", suffix: "/v1", read: ollamaUrl }],
    chat: OWN_SERVER,
    keyFrom: [{ name: "OLLAMA_API_KEY" }],
    keyHost: "ollama.com",
    isLocal: true,
  },
  {
    name: "llamacpp",
    aliases: ["llama.cpp"],
    format: "openai_chat",
    baseUrl: "http://127.0.0.1:8080/v1",
    chat: OWN_SERVER,
    keyFrom: [{ name: "LLAMA_API_KEY" }],
    isLocal: true,
  },
  {
    name: "lmstudio",
    format: "openai_chat",
    baseUrl: "http://127.0.0.1:1234/v1",
    chat: OWN_SERVER,
    keyFrom: [{ name: "LM_API_TOKEN" }],
    isLocal: true,
  },
  {
    name: "vllm",
    format: "openai_chat",
    baseUrl: "http://127.0.0.1:8000/v1",
    chat: OWN_SERVER,
    keyFrom: [{ name: "VLLM_API_KEY" }],
    isLocal: true,
  },
];
