import assert from "node:assert/strict";
import { ask } from "../../lib/agent/loop.ts";
import type { AskEvent, AskOptions, Outcome } from "../../lib/agent/terms.ts";
import type { ToolUse } from "../../lib/models/model.ts";
import { ModelError } from "../../lib/models/model.ts";
import { TransportError } from "../../lib/protocol/errors.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import type { Toolbox } from "../../lib/tools/tool.ts";
import { FakeClock } from "../support/clock.ts";
import { scripted, use } from "../support/scripted.ts";

type Tools = Record<string, (use: ToolUse) => Promise<ToolResult> | ToolResult>;
const says = (text: string, isError = false): ToolResult => ({
  content: [{ type: "text", text }],
  isError,
});

function toolbox(tools: Tools): Toolbox {
  return {
    specs: () =>
      Object.keys(tools).map((name) => ({
        name,
        description: "",
        inputSchema: { type: "object" },
      })),
    refresh: () => Promise.resolve(),
    target: ({ name }) =>
      Object.hasOwn(tools, name) ? { ref: { alias: "a", tool: name } } : undefined,
    run: async (use) => await tools[use.name]!(use),
  };
}

async function run(options: Partial<AskOptions> & Pick<AskOptions, "model">, tools: Tools = {}) {
  const events: AskEvent[] = [];
  const asking = ask([{ role: "user", text: "go" }], {
    tools: toolbox(tools),
    approve: () => Promise.resolve({ ok: true }),
    clock: new FakeClock(),
    ...options,
  });
  while (true) {
    const { value, done } = await asking.next();
    if (done) return { outcome: value as Outcome, events, types: events.map(({ type }) => type) };
    events.push(value);
  }
}

Deno.test("ask() answers without tools in one step", async () => {
  const { outcome, types } = await run({ model: scripted({ text: "hello" }) });
  assert.deepEqual([outcome.ending, outcome.answer, outcome.steps], ["answered", "hello", 1]);
  assert.deepEqual(types, ["step", "text", "turn"]);
});

Deno.test("ask() reads the tools anew before each turn, and gives the model back what it wants carried", async () => {
  const carry = { signature: "s" };
  const model = scripted({ uses: [use("t")], carry }, { uses: [use("t")] }, { text: "done" });
  let refreshed = 0;
  const t = () => says(`${refreshed}`);
  const tools = { ...toolbox({ t }), refresh: () => Promise.resolve(void refreshed++) };
  await run({ model, tools, maxTokens: 99 });
  assert.equal(refreshed, 3);
  const [, first, , second] = model.requests[2]!.messages;
  assert.deepEqual([first, second].map((it) => it?.role === "assistant" && it.carry), [
    carry,
    undefined,
  ]);
  assert(second && !("carry" in second));
  assert.deepEqual(model.requests.map(({ maxTokens }) => maxTokens), [99, 99, 99]);
});

Deno.test("ask() runs the uses of a turn side by side and tells them in the order asked", async () => {
  const slow = Promise.withResolvers<void>();
  const model = scripted({ uses: [use("slow"), use("fast")] }, { text: "done" });
  const { events } = await run({ model }, {
    slow: async () => {
      await slow.promise;
      return says("slow");
    },
    fast: () => {
      slow.resolve(); // Were they one after the other, this would never be reached.
      return says("fast");
    },
  });
  const results = events.flatMap((event) => event.type === "result" ? [event.use.name] : []);
  assert.deepEqual(results, ["fast", "slow"]);
  const told = model.requests[1]!.messages.at(-1);
  assert(told?.role === "tool");
  assert.deepEqual(told.results.map(({ name }) => name), ["slow", "fast"]);
});

Deno.test("ask() tells how long a tool took, without the time that a person took to allow it", async () => {
  const clock = new FakeClock();
  const approve = async () => (await clock.tick(60_000), { ok: true as const });
  const { events } = await run({
    model: scripted({ uses: [use("t")] }, { text: "done" }),
    clock,
    approve,
  }, {
    t: async () => (await clock.tick(50), says("t")),
  });
  assert.deepEqual(events.flatMap((event) => event.type === "result" ? [event.ms] : []), [50]);
});

