/** Two agent loops over one and the same model: a server that speaks Gemini's API and plays a script. @module */
import type { Entry } from "./act.ts";
import type { Ran, Stage, Wishes } from "./stage.ts";

/** A tool of the server `good`. */
export interface Step {
  tool: string;
  args?: Record<string, unknown>;
}

/** What a run came to, as its model saw it. */
export interface Seen extends Ran {
  /** Tools of the server `good` that the first request offered. */
  offered: string[];
  /** What came back for each step, as JSON. */
  results: string[];
}

export interface Loop {
  name: string;
  package?: `${string}@${string}`;
  argv(config: string, prompt: string, seconds?: number): readonly string[];
  /** Where it looks for its configuration; `-c` names the file where there is such an option. */
  settings(mcpServers: Record<string, Entry>): unknown;
  file: string;
  /** More in the entry of a server, where a time is no option of the command. */
  entry?(seconds: number): Entry;
}

export const ANSWER = "That is all.";

export function loops(here: string, main: string): Loop[] {
  return [
    {
      name: "fusebox ask",
      file: "house.json",
      settings: (mcpServers) => ({ mcpServers }),
      argv: (config, prompt, seconds) => [
        ...["deno", "run", "-A", "--quiet", main, prompt, "--yes", "--no-stdin"],
        ...["-m", "gemini/gemini-2.5-flash", "-c", config],
        ...seconds ? ["--timeout", `${seconds}s`] : [],
      ],
    },
    {
      name: "gemini -p",
      package: "@google/gemini-cli@0.61.0",
      file: ".gemini/settings.json",
      settings: (mcpServers) => ({
        mcpServers,
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        privacy: { usageStatisticsEnabled: false },
      }),
      argv: (_, prompt) => [
        ...["node", `${here}/node_modules/@google/gemini-cli/bundle/gemini.js`, "-p", prompt],
        ...["--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
      ],
      entry: (seconds) => ({ timeout: seconds * 1000 }),
    },
  ];
}

// deno-lint-ignore no-explicit-any -- a request of Gemini's API
type Body = any;

/** Runs a loop whose model calls these tools, one a turn, and then answers. */
export async function loopRun(
  loop: Loop,
  stage: Stage,
  { servers, steps, seconds, ...wishes }: Wishes & {
    servers: Record<string, Entry>;
    steps: readonly Step[];
    seconds?: number;
  },
): Promise<Seen> {
  const seen: Pick<Seen, "offered" | "results"> = { offered: [], results: [] };
  let at = 0;
  const turn = (body: Body): Body => {
    const names: string[] = (body.tools ?? [])
      .flatMap((tool: Body) => tool.functionDeclarations ?? [])
      .map(({ name }: Body) => name);
    if (at === 0) seen.offered = names.filter((name) => /good/.test(name));
    // The last word need not be a result: a note on what went off may stand behind it.
    seen.results = (body.contents ?? [])
      .flatMap(({ parts }: Body) => parts ?? [])
      .flatMap(({ functionResponse }: Body) => functionResponse ?? [])
      .map(({ response }: Body) => JSON.stringify(response));
    const step = steps[at++];
    const name = names.find((name) => /good/.test(name) && name.endsWith(`_${step?.tool}`));
    if (!step || !name) return { text: ANSWER };
    return { functionCall: { name, args: step.args ?? {} } };
  };
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (ask) => {
      const path = new URL(ask.url).pathname;
      if (!/generateContent/i.test(path)) return Response.json({ models: [] });
      const reply = {
        candidates: [{
          content: { role: "model", parts: [turn(await ask.json())] },
          finishReason: "STOP",
          index: 0,
        }],
        usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      };
      return /stream/.test(path)
        ? new Response(`data: ${JSON.stringify(reply)}\r\n\r\n`, {
          headers: { "content-type": "text/event-stream" },
        })
        : Response.json(reply);
    },
  );
  const config = await stage.write(loop.file, loop.settings(servers));
  const ran = await stage.run(loop.argv(config, "Go on.", seconds), {
    ...wishes,
    env: {
      GEMINI_API_KEY: "none",
      GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${server.addr.port}`,
    },
  });
  return { ...ran, ...seen };
}
