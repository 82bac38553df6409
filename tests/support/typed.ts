/** A server with one tool, `typed`, that takes an argument of each type and says what arrived. @module */
import { serveMain } from "../../servers/serve.ts";
import { says, server } from "../../servers/server.ts";

if (import.meta.main) {
  await serveMain((options) =>
    server({
      name: "typed",
      version: "1.0.0",
      tools: [{
        name: "typed",
        description: "Returns its arguments.",
        inputSchema: {
          type: "object",
          properties: {
            text: { type: "string" },
            whole: { type: "integer" },
            real: { type: "number" },
            flag: { type: "boolean" },
            list: { type: "array", items: { type: "integer" } },
            words: { type: "array", items: { type: "string" } },
            object: { type: "object" },
            maybe: { anyOf: [{ type: "integer" }, { type: "null" }] },
          },
          additionalProperties: false,
        },
        run: (args) => says(JSON.stringify(args)),
      }],
      ...options,
    })
  );
}
