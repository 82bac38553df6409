/** The sizes among the `limits:` of a file, a server and its tools. */
import assert from "node:assert/strict";
import { DEFAULT_LIMITS } from "../../lib/config/config.ts";
import { loadConfig } from "../../lib/config/load.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import { UsageError } from "../../lib/kit/usage.ts";
import { resultLimit, toolLimits } from "../../lib/registry/call_limits.ts";

const load = (text: string) => loadConfig([{ path: "fusebox.yaml", text }], parseYaml);

Deno.test("loadConfig() reads sizes of results as numbers and with a unit", () => {
  const config = load(`
limits: { result: 20k, results: 1.5m, description: 2000 }
servers:
  a: { command: x, limits: { result: 9000 }, tools: { limits: { "log_*": { result: 200k } } } }
  b: { command: x }
`);
  const [a, b] = config.servers;
  assert.deepEqual(config.limits, {
    ...DEFAULT_LIMITS,
    resultChars: 20_000,
    resultsChars: 1_500_000,
    descriptionChars: 2_000,
  });
  const limitOf = (tool: string, server = a!) =>
    resultLimit(tool, { ...server, toolLimits: server.tools.limits });
  assert.deepEqual(limitOf("log_read"), {
    chars: 200_000,
    key: "servers.a.tools.limits.log_*.result",
  });
  assert.deepEqual(limitOf("x"), { chars: 9_000, key: "servers.a.limits.result" });
  assert.deepEqual(limitOf("x", b), { chars: 20_000, key: "servers.b.limits.result" });
});

Deno.test("limits of a tool by its very name beat those of patterns, of which the first counts", () => {
  const [server] = load(`
servers:
  a:
    command: x
    tools:
      limits: { "*_all": { idle: 1s }, "*": { idle: 2s }, ab_all: { idle: 3s, result: 9k }, "*b*": { idle: 4s } }
`).servers;
  const of = { ...server!, toolLimits: server!.tools.limits };
  const idleOf = (tool: string) => toolLimits(tool, of)?.idle;
  assert.deepEqual(idleOf("ab_all"), { ms: 3_000, key: "servers.a.tools.limits.ab_all.idle" });
  assert.deepEqual([idleOf("c_all")?.ms, idleOf("b")?.ms], [1_000, 2_000]);
  assert.equal(resultLimit("ab_all", of).chars, 9_000);
});

Deno.test("loadConfig() says what a size is where there is none, and that a turn's is one for all", () => {
  const wrong: [string, RegExp][] = [
    [
      "limits: { result: 50kb }",
      /limits\.result: Expected a number of characters, got 50kb\. .*"50k"/,
    ],
    ["limits: { result: 12 }", /got 12\. .*at least 1,000/],
    ["limits: { result: [] }", /got a list/],
    ["servers: { a: { command: x, limits: { results: 9k } } }", /"results".*limits at the top/],
    [
      "servers: { a: { command: x, tools: { limits: { t: { description: 9k } } } } }",
      /"description"/,
    ],
  ];
  for (const [text, said] of wrong) {
    assert.throws(() => load(text), (error) => {
      assert(error instanceof UsageError);
      assert.match(
        error.issues.map(({ path, message, hint }) => `${path}: ${message}. ${hint}`).join(),
        said,
      );
      return true;
    });
  }
});
