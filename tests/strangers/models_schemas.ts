/** Schemas of the official SDKs' types, as a program: reads `{ schema, body }`, a line each, and judges. @module */
const [generator = "", ajv = "", anthropic = "", openai = "", genai = ""] = Deno.args;
const { createGenerator } = await import(generator);
const { Ajv } = await import(ajv);

/** What the SDK calls its parameters is not what it sends; its parts are. */
const GEMINI = (types: string) => `
import type { Content, GenerationConfig, SafetySetting, Tool, ToolConfig } from ${
  JSON.stringify(types)
};
export interface GenerateContentRequest {
  contents: Content[];
  systemInstruction?: Content;
  tools?: Tool[];
  toolConfig?: ToolConfig;
  generationConfig?: GenerationConfig;
  safetySettings?: SafetySetting[];
  cachedContent?: string;
}`;

/** The folder in which Deno keeps a package. */
async function folderOf(specifier: string): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-config", "--node-modules-dir=none", specifier],
    stdin: "null",
    stderr: "inherit",
  }).output();
  const { npmPackages } = JSON.parse(new TextDecoder().decode(stdout));
  return npmPackages[specifier.replace(/^npm:/, "")].localPath;
}

async function geminiTypes(): Promise<string> {
  const path = await Deno.makeTempFile({ prefix: "fusebox-gemini-", suffix: ".ts" });
  await Deno.writeTextFile(path, GEMINI(`${await folderOf(genai)}/dist/genai`));
  return path;
}

/** By name, the file of its type and what the type is called. */
const TYPES: Readonly<Record<string, () => Promise<[path: string, type: string]>>> = {
  anthropic: async () => [
    `${await folderOf(anthropic)}/resources/messages/messages.d.ts`,
    "MessageCreateParams",
  ],
  responses: async () => [
    `${await folderOf(openai)}/resources/responses/responses.d.ts`,
    "ResponseCreateParams",
  ],
  chat: async () => [
    `${await folderOf(openai)}/resources/chat/completions/completions.d.ts`,
    "ChatCompletionCreateParams",
  ],
  gemini: async () => [await geminiTypes(), "GenerateContentRequest"],
};

// deno-lint-ignore no-explicit-any -- of a package that is named at run time
type Check = any;

async function checkOf(name: string): Promise<Check> {
  const [path, type] = await TYPES[name]!();
  const schema = createGenerator({
    path,
    type,
    skipTypeCheck: true,
    expose: "all",
    topRef: true,
    additionalProperties: false,
  }).createSchema(type);
  if (name === "gemini") await Deno.remove(path);
  return new Ajv({ strict: false, allErrors: true }).compile(schema);
}

const input = await new Response(Deno.stdin.readable).text();
const lines = input.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
const checks = new Map<string, Check>();
for (const name of new Set<string>(lines.map(({ schema }) => schema))) {
  checks.set(name, await checkOf(name));
}

/** Of a choice between types all that did not fit are told; what lies deepest says most. */
function problemOf({ errors }: Check): string {
  const depth = ({ instancePath, keyword }: Check) =>
    instancePath.split("/").length - (keyword === "const" ? 2 : 0);
  const deepest = errors.toSorted((a: Check, b: Check) => depth(b) - depth(a));
  return deepest.slice(0, 3).map((error: Check) =>
    `${error.instancePath || "/"} ${error.message} ${JSON.stringify(error.params)}`
  ).join("; ");
}

const problems = lines.map(({ schema, body }) => {
  const check = checks.get(schema);
  return check(body) ? null : `${schema}: ${problemOf(check)}`;
});
await new Response(JSON.stringify(problems)).body!.pipeTo(Deno.stdout.writable);
