import assert from "node:assert/strict";
import { sandbox } from "../support/cli.ts";
import { aimock, KEY } from "../support/models_aimock.ts";
import { type Body, FORMATS } from "../support/models_formats.ts";
import { fetchedModelPackages } from "../support/models_npm.ts";
import { cellsOf, checkAlways, nameOf, play } from "../support/models_play.ts";
import { ownProblems } from "../support/models_rules.ts";
import { SCENES } from "../support/models_scenes.ts";
import { sdkProblems } from "../support/models_schemas.ts";

Deno.test.beforeAll(fetchedModelPackages);

/** Far more than any of it takes. */
const timeout = 120_000;

for (const scene of SCENES) {
  Deno.test(`ask against aimock: ${scene.title}`, { timeout }, async (t) => {
    const seen = await play(scene);
    assert.equal(seen.length, cellsOf(scene).length);
    for (const one of seen) {
      await t.step(nameOf(one), () => {
        checkAlways(scene, one);
        scene.check?.(one);
      });
    }
  });
}

Deno.test("models against aimock: its list, as -m takes it", { timeout }, async (t) => {
  await using mock = await aimock([]);
  await using box = await sandbox();
  for (const { provider, env } of FORMATS) {
    // aimock has none in Gemini's format.
    if (provider === "gemini") continue;
    await t.step(provider, async () => {
      const { code, stdout, stderr } = await box.fusebox(["models", provider], {
        env: env(mock.url, KEY),
      });
      assert.equal(code, 0, stderr);
      const names = stdout.trimEnd().split("\n");
      assert(names.includes(`${provider}/gpt-4o`), stdout);
      assert.deepEqual(names, names.toSorted());
    });
  }
});

Deno.test("every request that was sent is one that the official SDK's types allow", {
  timeout: 600_000,
}, async (t) => {
  const posted: { format: typeof FORMATS[number]; body: Body }[] = [];
  for (const scene of SCENES) {
    for (const { format, sent } of await play(scene)) {
      posted.push(...sent.map(({ body }) => ({ format, body })));
    }
  }
  const problems = await sdkProblems(posted);
  for (const format of FORMATS) {
    const own = problems.filter((_, at) => posted[at]!.format === format);
    await t.step(`${format.provider}: ${own.length} bodies`, () => {
      assert(own.length > 100, "hardly any was sent");
      assert.deepEqual([...new Set(own.filter((problem) => problem !== null))], []);
    });
  }
});

/** By schema, a body that is right and what makes it wrong. */
const WRONG: Readonly<Record<string, readonly [right: Body, wrong: Record<string, Body>]>> = {
  anthropic: [{ model: "c", max_tokens: 1, messages: [{ role: "user", content: "hi" }] }, {
    "a parameter of yesterday": { temperature: 1 },
    "no limit": { max_tokens: undefined },
    "a result of no call": {
      messages: [{ role: "user", content: [{ type: "tool_result", content: "x" }] }],
    },
    "a tool without a schema": { tools: [{ name: "a" }] },
    "a system message of another API": { messages: [{ role: "developer", content: "x" }] },
  }],
  chat: [{ model: "g", messages: [{ role: "user", content: "hi" }] }, {
    "a result of no call": { messages: [{ role: "tool", content: "x" }] },
    "a picture in a result": {
      messages: [{
        role: "tool",
        tool_call_id: "c",
        content: [{ type: "image_url", image_url: { url: "data:," } }],
      }],
    },
    "a flat tool": { tools: [{ type: "function", name: "a", parameters: {} }] },
    "a parameter of another API": { instructions: "x" },
  }],
  responses: [{ model: "g", input: [{ role: "user", content: "hi" }] }, {
    "a tool of Chat Completions": { tools: [{ type: "function", function: { name: "a" } }] },
    "a result without output": { input: [{ type: "function_call_output", call_id: "c" }] },
    "arguments that are an object": {
      input: [{ type: "function_call", call_id: "c", name: "a", arguments: {} }],
    },
    "a part of Chat Completions": {
      input: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    },
  }],
  gemini: [{ contents: [{ role: "user", parts: [{ text: "hi" }] }] }, {
    "a name with an underscore": { system_instruction: { parts: [{ text: "x" }] } },
    "a part of no kind": { contents: [{ role: "user", parts: [{ txt: "hi" }] }] },
    "a result that is text": {
      contents: [{ role: "user", parts: [{ functionResponse: { name: "a", response: "x" } }] }],
    },
    "messages": { messages: [] },
  }],
};

Deno.test("our own rules find what the types let pass", () => {
  const user = { role: "user", content: "hi" };
  const parts = [{ text: "hi" }];
  const wrong: readonly [schema: string, body: Body][] = [
    ["anthropic", { messages: [user, user] }],
    ["anthropic", { messages: [{ role: "user", content: [{ type: "text", text: " " }] }] }],
    ["anthropic", {
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t" }] }],
    }],
    ["anthropic", { messages: [user], tools: [{ name: "a b" }] }],
    ["chat", { messages: [user, { role: "tool", tool_call_id: "c", content: "x" }] }],
    ["chat", { messages: [user, { role: "assistant", content: null }] }],
    ["chat", {
      messages: [user],
      tools: [{ function: { name: "a" } }, { function: { name: "a" } }],
    }],
    ["responses", { store: false, input: [{ type: "function_call_output", output: "x" }] }],
    ["responses", { input: [user] }],
    ["responses", { store: false, input: [{ type: "reasoning", id: "rs_1", summary: [] }] }],
    ["gemini", { contents: [{ role: "user", parts }, { role: "user", parts }] }],
    ["gemini", {
      contents: [{ role: "user", parts }, {
        role: "model",
        parts: [{ functionCall: { name: "a" } }],
      }],
    }],
  ];
  for (const [schema, body] of wrong) {
    assert.equal(ownProblems(schema, body).length, 1, JSON.stringify(body));
  }
});

Deno.test("the schemas of the SDKs' types find what is wrong with a request", {
  timeout,
}, async () => {
  const cases = Object.entries(WRONG).flatMap(([schema, [right, wrong]]) => [
    { title: `${schema}: right`, right: true, format: { schema }, body: right },
    ...Object.entries(wrong).map(([title, change]) => ({
      title: `${schema}: ${title}`,
      right: false,
      format: { schema },
      body: { ...right, ...change },
    })),
  ]);
  const problems = await sdkProblems(cases);
  cases.forEach(({ title, right }, at) => {
    assert.equal(problems[at] === null, right, `${title}: ${problems[at]}`);
  });
});
