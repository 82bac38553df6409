/** The least client there is, sharing no code with `lib/`: what it counts, ours must find. @module */

export interface Program {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** What a server says when asked by hand: its era's version, and the names of all its tools. */
export async function askByHand(program: Program): Promise<{ version: string; tools: string[] }> {
  const { command, args, env, cwd } = program;
  const child = new Deno.Command(command, {
    args: [...args],
    env: { ...env },
    cwd,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const stdin = child.stdin.getWriter();
  const heard = lines(child.stdout);
  const tell = (message: object) =>
    stdin.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"));
  let id = 0;
  // deno-lint-ignore no-explicit-any -- whatever JSON comes
  async function ask(method: string, params: object): Promise<any> {
    await tell({ id: ++id, method, params });
    for (;;) {
      const { value, done } = await heard.next();
      if (done) throw new Error(`it ended before it answered ${method}`);
      const message = JSON.parse(value);
      if (message.id === id && message.method === undefined) return message;
    }
  }
  let meta: object = { _meta: META };
  let version = "2026-07-28";
  const discovered = await ask("server/discover", meta);
  if (discovered.error) {
    const { result } = await ask("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw", version: "0" },
    });
    await tell({ method: "notifications/initialized" });
    [meta, version] = [{}, result.protocolVersion];
  }
  const tools: string[] = [];
  for (let next: object = {};;) {
    const { result } = await ask("tools/list", { ...meta, ...next });
    for (const tool of result.tools) tools.push(tool.name);
    if (result.nextCursor === undefined) break;
    next = { cursor: result.nextCursor };
  }
  await stdin.close();
  await heard.return(undefined);
  await child.status;
  return { version, tools };
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const whole = (rest + text).split("\n");
    rest = whole.pop()!;
    yield* whole.filter((line) => line.trim().startsWith("{"));
  }
}
