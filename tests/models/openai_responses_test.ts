import assert from "node:assert/strict";
import type { ToolUse } from "../../lib/models/model.ts";
import { openaiResponsesFormat } from "../../lib/models/openai_responses.ts";
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

const format = openaiResponsesFormat();
const PNG = { type: "image", mimeType: "image/png", data: btoa("x".repeat(3000)) };
const USAGE = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
  output_tokens: 6,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 15,
};

const created = { type: "response.created", response: { status: "in_progress", output: [] } };
const completed = (more: Params = {}) => ({
  type: "response.completed",
  response: { status: "completed", error: null, incomplete_details: null, usage: USAGE, ...more },
});
const added = (output_index: number, item: Params) => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (output_index: number, item: Params) => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const delta = (kind: string, output_index: number, delta: string, more: Params = {}) => ({
  type: `response.${kind}.delta`,
  output_index,
  delta,
  ...more,
});

function message(id: string, ...texts: string[]): Params {
  const content = texts.map((text) => ({ type: "output_text", text, annotations: [] }));
  return { id, type: "message", role: "assistant", status: "completed", content };
}

function callItem(id: string, name: string, written: string, more: Params = {}): Params {
  const status = "completed";
  return {
    id: `fc_${id}`,
    type: "function_call",
    call_id: id,
    name,
    arguments: written,
    status,
    ...more,
  };
}

const REASONING = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: "gAAA==",
};

function use(id: string, name: string, args: Params = {}): ToolUse {
  return { id, name, args };
}

function inputOf(messages: ReturnType<typeof talk>, api = format): Params[] {
  return bodyOf(api, { messages }).input as Params[];
}

// What goes out

Deno.test("openaiResponsesFormat() writes a whole request of which nothing is kept", () => {
  const wire = format.write(requestOf({
    model: "gpt-6",
    system: "Be kind.",
    maxTokens: 100,
    tools: [toolOf("mcp__notes__list")],
  }));
  assert.deepEqual(wire.body, {
    model: "gpt-6",
    instructions: "Be kind.",
    input: [{ role: "user", content: "Hello" }],
    tools: [{
      type: "function",
      name: "mcp__notes__list",
      description: "[from test] mcp__notes__list",
      parameters: { type: "object", properties: {} },
      strict: false,
    }],
    stream: true,
    store: false,
    include: ["reasoning.encrypted_content"],
    max_output_tokens: 100,
    prompt_cache_key: "run-1",
  });
  assert.equal(wire.path, "/responses");
  assert.deepEqual(wire.tools, ["mcp__notes__list"]);
});

Deno.test("openaiResponsesFormat() leaves out what is empty", () => {
  const plain = openaiResponsesFormat({ cacheKey: false, encrypted: false });
  assert.deepEqual(bodyOf(plain, { stream: false, messages: [] }), {
    model: "m",
    input: [],
    store: false,
  });
});

Deno.test("openaiResponsesFormat() asks only models that reason for their reasoning", () => {
  const asks = (model: string) => bodyOf(format, { model }).include !== undefined;
  for (
    const model of ["o3", "gpt-5", "gpt-5.1-codex", "gpt-6.1-terra", "openai/gpt-oss-20b", "x"]
  ) {
    assert(asks(model), model);
  }
  for (
    const model of ["gpt-4o", "openai/gpt-4.1", "ft:gpt-4o:me", "gpt-5-chat-latest", "chatgpt-4o"]
  ) {
    assert(!asks(model), model);
  }
  const told = openaiResponsesFormat({ summaries: true });
  assert.deepEqual(bodyOf(told, { model: "gpt-5" }).reasoning, { summary: "auto" });
  assert.equal(bodyOf(told, { model: "gpt-4o" }).reasoning, undefined);
  assert.equal(bodyOf(format, { model: "gpt-5" }).reasoning, undefined);
});

Deno.test("openaiResponsesFormat() holds back tools over the limit, and says which", () => {
  const tools = Array.from({ length: 130 }, (_, i) => toolOf(`t${i}`));
  const notes: string[] = [];
  assert.equal((bodyOf(format, { tools, notes }).tools as unknown[]).length, 128);
  assert.match(notes.join(), /^128 of 130 tools.*Held back: t128, t129$/);
});

