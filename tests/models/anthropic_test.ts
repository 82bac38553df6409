import assert from "node:assert/strict";
import { anthropicFormat } from "../../lib/models/anthropic.ts";
import type { Message, ToolUse, UseResult } from "../../lib/models/model.ts";
import type { Content, Params } from "../../lib/protocol/types.ts";
import {
  type Asked,
  bodyOf,
  errorOf,
  readStream,
  readWhole,
  requestOf,
  streamError,
  talk,
  toolOf,
} from "../support/format.ts";

const format = anthropicFormat();
const QUERY = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const CACHED = { cache_control: { type: "ephemeral" } };
const PNG = "iVBORw0KGgo" + "A".repeat(4000);
const JPEG = "/9j/" + "A".repeat(400);
const PDF = "JVBERi0xLjcK";

const text = (text: string): Params & { type: string } => ({ type: "text", text });
const image = (data: string, mimeType = "image/png"): Content => ({
  type: "image",
  data,
  mimeType,
});
const block = (data: string, media_type: string, type = "image") => ({
  type,
  source: { type: "base64", media_type, data },
});

function use(id: string, name = "t", args: Params = {}): ToolUse {
  return { id, name, args };
}

function result(id: string, ...content: Content[]): UseResult {
  return { id, name: "t", content, isError: false };
}

function messagesOf(messages: readonly Message[], asked: Asked = {}): Params[] {
  return bodyOf(format, { messages, ...asked }).messages as Params[];
}

/** The events of an answer, as the API streams them. */
function answer(blocks: readonly Params[][], stop = "end_turn", usage: Params = {}): Params[] {
  return [
    { type: "message_start", message: { id: "msg_1", content: [], usage: { input_tokens: 3 } } },
    ...blocks.flat(),
    { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 5, ...usage } },
    { type: "message_stop" },
  ];
}

function says(index: number, ...pieces: string[]): Params[] {
  return streamed(index, text(""), pieces.map((text) => ({ type: "text_delta", text })));
}

function calls(index: number, id: string, name: string, ...pieces: string[]): Params[] {
  const start = { type: "tool_use", id, name, input: {}, caller: { type: "direct" } };
  return streamed(
    index,
    start,
    pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );
}

function streamed(index: number, content_block: Params, deltas: readonly Params[]): Params[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

// What goes out

Deno.test("anthropicFormat() writes a whole request, and its version in a header", () => {
  const wire = format.write(requestOf({
    model: "claude-sonnet-5-5",
    system: "Be kind.",
    maxTokens: 100,
    tools: [toolOf("mcp__a__list"), toolOf("mcp__a__find", QUERY)],
  }));
  assert.equal(wire.path, "/v1/messages");
  assert.deepEqual(wire.headers, { "anthropic-version": "2026-10-21" });
  assert.deepEqual(wire.body, {
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    tools: [
      {
        name: "mcp__a__list",
        description: "[from test] mcp__a__list",
        input_schema: { type: "object", properties: {} },
      },
      {
        name: "mcp__a__find",
        description: "[from test] mcp__a__find",
        input_schema: QUERY,
        ...CACHED,
      },
    ],
    tool_choice: { type: "auto" },
    system: [{ type: "text", text: "Be kind.", ...CACHED }],
    messages: [{ role: "user", content: [{ type: "text", text: "Hello", ...CACHED }] }],
    stream: true,
  });
  assert.deepEqual(wire.tools, ["mcp__a__list", "mcp__a__find"]);
});

Deno.test("anthropicFormat() leaves out what is empty, and caches nothing for a single question", () => {
  assert.deepEqual(bodyOf(format, { stream: false }), {
    model: "m",
    max_tokens: 8192,
    messages: [{ role: "user", content: [text("Hello")] }],
  });
  assert.equal(bodyOf(anthropicFormat({ maxTokens: 64_000 })).max_tokens, 64_000);
});

Deno.test("anthropicFormat() sends no sampling parameters, for the API refuses even their defaults", () => {
  const asked = { system: "s", tools: [toolOf("t")], maxTokens: 1, answerSchema: QUERY };
  const keys = Object.keys(bodyOf(format, asked));
  assert.deepEqual(keys.filter((key) => /temperature|top_/.test(key)), []);
});

Deno.test("anthropicFormat() takes another version, and the key in another header", () => {
  const older = anthropicFormat({ version: "2023-06-01", auth: "bearer" });
  const version = { "anthropic-version": "2023-06-01" };
  assert.deepEqual(older.write(requestOf()).headers, version);
  assert.deepEqual(older.models.headers, version);
  assert.deepEqual(older.auth("k"), { authorization: "Bearer k" });
  assert.deepEqual(format.auth("k"), { "x-api-key": "k" });
});

Deno.test("anthropicFormat() puts all results of a turn first in one message, in the order asked", () => {
  const uses = [use("toolu_1"), use("toolu_2"), use("toolu_3")];
  const results: Message = {
    role: "tool",
    results: [
      { ...result("toolu_2", text("no")), isError: true },
      result("toolu_1", text("one"), text(""), text("two")),
      result("toolu_3"),
    ],
  };
  const after = messagesOf(talk({ text: "", uses }, [results, { role: "user", text: "And now?" }]));
  assert.deepEqual(after.at(-1), {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_1", content: [text("one"), text("two")] },
      { type: "tool_result", tool_use_id: "toolu_2", content: "no", is_error: true },
      { type: "tool_result", tool_use_id: "toolu_3", content: "(the tool returned nothing)" },
      { ...text("And now?"), ...CACHED },
    ],
  });
});

