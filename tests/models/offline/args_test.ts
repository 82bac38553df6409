import assert from "node:assert/strict";
import type { ToolSpec } from "../../../lib/models/model.ts";
import { HOUSE, STRANGERS, talk, turn, uses } from "../../support/house.ts";

Deno.test("offlineModel() fills arguments from quotes, labels, dates, levels, lists and pairs", async () => {
  const cases: Record<string, string> = {
    'add a note "Shopping" with body "milk, eggs"':
      'notes__add_note {"title":"Shopping","body":"milk, eggs"}',
    'add a note "A" with body "b" tagged home, food':
      'notes__add_note {"title":"A","body":"b","tags":["home","food"]}',
    "add a note: call Bob and open the window":
      'notes__add_note {"title":"call Bob and open the window","body":"call Bob and open the window"}',
    "save a note titled Ideas saying try the planner":
      'notes__add_note {"title":"Ideas","body":"try the planner"}',
    "create a ticket about the login bug due 2026-12-24 with high priority":
      'tickets__create_ticket {"title":"login bug","due":"2026-12-24","priority":"high"}',
    'Open a ticket "X" due December 1, 2026. It is urgent.':
      'tickets__create_ticket {"title":"X","due":"2026-12-01","priority":"high"}',
    "Create ticket: Fix login; due: 2026-12-24; priority: low":
      'tickets__create_ticket {"title":"Fix login","due":"2026-12-24","priority":"low"}',
    "search tickets for login": 'tickets__search {"query":"login"}',
    "list open tickets": 'tickets__search {"query":"tickets","state":"open"}',
    "show me the top 2 notes about eggs": 'notes__search {"query":"eggs","limit":2}',
    "close ticket T-3": 'tickets__close_ticket {"id":"T-3"}',
    "mark T-3 as done": 'tickets__close_ticket {"id":"T-3"}',
    "when is T-3 due?": 'tickets__search {"query":"T-3"}',
    "use notes.search query=release limit=2": 'notes__search {"query":"release","limit":2}',
    'call mcp__notes__read_note with {"id":"n-2"}': 'notes__read_note {"id":"n-2"}',
    "搜索笔记 发布": 'notes__search {"query":"发布"}',
    "关闭工单 T-3": 'tickets__close_ticket {"id":"T-3"}',
    "添加笔记 “购物” 内容 “牛奶”": 'notes__add_note {"title":"购物","body":"牛奶"}',
    "suche meine Notizen nach Release": 'notes__search {"query":"Release"}',
  };
  for (const [prompt, use] of Object.entries(cases)) {
    assert.equal((await uses(prompt))[0], use, prompt);
  }
});

Deno.test("offlineModel() finds its way among strangers' tools", async () => {
  const cases: Record<string, string> = {
    "echo hello": 'everything__echo {"message":"hello"}',
    "add 2 and 3": 'everything__get-sum {"a":2,"b":3}',
    "read the file /tmp/x.txt": 'fs__read_text_file {"path":"/tmp/x.txt"}',
    "what is in /tmp/x.txt?": 'fs__read_text_file {"path":"/tmp/x.txt"}',
    "show the first 5 lines of /tmp/x.txt": 'fs__read_text_file {"path":"/tmp/x.txt","head":5}',
    'write "hello" to /tmp/a.txt': 'fs__write_file {"path":"/tmp/a.txt","content":"hello"}',
    "list files in /tmp": 'fs__list_directory {"path":"/tmp"}',
    "move /tmp/a.txt to /tmp/b.txt":
      'fs__move_file {"source":"/tmp/a.txt","destination":"/tmp/b.txt"}',
    'create an issue "Crash" in denoland/deno labelled bug, crash':
      'hub__create_issue {"owner":"denoland","repo":"deno","title":"Crash","labels":["bug","crash"]}',
    "show issue #12 of denoland/std":
      'hub__get_issue {"owner":"denoland","repo":"std","issue_number":12}',
    'send an email to bob@example.com with subject "Hi" and body "See you"':
      'mail__send_email {"to":"bob@example.com","subject":"Hi","body":"See you"}',
    "what is the weather in Paris": 'sky__get_forecast {"city":"Paris"}',
    "What's the forecast for New York for 5 days?":
      'sky__get_forecast {"city":"New York","days":5}',
    "What do my notes say about eggs?": 'notes__search {"query":"eggs"}',
  };
  for (const [prompt, use] of Object.entries(cases)) {
    assert.equal((await uses(prompt, [...HOUSE, ...STRANGERS]))[0], use, prompt);
  }
});

Deno.test("offlineModel() names the argument it lacks instead of making one up", async () => {
  const { steps, answer } = await talk('open a ticket "Ship 1.0"');
  assert.deepEqual(steps, []);
  assert.equal(
    answer,
    'I did not call mcp__tickets__create_ticket: it needs "due" (An ISO 8601 date), and the prompt does not say.',
  );
});

Deno.test("offlineModel() survives every shape of schema, name and description", async () => {
  const schemas: unknown[] = [
    null,
    undefined,
    3,
    "object",
    [],
    {},
    { type: "object", properties: null, required: "query" },
    { type: "object", properties: [], required: [null, 3, "x"] },
    {
      type: "object",
      properties: {
        query: null,
        a: true,
        b: [],
        c: { type: ["string", "null"] },
        d: { enum: null },
      },
      required: ["query"],
    },
    {
      type: "object",
      properties: {
        query: { type: "string", enum: [] },
        x: { const: {} },
        y: { anyOf: [null, { type: "null" }] },
      },
    },
    {
      anyOf: [{ required: ["a"] }, null],
      oneOf: "x",
      allOf: [{ properties: { query: { $ref: "#/x" } } }],
    },
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}',
    ),
    {
      type: "object",
      properties: { n: { type: "number", minimum: "x", maximum: null, default: NaN } },
      required: ["n"],
    },
  ];
  const names = [
    "__proto__",
    "constructor",
    "mcp__a__toString",
    "mcp__notes__search",
    "",
    "mcp__",
    "____",
    "搜索",
  ];
  for (const inputSchema of schemas) {
    const tools = names.map((name) => ({
      name,
      description: "[from notes] Search notes",
      inputSchema,
    })) as ToolSpec[];
    for (
      const prompt of [
        'search notes for "x" limit 5',
        "call constructor with x",
        "toString",
        "use __proto__ query=1",
      ]
    ) {
      await turn([{ role: "user", text: prompt }], tools);
    }
  }
  const odd = [{
    name: "mcp__a__b",
    description: undefined,
    inputSchema: {},
  }] as unknown as ToolSpec[];
  await turn([{ role: "user", text: "b" }], odd);
  await turn([], []);
  await turn([{ role: "assistant", text: "", uses: [] }], []);
});

Deno.test("offlineModel() hands on an argument called __proto__", async () => {
  const inputSchema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
  );
  const tools = [{
    name: "mcp__lab__run_probe",
    description: "[from lab] Runs a probe",
    inputSchema,
  }];
  const { turn: { uses } } = await turn(
    [{ role: "user", text: "run the probe __proto__=deep" }],
    tools,
  );
  assert.equal(JSON.stringify(uses[0]!.args), '{"__proto__":"deep"}');
});