Deno.test("openaiResponsesFormat() answers calls in the order asked, with pictures among the output", () => {
  const uses = [use("c1", "mcp__a__x", { q: "ä" }), use("c2", "mcp__a__y"), use("c3", "mcp__a__z")];
  const input = inputOf(talk({ text: "On it.", uses }, [{
    role: "tool",
    results: [
      { id: "c2", name: "mcp__a__y", content: [{ type: "text", text: "no" }], isError: true },
      {
        id: "c1",
        name: "mcp__a__x",
        content: [{ type: "text", text: "here" }, PNG, { ...PNG, mimeType: "image/tiff" }],
        isError: false,
      },
    ],
  }]));
  assert.deepEqual(input, [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "On it." },
    { type: "function_call", call_id: "c1", name: "mcp__a__x", arguments: '{"q":"ä"}' },
    { type: "function_call", call_id: "c2", name: "mcp__a__y", arguments: "{}" },
    { type: "function_call", call_id: "c3", name: "mcp__a__z", arguments: "{}" },
    {
      type: "function_call_output",
      call_id: "c1",
      output: [
        {
          type: "input_text",
          text: "here\n(image/png, 3 kB; shown separately)\n(image/tiff, 3 kB; not shown)",
        },
        { type: "input_image", image_url: `data:image/png;base64,${PNG.data}`, detail: "auto" },
      ],
    },
    { type: "function_call_output", call_id: "c2", output: "Error: no" },
    { type: "function_call_output", call_id: "c3", output: "Error: Not run." },
  ]);
});

Deno.test("openaiResponsesFormat() sends what the user attached, and names what is not taken", () => {
  const notes: string[] = [];
  const parts = [
    PNG,
    { type: "resource", resource: { uri: "a/b.pdf", mimeType: "application/pdf", blob: "QUJD" } },
    { type: "audio", mimeType: "audio/wav", data: "QUJD" },
  ];
  const asked = { messages: [{ role: "user" as const, text: "See", parts }], notes };
  assert.deepEqual((bodyOf(format, asked).input as Params[])[0]!.content, [
    { type: "input_text", text: "See" },
    { type: "input_image", image_url: `data:image/png;base64,${PNG.data}`, detail: "auto" },
    { type: "input_file", filename: "b.pdf", file_data: "data:application/pdf;base64,QUJD" },
    { type: "input_text", text: "(attached: audio/wav, 3 bytes; not shown)" },
  ]);
  assert.equal(notes.length, 1);
  // It is sent again with every turn, and told once.
  bodyOf(format, { notes, messages: [...asked.messages, ...talk({ text: "Ok", uses: [] })] });
  assert.equal(notes.length, 1);
  const blind = openaiResponsesFormat({ images: false, files: false });
  const named = (bodyOf(blind, asked).input as [{ content: Params[] }])[0].content;
  assert(named.every(({ type }) => type === "input_text"));
});

Deno.test("openaiResponsesFormat() asks for an answer of a schema", () => {
  const answerSchema = { type: "object", properties: { n: { type: "integer" } } };
  assert.deepEqual(bodyOf(format, { answerSchema }).text, {
    format: { type: "json_schema", name: "answer", schema: answerSchema, strict: false },
  });
  assert.equal(bodyOf(format).text, undefined);
});

// What comes back