Deno.test("anthropicFormat() sends the model's blocks back as they came, without empty text", () => {
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "sig" },
    { type: "redacted_thinking", data: "xyz" },
    text("\n\n"),
    { type: "tool_use", id: "toolu_1", name: "t", input: { a: 1 }, caller: { type: "direct" } },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
    { type: "of_tomorrow", what: [1] },
  ];
  const turn = { text: "\n\n", uses: [use("toolu_1")], carry: { api: "anthropic", content } };
  const [, assistant] = messagesOf(talk(turn, [{ role: "tool", results: [result("toolu_1")] }]));
  assert.deepEqual(assistant, {
    role: "assistant",
    content: content.filter(({ type }) => type !== "text"),
  });
});

Deno.test("anthropicFormat() builds the turn of another model from its text and its uses", () => {
  const uses = [use("call:1/x", "t", { a: "half \ud800" })];
  const carry = { api: "gemini", parts: [] };
  const results: Message = { role: "tool", results: [result("call:1/x", text("ok"))] };
  const messages = messagesOf(talk({ text: "On it.", uses, carry }, [results]));
  assert.deepEqual(messages.slice(1), [
    {
      role: "assistant",
      content: [
        text("On it."),
        { type: "tool_use", id: "call_1_x", name: "t", input: { a: "half \ufffd" } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call_1_x", content: "ok", ...CACHED }],
    },
  ]);
});

Deno.test("anthropicFormat() sets four breakpoints at the most, and none of them moves the prefix", () => {
  const tools = [toolOf("a"), toolOf("b", QUERY)];
  const turns: Message[] = [{ role: "user", text: "Hello" }];
  let before = "";
  for (let turn = 1; turn <= 5; turn++) {
    const body = bodyOf(format, { system: "s", tools, messages: turns });
    const marks = JSON.stringify(body).split("cache_control").length - 1;
    assert(marks <= 4 && marks >= 3, `${marks} breakpoints in turn ${turn}`);
    const prefix = JSON.stringify([body.tools, body.system]);
    assert(before === "" || prefix === before);
    before = prefix;
    const marked = (body.messages as Params[]).map((it) =>
      JSON.stringify(it).includes("cache_control")
    );
    // The end of this turn, and the end of the last one, which is there to be read.
    assert.deepEqual(marked, marked.map((_, at) => at % 2 === 0 && at >= marked.length - 3));
    turns.push({ role: "assistant", text: "", uses: [use(`toolu_${turn}`, "a")] });
    turns.push({ role: "tool", results: [result(`toolu_${turn}`, text("ok"))] });
  }
});

Deno.test("anthropicFormat() shows images as what they are, whatever a server says they are", () => {
  const notes: string[] = [];
  const sent = result(
    "toolu_1",
    text("Look:"),
    image(PNG),
    image(JPEG, "image/png"),
    image("Zm9v", "image/png"),
    image(PNG + "!", "image/png"),
    image(PNG + "A".repeat(6_000_000)),
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
  );
  const messages = messagesOf(
    talk({ text: "", uses: [use("toolu_1")] }, [{ role: "tool", results: [sent] }]),
    { notes },
  );
  const [{ content }] = messages.at(-1)!.content as [{ content: unknown }];
  assert.deepEqual(content, [
    text("Look:"),
    block(PNG, "image/png"),
    block(JPEG, "image/jpeg"),
    text("(image/png, 3 bytes; not shown)"),
    text("(image/png, 3 kB; not shown)"),
    text("(image/png, 4.5 MB; not shown)"),
    text("(audio/wav, 3 bytes; not shown)"),
  ]);
  assert.equal(notes.length, 4);
  assert.equal(
    notes[3],
    "The model API does not take what t gave (audio/wav, 3 bytes); it is only named",
  );
});

Deno.test("anthropicFormat() names the image of a failed use: the API takes text alone there", () => {
  const failed = { ...result("toolu_1", text("Crash"), image(PNG)), isError: true };
  const messages = messagesOf(
    talk({ text: "", uses: [use("toolu_1")] }, [{ role: "tool", results: [failed] }]),
  );
  assert.deepEqual(messages.at(-1)!.content, [{
    type: "tool_result",
    tool_use_id: "toolu_1",
    content: [text("Crash"), text("(image/png, 3 kB; not shown)")],
    is_error: true,
    ...CACHED,
  }]);
});

Deno.test("anthropicFormat() puts what the user attached before the question", () => {
  const notes: string[] = [];
  const parts: Content[] = [
    image(PNG),
    {
      type: "resource",
      resource: { uri: "file:///a/r.pdf", mimeType: "application/pdf", blob: PDF },
    },
    { type: "resource", resource: { uri: "file:///a/n.txt", text: "notes" } },
    {
      type: "resource",
      resource: { uri: "file:///a/x.zip", mimeType: "application/zip", blob: "UEsD" },
    },
  ];
  const [message] = messagesOf([{ role: "user", text: "What is it?", parts }], { notes });
  assert.deepEqual(message!.content, [
    block(PNG, "image/png"),
    { ...block(PDF, "application/pdf", "document"), title: "r.pdf" },
    text("(resource file:///a/n.txt)\nnotes"),
    text("(attached: x.zip, application/zip, 3 bytes; not shown)"),
    text("What is it?"),
  ]);
  assert.equal(notes.length, 1);
});

Deno.test("anthropicFormat() holds back the one tool whose schema can't be sent, and what was refused", () => {
  const notes: string[] = [];
  const bad = { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } };
  const wire = format.write(requestOf({
    tools: [toolOf("bad", bad), toolOf("refused"), toolOf("good")],
    refused: new Set(["refused"]),
    notes,
  }));
  assert.deepEqual(wire.tools, ["good"]);
  assert.match(notes.join(), /^bad is not offered to the model: its schema refers to "https:/);
});

// The answer's schema

Deno.test("anthropicFormat() asks for an answer that fits, with every object closed", () => {
  const answerSchema = {
    type: "object",
    properties: {
      "the title": { type: "string", minLength: 1 },
      tags: { type: "array", items: { type: "object", properties: { t: { enum: ["a", "b"] } } } },
      due: { type: ["string", "null"], format: "date" },
    },
    required: ["the title"],
  };
  assert.deepEqual(bodyOf(format, { answerSchema }).output_config, {
    format: {
      type: "json_schema",
      schema: {
        type: "object",
        properties: {
          "the title": { type: "string", description: "(minLength 1)" },
          tags: {
            type: "array",
            items: {
              type: "object",
              properties: { t: { type: "string", enum: ["a", "b"] } },
              additionalProperties: false,
            },
          },
          due: { anyOf: [{ type: "string", format: "date" }, { type: "null" }] },
        },
        required: ["the title"],
        additionalProperties: false,
      },
    },
  });
});

Deno.test("anthropicFormat() does not ask for what closed objects can't hold, and says so", () => {
  const node = { type: "object", properties: { next: { $ref: "#/$defs/Node" } } };
  for (
    const properties of [
      { free: { type: "object" } },
      { map: { type: "object", additionalProperties: { type: "string" } } },
      { any: {} },
      { list: { type: "array" } },
      { node: { $ref: "#/$defs/Node" } },
    ]
  ) {
    const notes: string[] = [];
    const answerSchema = { type: "object", properties, $defs: { Node: node } };
    assert.equal(bodyOf(format, { answerSchema, notes }).output_config, undefined);
    assert.equal(notes.length, 1, JSON.stringify(properties));
  }
});

// What comes back

Deno.test("anthropicFormat() reads text as it comes, with pings and strangers in between", () => {
  const [start, ...rest] = answer([says(0, "Hel", "lo", "!")]);
  const events = [start!, { type: "ping" }, ...rest.flatMap((event) => [event, { type: "ping" }])];
  const turn = readStream(format, ["  ", ...events, { type: "of_tomorrow" }, "[DONE]"]);
  assert.equal(turn.deltas, "Hello!");
  assert.equal(turn.stop, "end");
  assert.deepEqual(turn.uses, []);
  assert.deepEqual(turn.carry, { api: "anthropic", content: [text("Hello!")] });
});

Deno.test("anthropicFormat() reads parallel calls, and one without arguments", () => {
  const turn = readStream(
    format,
    answer([
      says(0, "Two things."),
      calls(1, "toolu_1", "find", "", '{"q": "a', '\\"b', '"}'),
      calls(2, "toolu_2", "list", ""),
      calls(3, "toolu_3", "list"),
    ], "tool_use"),
  );
  assert.equal(turn.stop, "tools");
  assert.deepEqual(turn.uses, [
    use("toolu_1", "find", { q: 'a"b' }),
    use("toolu_2", "list"),
    use("toolu_3", "list"),
  ]);
  const caller = { type: "direct" };
  assert.deepEqual(turn.carry, {
    api: "anthropic",
    content: [
      text("Two things."),
      { type: "tool_use", id: "toolu_1", name: "find", input: { q: 'a"b' }, caller },
      { type: "tool_use", id: "toolu_2", name: "list", input: {}, caller },
      { type: "tool_use", id: "toolu_3", name: "list", input: {}, caller },
    ],
  });
});

Deno.test("anthropicFormat() keeps thoughts with their signatures, and tells them as reasoning", () => {
  const thinking = streamed(0, { type: "thinking", thinking: "", signature: "" }, [
    { type: "thinking_delta", thinking: "Let me " },
    { type: "thinking_delta", thinking: "see." },
    { type: "signature_delta", signature: "SIG==" },
  ]);
  const redacted = streamed(1, { type: "redacted_thinking", data: "abc" }, []);
  const turn = readStream(format, answer([thinking, redacted, says(2, "42")]));
  assert.equal(turn.thoughts, "Let me see.");
  assert.equal(turn.text, "42");
  assert.deepEqual(turn.carry, {
    api: "anthropic",
    content: [
      { type: "thinking", thinking: "Let me see.", signature: "SIG==" },
      { type: "redacted_thinking", data: "abc" },
      text("42"),
    ],
  });
});

Deno.test("anthropicFormat() keeps what the API's own tools did, and runs none of it", () => {
  const server = streamed(
    0,
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
    [{ type: "input_json_delta", partial_json: '{"query":"x"}' }],
  );
  const found = streamed(1, {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: [],
  }, []);
  const cited = [
    ...says(2, "As they say").slice(0, 2),
    {
      type: "content_block_delta",
      index: 2,
      delta: { type: "citations_delta", citation: { n: 1 } },
    },
    {
      type: "content_block_delta",
      index: 2,
      delta: { type: "citations_delta", citation: { n: 2 } },
    },
  ];
  const tomorrow = streamed(3, { type: "of_tomorrow", a: 1 }, [{ type: "b_delta", b: 2 }]);
  const turn = readStream(format, answer([server, found, cited, tomorrow]));
  assert.deepEqual(turn.uses, []);
  assert.equal(turn.stop, "end");
  assert.deepEqual(turn.carry, {
    api: "anthropic",
    content: [
      { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      { ...text("As they say"), citations: [{ n: 1 }, { n: 2 }] },
      { type: "of_tomorrow", a: 1, b: 2 },
    ],
  });
});

Deno.test("anthropicFormat() hands over arguments that are no JSON object, and sends an object back", () => {
  for (const written of ['{"q": "a', "[1]", "7", '"{}"']) {
    const turn = readStream(format, answer([calls(0, "toolu_1", "find", written)], "tool_use"));
    assert.deepEqual(turn.uses, [{ ...use("toolu_1", "find"), unreadable: written }]);
    const { content } = turn.carry as { content: Params[] };
    assert.deepEqual(content[0]!.input, {});
  }
});

Deno.test("anthropicFormat() gives arguments the names that the server knows, and the model its own back", () => {
  const tools = [
    toolOf("find", { type: "object", properties: { "filter[id]": { type: "string" } } }),
  ];
  const turn = readStream(
    format,
    answer([calls(0, "toolu_1", "find", '{"filter_id_":"x"}')], "tool_use"),
    { tools },
  );
  assert.deepEqual(turn.uses[0]!.args, { "filter[id]": "x" });
  const { content } = turn.carry as { content: Params[] };
  assert.deepEqual(content[0]!.input, { filter_id_: "x" });
});

Deno.test("anthropicFormat() says how a turn stopped", () => {
  const call = calls(0, "toolu_1", "t");
  const stops: [stop: string, blocks: Params[][], ends: string, note?: RegExp][] = [
    ["end_turn", [says(0, "a")], "end"],
    ["stop_sequence", [says(0, "a")], "end"],
    ["tool_use", [call], "tools"],
    ["end_turn", [call], "tools"],
    ["max_tokens", [says(0, "a")], "length"],
    ["max_tokens", [calls(0, "toolu_1", "t", '{"a')], "length"],
    ["model_context_window_exceeded", [says(0, "a")], "length", /context window/],
    ["pause_turn", [says(0, "a")], "length", /paused/],
    ["refusal", [says(0, "a")], "refusal", /declined/],
    ["of_tomorrow", [says(0, "a")], "end"],
  ];
  for (const [stop, blocks, ends, note] of stops) {
    const notes: string[] = [];
    assert.equal(readStream(format, answer(blocks, stop), { notes }).stop, ends, stop);
    assert.match(notes.join(), note ?? /^$/);
  }
});

Deno.test("anthropicFormat() says why the model declined", () => {
  const notes: string[] = [];
  const events = answer([], "refusal");
  const stop_details = { type: "refusal", category: "cyber", explanation: "Not this." };
  Object.assign(events.at(-2)!.delta as Params, { stop_details });
  const turn = readStream(format, events, { notes });
  assert.equal(turn.stop, "refusal");
  assert.equal(turn.text, "");
  assert.deepEqual(notes, ["The model declined to answer: cyber: Not this."]);
});

Deno.test("anthropicFormat() counts the cache as input, and believes the last count", () => {
  const events = answer([says(0, "a")], "end_turn", {
    input_tokens: 6,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 60,
    output_tokens: 9,
    service_tier: "standard",
    server_tool_use: null,
  });
  assert.deepEqual(readStream(format, events).usage, {
    input: 96,
    output: 9,
    cachedInput: 60,
    cacheWrite: 30,
  });
  const older = readStream(format, answer([says(0, "a")])).usage;
  assert.deepEqual(older, { input: 3, output: 5, cachedInput: 0, cacheWrite: 0 });
});

Deno.test("anthropicFormat() bears starts that come twice, late, or under a number that was used", () => {
  const [start, ...rest] = answer([
    says(0, "Hello"),
    says(0, " and "),
    calls(0, "toolu_1", "t", "{}"),
  ]);
  const turn = readStream(format, [start!, start!, ...rest]);
  assert.equal(turn.text, "Hello and ");
  assert.deepEqual(turn.uses, [use("toolu_1")]);

  const opening = says(0, "a")[0]!;
  const twice = readStream(format, answer([[opening, ...says(0, "a")]]));
  assert.equal(twice.text, "a");

  const lost = readStream(format, answer([says(0, "a", "b").slice(1)]));
  assert.equal(lost.text, "ab");
});

Deno.test("anthropicFormat() reads the first answer where two came, and neither where they are mixed", () => {
  const first = answer([says(0, "one")]);
  const second = answer([says(0, "two")]);
  assert.equal(readStream(format, [...first, ...second]).text, "one");
  const error = streamError(format, [...first.slice(0, 3), ...second]);
  assert.match(error.message, /another answer began in the middle of this one$/);
});

Deno.test("anthropicFormat() takes the end of a stream for an answer only when the answer ended", () => {
  const events = answer([calls(0, "toolu_1", "t", '{"a":', "1}")], "tool_use");
  for (let length = 0; length < events.length; length++) {
    const error = streamError(format, events.slice(0, length));
    assert.match(error.message, /the stream ended before the answer did$/);
    assert(error.retryable);
  }
  readStream(format, events);
});

Deno.test("anthropicFormat() throws what an event in mid-stream says went wrong", () => {
  const said = (type: string, message: string) => ({ type: "error", error: { type, message } });
  const [start] = answer([]);
  const busy = streamError(format, [start!, said("overloaded_error", "Overloaded")]);
  assert.equal(busy.message, "The model API is overloaded: Overloaded");
  assert.equal(busy.status, 529);
  assert(busy.retryable);
  const bad = streamError(format, [said("invalid_request_error", "no")]);
  assert.equal(bad.retryable, false);
  const nameless = streamError(format, [{ error: { message: "gone" } }]);
  assert.match(nameless.message, /gone$/);
  assert.match(streamError(format, ["{half"]).message, /no JSON object: \{half$/);
  const { reader } = format.write(requestOf());
  const named = { name: "error", data: '{"error":{"type":"api_error","message":"Boom"}}' };
  assert.equal(errorOf(() => reader.take(named)).status, 500);
});

Deno.test("anthropicFormat() refuses arguments for a call that never began", () => {
  const delta = { type: "input_json_delta", partial_json: "{}" };
  const lost = { type: "content_block_delta", index: 4, delta };
  assert.match(streamError(format, answer([[lost]])).message, /a call that did not begin$/);
});

Deno.test("anthropicFormat() assembles two megabytes of arguments in time that grows with them", () => {
  const piece = "x".repeat(100);
  const pieces = ['{"a":"', ...Array.from({ length: 20_000 }, () => piece), '"}'];
  const turn = readStream(format, answer([calls(0, "toolu_1", "t", ...pieces)], "tool_use"));
  assert.equal((turn.uses[0]!.args.a as string).length, 2_000_000);
});

Deno.test("anthropicFormat() reads an answer in one piece", () => {
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "s" },
    text("On it."),
    { type: "tool_use", id: "toolu_1", name: "t", input: { a: 1 } },
    { type: "tool_use", id: "toolu_1", name: "t", input: null },
  ];
  const body = {
    type: "message",
    content,
    stop_reason: "tool_use",
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  const turn = readWhole(format, body);
  assert.equal(turn.text, "On it.");
  assert.equal(turn.stop, "tools");
  assert.deepEqual(turn.uses[0], use("toolu_1", "t", { a: 1 }));
  assert.deepEqual(turn.uses[1]!.args, {});
  assert.notEqual(turn.uses[1]!.id, "toolu_1", "a result belongs to one use");
  assert.deepEqual(turn.usage, { input: 1, output: 2, cachedInput: 0, cacheWrite: 0 });
  assert.deepEqual(body.content, content, "the body is left as it was");
});

Deno.test("anthropicFormat() finds no answer in what is none", () => {
  for (const body of [null, "x", [], {}, { content: "x" }]) {
    assert(errorOf(() => readWhole(format, body)).retryable);
  }
  const error = errorOf(() =>
    readWhole(format, { type: "error", error: { type: "permission_error", message: "No." } })
  );
  assert.equal(error.status, 403);
});

Deno.test("anthropicFormat() reads the list of models", () => {
  const { path, read } = format.models;
  assert.equal(path, "/v1/models?limit=1000");
  const data = [{ type: "model", id: "claude-a" }, { id: 7 }, null, { id: "claude-b" }];
  assert.deepEqual(read({ data, has_more: false }), ["claude-a", "claude-b"]);
  assert.deepEqual(read("x"), []);
});
