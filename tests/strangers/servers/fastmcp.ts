/** A server on fastmcp: `fastmcp.ts FASTMCP ZOD`, two npm specifiers, pinned by whoever starts it. @module */
const [fastmcp = "", zod = ""] = Deno.args;
const { FastMCP } = await import(fastmcp);
const { z } = await import(zod);

const server = new FastMCP({ name: "a-fast-one", version: "1.0.0" });
server.addTool({
  name: "add",
  description: "Adds two numbers",
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }: { a: number; b: number }) => Promise.resolve(String(a + b)),
});
server.addTool({
  name: "shout",
  description: "Says it louder",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }: { text: string }) => Promise.resolve(text.toUpperCase()),
});
await server.start({ transportType: "stdio" });
