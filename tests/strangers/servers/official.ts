/** A server on the official SDK: `official.ts SDK serve|reject-legacy|hand-wired`, the SDK by its npm specifier. @module */
const [sdk = "", form] = Deno.args;
const { McpServer, fromJsonSchema } = await import(sdk);
const { serveStdio, StdioServerTransport } = await import(`${sdk}/stdio`);

const inputSchema = fromJsonSchema({
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
});

function made(): typeof McpServer {
  const server = new McpServer({ name: "an-official-one", version: "1.0.0" });
  server.registerTool(
    "add",
    { description: "Adds two numbers", inputSchema },
    ({ a, b }: { a: number; b: number }) => ({ content: [{ type: "text", text: String(a + b) }] }),
  );
  server.registerTool("fail", { description: "Fails" }, () => {
    throw new Error("boom");
  });
  return server;
}

switch (form) {
  case "serve":
    serveStdio(made);
    break;
  case "reject-legacy":
    serveStdio(made, { legacy: "reject" });
    break;
  case "hand-wired":
    await made().connect(new StdioServerTransport());
    break;
  default:
    throw new Error(`Cannot be served: no such form "${form}"`);
}
