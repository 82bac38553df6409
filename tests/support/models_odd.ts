/** A server whose tools have schemas that no model API takes as they stand, or not at all. @module */
import type { Sandbox } from "./cli.ts";

/** Schemas that can't be sent, by the name of their tool. */
export const HOPELESS: Readonly<Record<string, object>> = {
  lost: { type: "object", properties: { a: { $ref: "#/$defs/nowhere" } } },
  far: { type: "object", properties: { a: { $ref: "https://example.com/schema.json" } } },
  null_inside: { type: "object", properties: { a: { type: "object", required: null } } },
  list_inside: { type: "object", properties: { a: { type: "object", properties: [] } } },
  number_inside: { type: "object", properties: { a: 7 } },
  no_list: { type: "object", properties: {}, anyOf: { a: 1 } },
};

const NODE = {
  type: "object",
  properties: { children: { type: "array", items: { $ref: "#/$defs/Node" } } },
};

/** Schemas that can be sent once they are fitted. */
export const FITTED: Readonly<Record<string, object>> = {
  choice: {
    type: "object",
    oneOf: [
      { properties: { a: { const: 1 } }, required: ["a"] },
      { properties: { b: { type: ["string", "null"] } }, required: ["b"] },
    ],
  },
  bare: { type: "object" },
  list: { type: "object", properties: { a: { type: "array" } } },
  limits: {
    type: "object",
    properties: { n: { type: "number", exclusiveMinimum: 0, multipleOf: 0.5 } },
  },
  circle: {
    type: "object",
    properties: { node: { $ref: "#/$defs/Node" } },
    $defs: { Node: NODE },
  },
  names: {
    type: "object",
    properties: { "a b": { type: "string" }, "größe": { type: "integer" }, ok: { type: "string" } },
    required: ["a b"],
    additionalProperties: false,
  },
};

export const ODD = { ...HOPELESS, ...FITTED };

/** The command of a server with such tools; each says what it was given. */
export async function oddServer(
  box: Sandbox,
  schemas: Readonly<Record<string, object>> = ODD,
): Promise<{ command: string; args: string[] }> {
  const url = (name: string) => JSON.stringify(new URL(`../../servers/${name}`, import.meta.url));
  const program = `
    import { says, server } from ${url("server.ts")};
    import { serveMain } from ${url("serve.ts")};
    const schemas = ${JSON.stringify(schemas)};
    const tools = Object.entries(schemas).map(([name, inputSchema]) => ({
      name, description: "Odd.", inputSchema, run: (args) => says(name + JSON.stringify(args)),
    }));
    await serveMain((options) => server({ name: "odd", version: "1.0.0", tools, ...options }));`;
  const file = await box.file("odd.ts", program);
  return { command: Deno.execPath(), args: ["run", "-A", "--no-config", "--quiet", file] };
}