Deno.test("the responses reader reads reasoning, text and calls, and carries their items back", () => {
  const first = callItem("c1", "a", '{ "x": 1 }');
  const second = callItem("c2", "b", "{}");
  const said = { ...message("msg_1", "Hello 🌍"), phase: "commentary" };
  const turn = readStream(format, [
    created,
    { type: "response.in_progress", response: {} },
    added(0, { ...REASONING, encrypted_content: "gA", summary: [] }),
    { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
    delta("reasoning_summary_text", 0, "Hm"),
    delta("reasoning_summary_text", 0, "."),
    { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 1 },
    delta("reasoning_summary_text", 0, "Ah."),
    done(0, REASONING),
    added(1, { ...said, content: [], status: "in_progress" }),
    {
      type: "response.content_part.added",
      output_index: 1,
      part: { type: "output_text", text: "" },
    },
    delta("output_text", 1, "Hello"),
    delta("output_text", 1, " 🌍"),
    { type: "response.output_text.done", output_index: 1, text: "Hello 🌍" },
    done(1, said),
    added(2, { ...first, arguments: "", status: "in_progress" }),
    added(3, { ...second, arguments: "", status: "in_progress" }),
    delta("function_call_arguments", 2, '{ "x"'),
    delta("function_call_arguments", 3, "{}"),
    delta("function_call_arguments", 2, ": 1 }"),
    { type: "response.function_call_arguments.done", output_index: 2, arguments: '{ "x": 1 }' },
    done(2, first),
    done(3, second),
    completed({ output: [REASONING, said, first, second] }),
  ]);
  assert.equal(turn.text, "Hello 🌍");
  assert.equal(turn.thoughts, "Hm.\n\nAh.");
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 }), use("c2", "b")]);
  assert.equal(turn.stop, "tools");
  assert.deepEqual(turn.usage, { input: 9, output: 6, cachedInput: 4, cacheWrite: 2 });
  assert.deepEqual(inputOf(talk(turn)).slice(1, 5), [REASONING, said, first, second]);
});

Deno.test("the responses reader goes by the output index when ids change with every event", () => {
  const turn = readStream(format, [
    added(0, callItem("c1", "a", "", { id: "r1" })),
    delta("function_call_arguments", 0, '{"x":', { item_id: "r2" }),
    added(1, callItem("c2", "b", "", { id: "r3" })),
    delta("function_call_arguments", 1, '{"y":', { item_id: "r4" }),
    delta("function_call_arguments", 0, "1}", { item_id: "r5" }),
    delta("function_call_arguments", 1, "2}", { item_id: "r6" }),
    completed(),
  ]);
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 }), use("c2", "b", { y: 2 })]);
});

Deno.test("the responses reader takes the call id of the finished item", () => {
  const turn = readStream(format, [
    added(0, callItem("early", "a", "")),
    done(0, callItem("late", "a", "{}")),
    completed(),
  ]);
  assert.deepEqual(turn.uses, [use("late", "a")]);
});

Deno.test("the responses reader reads what is told in finished items alone", () => {
  const turn = readStream(format, [
    done(0, message("m1", "One.", " Still one.")),
    done(1, callItem("c1", "a", '{"x":1}')),
    done(2, message("m2", "Two.")),
    completed(),
  ]);
  assert.equal(turn.text, "One. Still one.\n\nTwo.");
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 })]);
});

Deno.test("the responses reader reads what is told at the end alone", () => {
  const output = [message("m1", "Hi"), callItem("c1", "a", '{"x":1}')];
  const turn = readStream(format, [created, completed({ output })]);
  assert.equal(turn.text, "Hi");
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 })]);
});

Deno.test("the responses reader keeps items in their order, and as they were when they were done", () => {
  const late = callItem("c2", "b", "{}");
  const turn = readStream(format, [
    done(1, late),
    done(0, REASONING),
    completed({ output: [{ ...REASONING, encrypted_content: "other" }, { ...late, id: "other" }] }),
  ]);
  assert.deepEqual(turn.carry, { api: "openai-responses", items: [REASONING, late] });
});

Deno.test("the responses reader tells the rest of a text that was only begun", () => {
  const turn = readStream(format, [
    delta("output_text", 0, "Hel"),
    done(0, message("m1", "Hello")),
    completed({ output: [message("m1", "Hello")] }),
  ]);
  assert.equal(turn.text, "Hello");
});

Deno.test("the responses reader does without output indexes", () => {
  const strip = ({ output_index: _, ...event }: Params) => event;
  const turn = readStream(format, [
    strip(added(0, callItem("c1", "a", ""))),
    strip(delta("function_call_arguments", 0, '{"x":1}')),
    strip(added(1, callItem("c2", "b", ""))),
    strip(delta("function_call_arguments", 1, '{"y":2}')),
    completed(),
  ]);
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 }), use("c2", "b", { y: 2 })]);
});

