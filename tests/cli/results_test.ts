import assert from "node:assert/strict";
import { tellingOf } from "../../lib/cli/results.ts";
import { loadConfig } from "../../lib/config/load.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import { KeptResults } from "../../lib/tools/kept.ts";
import { memoryDrop } from "../support/drop.ts";

const CONFIG = loadConfig([{
  path: "fusebox.yaml",
  text:
    "servers: { a: { command: x, limits: { result: 9k } } }\nlimits: { result: 20k, results: 60k }",
}], parseYaml);
const kept = new KeptResults(() => Promise.resolve(memoryDrop()));

Deno.test("tellingOf() takes the limit of the server whose tool it is, else that of all", () => {
  const { limitOf, turn } = tellingOf(CONFIG, undefined, kept, undefined);
  const target = (alias: string) => ({ ref: { alias, tool: "t" } });
  assert.deepEqual(limitOf?.(target("a")), { chars: 9_000, key: "servers.a.limits.result" });
  for (const other of [undefined, target("gone")]) {
    assert.deepEqual(limitOf?.(other), { chars: 20_000, key: "limits.result" });
  }
  assert.deepEqual(turn, { chars: 60_000, key: "limits.results" });
});

Deno.test("tellingOf() keeps a small window from being filled by one turn", () => {
  assert.equal(tellingOf(CONFIG, 200_000, kept, undefined).turn?.chars, 60_000);
  assert.deepEqual(tellingOf(CONFIG, 8_192, kept, undefined).turn, {
    chars: 16_384,
    key: "the model's window of 8192 tokens",
  });
});
