/** The schema for editors says what the code does: the same keys, the same defaults, the same verdicts. */
import assert from "node:assert/strict";
import { loadConfig } from "../../lib/config/load.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import { UsageError } from "../../lib/kit/usage.ts";
import { checkValue } from "../../lib/protocol/schema.ts";
import { reference } from "../../scripts/config_reference.ts";
import { ROOT } from "../support/paths.ts";

const SCHEMA = JSON.parse(Deno.readTextFileSync(`${ROOT}docs/fusebox.schema.json`));

function load(value: unknown) {
  return loadConfig([{ path: "f.json", text: JSON.stringify(value) }], parseYaml);
}

/** What the code says is wrong, in the order of the file. */
function complaints(value: unknown): string[] {
  try {
    load(value);
    return [];
  } catch (error) {
    assert(error instanceof UsageError);
    return error.issues.map(({ message, hint }) => `${message}. ${hint ?? ""}`);
  }
}

const server = (more: object) => ({ servers: { a: { command: "x", ...more } } });

/** Each mapping of a fixed set of keys: where it is in the schema, and a file with one key too many in it. */
const MAPPINGS: readonly (readonly [name: string, keys: object, file: object])[] = [
  ["the top", SCHEMA.properties, { zzzzzzzz: 1 }],
  ["api", SCHEMA.properties.api.properties, { api: { zzzzzzzz: 1 } }],
  ["limits at the top", SCHEMA.properties.limits.properties, { limits: { zzzzzzzz: 1 } }],
  ["fuse", SCHEMA.$defs.fuse.properties, { fuse: { zzzzzzzz: 1 } }],
  ["a server", SCHEMA.$defs.server.properties, server({ zzzzzzzz: 1 })],
  ["limits of a server", SCHEMA.$defs.limits.properties, server({ limits: { zzzzzzzz: 1 } })],
  ["fuse of a server", SCHEMA.$defs.fuse.properties, server({ fuse: { zzzzzzzz: 1 } })],
  [
    "tools",
    SCHEMA.$defs.server.properties.tools.properties,
    server({ tools: { zzzzzzzz: 1 } }),
  ],
  [
    "limits of a tool",
    SCHEMA.$defs.server.properties.tools.properties.limits.additionalProperties.properties,
    server({ tools: { limits: { t: { zzzzzzzz: 1 } } } }),
  ],
];

Deno.test("the schema has the keys that the code reads, and no others", () => {
  for (const [name, keys, file] of MAPPINGS) {
    const [said] = complaints(file);
    const known = /The keys here are ([^.]+)/.exec(said ?? "")?.[1]?.split(", ");
    const written = Object.keys(keys).filter((key) => key !== "$schema");
    assert.deepEqual(written.sort(), known?.sort(), name);
    assert.equal(checkValue(SCHEMA, file).kind, "invalid", name);
  }
});

/** An object with all the defaults of a schema written out. */
function defaults(properties: Record<string, { default?: unknown; $ref?: string }>): object {
  const resolve = (ref: string) =>
    // deno-lint-ignore no-explicit-any -- a JSON Schema, walked by key
    ref.slice(2).split("/").reduce((at, key) => at[key], SCHEMA as any);
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, value]) => {
      const given = value.default ?? (value.$ref && resolve(value.$ref).default);
      return given === undefined ? [] : [[key, given]];
    }),
  );
}

Deno.test("the defaults in the schema are the code's", () => {
  const { servers: [bare], ...top } = load(server({}));
  const { server: own, limits, fuse } = SCHEMA.$defs;
  const { servers: [full], ...written } = load({
    ...defaults(SCHEMA.properties),
    limits: defaults(SCHEMA.properties.limits.properties),
    fuse: defaults(fuse.properties),
    ...server({
      ...defaults(own.properties),
      headers: undefined, // A command has none.
      limits: defaults(limits.properties),
      fuse: defaults(fuse.properties),
      tools: defaults(own.properties.tools.properties),
    }),
  });
  // Written out, these are the same; absent, they depend on how a server is reached, and on the mode.
  const ours = { ...bare!, restMs: 60_000, limits: { ...bare!.limits, concurrency: 16 } };
  assert.deepEqual(full, ours);
  assert.deepEqual(written, {
    ...top,
    mode: "auto",
    forwardAbove: 5,
    limits: { ...top.limits, concurrency: 16 },
  });
});

const VALID: readonly object[] = [
  {},
  server({ args: ["x", 1, true], env: { A: "1", B: 2 }, cwd: "/tmp" }),
  server({ pins: "off" }),
  server({ pins: true }),
  server({ limits: { idle: "1m30s", cap: "2h" }, fuse: { stable: "500ms" } }),
  server({
    limits: { result: 50000, description: "2.5k" },
    tools: { limits: { t: { result: "1m" } } },
  }),
  { limits: { start: "1.5s", overall: 1 }, allow: ["a.*"], deny: [], mode: "lazy" },
  { servers: { "a-b_c9": { url: "https://example.com/mcp", headers: { A: "b" } } } },
  { forwardAbove: "12.5 %", api: { keyEnv: "KEY" }, model: "offline", $schema: "x" },
];

const INVALID: readonly object[] = [
  { servers: { "My Notes": { command: "x" } } },
  { servers: { a__b: { command: "x" } } },
  server({ limits: { idle: 60 } }),
  server({ limits: { idle: "60" } }),
  server({ limits: { idle: "" } }),
  server({ limits: { concurrency: 0 } }),
  server({ limits: { result: 999 } }),
  server({ limits: { result: "50kb" } }),
  server({ limits: { results: "50k" } }),
  server({ fuse: { failures: 1001 } }),
  server({ required: "yes" }),
  server({ pins: "no" }),
  server({ args: "x" }),
  server({ comand: "x" }),
  { mode: "fast" },
  { forwardAbove: "much" },
  { allow: "a.*" },
  { limits: { start: true } },
];

Deno.test("the schema and the code agree on what is valid", () => {
  for (const value of VALID) {
    assert.deepEqual(complaints(value), [], JSON.stringify(value));
    assert.equal(checkValue(SCHEMA, value).kind, "valid", JSON.stringify(value));
  }
  for (const value of INVALID) {
    assert(complaints(value).length > 0, JSON.stringify(value));
    assert.equal(checkValue(SCHEMA, value).kind, "invalid", JSON.stringify(value));
  }
});

Deno.test("every key of the schema says what it does", () => {
  const walk = (at: Record<string, unknown>, path: string): void => {
    for (const [key, value] of Object.entries(at)) {
      if (typeof value !== "object" || value === null) continue;
      if (key === "properties") {
        for (const [name, each] of Object.entries(value)) {
          assert(each.description ?? each.$ref, `${path}.${name} has no description`);
        }
      }
      walk(value as Record<string, unknown>, `${path}.${key}`);
    }
  };
  walk(SCHEMA, "");
});

Deno.test("docs/configuration.md is what the schema says", async () => {
  const kept = await Deno.readTextFile(`${ROOT}docs/configuration.md`);
  const words = (text: string) => text.replace(/[\s|-]+/g, " ");
  const wanted = words(reference(SCHEMA));
  assert.equal(words(kept), wanted, "deno run -A scripts/config_reference.ts writes it anew");
});
