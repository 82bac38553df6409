/** Which mode a run is in: as the user says, else by what the definitions would take. */
import assert from "node:assert/strict";
import { chooseMode } from "../../lib/cli/modes.ts";
import type { Mind } from "../../lib/cli/minds.ts";
import type { Screen } from "../../lib/cli/screen.ts";
import { MODES } from "../../lib/config/config.ts";
import { prefixTokens } from "../../lib/models/budget.ts";
import { toSpec } from "../../lib/tools/full.ts";
import { server } from "../../servers/server.ts";
import { registryOf } from "../support/clients.ts";
import { scripted } from "../support/scripted.ts";
import { inMemory } from "../support/wire.ts";

/** A registry of one server with so many tools, and what they take by our own estimate. */
async function offering(
  count: number,
  denies: (tool: string) => string | undefined = () => undefined,
) {
  const tools = Array.from({ length: count }, (_, n) => ({
    name: `tool_${n}`,
    description: "Does what it does, and nothing beside it.",
    inputSchema: { type: "object", properties: { id: { type: "string" } } },
    run: () => ({ content: [] }),
  }));
  const registry = registryOf(
    {
      a: () => inMemory(server({ name: "a", version: "1", tools })),
    },
    {},
    { denies },
  );
  await registry.attachAll();
  const specs = [...registry.table.entries.values()].map(toSpec);
  return { registry, tokens: prefixTokens("", specs) };
}

function mind(limits: Partial<Mind> = {}): Mind {
  return { model: scripted({ text: "" }), notes: [], ...limits };
}

function screen(): { lines: string[]; screen: Screen } {
  const lines: string[] = [];
  const screen: Partial<Screen> = { say: (line) => void lines.push(line) };
  return { lines, screen: screen as Screen };
}

Deno.test("chooseMode() takes the mode that the user says, whatever it costs", async () => {
  const { registry } = await offering(300);
  await using _ = registry;
  const { lines, screen: it } = screen();
  for (const mode of MODES) {
    if (mode === "auto") continue;
    const chosen = chooseMode(mode, registry, mind({ window: 1_000, maxTools: 1 }), it);
    assert.deepEqual(chosen, { mode, lazily: mode !== "full" });
  }
  assert.deepEqual(lines, []);
});

Deno.test("chooseMode() goes forward above 5 % of the window, and says so with the count", async () => {
  const { registry, tokens } = await offering(40);
  await using _ = registry;
  const { lines, screen: it } = screen();
  const window = tokens * 20;
  const fits = chooseMode("auto", registry, mind({ window }), it);
  assert.deepEqual([fits, lines], [{ mode: "full", lazily: false }, []]);
  const tight = chooseMode("auto", registry, mind({ window: window - 20 }), it);
  assert.deepEqual(tight, { mode: "forward", lazily: true });
  assert.equal(lines.length, 1);
  const share = (percent: number) =>
    chooseMode("auto", registry, mind({ window }), screen().screen, percent).mode;
  assert.deepEqual([4.9, 5, 100, 0].map(share), ["forward", "full", "full", "forward"]);
  assert.match(
    lines[0]!,
    new RegExp(`^40 tools are about ${tokens} tokens, over 5 % of .*--mode full`),
  );
});

Deno.test("chooseMode() never runs into the number of tools that a model API takes", async () => {
  const { registry } = await offering(129);
  await using _ = registry;
  const { lines, screen: it } = screen();
  const limits = { window: 10_000_000, maxTools: 128 };
  assert.equal(chooseMode("auto", registry, mind(limits), it).mode, "forward");
  assert.match(lines.join("\n"), /^129 tools are more than the 128 that the model's API takes/);
  const denied = await offering(129, (tool) => tool === "tool_7" ? "it is denied" : undefined);
  await using __ = denied.registry;
  assert.equal(chooseMode("auto", denied.registry, mind(limits), it).mode, "full");
});

Deno.test("chooseMode() offers all where nothing is known of the model, or of the servers", async () => {
  const { registry } = await offering(500);
  await using _ = registry;
  await using empty = registryOf({});
  const { lines, screen: it } = screen();
  assert.equal(chooseMode("auto", registry, mind(), it).mode, "full");
  assert.equal(chooseMode("auto", empty, mind({ window: 8_000, maxTools: 1 }), it).mode, "full");
  assert.deepEqual(lines, []);
});
