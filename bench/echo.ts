/** The cheapest server that still speaks MCP: what it costs is not what the benchmarks measure. @module */

const TOOL = {
  name: "echo",
  description: "Returns its arguments.",
  inputSchema: { type: "object" },
};
const COMPLETE = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

// deno-lint-ignore no-explicit-any -- the wire is untyped
function result({ method, params }: any): unknown {
  switch (method) {
    case "server/discover":
      return { ...COMPLETE, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
    case "initialize":
      return {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "echo", version: "1" },
      };
    case "tools/list":
      return { ...COMPLETE, tools: [TOOL] };
    case "tools/call":
      return {
        resultType: "complete",
        content: [{ type: "text", text: JSON.stringify(params.arguments) }],
      };
  }
}

if (import.meta.main) {
  const delay = Number(Deno.args[0] ?? 0);
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  const encoder = new TextEncoder();
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    let out = "";
    for (const line of lines) {
      const call = JSON.parse(line);
      if (call.id === undefined) continue;
      const reply = result(call) ?? undefined;
      out += JSON.stringify({
        jsonrpc: "2.0",
        id: call.id,
        ...(reply ? { result: reply } : { error: { code: -32601, message: "Method not found" } }),
      }) + "\n";
    }
    const bytes = encoder.encode(out);
    for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
  }
}
