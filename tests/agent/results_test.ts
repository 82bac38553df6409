/** From what a server answered to what the model is told: no error passes for a success, nothing is lost or doubled. @module */
import assert from "node:assert/strict";
import { ask } from "../../lib/agent/loop.ts";
import type { AskEvent } from "../../lib/agent/terms.ts";
import type { UseResult } from "../../lib/models/model.ts";
import { fullToolbox } from "../../lib/tools/full.ts";
import { server, type Tool } from "../../servers/server.ts";
import { registryOf } from "../support/clients.ts";
import { FakeClock } from "../support/clock.ts";
import { scripted, use } from "../support/scripted.ts";
import { inMemory } from "../support/wire.ts";

// deno-lint-ignore no-explicit-any -- a server may answer anything
type Anything = any;

/** What the model is told of a tool that answers this, after the whole way from the server. */
async function told(answer: Anything, tool: Partial<Tool> = {}): Promise<UseResult> {
  const inputSchema = { type: "object", properties: {} };
  const tools = [{ name: "t", inputSchema, run: () => answer, ...tool }];
  await using registry = registryOf({
    a: () => inMemory(server({ name: "a", version: "1", tools })),
  });
  await registry.attachAll();
  const model = scripted({ uses: [use("mcp__a__t")] }, { text: "done" });
  const events: AskEvent[] = [];
  for await (
    const event of ask([{ role: "user", text: "go" }], {
      model,
      tools: fullToolbox(registry),
      approve: () => Promise.resolve({ ok: true }),
      clock: new FakeClock(),
    })
  ) events.push(event);
  const last = model.requests[1]!.messages.at(-1);
  assert(last?.role === "tool");
  return last.results[0]!;
}

const text = (text: string) => ({ type: "text", text });
const said = ({ content }: UseResult) => content.map((part) => part.text);

Deno.test("ask() tells the model of a tool's no as an error, in the tool's words", async () => {
  const no = await told({ content: [text("The date must be ISO 8601")], isError: true });
  assert.deepEqual([no.isError, said(no)], [true, ["The date must be ISO 8601"]]);
});

Deno.test("ask() tells the model structured content once: alone, beside its text, and beside another", async () => {
  const structuredContent = { count: 3, tags: ["a"] };
  const json = '{"count":3,"tags":["a"]}';
  const alone = await told({ content: [], structuredContent });
  assert.deepEqual([alone.isError, said(alone)], [false, [json]]);
  assert.deepEqual(said(await told({ content: [text(json)], structuredContent })), [json]);
  const other = await told({ content: [text("Three.")], structuredContent });
  assert.deepEqual(said(other), ["Three.", json]);
});

Deno.test("ask() tells the model of a no that is structured only, or has no words at all", async () => {
  const structured = await told({ content: [], structuredContent: { why: "late" }, isError: true });
  assert.deepEqual([structured.isError, said(structured)], [true, ['{"why":"late"}']]);
  const both = await told({ content: [text("No.")], structuredContent: ["late"], isError: true });
  assert.deepEqual([both.isError, said(both)], [true, ["No.", '["late"]']]);
  const mute = await told({ content: [], isError: true });
  assert.deepEqual([mute.isError, said(mute)], [true, ["(the tool returned nothing)"]]);
});

Deno.test("ask() tells the model falsy structured content, and structured content without content", async () => {
  for (const structuredContent of [0, false, "", null, [], {}]) {
    const json = JSON.stringify(structuredContent);
    assert.deepEqual(said(await told({ content: [], structuredContent })), [json]);
    assert.deepEqual(said(await told({ structuredContent })), [json]);
  }
});

Deno.test("ask() tells the model what does not keep the tool's own schema, with a note, as no error", async () => {
  const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
  const odd = await told({ content: [], structuredContent: { n: "x" } }, { outputSchema });
  assert.equal(odd.isError, false);
  assert.match(said(odd).join("\n"), /^\{"n":"x"\}\n\[note by fusebox: .*n: expected an integer/);
});