Deno.test("the responses reader goes by the event's name where the data has no type", () => {
  const { reader } = format.write(requestOf());
  const { type: _, ...event } = completed({ output: [message("m", "Hi")] });
  reader.take({ name: "response.completed", data: JSON.stringify(event) });
  assert.equal(reader.end().text, "Hi");
});

Deno.test("the responses reader ends with the turn, whatever a proxy appends", () => {
  const turn = readStream(format, [
    done(0, message("m1", "One.")),
    completed(),
    created,
    done(0, message("m2", "Two.")),
    { type: "error", message: "late" },
    "[DONE]",
  ]);
  assert.equal(turn.text, "One.");
});

for (const written of ["", " ", "{}"]) {
  Deno.test(`the responses reader takes ${JSON.stringify(written)} for no arguments`, () => {
    const turn = readStream(format, [done(0, callItem("c1", "a", written)), completed()]);
    assert.deepEqual(turn.uses, [use("c1", "a")]);
    assert.equal(inputOf(talk(turn))[1]!.arguments, "{}");
  });
}

Deno.test("the responses reader keeps arguments that are no object, and sends {} back", () => {
  const turn = readStream(format, [done(0, callItem("c1", "a", '{"x":')), completed()]);
  assert.deepEqual(turn.uses, [{ id: "c1", name: "a", args: {}, unreadable: '{"x":' }]);
  assert.equal(inputOf(talk(turn))[1]!.arguments, "{}");
});

Deno.test("the responses reader makes up a missing call id, and carries it back", () => {
  const { call_id: _, id: __, ...bare } = callItem("", "a", "{}");
  const turn = readStream(format, [done(0, bare), completed()]);
  assert.equal(turn.uses[0]!.id, "fb0001000");
  assert.equal(inputOf(talk(turn))[1]!.call_id, "fb0001000");
});

Deno.test("the responses reader does not run what it can't name", () => {
  const error = streamError(format, [done(0, callItem("c", "", "{}")), completed()]);
  assert.match(error.message, /names no tool/);
});

Deno.test("openaiResponsesFormat() drops reasoning that can't be found again, and the ids beside it", () => {
  const turn = readStream(format, [
    done(0, { ...REASONING, encrypted_content: null, content: [] }),
    done(1, callItem("c1", "a", "{}")),
    completed(),
  ]);
  const { id: _, ...call } = callItem("c1", "a", "{}");
  assert.deepEqual(inputOf(talk(turn)).slice(1, 2), [call]);
  const open = {
    ...REASONING,
    encrypted_content: undefined,
    content: [{ type: "reasoning_text" }],
  };
  const other = readStream(format, [done(0, open), done(1, message("m", "Hi")), completed()]);
  assert.equal(inputOf(talk(other)).length, 3);
});

Deno.test("openaiResponsesFormat() leaves ids out for those who do not know them", () => {
  const azure = openaiResponsesFormat({ itemIds: false });
  const turn = readStream(azure, [done(0, REASONING), done(1, message("m", "Hi")), completed()]);
  for (const item of inputOf(talk(turn), azure)) assert.equal(item.id, undefined);
});

Deno.test("openaiResponsesFormat() uses no carry of another API", () => {
  const carry = { api: "gemini", parts: [] };
  assert.deepEqual(inputOf(talk({ text: "Hi", uses: [], carry }))[1], {
    role: "assistant",
    content: "Hi",
  });
});

Deno.test("the responses reader reads a refusal as words and as an ending", () => {
  const refusal = { type: "message", content: [{ type: "refusal", refusal: "I won't." }] };
  const streamed = readStream(format, [
    delta("refusal", 0, "I "),
    delta("refusal", 0, "won't."),
    done(0, refusal),
    completed(),
  ]);
  assert.deepEqual([streamed.text, streamed.stop], ["I won't.", "refusal"]);
  const whole = readStream(format, [done(0, refusal), completed()]);
  assert.deepEqual([whole.text, whole.stop], ["I won't.", "refusal"]);
});

