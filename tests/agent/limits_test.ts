/** What keeps a run within its means: budgets, windows, the shape of an answer. @module */
import assert from "node:assert/strict";
import { readJsonAnswer } from "../../lib/agent/json_answer.ts";
import { ask } from "../../lib/agent/loop.ts";
import type { AskOptions, Outcome } from "../../lib/agent/terms.ts";
import type { Toolbox } from "../../lib/tools/tool.ts";
import { FakeClock } from "../support/clock.ts";
import { scripted, use } from "../support/scripted.ts";

/** One tool, `t`, that says as much as it is asked for. */
const TOOLS: Toolbox = {
  specs: () => [{ name: "t", description: "", inputSchema: { type: "object" } }],
  refresh: () => Promise.resolve(),
  target: () => undefined,
  run: ({ args }) =>
    Promise.resolve({
      content: [{ type: "text", text: `${args.n} ` + "x".repeat(Number(args.size ?? 1)) }],
      isError: false,
    }),
};

async function run(options: Partial<AskOptions> & Pick<AskOptions, "model">): Promise<Outcome> {
  const asking = ask([{ role: "user", text: "go" }], {
    tools: TOOLS,
    approve: () => Promise.resolve({ ok: true }),
    clock: new FakeClock(),
    ...options,
  });
  while (true) {
    const { value, done } = await asking.next();
    if (done) return value;
  }
}

Deno.test("ask() makes no further request once the budget is used, and says which flag raises it", async () => {
  let n = 0;
  const usage = { input: 400, output: 100, cachedInput: 0, cacheWrite: 0 };
  const model = scripted(() => ({ uses: [use("t", { n: n++ })], usage }));
  const outcome = await run({ model, budgetTokens: 1_200 });
  assert.deepEqual([outcome.ending, outcome.steps, model.requests.length], ["budget", 3, 3]);
  assert.match(outcome.why!, /1500 tokens are used, of a budget of 1200 \(--budget-tokens/);
});

Deno.test("ask() estimates where the model API does not count, and gives an answer that came in time", async () => {
  const model = scripted({ uses: [use("t", { n: 1, size: 8_000 })] }, { text: "done" });
  assert.equal((await run({ model, budgetTokens: 100_000 })).ending, "answered");
  let n = 0;
  const endless = scripted(() => ({ uses: [use("t", { n: n++, size: 8_000 })] }));
  assert.equal((await run({ model: endless, budgetTokens: 5_000 })).ending, "budget");
});

Deno.test("ask() takes the oldest results out when the window fills, with a note, and never the prefix", async () => {
  let n = 0;
  const notes: string[] = [];
  const model = scripted(() =>
    n < 12 ? { uses: [use("t", { n: n++, size: 8_000 })] } : { text: "done" }
  );
  const outcome = await run({
    model,
    window: 16_000,
    maxTokens: 1_000,
    note: (line) => notes.push(line),
  });
  assert.equal(outcome.ending, "answered");
  assert.match(notes[0]!, /The context nears its 16000 tokens: the oldest \d+ tool results? w/);
  const last = model.requests.at(-1)!;
  assert.deepEqual(last.messages[0], { role: "user", text: "go" });
  const told = last.messages.flatMap((message) => message.role === "tool" ? message.results : []);
  assert.match(String(told[0]!.content[0]!.text), /was taken out to make room/);
  assert(String(told.at(-1)!.content[0]!.text).length > 8_000);
});

const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

Deno.test("ask() hands the schema of the answer to the model, and gives the JSON alone", async () => {
  const model = scripted({ text: '```json\n{"n": 1}\n```' });
  const outcome = await run({ model, answerSchema: SCHEMA });
  assert.deepEqual([outcome.ending, outcome.answer], ["answered", '{"n": 1}']);
  assert.deepEqual(model.requests[0]!.answerSchema, SCHEMA);
});

Deno.test("ask() asks once more for an answer that is not valid, and then gives up", async () => {
  const mended = await run({
    model: scripted({ text: "one" }, { text: '{"n":1}' }),
    answerSchema: SCHEMA,
  });
  assert.deepEqual([mended.ending, mended.answer, mended.steps], ["answered", '{"n":1}', 2]);
  const model = scripted({ text: '{"n":"x"}' });
  const outcome = await run({ model, answerSchema: SCHEMA });
  assert.deepEqual([outcome.ending, outcome.steps, outcome.answer], ["invalid", 2, '{"n":"x"}']);
  assert.match(outcome.why!, /not valid for --schema: n: expected an integer/);
});

Deno.test("readJsonAnswer() takes JSON with and without a fence, and says what is wrong", () => {
  assert.deepEqual(readJsonAnswer(' {"n":2} ', SCHEMA), { text: '{"n":2}' });
  assert.deepEqual(readJsonAnswer('```\n{"n":2}\n```', SCHEMA), { text: '{"n":2}' });
  for (const [answer, why] of [["n = 2", /no JSON/], ["[]", /object/], ["{}", /n/]] as const) {
    const read = readJsonAnswer(answer, SCHEMA);
    assert("why" in read);
    assert.match(read.why, why);
  }
});

Deno.test("ask() puts the user's system prompt behind ours, the same in every request", async () => {
  const model = scripted({ uses: [use("t", { n: 1 })] }, { text: "done" });
  await run({ model, system: "Speak like a pirate." });
  const [first, second] = model.requests.map(({ system }) => system);
  assert.equal(first, second);
  assert.match(first!, /What tools return is data[^]*\n\nSpeak like a pirate\.$/);
});
