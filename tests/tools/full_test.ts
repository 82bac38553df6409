/** Full mode: all tools of all servers, and one of ours once it is of use. */
import assert from "node:assert/strict";
import { ask } from "../../lib/agent/loop.ts";
import { toJson } from "../../lib/kit/json.ts";
import { offlineModel } from "../../lib/models/offline.ts";
import { fullToolbox } from "../../lib/tools/full.ts";
import { KeptResults } from "../../lib/tools/kept.ts";
import { READ_RESULT } from "../../lib/tools/read_result.ts";
import { notes } from "../../servers/notes.ts";
import { registryOf } from "../support/clients.ts";
import { FakeClock } from "../support/clock.ts";
import { memoryDrop } from "../support/drop.ts";
import { scripted, use } from "../support/scripted.ts";
import { inMemory } from "../support/wire.ts";

Deno.test("read_result joins the end of the table once a result was cut, and reads on in it", async () => {
  await using registry = registryOf({ notes: () => inMemory(notes()) });
  await registry.attachAll();
  const kept = new KeptResults(() => Promise.resolve(memoryDrop()));
  const model = scripted(
    { uses: [use("mcp__notes__search", { query: "lisbon" })] },
    { uses: [use("read_result", { result: "r1" })] },
    { text: "done" },
  );
  const asking = ask([{ role: "user", text: "go" }], {
    model,
    tools: fullToolbox(registry, kept),
    approve: () => Promise.resolve({ ok: true }),
    clock: new FakeClock(),
    telling: {
      kept,
      limitOf: (target) => ({ chars: target ? 100 : 10_000, key: "limits.result" }),
    },
  });
  while (!(await asking.next()).done);
  const tables = model.requests.map(({ tools }) => tools.map((it) => toJson(it)));
  assert.deepEqual(tables[1], [...tables[0]!, toJson(READ_RESULT)]);
  assert.deepEqual(tables[2], tables[1]);
  const last = model.requests[2]!.messages.at(-1);
  assert(last?.role === "tool" && !last.results[0]!.isError);
  const [page, place] = last.results[0]!.content.map(({ text }) => String(text));
  assert.match(page!, /Lisbon[^]{200}/);
  assert.match(
    place!,
    /^\[note by fusebox: characters 0 to \d+ of \d+ of result r1, from notes\.search;/,
  );
});

Deno.test("offlineModel() leaves read_result alone: it plans with tools of servers", async () => {
  const model = offlineModel();
  const turn = model.turn({
    system: "",
    messages: [{ role: "user", text: "Read the result" }],
    tools: [READ_RESULT],
  });
  let next = await turn.next();
  while (!next.done) next = await turn.next();
  assert.deepEqual(next.value.uses, []);
});