for (
  const [reason, stop] of [["max_output_tokens", "length"], ["content_filter", "refusal"], [
    "?",
    "length",
  ]]
) {
  Deno.test(`the responses reader takes an answer cut for ${reason} for ${stop}`, () => {
    const notes: string[] = [];
    const turn = readStream(format, [
      done(0, callItem("c1", "a", '{"x":', { status: "incomplete" })),
      {
        type: "response.incomplete",
        response: { status: "incomplete", incomplete_details: { reason }, usage: USAGE },
      },
    ], { notes });
    assert.equal(turn.stop, stop);
    assert.equal(notes.length, stop === "refusal" ? 1 : 0);
  });
}

const FAILED: [string, Params, RegExp, boolean][] = [
  [
    "nested",
    { type: "error", error: { type: "server_error", code: "server_error", message: "boom" } },
    /^The model API failed: boom$/,
    true,
  ],
  [
    "flat",
    { type: "error", code: "rate_limit_exceeded", message: "boom", param: null },
    /requests: boom$/,
    true,
  ],
  [
    "a spent quota",
    { type: "error", error: { code: "insufficient_quota", message: "boom" } },
    /quota/,
    false,
  ],
  [
    "a failed response",
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "server_error", message: "boom" } },
    },
    /failed: boom$/,
    true,
  ],
  [
    "a blocked one",
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "bio_policy", message: "boom" } },
    },
    /blocked the request: boom$/,
    false,
  ],
  [
    "a failed response without a reason",
    { type: "response.failed", response: { status: "failed", error: null } },
    /does not say why$/,
    true,
  ],
  [
    "a cancelled one",
    { type: "response.cancelled", response: { status: "cancelled" } },
    /cancelled/,
    true,
  ],
];
for (const [what, event, says, retryable] of FAILED) {
  Deno.test(`the responses reader throws for an error event: ${what}`, () => {
    const error = streamError(format, [created, delta("output_text", 0, "a"), event]);
    assert.match(error.message, says);
    assert.equal(error.retryable, retryable);
  });
}

for (
  const events of [[], [created], [created, delta("output_text", 0, "Hel")], ["{oops"], ["[DONE]"]]
) {
  Deno.test(`the responses reader takes ${JSON.stringify(events).slice(-40)} for no answer`, () => {
    assert.equal(streamError(format, events).retryable, true);
  });
}

Deno.test("the responses reader puts 2 MB of arguments together in linear time", () => {
  const piece = "0123456789".repeat(10);
  const events = Array.from({ length: 20_000 }, () => delta("function_call_arguments", 0, piece));
  const turn = readStream(format, [
    added(0, callItem("c1", "a", "")),
    delta("function_call_arguments", 0, '{"x":"'),
    ...events,
    delta("function_call_arguments", 0, '"}'),
    completed(),
  ]);
  assert.equal(String(turn.uses[0]!.args.x).length, 2_000_000);
});

Deno.test("the responses reader reads a whole answer as it does a stream", () => {
  const output = [REASONING, message("m", "Hi"), callItem("c1", "a", '{"x":1}')];
  const turn = readWhole(format, { status: "completed", error: null, output, usage: USAGE });
  assert.equal(turn.text, "Hi");
  assert.deepEqual(turn.uses, [use("c1", "a", { x: 1 })]);
  assert.deepEqual(turn.carry, { api: "openai-responses", items: output });
  const cut = {
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [],
  };
  assert.equal(readWhole(format, cut).stop, "length");
});

for (
  const body of ["", null, [], {}, { output: null }, {
    status: "failed",
    output: [],
    error: { message: "x" },
  }]
) {
  Deno.test(`the responses reader finds no answer in ${JSON.stringify(body)}`, () => {
    errorOf(() => readWhole(format, body));
  });
}

Deno.test("the responses reader takes an empty answer for what it is", () => {
  const turn = readStream(format, [created, completed({ output: [], usage: null })]);
  const { deltas: _, thoughts: __, ...rest } = turn;
  assert.deepEqual(rest, { text: "", uses: [], stop: "end" });
});
