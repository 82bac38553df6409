import assert from "node:assert/strict";
import { UsageError } from "../../lib/kit/usage.ts";
import { chooseDefault, resolveProvider } from "../../lib/models/providers.ts";
import { ollamaUrl } from "../../lib/models/providers/ollama.ts";
import { PROVIDERS } from "../../lib/models/providers/table.ts";
import { contextWindow } from "../../lib/models/providers/windows.ts";

function usage(work: () => unknown): { message: string; hint: string | undefined } {
  try {
    work();
  } catch (error) {
    assert(error instanceof UsageError, String(error));
    const { message, hint } = error;
    return { message, hint };
  }
  throw new Error("it was accepted");
}

Deno.test("ollamaUrl() reads OLLAMA_HOST in all its forms", () => {
  const cases: Record<string, string> = {
    "": "http://127.0.0.1:11434",
    "example.test": "http://example.test:11434",
    "example.test:8080": "http://example.test:8080",
    ":8080": "http://127.0.0.1:8080",
    "0.0.0.0": "http://127.0.0.1:11434",
    "0.0.0.0:8080": "http://127.0.0.1:8080",
    "10.0.0.7": "http://10.0.0.7:11434",
    "::1": "http://[::1]:11434",
    "[::1]": "http://[::1]:11434",
    "[::1]:8080": "http://[::1]:8080",
    "[::]:8080": "http://[::1]:8080",
    "fe80::1": "http://[fe80::1]:11434",
    "http://example.test": "http://example.test",
    "https://example.test/": "https://example.test",
    "HTTPS://example.test:8443/some/path/": "https://example.test:8443/some/path",
    "http://0.0.0.0:11434": "http://127.0.0.1:11434",
    "http://[::1]:1": "http://[::1]:1",
    ' "example.test" ': "http://example.test:11434",
    "example.test/path": "http://example.test:11434/path",
  };
  for (const [value, url] of Object.entries(cases)) assert.equal(ollamaUrl(value), url, value);
});

Deno.test("resolveProvider() gives format, address and key", () => {
  const env = { ANTHROPIC_API_KEY: " sk-ant \n", OPENAI_API_KEY: '"sk-oai"' };
  const claude = resolveProvider("anthropic/claude-opus-5-5", env);
  assert.deepEqual(claude, {
    provider: "anthropic",
    model: "claude-opus-5-5",
    format: "anthropic",
    baseUrl: "https://api.anthropic.com",
    key: "sk-ant",
    keyFrom: "ANTHROPIC_API_KEY",
    headers: {},
    chat: {},
    window: 1_000_000,
    notes: [],
  });
  const gpt = resolveProvider("openai/gpt-5.6-terra", {
    ...env,
    OPENAI_ORG_ID: "org",
    OPENAI_PROJECT_ID: "",
  });
  assert.deepEqual([gpt.format, gpt.baseUrl, gpt.key, gpt.maxTools], [
    "openai_responses",
    "https://api.openai.com/v1",
    "sk-oai",
    128,
  ]);
  assert.deepEqual(gpt.headers, { "openai-organization": "org" });
  assert.equal(resolveProvider("openai-chat/gpt-4o", env).format, "openai_chat");
});

Deno.test("resolveProvider() takes everything behind the first slash for the model's name", () => {
  const { provider, model } = resolveProvider("openrouter/openai/gpt-oss-120b:free", {
    OPENROUTER_API_KEY: "k-1",
  });
  assert.deepEqual([provider, model], ["openrouter", "openai/gpt-oss-120b:free"]);
});

Deno.test("resolveProvider() takes a provider alone for its default model, and knows other names of it", () => {
  const env = { GEMINI_API_KEY: "k-1", XAI_API_KEY: "k-2" };
  assert.equal(resolveProvider("gemini", env).model, "gemini-3.8-flash");
  assert.equal(resolveProvider("Google/gemini-2.5-pro", env).provider, "gemini");
  assert.equal(resolveProvider("grok/grok-4", env).provider, "xai");
});