Deno.test("ask() tells the model a tool's no, and goes on", async () => {
  const model = scripted({ uses: [use("t")] }, ({ messages }) => {
    const last = messages.at(-1);
    assert(last?.role === "tool" && last.results[0]?.isError);
    return { text: "mended" };
  });
  const { outcome } = await run({ model }, { t: () => says("no", true) });
  assert.equal(outcome.answer, "mended");
});

Deno.test("ask() stops at the step limit, with the key that raises it", async () => {
  let n = 0;
  const model = scripted(() => ({ uses: [use(n++ % 2 ? "a" : "b")] }));
  const { outcome } = await run({ model, maxSteps: 7 }, { a: () => says("a"), b: () => says("b") });
  assert.deepEqual([outcome.ending, outcome.steps], ["step_limit", 7]);
  assert.match(outcome.why!, /7 steps \(--max-steps/);
  assert.equal(model.requests.length, 7);
});

Deno.test("ask() has a step limit of 20 when none is given", async () => {
  let n = 0;
  const model = scripted(() => ({ uses: [use("a", { n: n++ })] }));
  assert.equal((await run({ model }, { a: () => says("a") })).outcome.steps, 20);
});

Deno.test("ask() ends when the same use gives the same five times in a row", async () => {
  const model = scripted(() => ({ uses: [use("a", { x: 1 })] }));
  const { outcome } = await run({ model }, { a: () => says("same") });
  assert.deepEqual([outcome.ending, outcome.steps], ["repetition", 5]);
});

Deno.test("ask() lets a poll go on whose result changes", async () => {
  let n = 0;
  const model = scripted(({ messages }) =>
    messages.length > 16 ? { text: "ready" } : { uses: [use("a")] }
  );
  const { outcome } = await run({ model }, { a: () => says(`${n++}`) });
  assert.equal(outcome.ending, "answered");
});

for (
  const [ending, turn] of [
    ["empty", { text: "  " }],
    ["length", { text: "half", stop: "length" }],
    ["refusal", { text: "", stop: "refusal" }],
  ] as const
) {
  Deno.test(`ask() ends as "${ending}" with a sentence, and keeps what was said`, async () => {
    const { outcome } = await run({ model: scripted(turn) });
    assert.deepEqual([outcome.ending, outcome.answer], [ending, turn.text]);
    assert(outcome.why);
  });
}

Deno.test("ask() never runs a use that was refused, and says so to the model", async () => {
  const model = scripted({ uses: [use("t")] }, { text: "I may not" });
  const { outcome } = await run({
    model,
    approve: () => Promise.resolve({ ok: false, why: '"a.t" is denied' }),
  }, { t: () => assert.fail("it ran") });
  assert.deepEqual([outcome.ending, outcome.answer], ["denied", "I may not"]);
  const told = model.requests[1]!.messages.at(-1);
  assert(told?.role === "tool" && told.results[0]?.isError);
});

Deno.test("ask() is an answer when something ran beside what was refused", async () => {
  const model = scripted({ uses: [use("t"), use("u")] }, { text: "partly" });
  const { outcome } = await run({
    model,
    approve: (use) => Promise.resolve(use.name === "t" ? { ok: false, why: "no" } : { ok: true }),
  }, { t: () => assert.fail("it ran"), u: () => says("u") });
  assert.equal(outcome.ending, "answered");
});

Deno.test("ask() answers a use whose arguments are no JSON object, and does not run it", async () => {
  const model = scripted({ uses: [{ ...use("t"), unreadable: "{oops" }] }, { text: "sorry" });
  const { outcome } = await run({ model }, { t: () => assert.fail("it ran") });
  assert.equal(outcome.ending, "answered");
});

Deno.test("ask() sends the same system prompt and table in every request of a run", async () => {
  const model = scripted({ uses: [use("a")] }, { uses: [use("a", { again: 1 })] }, {
    text: "done",
  });
  await run({ model }, { a: () => says("a") });
  const [first, ...others] = model.requests.map(({ system, tools }) =>
    JSON.stringify([system, tools])
  );
  assert.deepEqual(others, [first, first]);
});

Deno.test("ask() leaves with the caller's reason, during a turn and during a tool", async () => {
  const leave = new AbortController();
  const reason = new Error("bye");
  const model = scripted({ uses: [use("t")] }, { text: "never" });
  const running = run({ model, signal: leave.signal }, {
    t: () => {
      leave.abort(reason);
      return Promise.reject(leave.signal.reason);
    },
  });
  await assert.rejects(running, reason);
  await assert.rejects(run({ model, signal: leave.signal }), reason);
});

Deno.test("ask() lets a failure of the model API through, and repeats no tool for it", async () => {
  let ran = 0;
  const model = scripted({ uses: [use("t")] }, () => {
    throw new ModelError("overloaded", { status: 529, retryable: true });
  });
  await assert.rejects(
    run({ model }, {
      t: () => {
        ran++;
        return says("t");
      },
    }),
    ModelError,
  );
  assert.equal(ran, 1);
});

Deno.test("ask() lets a bug of ours through, once what ran beside it has ended", async () => {
  let ended = false;
  const model = scripted({ uses: [use("bug"), use("ok")] });
  await assert.rejects(
    run({ model }, {
      bug: () => {
        throw new TypeError("a bug");
      },
      ok: async () => {
        await Promise.resolve();
        ended = true;
        return says("ok");
      },
    }),
    /a bug/,
  );
  assert(ended);
});

Deno.test("ask() adds up tokens over the turns", async () => {
  const usage = { input: 10, output: 2, cachedInput: 5, cacheWrite: 1 };
  const model = scripted({ uses: [use("t")], usage }, { text: "done", usage });
  const { outcome } = await run({ model }, { t: () => says("t") });
  assert.deepEqual(outcome.usage, { input: 20, output: 4, cachedInput: 10, cacheWrite: 2 });
});

Deno.test("ask() keeps the typed failure of a result for whoever looks at events", async () => {
  const failure = new TransportError("exited", "gone");
  const model = scripted({ uses: [use("t")] }, { text: "done" });
  const { events } = await run({ model }, { t: () => ({ ...says("gone", true), failure }) });
  const result = events.find((event) => event.type === "result");
  assert(result?.type === "result" && result.result.failure === failure);
});

Deno.test("ask() tells what happened to servers in a message of its own, behind all that was said", async () => {
  const news = [['"a" is offline'], [], ['"a" can be used again', '"b" is offline']];
  const model = scripted({ uses: [use("t")] }, { uses: [use("t")] }, { uses: [use("t")] }, {
    text: "done",
  });
  let asked = 0;
  const { outcome } = await run(
    { model, news: () => news[asked++] ?? [] },
    { t: () => says(`${asked}`) },
  );
  assert.equal(outcome.ending, "answered");
  const [first, second, third, fourth] = model.requests;
  assert.equal(first!.messages.length, 1); // Who is absent at the start stands in the first message.
  assert.deepEqual(second!.messages.at(-1), {
    role: "user",
    text: '(Not from the user. Meanwhile: "a" is offline)',
    aside: true,
  });
  assert.equal(third!.messages.at(-1)?.role, "tool");
  assert.match(JSON.stringify(fourth!.messages.at(-1)), /used again; ..b.. is offline/);
  // Nothing that was said before has other bytes.
  for (const [before, after] of [[first, second], [second, third], [third, fourth]] as const) {
    assert.equal(after!.system, before!.system);
    assert.deepEqual(after!.messages.slice(0, before!.messages.length), before!.messages);
  }
});

Deno.test("ask() gives each use a key of its own, the same for no two of a run", async () => {
  const keys: (string | undefined)[] = [];
  const same = { id: "call_0", name: "t", args: {} };
  const model = scripted({ uses: [same, { ...same, args: { n: 2 } }] }, { uses: [same] }, {
    text: "done",
  });
  const box = toolbox({});
  await run({
    model,
    run: "r",
    tools: {
      ...box,
      run: (_, { key }) => {
        keys.push(key);
        return Promise.resolve(says("ok"));
      },
    },
  });
  assert.deepEqual(keys, ["r/1/call_0", "r/1/call_0~1", "r/2/call_0"]);
});
