import assert from "node:assert/strict";
import { openaiChatFormat } from "../../lib/models/openai_chat.ts";
import type { ToolUse, UseResult } from "../../lib/models/model.ts";
import type { Params } from "../../lib/protocol/types.ts";
import {
  bodyOf,
  errorOf,
  readStream,
  readWhole,
  requestOf,
  streamError,
  talk,
  toolOf,
} from "../support/format.ts";

const format = openaiChatFormat();
const PNG = { type: "image", mimeType: "image/png", data: btoa("x".repeat(3000)) };

function chunk(delta: Params, finish: string | null = null, more: Params = {}): Params {
  return {
    id: "c",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}

function call(fields: Params, name?: string, written?: string): Params {
  const told = {
    ...(name !== undefined && { name }),
    ...(written !== undefined && { arguments: written }),
  };
  return { tool_calls: [{ ...fields, function: told }] };
}

function use(id: string, name: string, args: Params = {}): ToolUse {
  return { id, name, args };
}

function result(id: string, ...content: UseResult["content"]): UseResult {
  return { id, name: `mcp__a__${id}`, content, isError: false };
}

const text = (text: string) => ({ type: "text", text });

// What goes out

Deno.test("openaiChatFormat() writes a whole request, and a bearer key", () => {
  const notes: string[] = [];
  const wire = format.write(requestOf({
    system: "Be kind.",
    maxTokens: 100,
    tools: [toolOf("mcp__notes__list")],
    notes,
  }));
  assert.deepEqual(wire.body, {
    model: "m",
    messages: [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hello" },
    ],
    tools: [{
      type: "function",
      function: {
        name: "mcp__notes__list",
        description: "[from test] mcp__notes__list",
        parameters: { type: "object", properties: {} },
      },
    }],
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 100,
    prompt_cache_key: "run-1",
  });
  assert.equal(wire.path, "/chat/completions");
  assert.deepEqual(wire.tools, ["mcp__notes__list"]);
  assert.deepEqual(format.auth("k"), { authorization: "Bearer k" });
  assert.deepEqual(notes, []);
});

Deno.test("openaiChatFormat() leaves out what is empty", () => {
  assert.deepEqual(bodyOf(format, { stream: false, messages: [] }), {
    model: "m",
    messages: [],
    prompt_cache_key: "run-1",
  });
});

Deno.test("openaiChatFormat() takes what differs between providers as data", () => {
  const other = openaiChatFormat({
    maxTokensKey: "max_tokens",
    systemRole: "developer",
    streamOptions: false,
    cacheKey: false,
    toolLimit: 1,
    descriptionLimit: 10,
  });
  const notes: string[] = [];
  const body = bodyOf(other, {
    system: "S",
    maxTokens: 5,
    tools: [toolOf("a"), toolOf("b")],
    notes,
  });
  assert.deepEqual(body, {
    model: "m",
    messages: [{ role: "developer", content: "S" }, { role: "user", content: "Hello" }],
    tools: [{
      type: "function",
      function: {
        name: "a",
        description: "[from tes…",
        parameters: { type: "object", properties: {} },
      },
    }],
    stream: true,
    max_tokens: 5,
  });
  assert.match(notes.join(), /^1 of 2 tools are offered.*Held back: b$/);
});

Deno.test("openaiChatFormat() offers the first 128 of more tools, and says which it holds back", () => {
  const tools = Array.from({ length: 151 }, (_, i) => toolOf(`mcp__a__t${i}`));
  const notes: string[] = [];
  const wire = format.write(requestOf({ tools, notes }));
  assert.equal(wire.tools.length, 128);
  assert.deepEqual(wire.tools, tools.slice(0, 128).map(({ name }) => name));
  assert.equal((wire.body.tools as unknown[]).length, 128);
  assert.match(notes[0]!, /^128 of 151 tools .*--lazy.* mcp__a__t128, .*mcp__a__t147 and 3 more$/);
});

Deno.test("openaiChatFormat() leaves out tools that were refused, and those that do not fit", () => {
  const notes: string[] = [];
  const wire = format.write(requestOf({
    tools: [toolOf("a"), toolOf("b", { type: "object", required: null }), toolOf("c")],
    refused: new Set(["a"]),
    notes,
  }));
  assert.deepEqual(wire.tools, ["c"]);
  assert.match(notes.join("\n"), /^b is not offered to the model: its schema /);
});

Deno.test("openaiChatFormat() answers every call in the order asked, with a word for errors", () => {
  const uses = [use("1", "mcp__a__x", { q: "ä" }), use("2", "mcp__a__y"), use("3", "mcp__a__z")];
  const messages = talk({ text: "", uses }, [{
    role: "tool",
    results: [
      { id: "2", name: "mcp__a__y", content: [text("no such thing")], isError: true },
      { id: "1", name: "mcp__a__x", content: [text("one"), text("two")], isError: false },
      { id: "9", name: "mcp__a__q", content: [text("nobody asked")], isError: false },
    ],
  }]);
  assert.deepEqual(bodyOf(format, { messages }).messages, [
    { role: "user", content: "Hello" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "1", type: "function", function: { name: "mcp__a__x", arguments: '{"q":"ä"}' } },
        { id: "2", type: "function", function: { name: "mcp__a__y", arguments: "{}" } },
        { id: "3", type: "function", function: { name: "mcp__a__z", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "1", content: "one\ntwo" },
    { role: "tool", tool_call_id: "2", content: "Error: no such thing" },
    { role: "tool", tool_call_id: "3", content: "Error: Not run." },
  ]);
});

Deno.test("openaiChatFormat() does not say Error twice, and says that nothing came", () => {
  const uses = [use("1", "x"), use("2", "y")];
  const results = [
    { ...result("1", text("Error: no")), isError: true },
    { ...result("2"), isError: true },
  ];
  const messages = bodyOf(format, {
    messages: talk({ text: "", uses }, [{ role: "tool", results }]),
  })
    .messages as Params[];
  assert.deepEqual(messages.slice(2).map(({ content }) => content), [
    "Error: no",
    "Error: (the tool returned nothing)",
  ]);
});

Deno.test("openaiChatFormat() shows pictures of results behind all of them", () => {
  const uses = [use("1", "mcp__a__1"), use("2", "mcp__a__2")];
  const results = [result("1", text("here"), PNG), result("2", text("done"))];
  const notes: string[] = [];
  const messages = talk({ text: "Look.", uses }, [{ role: "tool", results }]);
  const body = bodyOf(format, { messages, notes }).messages as Params[];
  assert.deepEqual(body.slice(2), [
    { role: "tool", tool_call_id: "1", content: "here\n(image/png, 3 kB; shown separately)" },
    { role: "tool", tool_call_id: "2", content: "done" },
    {
      role: "user",
      content: [
        { type: "text", text: "(an image that mcp__a__1 gave, call 1)" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${PNG.data}` } },
      ],
    },
  ]);
  assert.equal(body[1]!.content, "Look.");
  assert.deepEqual(notes, []);
});

Deno.test("openaiChatFormat() names pictures where none are taken, and tells it once", () => {
  const messages = talk({ text: "", uses: [use("1", "mcp__a__1")] }, [
    { role: "tool", results: [result("1", PNG, { ...PNG, type: "audio", mimeType: "audio/wav" })] },
  ]);
  for (
    const blind of [openaiChatFormat({ images: false }), openaiChatFormat({ userAfterTool: false })]
  ) {
    const notes: string[] = [];
    const body = bodyOf(blind, { messages, notes }).messages as Params[];
    assert.equal(body.length, 3);
    assert.equal(
      body[2]!.content,
      "(image/png, 3 kB; not shown)\n(audio/wav, 3 kB; not shown)",
    );
    assert.equal(notes.length, 2);
    assert.match(notes[0]!, /does not take what mcp__a__1 gave \(image\/png, 3 kB\)/);
    // The turn after that sends the same results again; they were told of.
    bodyOf(blind, { messages: [...messages, { role: "assistant", text: "Ok", uses: [] }], notes });
    assert.equal(notes.length, 2);
  }
});

Deno.test("openaiChatFormat() sends what the user attached, and names what is not taken", () => {
  const notes: string[] = [];
  const parts = [
    { ...PNG, mimeType: "image/JPG; q=1" },
    { type: "resource", resource: { uri: "file:///a/b.txt", text: "hi" } },
    {
      type: "resource",
      resource: { uri: "a/b.pdf", mimeType: "application/pdf", blob: "QUJD\nREVG" },
    },
    { type: "resource", resource: { uri: "a/b.zip", mimeType: "application/zip", blob: "QUJD" } },
    { type: "image", mimeType: "image/svg+xml", data: "QUJD" },
    { type: "resource", resource: { uri: "gone" } },
  ];
  const body = bodyOf(format, { messages: [{ role: "user", text: "See", parts }], notes });
  assert.deepEqual((body.messages as Params[])[0]!.content, [
    { type: "text", text: "See" },
    { type: "image_url", image_url: { url: `data:image/jpeg;base64,${PNG.data}` } },
    { type: "text", text: "(resource file:///a/b.txt)\nhi" },
    {
      type: "file",
      file: { filename: "b.pdf", file_data: "data:application/pdf;base64,QUJDREVG" },
    },
    { type: "text", text: "(attached: b.zip, application/zip, 3 bytes; not shown)" },
    { type: "text", text: "(attached: image/svg+xml, 3 bytes; not shown)" },
    { type: "text", text: "(resource gone, without data)" },
  ]);
  assert.equal(notes.length, 2);
});

Deno.test("openaiChatFormat() sends no text part for an attachment without a question", () => {
  const body = bodyOf(format, { messages: [{ role: "user", text: "", parts: [PNG] }] });
  const [message] = body.messages as [{ content: Params[] }];
  assert.deepEqual(message.content.map(({ type }) => type), ["image_url"]);
});

Deno.test("openaiChatFormat() leaves out a turn in which nothing was said", () => {
  const body = bodyOf(format, { messages: talk({ text: "", uses: [] }) });
  assert.deepEqual(body.messages, [{ role: "user", content: "Hello" }]);
});

Deno.test("openaiChatFormat() sends {} for arguments that were no object", () => {
  for (const unreadable of ["[1]", '"x"', '{"a":']) {
    const uses = [{ ...use("1", "x"), unreadable }];
    const body = bodyOf(format, { messages: talk({ text: "", uses }) }).messages as Params[];
    assert.deepEqual(body[1]!.tool_calls, [
      { id: "1", type: "function", function: { name: "x", arguments: "{}" } },
    ]);
  }
});

Deno.test("openaiChatFormat() asks for an answer of a schema in the way the API knows", () => {
  const answerSchema = { type: "object", properties: { n: { type: "integer" } } };
  const asked = (options: Parameters<typeof openaiChatFormat>[0], tools = [toolOf("t")]) =>
    bodyOf(openaiChatFormat(options), { answerSchema, tools }).response_format;
  assert.deepEqual(asked({}), {
    type: "json_schema",
    json_schema: { name: "answer", schema: answerSchema },
  });
  assert.deepEqual(asked({ answer: "object" }), { type: "json_object" });
  assert.equal(asked({ answer: "none" }), undefined);
  assert.equal(asked({ answerWithTools: false }), undefined);
  assert.ok(asked({ answerWithTools: false }, []));
});

// What comes back

Deno.test("the chat reader reads text, usage in a trailing chunk, and what is no text", () => {
  const turn = readStream(format, [
    chunk({ role: "assistant", content: "", refusal: null }, null, {
      usage: null,
      obfuscation: "x",
    }),
    chunk({ content: "Hel" }),
    chunk({ content: "lo 🌍" }),
    chunk({}, "stop"),
    {
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
      },
    },
    "[DONE]",
  ]);
  assert.equal(turn.text, "Hello 🌍");
  assert.equal(turn.stop, "end");
  assert.deepEqual(turn.usage, { input: 10, output: 5, cachedInput: 8, cacheWrite: 2 });
  assert.equal(turn.carry, undefined);
});

Deno.test("the chat reader assembles parallel calls by index", () => {
  const turn = readStream(format, [
    chunk({
      role: "assistant",
      content: null,
      ...call({ index: 0, id: "c1", type: "function" }, "a", ""),
    }),
    chunk(call({ index: 0 }, undefined, '{"x"')),
    chunk(call({ index: 1, id: "c2", type: "function" }, "b", "")),
    chunk(call({ index: 1 }, undefined, '{"y":')),
    chunk(call({ index: 0 }, undefined, ":1}")),
    chunk(call({ index: 1 }, undefined, '"ü"}')),
    chunk({}, "tool_calls"),
    "[DONE]",
  ]);
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 }), use("c2", "b", { y: "ü" })]);
  assert.equal(turn.stop, "tools");
});

const A_CALL: Record<string, Params[]> = {
  "an index from 1, and an empty delta first": [
    chunk({ role: "assistant", ...call({ index: 1, id: "c1" }, "a", "") }),
    chunk(call({ index: 1 }, undefined, "")),
    chunk(call({ index: 1 }, undefined, '{"x":1}')),
    chunk({}, "tool_calls"),
  ],
  "a whole call with its finish and usage, without an index": [
    chunk(call({ id: "c1" }, "a", '{"x": 1}'), "tool_calls", { p: "x" }),
  ],
  "no role, and the index last": [
    chunk({ tool_calls: [{ function: { name: "a", arguments: '{"x"' }, id: "c1", index: 0 }] }),
    chunk({ tool_calls: [{ function: { arguments: ":1}" }, index: 0 }] }, "tool_calls"),
  ],
  "empty ids on every delta": [
    chunk({ content: null, ...call({ index: 0, id: "c1", type: "function" }, "a", "") }),
    chunk({ content: null, ...call({ index: 0, id: "", type: "function" }, undefined, '{"x"') }),
    chunk(call({ index: 0, id: "", type: "function" }, "", ":1}")),
    chunk({}, "tool_calls"),
  ],
  "the id and the name on every delta": [
    chunk(call({ index: 0, id: "c1" }, "a", '{"x"')),
    chunk(call({ index: 0, id: "c1" }, "a", ":1}")),
    chunk({}, "tool_calls"),
  ],
  "an id that changes without a name": [
    chunk(call({ index: 0, id: "c1" }, "a", '{"x"')),
    chunk(call({ index: 0, id: "c9" }, undefined, ":1}")),
    chunk({}, "tool_calls"),
  ],
  "no index at all, matched by id": [
    chunk(call({ id: "c1" }, "a", '{"x"')),
    chunk(call({ id: "c1" }, undefined, ":1}")),
    chunk({}, "tool_calls"),
  ],
  "no index and no id after the first": [
    chunk(call({ id: "c1" }, "a", '{"x"')),
    chunk(call({}, undefined, ":1}")),
    chunk({}, "tool_calls"),
  ],
  "a role on every chunk, and stop for a call": [
    chunk({ role: "assistant", content: "", ...call({ index: 0, id: "c1" }, "a", '{"x":1}') }),
    chunk({ role: "assistant", content: "" }, "stop"),
  ],
  "arguments as an object": [
    chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "a", arguments: { x: 1 } } }] }),
    chunk({}, "tool_calls"),
  ],
  "odd white space": [
    chunk(call({ index: 0, id: "c1" }, "a", " \n")),
    chunk(call({ index: 0 }, undefined, '\t{ "x" :\r\n1 }  \n')),
    chunk({}, "tool_calls"),
  ],
  "an empty call beside it": [
    chunk(call({ index: 0, id: "c1" }, "a", '{"x":1}')),
    chunk({ tool_calls: [{ index: 1 }, {}] }),
    chunk({}, "tool_calls"),
  ],
};

for (const [quirk, events] of Object.entries(A_CALL)) {
  Deno.test(`the chat reader survives ${quirk}`, () => {
    const { uses, stop } = readStream(format, events);
    assert.deepEqual({ uses, stop }, { uses: [use("c1", "a", { x: 1 })], stop: "tools" });
  });
}

for (const written of ["", "{}", "  ", "null", "{ }"]) {
  Deno.test(`the chat reader takes ${JSON.stringify(written)} for no arguments`, () => {
    const turn = readStream(format, [
      chunk(call({ index: 0, id: "c1" }, "a", written), "tool_calls"),
    ]);
    assert.deepEqual(turn.uses, [use("c1", "a")]);
    const back = bodyOf(format, { messages: talk(turn) }).messages as Params[];
    assert.deepEqual(
      back[1]!.tool_calls,
      [{
        id: "c1",
        type: "function",
        function: { name: "a", arguments: written.trim() === "{ }" ? "{ }" : "{}" },
      }],
    );
  });
}

Deno.test("the chat reader takes a call without any arguments field", () => {
  const turn = readStream(format, [chunk(call({ index: 0, id: "c1" }, "a"), "tool_calls")]);
  assert.deepEqual(turn.uses, [use("c1", "a")]);
});

for (const written of ['{"x":', "[1]", '"x"', "3", "{}{}", "\ud83d"]) {
  Deno.test(`the chat reader keeps arguments that are no object: ${JSON.stringify(written)}`, () => {
    const turn = readStream(format, [
      chunk(call({ index: 0, id: "c1" }, "a", written), "tool_calls"),
    ]);
    assert.deepEqual(turn.uses, [{ id: "c1", name: "a", args: {}, unreadable: written }]);
    assert.equal(turn.stop, "tools");
  });
}

Deno.test("the chat reader tells calls with one index apart by id and name", () => {
  const turn = readStream(format, [
    chunk(call({ index: 0, id: "c1" }, "a", '{"x":1}')),
    chunk(call({ index: 0, id: "c2" }, "a", '{"x":2}')),
    chunk({}, "tool_calls"),
  ]);
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 }), use("c2", "a", { x: 2 })]);
});

Deno.test("the chat reader reads whole calls without index or id, in one delta and in two", () => {
  const calls = (...names: string[]) => ({
    tool_calls: names.map((name) => ({ function: { name, arguments: "{}" } })),
  });
  const turn = readStream(format, [chunk(calls("a", "b")), chunk(calls("c"), "tool_calls")]);
  assert.deepEqual(turn.uses.map(({ name }) => name), ["a", "b", "c"]);
});

Deno.test("the chat reader makes up missing and doubled ids, the same every time", () => {
  const events = [
    chunk(call({ index: 0 }, "a", "{}")),
    chunk(call({ index: 1, id: "x" }, "b", "{}")),
    chunk(call({ index: 2, id: "x" }, "c", "{}"), "tool_calls"),
  ];
  const ids = () => readStream(format, events).uses.map(({ id }) => id);
  assert.deepEqual(ids(), ["fb0001000", "x", "fb0001002"]);
  assert.deepEqual(ids(), ids());
  const later = readStream(format, events, { messages: talk({ text: "Hi", uses: [] }) });
  assert.equal(later.uses[0]!.id, "fb0002000");
});

Deno.test("the chat reader does not run what it can't name", () => {
  const error = streamError(format, [
    chunk(call({ index: 0, id: "c1" }, "", '{"x":1}'), "tool_calls"),
  ]);
  assert.match(error.message, /it names no tool$/);
  assert.equal(error.retryable, true);
});

Deno.test("the chat reader puts 2 MB of arguments together in linear time", () => {
  const piece = "0123456789".repeat(10);
  const { reader } = format.write(requestOf());
  const take = (event: Params) => reader.take({ name: "message", data: JSON.stringify(event) });
  take(chunk(call({ index: 0, id: "c1" }, "a", '{"x":"')));
  for (let i = 0; i < 20_000; i++) take(chunk(call({ index: 0 }, undefined, piece)));
  take(chunk(call({ index: 0 }, undefined, '"}'), "tool_calls"));
  assert.equal(String(reader.end().uses[0]!.args.x).length, 2_000_000);
});

Deno.test("the chat reader reads reasoning under all its names, once", () => {
  const thoughts = (delta: Params) =>
    readStream(format, [chunk(delta), chunk({}, "stop")]).thoughts;
  assert.equal(thoughts({ reasoning_content: "hm" }), "hm");
  assert.equal(thoughts({ reasoning: "hm", reasoning_content: "hm" }), "hm");
  assert.equal(
    thoughts({ reasoning: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] }),
    "hm",
  );
  assert.equal(
    thoughts({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
    "hm",
  );
  assert.equal(thoughts({ reasoning_content: null, reasoning: "" }), "");
});

Deno.test("the chat reader reads content that is a list of parts", () => {
  const parts = [{ type: "text", text: "a" }, { type: "text", text: "b" }];
  assert.equal(readStream(format, [chunk({ content: parts }, "stop")]).text, "ab");
});

Deno.test("openaiChatFormat() brings back the reasoning that an API wants, and none to others", () => {
  const events = [
    chunk({ role: "assistant", content: null, reasoning_content: "I " }),
    chunk({ reasoning_content: "think" }),
    chunk(call({ index: 0, id: "c1" }, "a", '{ "x": 1 }'), "tool_calls"),
  ];
  const deepseek = openaiChatFormat({ reasoning: ["reasoning_content"] });
  const turn = readStream(deepseek, events);
  const calls = [{ id: "c1", type: "function", function: { name: "a", arguments: '{ "x": 1 }' } }];
  const back = (turn: Parameters<typeof talk>[0]) =>
    (bodyOf(format, { messages: talk(turn) }).messages as Params[])[1];
  assert.deepEqual(back(turn), {
    role: "assistant",
    content: null,
    reasoning_content: "I think",
    tool_calls: calls,
  });
  assert.deepEqual(back(readStream(format, events)), {
    role: "assistant",
    content: null,
    tool_calls: calls,
  });
});

Deno.test("openaiChatFormat() brings back an empty reasoning, which DeepSeek insists on", () => {
  const deepseek = openaiChatFormat({ reasoning: ["reasoning_content"] });
  const turn = readStream(deepseek, [
    chunk({ role: "assistant", content: null, reasoning_content: "" }),
    chunk(call({ index: 0, id: "c1" }, "a", "{}"), "tool_calls"),
  ]);
  const [, back] = bodyOf(deepseek, { messages: talk(turn) }).messages as Params[];
  assert.equal(back!.reasoning_content, "");
});

Deno.test("the chat reader puts reasoning details together, signature and all", () => {
  const openrouter = openaiChatFormat({ reasoning: ["reasoning_details"] });
  const detail = (fields: Params) =>
    chunk({ reasoning_details: [{ format: "f", index: 0, ...fields }] });
  const turn = readStream(openrouter, [
    detail({ type: "reasoning.text", text: "a" }),
    detail({ type: "reasoning.text", text: "b" }),
    detail({ type: "reasoning.text", text: null, signature: "sig" }),
    detail({ type: "reasoning.text", text: "c", index: 2 }),
    detail({ type: "reasoning.summary", summary: "d", index: 2 }),
    detail({ type: "reasoning.summary", summary: "e", index: 2 }),
    detail({ type: "reasoning.encrypted", data: "xyz", index: 1 }),
    detail({ type: "reasoning.encrypted", data: "uvw", index: 1 }),
    chunk({ content: "Hi" }, "stop"),
  ]);
  assert.deepEqual((turn.carry as { reasoning: Params }).reasoning.reasoning_details, [
    { format: "f", index: 0, type: "reasoning.text", text: "ab", signature: "sig" },
    { format: "f", index: 2, type: "reasoning.text", text: "c" },
    { format: "f", index: 2, type: "reasoning.summary", summary: "de" },
    { format: "f", index: 1, type: "reasoning.encrypted", data: "xyz" },
    { format: "f", index: 1, type: "reasoning.encrypted", data: "uvw" },
  ]);
});

Deno.test("openaiChatFormat() uses no carry of another API", () => {
  const carry = { api: "gemini", reasoning: { reasoning_content: "x" }, calls: ["{}"] };
  const messages = talk({ text: "a", uses: [use("1", "t", { q: 1 })], carry });
  const [, back] = bodyOf(format, { messages }).messages as Params[];
  assert.deepEqual(back, {
    role: "assistant",
    content: "a",
    tool_calls: [{ id: "1", type: "function", function: { name: "t", arguments: '{"q":1}' } }],
  });
});

Deno.test("openaiChatFormat() sends no half of a surrogate pair inside arguments", () => {
  const turn = readStream(format, [
    chunk(
      call({ index: 0, id: "c1" }, "a", '{"x":"\\ud83d","\\udc00":"\\ud83c\\udf0d"}'),
      "tool_calls",
    ),
  ]);
  assert.deepEqual(turn.uses[0]!.args, { x: "\ud83d", "\udc00": "🌍" });
  const [, back] = bodyOf(format, { messages: talk(turn) }).messages as Params[];
  const [{ function: told }] = back!.tool_calls as [{ function: Params }];
  assert.equal(told.arguments, '{"x":"\ufffd","\ufffd":"🌍"}');
});

Deno.test("the chat reader gives a server the property names that it knows", () => {
  const tools = [toolOf("t", {
    type: "object",
    properties: { "ein ä": { type: "string" }, b: { type: "string" } },
  })];
  const wire = format.write(requestOf({ tools }));
  const [{ function: told }] = wire.body.tools as [
    { function: { parameters: { properties: Params } } },
  ];
  const names = Object.keys(told.parameters.properties);
  const args = Object.fromEntries(names.map((name, i) => [name, String(i)]));
  wire.reader.take({
    name: "message",
    data: JSON.stringify(
      chunk(call({ index: 0, id: "c" }, "t", JSON.stringify(args)), "tool_calls"),
    ),
  });
  assert.deepEqual(wire.reader.end().uses[0]!.args, { "ein ä": "0", b: "1" });
});

const USAGES: [string, Params][] = [
  ["on the finish chunk", chunk({}, "stop", { usage: { prompt_tokens: 7, completion_tokens: 3 } })],
  [
    "under x_groq",
    chunk({}, "stop", { x_groq: { id: "r", usage: { prompt_tokens: 7, completion_tokens: 3 } } }),
  ],
  ["in the choice", {
    choices: [{
      delta: {},
      finish_reason: "stop",
      usage: { prompt_tokens: 7, completion_tokens: 3 },
    }],
  }],
  [
    "without the reasoning",
    chunk({}, "stop", { usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 10 } }),
  ],
];
for (const [where, event] of USAGES) {
  Deno.test(`the chat reader finds usage ${where}`, () => {
    const turn = readStream(format, [chunk({ content: "a" }), event, { choices: [], usage: null }]);
    assert.deepEqual(turn.usage, { input: 7, output: 3, cachedInput: 0, cacheWrite: 0 });
  });
}

Deno.test("the chat reader finds what DeepSeek had in its cache", () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, prompt_cache_hit_tokens: 5 };
  assert.equal(readStream(format, [chunk({}, "stop", { usage })]).usage?.cachedInput, 5);
});

Deno.test("the chat reader makes one turn of two finish chunks", () => {
  const events = [
    chunk({ content: "a", reasoning: null }),
    chunk({ content: "" }, "stop", { native_finish_reason: "stop" }),
    chunk({ content: "" }, "stop", {
      usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.1 },
    }),
  ];
  const turn = readStream(format, events);
  assert.deepEqual([turn.text, turn.stop, turn.usage?.input], ["a", "end", 1]);
});

const STOPS: [string, string][] = [
  ["stop", "end"],
  ["length", "length"],
  ["model_length", "length"],
  ["content_filter", "refusal"],
  ["tool_calls", "end"],
  ["something new", "end"],
];
for (const [finish, stop] of STOPS) {
  Deno.test(`the chat reader takes the finish ${finish} without calls for ${stop}`, () => {
    assert.equal(readStream(format, [chunk({ content: "a" }, finish)]).stop, stop);
  });
}

Deno.test("the chat reader takes a call that was cut by the length for a length stop", () => {
  const turn = readStream(format, [chunk(call({ index: 0, id: "c" }, "a", '{"x":'), "length")]);
  assert.equal(turn.stop, "length");
});

Deno.test("the chat reader reads a refusal as words and as an ending", () => {
  const turn = readStream(format, [
    chunk({ role: "assistant", refusal: "I " }),
    chunk({ refusal: "won't." }, "stop"),
  ]);
  assert.deepEqual([turn.text, turn.stop], ["I won't.", "refusal"]);
});

Deno.test("the chat reader tells when a filter left no words at all", () => {
  const notes: string[] = [];
  const turn = readStream(format, [chunk({}, "content_filter")], { notes });
  assert.deepEqual([turn.text, turn.stop, notes.length], ["", "refusal", 1]);
});

const BROKEN: [string, (Params | string)[]][] = [
  ["nothing", []],
  ["a cut in the text", [chunk({ content: "Hel" })]],
  ["a cut in the arguments", [chunk(call({ index: 0, id: "c" }, "a", '{"x":'))]],
  ["something that is no JSON", [chunk({ content: "a" }), "{oops"]],
  ["a JSON text", ['"a"']],
];
for (const [what, events] of BROKEN) {
  Deno.test(`the chat reader takes ${what} for no answer, and it may be tried again`, () => {
    const error = streamError(format, events);
    assert.equal(error.retryable, true);
    assert.match(error.message, /^Cannot read what the model API sent: /);
  });
}

Deno.test("the chat reader takes [DONE] for an end where no finish is told", () => {
  assert.equal(readStream(format, [chunk({ content: "a" }), " [DONE] "]).text, "a");
  assert.equal(readStream(format, ["", "[DONE]"]).stop, "end");
});

const ERRORS: [string, Params, number, boolean][] = [
  ["OpenAI", { error: { message: "boom", type: "server_error", code: null } }, 0, true],
  ["vLLM", { object: "error", message: "boom", type: "BadRequestError", code: 400 }, 400, false],
  ["Ollama", { error: "boom" }, 0, true],
  ["xAI", { code: "invalid-argument", error: "boom" }, 0, false],
  ["Mistral", { detail: "boom" }, 0, true],
  ["Anthropic", { type: "error", error: { type: "overloaded_error", message: "boom" } }, 0, true],
  [
    "OpenRouter",
    chunk({ content: "" }, "error", { error: { code: 502, message: "boom", metadata: {} } }),
    502,
    true,
  ],
  [
    "OpenRouter in a choice",
    { choices: [{ delta: {}, error: { code: 429, message: "boom" } }] },
    429,
    true,
  ],
];
for (const [who, event, status, retryable] of ERRORS) {
  Deno.test(`the chat reader throws the error that ${who} sends in mid-stream`, () => {
    const error = streamError(format, [chunk({ content: "a" }), event]);
    assert.match(error.message, /boom$/);
    assert.deepEqual([error.status, error.retryable], [status, retryable]);
  });
}

Deno.test("the chat reader throws for ends that are none", () => {
  for (const reason of ["error", "insufficient_system_resource", "network_error"]) {
    assert.equal(streamError(format, [chunk({}, reason)]).retryable, true);
  }
  const gemini = {
    choices: [{
      delta: {},
      finish_reason: "stop",
      native_finish_reason: "MALFORMED_FUNCTION_CALL",
    }],
  };
  assert.match(streamError(format, [gemini]).message, /tool call that its API could not read/);
});

Deno.test("the chat reader never retries a spent quota", () => {
  const error = streamError(format, [{ error: { code: "insufficient_quota", message: "Pay." } }]);
  assert.equal(error.retryable, false);
});

Deno.test("the chat reader reads a whole answer as it does a stream", () => {
  const turn = readWhole(format, {
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: "Two.",
        refusal: null,
        reasoning_content: "hm",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "a", arguments: '{"x":1}' } },
          { id: "c2", type: "function", function: { name: "b", arguments: "" } },
        ],
      },
      finish_reason: "tool_calls",
    }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  });
  assert.equal(turn.text, "Two.");
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 }), use("c2", "b")]);
  assert.deepEqual(turn.usage, { input: 3, output: 4, cachedInput: 0, cacheWrite: 0 });
});

for (
  const body of ["", null, [], {}, { choices: [] }, { choices: null }, { error: { message: "x" } }]
) {
  Deno.test(`the chat reader finds no answer in ${JSON.stringify(body)}`, () => {
    errorOf(() => readWhole(format, body));
  });
}

Deno.test("openaiChatFormat() reads lists of models in three shapes", () => {
  const { path, read } = format.models;
  assert.equal(path, "/models");
  assert.deepEqual(read({ object: "list", data: [{ id: "a" }, { id: "b" }, { id: 3 }, null] }), [
    "a",
    "b",
  ]);
  assert.deepEqual(read([{ id: "a" }]), ["a"]);
  assert.deepEqual(read({ models: [{ name: "a" }] }), ["a"]);
  for (const odd of [null, "", {}, { data: "x" }]) assert.deepEqual(read(odd), []);
});