Deno.test("resolveProvider() says what is wrong with a name, and what was meant", () => {
  const cases: [string, string, string][] = [
    [
      "antropic/claude-x",
      'Cannot use the model "antropic/claude-x": no such provider',
      'Did you mean "anthropic/claude-x"?',
    ],
    ["ofline", 'Cannot use the model "ofline": no such provider', 'Did you mean "offline"?'],
    [
      "claude-opus-5-5",
      'Cannot use the model "claude-opus-5-5": no provider is named',
      "Write anthropic/claude-opus-5-5, or whichever provider has it.",
    ],
    [
      "gpt-5",
      'Cannot use the model "gpt-5": no provider is named',
      "Write openai/gpt-5, or whichever provider has it.",
    ],
    [
      "ollama",
      'Cannot use the model "ollama": no model is named',
      "Write ollama/MODEL; `fusebox models` lists what a provider offers.",
    ],
    [
      "openai/",
      'Cannot use the model "openai/": no model is named',
      "Write openai/MODEL; `fusebox models` lists what a provider offers.",
    ],
  ];
  for (const [name, message, hint] of cases) {
    assert.deepEqual(usage(() => resolveProvider(name, {})), { message, hint });
  }
  const { hint } = usage(() => resolveProvider("zzzzzz/x", {}));
  assert.match(hint!, /^Known are anthropic, openai, .*, offline and script:FILE\.$/);
});

Deno.test("resolveProvider() says where it looked for a key", () => {
  assert.deepEqual(usage(() => resolveProvider("gemini/g", { GEMINI_API_KEY: "" })), {
    message: 'Cannot use the model "gemini/g": no key (looked at GOOGLE_API_KEY, GEMINI_API_KEY)',
    hint: "Set GOOGLE_API_KEY, or use ollama/MODEL or offline, which need none.",
  });
  assert.match(
    usage(() => resolveProvider("openai/g", { OPENAI_API_KEY: "k" }, { keyEnv: "WORK_KEY" }))
      .message,
    /no key \(looked at WORK_KEY\)$/,
  );
  const { message } = usage(() => resolveProvider("openai/g", { OPENAI_API_KEY: "sk-1 sk-2" }));
  assert.equal(message, "Cannot use the key in OPENAI_API_KEY: it holds what no key holds");
});

Deno.test("resolveProvider() prefers the variables that the SDKs prefer, and says so", () => {
  const google = resolveProvider("gemini/g", { GEMINI_API_KEY: "k-1", GOOGLE_API_KEY: "k-2" });
  assert.equal(google.key, "k-2");
  assert.deepEqual(google.notes, ["GOOGLE_API_KEY is used, not GEMINI_API_KEY"]);
  const same = resolveProvider("gemini/g", { GEMINI_API_KEY: "k-1", GOOGLE_API_KEY: "k-1" });
  assert.deepEqual(same.notes, []);

  const token = resolveProvider("anthropic/c", { ANTHROPIC_AUTH_TOKEN: "tok" });
  assert.deepEqual([token.key, token.headers], [undefined, { authorization: "Bearer tok" }]);
  const both = resolveProvider("anthropic/c", {
    ANTHROPIC_AUTH_TOKEN: "tok",
    ANTHROPIC_API_KEY: "k",
  });
  assert.deepEqual([both.key, both.headers], ["k", {}]);
  assert.deepEqual(both.notes, ["ANTHROPIC_API_KEY is used, not ANTHROPIC_AUTH_TOKEN"]);
});

Deno.test("resolveProvider() reads custom headers, which may be the key", () => {
  const env = { ANTHROPIC_CUSTOM_HEADERS: "Authorization: Bearer x\n X-Team : red: 1 \nnonsense" };
  const { key, headers } = resolveProvider("anthropic/c", env);
  assert.deepEqual([key, headers], [undefined, { authorization: "Bearer x", "x-team": "red: 1" }]);
});

Deno.test("resolveProvider() takes the configuration's address, else the environment's, else the usual", () => {
  const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:4010/v1/" };
  assert.equal(resolveProvider("openai/g", env).baseUrl, "http://127.0.0.1:4010/v1");
  assert.equal(
    resolveProvider("openai/g", env, { baseUrl: "https://gate.test/v1" }).baseUrl,
    "https://gate.test/v1",
  );
  assert.equal(resolveProvider("openai/g", { OPENAI_BASE_URL: "https://x.test" }).key, undefined);
  const groq = { GROQ_API_KEY: "k", GROQ_BASE_URL: "https://api.groq.com" };
  assert.equal(resolveProvider("groq/m", groq).baseUrl, "https://api.groq.com/openai/v1");
  assert.deepEqual(
    usage(() =>
      resolveProvider("openai/g", { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "localhost:80" })
    ),
    {
      message: 'Cannot use the model "openai/g": the base URL in OPENAI_BASE_URL is none',
      hint: "Write it like https://api.openai.com/v1",
    },
  );
});

