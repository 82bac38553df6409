/** The least that a client can be: start a server, ask it thrice, print the answer, leave. @module */

const child = new Deno.Command(Deno.execPath(), {
  args: Deno.args,
  stdin: "piped",
  stdout: "piped",
  stderr: "null",
}).spawn();
const writer = child.stdin.getWriter();
const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "bare", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
let rest = "";

// deno-lint-ignore no-explicit-any -- the wire is untyped
async function ask(id: number, method: string, params: object): Promise<any> {
  const call = { jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } };
  await writer.write(new TextEncoder().encode(JSON.stringify(call) + "\n"));
  while (!rest.includes("\n")) rest += (await lines.read()).value ?? "";
  const at = rest.indexOf("\n");
  const reply = JSON.parse(rest.slice(0, at));
  rest = rest.slice(at + 1);
  return reply.result;
}

await ask(1, "server/discover", {});
await ask(2, "tools/list", {});
const { content } = await ask(3, "tools/call", { name: "echo", arguments: { text: "hello" } });
await Deno.stdout.write(new TextEncoder().encode(content[0].text + "\n"));
await writer.close();
await child.status;
await lines.cancel();