Deno.test("resolveProvider() asks Azure under the user's own address", () => {
  assert.equal(
    usage(() => resolveProvider("azure/d", { AZURE_OPENAI_API_KEY: "k" })).message,
    'Cannot use the model "azure/d": no base URL (looked at AZURE_OPENAI_ENDPOINT)',
  );
  for (const path of ["", "/", "/openai/v1", "/openai/v1/"]) {
    const { baseUrl, headers, key } = resolveProvider("azure/d", {
      AZURE_OPENAI_ENDPOINT: `https://me.openai.azure.com${path}`,
      AZURE_OPENAI_API_KEY: "k",
    });
    assert.equal(baseUrl, "https://me.openai.azure.com/openai/v1");
    assert.deepEqual([headers, key], [{ "api-key": "k" }, undefined]);
  }
});

Deno.test("resolveProvider() needs no key for a server of the user's own", () => {
  for (const name of ["ollama", "llamacpp", "lmstudio", "vllm"]) {
    const { key, window } = resolveProvider(`${name}/gpt-oss-20b`, {});
    assert.deepEqual([key, window], [undefined, undefined]);
  }
  assert.equal(resolveProvider("llamacpp/m", { LLAMA_API_KEY: "k" }).key, "k");
});

Deno.test("resolveProvider() gives the key of ollama.com to nobody else", () => {
  const env = { OLLAMA_API_KEY: "k" };
  assert.equal(resolveProvider("ollama/m", env).key, undefined);
  assert.equal(resolveProvider("ollama/m", { ...env, OLLAMA_HOST: "10.0.0.7" }).key, undefined);
  const hosted = resolveProvider("ollama/m", { ...env, OLLAMA_HOST: "https://ollama.com" });
  assert.deepEqual([hosted.key, hosted.baseUrl], ["k", "https://ollama.com/v1"]);
  assert.equal(resolveProvider("ollama/m", env, { keyEnv: "OLLAMA_API_KEY" }).key, "k");
});

Deno.test("resolveProvider() takes the version from the configuration, else from the environment", () => {
  const env = { GEMINI_API_KEY: "k", GOOGLE_GENAI_API_VERSION: "v1beta" };
  assert.equal(resolveProvider("gemini/g", env).version, "v1beta");
  assert.equal(resolveProvider("gemini/g", env, { version: "v1" }).version, "v1");
  assert.equal(resolveProvider("anthropic/c", { ANTHROPIC_API_KEY: "k" }).version, undefined);
});

Deno.test("chooseDefault() follows the order of the table and names the variable that decided", () => {
  const keys = ["GROQ", "MISTRAL", "OPENROUTER", "GEMINI", "GOOGLE", "OPENAI"];
  const env: Record<string, string> = { ANTHROPIC_API_KEY: " ", XAI_API_KEY: "k" };
  assert.equal(chooseDefault(env), undefined);
  const chosen = keys.map((key) => {
    env[`${key}_API_KEY`] = "k";
    return chooseDefault(env)!;
  });
  assert.deepEqual(chosen.map(({ because }) => because), keys.map((key) => `${key}_API_KEY`));
  assert.deepEqual(chosen.map(({ name }) => name.split("/")[0]), [
    ...["groq", "mistral", "openrouter", "gemini", "gemini", "openai"],
  ]);
  env.ANTHROPIC_AUTH_TOKEN = "t";
  assert.deepEqual(chooseDefault(env), {
    name: "anthropic/claude-sonnet-5-5",
    because: "ANTHROPIC_AUTH_TOKEN",
  });
  for (const { name } of chosen) assert(resolveProvider(name, env));
});

Deno.test("PROVIDERS have unique names, and addresses without a slash at the end", () => {
  const names = PROVIDERS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.equal(new Set(names).size, names.length);
  for (const { baseUrl } of PROVIDERS) assert(!baseUrl?.endsWith("/"));
});

Deno.test("contextWindow() knows models by their names", () => {
  const cases: Record<string, number | undefined> = {
    "claude-sonnet-5-5": 1_000_000,
    "anthropic/claude-sonnet-5.5": 1_000_000,
    "claude-sonnet-4-5-20250929": 200_000,
    "claude-haiku-4-5": 200_000,
    "gpt-4o-mini": 128_000,
    "gpt-4.1": 1_047_576,
    "gpt-5-mini": 400_000,
    "gpt-5.1": 400_000,
    "gpt-5.1-chat-latest": 128_000,
    "gpt-5.4": 1_050_000,
    "gpt-6.1-terra": 1_050_000,
    "openai/gpt-oss-120b": 131_072,
    "o4-mini": 200_000,
    "gemini-3.8-flash": 1_048_576,
    "mistral-medium-latest": 262_144,
    "llama-3.3-70b-versatile": 131_072,
    "my-own-model": undefined,
  };
  for (const [name, tokens] of Object.entries(cases)) {
    assert.equal(contextWindow(name), tokens, name);
  }
});
