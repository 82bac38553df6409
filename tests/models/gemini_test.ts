import assert from "node:assert/strict";
import { geminiFormat } from "../../lib/models/gemini.ts";
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

const format = geminiFormat();
const PNG = { type: "image", mimeType: "image/png", data: btoa("x".repeat(3000)) };
const INLINE = { inlineData: { mimeType: "image/png", data: PNG.data } };
const QUERY = { type: "object", properties: { q: { type: "string" } } };

function chunk(parts: Params[], finishReason?: string, more: Params = {}): Params {
  return {
    candidates: [{
      content: { role: "model", parts },
      ...(finishReason !== undefined && { finishReason }),
      index: 0,
    }],
    ...more,
  };
}

const call = (functionCall: Params, more: Params = {}) => ({ functionCall, ...more });

function use(id: string, name: string, args: Params = {}): ToolUse {
  return { id, name, args };
}

function result(id: string, name: string, ...content: UseResult["content"]): UseResult {
  return { id, name, content, isError: false };
}

function contentsOf(messages: ReturnType<typeof talk>, model = "gemini-3-pro"): Params[] {
  return bodyOf(format, { messages, model }).contents as Params[];
}

// What goes out

Deno.test("geminiFormat() writes a whole request, and the key in a header of its own", () => {
  const wire = format.write(requestOf({
    model: "gemini-3.8-flash",
    system: "Be kind.",
    maxTokens: 100,
    tools: [toolOf("mcp__a__find", QUERY), toolOf("mcp__a__list")],
  }));
  assert.equal(wire.path, "/v1/models/gemini-3.8-flash:streamGenerateContent?alt=sse");
  assert.deepEqual(wire.body, {
    contents: [{ role: "user", parts: [{ text: "Hello" }] }],
    systemInstruction: { parts: [{ text: "Be kind." }] },
    tools: [{
      functionDeclarations: [
        {
          name: "mcp__a__find",
          description: "[from test] mcp__a__find",
          parametersJsonSchema: QUERY,
        },
        { name: "mcp__a__list", description: "[from test] mcp__a__list" },
      ],
    }],
    generationConfig: { maxOutputTokens: 100 },
  });
  assert.deepEqual(wire.tools, ["mcp__a__find", "mcp__a__list"]);
  assert.deepEqual(format.auth("k"), { "x-goog-api-key": "k" });
});

Deno.test("geminiFormat() leaves out what is empty", () => {
  assert.deepEqual(bodyOf(format, { messages: [] }), { contents: [] });
});

Deno.test("geminiFormat() takes version, stream and the place of a model into its path", () => {
  const beta = geminiFormat({ version: "v1beta", thoughts: true });
  const path = (model: string, stream = false) => beta.write(requestOf({ model, stream })).path;
  assert.equal(path("gemini-x"), "/v1beta/models/gemini-x:generateContent");
  assert.equal(
    path("models/gemini-x", true),
    "/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
  );
  assert.equal(path("tunedModels/a b?"), "/v1beta/tunedModels/a%20b%3F:generateContent");
  assert.equal(beta.models.path, "/v1beta/models?pageSize=1000");
  assert.deepEqual(bodyOf(beta).generationConfig, { thinkingConfig: { includeThoughts: true } });
});

Deno.test("geminiFormat() holds back functions over its limit, and says which", () => {
  const tools = Array.from({ length: 514 }, (_, i) => toolOf(`t${i}`));
  const notes: string[] = [];
  const wire = format.write(requestOf({ tools, notes }));
  assert.equal(wire.tools.length, 512);
  assert.match(notes.join(), /^512 of 514 tools.*Held back: t512, t513$/);
});

Deno.test("geminiFormat() answers calls in the order asked, under its ids alone", () => {
  const carry = {
    api: "gemini",
    parts: [
      call({ id: "g1", name: "a", args: {} }, { thoughtSignature: "sig" }),
      call({ name: "b", args: { q: 1 } }),
    ],
  };
  const uses = [use("g1", "a"), use("fb0001001", "b", { q: 1 })];
  const contents = contentsOf(talk({ text: "", uses, carry }, [{
    role: "tool",
    results: [
      { ...result("fb0001001", "b", { type: "text", text: "no" }), isError: true },
      result("g1", "a", { type: "text", text: "yes" }),
    ],
  }]));
  assert.deepEqual(contents, [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: carry.parts },
    {
      role: "user",
      parts: [
        { functionResponse: { id: "g1", name: "a", response: { output: "yes" } } },
        { functionResponse: { name: "b", response: { error: "no" } } },
      ],
    },
  ]);
});

Deno.test("geminiFormat() puts pictures into results from the third generation on, else beside them", () => {
  const wav = { type: "audio", mimeType: "audio/wav", data: "QUJD" };
  const uses = [use("1", "a"), use("2", "b")];
  const results = [result("1", "a", { type: "text", text: "here" }, PNG), result("2", "b", wav)];
  const messages = talk({ text: "", uses }, [{ role: "tool", results }]);
  const sound = { inlineData: { mimeType: "audio/wav", data: "QUJD" } };
  const answer = (name: string, output: string, more: Params = {}) => ({
    functionResponse: { name, response: { output }, ...more },
  });
  const here = "here\n(image/png, 3 kB; shown separately)";
  const heard = "(audio/wav, 3 bytes; shown separately)";
  for (const model of ["gemini-3-pro-preview", "gemini-4-argon"]) {
    assert.deepEqual(contentsOf(messages, model)[2]!.parts, [
      answer("a", here, { parts: [INLINE] }),
      answer("b", heard),
      { text: "(what b gave)" },
      sound,
    ], model);
  }
  for (const model of ["gemini-2.5-flash", "gemini-flash-latest", "gemma-3"]) {
    assert.deepEqual(contentsOf(messages, model)[2]!.parts, [
      answer("a", here),
      answer("b", heard),
      { text: "(what a gave)" },
      INLINE,
      { text: "(what b gave)" },
      sound,
    ], model);
  }
});

Deno.test("geminiFormat() names bytes that are not taken", () => {
  const notes: string[] = [];
  const svg = { type: "image", mimeType: "image/svg+xml", data: "QUJD" };
  const messages = talk({ text: "", uses: [use("1", "a")] }, [
    { role: "tool", results: [result("1", "a", svg)] },
  ]);
  const body = bodyOf(format, { messages, notes }).contents as Params[];
  assert.deepEqual(body[2]!.parts, [
    {
      functionResponse: { name: "a", response: { output: "(image/svg+xml, 3 bytes; not shown)" } },
    },
  ]);
  assert.equal(notes.length, 1);
});

Deno.test("geminiFormat() sends what the user attached", () => {
  const pdf = { uri: "a/b.pdf", mimeType: "application/pdf", blob: "QUJD" };
  const zip = { uri: "a/b.zip", mimeType: "application/zip", blob: "QUJD" };
  const parts = [PNG, { type: "resource", resource: pdf }, { type: "resource", resource: zip }];
  const sent = (text: string) =>
    (bodyOf(format, { messages: [{ role: "user", text, parts }] }).contents as Params[])[0]!.parts;
  const attached = [
    INLINE,
    { inlineData: { mimeType: "application/pdf", data: "QUJD" } },
    { text: "(attached: b.zip, application/zip, 3 bytes; not shown)" },
  ];
  assert.deepEqual(sent("See"), [{ text: "See" }, ...attached]);
  assert.deepEqual(sent(""), attached);
});

Deno.test("geminiFormat() retells a turn of another model, signed as the third generation wants", () => {
  const carry = { api: "openai-responses", items: [] };
  const uses = [use("1", "a", { q: "\ud83d" }), { ...use("2", "b"), unreadable: "[" }];
  const messages = talk({ text: "Hi", uses, carry });
  const calls = [call({ name: "a", args: { q: "\ufffd" } }), call({ name: "b", args: {} })];
  assert.deepEqual(contentsOf(messages, "gemini-2.5-pro")[1]!.parts, [{ text: "Hi" }, ...calls]);
  assert.deepEqual(contentsOf(messages, "gemini-3-pro")[1]!.parts, [
    { text: "Hi" },
    { ...calls[0], thoughtSignature: "skip_thought_signature_validator" },
    calls[1],
  ]);
});

Deno.test("geminiFormat() asks for an answer of a schema, but not beside tools of older models", () => {
  const answerSchema = { type: "object", properties: { n: { type: "integer" } } };
  const asked = (model: string, tools = [toolOf("t")]) =>
    bodyOf(format, { model, answerSchema, tools }).generationConfig;
  const config = { responseMimeType: "application/json", responseJsonSchema: answerSchema };
  assert.deepEqual(asked("gemini-3-pro"), config);
  assert.deepEqual(asked("gemini-2.5-pro", []), config);
  assert.equal(asked("gemini-2.5-pro"), undefined);
});

// What comes back

Deno.test("the Gemini reader reads text, thoughts and usage, and carries signatures back", () => {
  const turn = readStream(format, [
    chunk([{ text: "Hm", thought: true }], undefined, {
      usageMetadata: { trafficType: "ON_DEMAND" },
    }),
    chunk([{ text: ".", thought: true }, { text: "Hel" }], undefined, {
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1, thoughtsTokenCount: 2 },
    }),
    chunk([{ text: "lo 🌍" }, { text: "" }]),
    chunk([{ text: "", thoughtSignature: "sig" }], "STOP", {
      usageMetadata: {
        promptTokenCount: 9,
        toolUsePromptTokenCount: 1,
        cachedContentTokenCount: 4,
        candidatesTokenCount: 3,
        thoughtsTokenCount: 5,
        totalTokenCount: 18,
      },
    }),
  ]);
  assert.equal(turn.text, "Hello 🌍");
  assert.equal(turn.thoughts, "Hm.");
  assert.equal(turn.stop, "end");
  assert.deepEqual(turn.usage, { input: 10, output: 8, cachedInput: 4, cacheWrite: 0 });
  assert.deepEqual(contentsOf(talk(turn))[1]!.parts, [
    { text: "Hm.", thought: true },
    { text: "Hello 🌍" },
    { text: "", thoughtSignature: "sig" },
  ]);
});

Deno.test("the Gemini reader decides by the parts, for STOP is said of calls too", () => {
  const parts = [
    call({ name: "a", args: { q: "ä" } }, { thoughtSignature: "sig" }),
    call({ name: "b" }),
  ];
  const turn = readStream(format, [chunk(parts), chunk([{ text: "" }], "STOP")]);
  assert.deepEqual(turn.uses, [use("fb0001000", "a", { q: "ä" }), use("fb0001001", "b")]);
  assert.equal(turn.stop, "tools");
  assert.deepEqual(contentsOf(talk(turn))[1]!.parts, parts);
  assert.equal(readStream(format, [chunk(parts, "FUNCTION_CALL")]).stop, "tools");
});

Deno.test("the Gemini reader keeps the ids that it is given, and tells doubled ones apart", () => {
  const parts = [
    call({ id: "g1", name: "a" }),
    call({ id: "g1", name: "b" }),
    call({ id: "", name: "c" }),
  ];
  const turn = readStream(format, [chunk(parts, "STOP")]);
  assert.deepEqual(turn.uses.map(({ id }) => id), ["g1", "fb0001001", "fb0001002"]);
});

Deno.test("the Gemini reader does not merge text that is signed", () => {
  const parts = [{ text: "a", thoughtSignature: "s1" }, { text: "b" }, {
    text: "c",
    thoughtSignature: "s2",
  }];
  const turn = readStream(format, [chunk(parts, "STOP")]);
  assert.equal(turn.text, "abc");
  assert.deepEqual((turn.carry as { parts: unknown }).parts, parts);
});

Deno.test("the Gemini reader keeps arguments that are no object, and sends {} back", () => {
  const turn = readStream(format, [
    chunk([call({ name: "a", args: [1] }), call({ name: "b", args: null })], "STOP"),
  ]);
  assert.deepEqual(turn.uses, [
    { ...use("fb0001000", "a"), unreadable: "[1]" },
    use("fb0001001", "b"),
  ]);
  const [first] = contentsOf(talk(turn))[1]!.parts as Params[];
  assert.deepEqual(first, call({ name: "a", args: {} }));
});

const open = (name: string, more: Params = {}) => chunk([call({ name, willContinue: true }, more)]);
const partial = (...partialArgs: Params[]) => chunk([call({ partialArgs, willContinue: true })]);
const CLOSE = chunk([call({})]);

Deno.test("the Gemini reader puts streamed arguments together, path by path", () => {
  const turn = readStream(format, [
    open("a", { thoughtSignature: "sig" }),
    partial({ jsonPath: "$.place", stringValue: "San ", willContinue: true }),
    partial({ jsonPath: "$.place", stringValue: "José", willContinue: true }),
    partial({ jsonPath: "$.place", stringValue: "" }),
    partial(
      { jsonPath: "$.days[0].n", numberValue: 1 },
      { jsonPath: "$.days[0]['on, off']", boolValue: false },
      { jsonPath: "$.days[1].n", numberValue: 2.5 },
      { jsonPath: '$["x \\"y\\""]', nullValue: "NULL_VALUE" },
    ),
    CLOSE,
    open("b"),
    CLOSE,
    open("c"),
    partial({ jsonPath: "$.q", stringValue: "x" }),
    chunk([{ text: "" }], "STOP"),
  ]);
  const args = { place: "San José", days: [{ n: 1, "on, off": false }, { n: 2.5 }], 'x "y"': null };
  assert.deepEqual(turn.uses.map(({ name, args }) => [name, args]), [
    ["a", args],
    ["b", {}],
    ["c", { q: "x" }],
  ]);
  assert.deepEqual((turn.carry as { parts: unknown }).parts, [
    call({ name: "a", args }, { thoughtSignature: "sig" }),
    call({ name: "b", args: {} }),
    call({ name: "c", args: { q: "x" } }),
  ]);
});

Deno.test("the Gemini reader takes two texts for one path as two when the first had ended", () => {
  const turn = readStream(format, [
    open("a"),
    partial({ jsonPath: "$.q", stringValue: "x" }, { jsonPath: "$.q", stringValue: "y" }),
    partial({ jsonPath: "$.r", stringValue: "x", willContinue: true }),
    partial({ jsonPath: "$.r", stringValue: "x" }),
    partial({ jsonPath: "$.r", stringValue: "y" }),
    CLOSE,
    partial({ jsonPath: "$.r", stringValue: "of no call" }),
    chunk([{ text: "" }], "STOP"),
  ]);
  assert.deepEqual(turn.uses[0]!.args, { q: "y", r: "y" });
});

Deno.test("the Gemini reader assembles 2 MB of one argument in linear time", () => {
  const piece = "0123456789".repeat(10);
  const pieces = Array.from(
    { length: 20_000 },
    () => partial({ jsonPath: "$.x", stringValue: piece, willContinue: true }),
  );
  const turn = readStream(format, [open("a"), ...pieces, chunk([call({})], "STOP")]);
  assert.equal(String(turn.uses[0]!.args.x).length, 2_000_000);
});

Deno.test("the Gemini reader sets __proto__ as a name like any other", () => {
  const turn = readStream(format, [
    open("a"),
    partial({ jsonPath: "$.__proto__.x", numberValue: 1 }),
    chunk([call({})], "STOP"),
  ]);
  assert.equal(JSON.stringify(turn.uses[0]!.args), '{"__proto__":{"x":1}}');
  assert.equal(({} as Params).x, undefined);
});

for (const jsonPath of ["$[0]", "$.a[999999999]", "$..a", "a", "$.a[", "$" + ".a".repeat(65)]) {
  Deno.test(`the Gemini reader runs nothing for the path ${jsonPath.slice(0, 20)}`, () => {
    const turn = readStream(format, [
      open("a"),
      partial({ jsonPath, numberValue: 1 }),
      chunk([call({})], "STOP"),
    ]);
    assert.notEqual(turn.uses[0]!.unreadable, undefined);
  });
}

const STOPS: [string, string][] = [
  ["STOP", "end"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "refusal"],
  ["RECITATION", "refusal"],
  ["PROHIBITED_CONTENT", "refusal"],
  ["SPII", "refusal"],
  ["SOMETHING_NEW", "end"],
];
for (const [finish, stop] of STOPS) {
  Deno.test(`the Gemini reader takes the finish ${finish} for ${stop}`, () => {
    const notes: string[] = [];
    assert.equal(readStream(format, [chunk([{ text: "a" }], finish)], { notes }).stop, stop);
    assert.deepEqual(
      notes,
      stop === "refusal" ? [`The model API stopped the answer: ${finish}`] : [],
    );
  });
}

Deno.test("the Gemini reader takes a blocked prompt for a refusal, and says why", () => {
  const notes: string[] = [];
  const blocked = {
    promptFeedback: { blockReason: "PROHIBITED_CONTENT" },
    usageMetadata: { promptTokenCount: 9 },
  };
  const turn = readStream(format, [blocked], { notes });
  assert.deepEqual([turn.text, turn.stop, turn.usage?.input], ["", "refusal", 9]);
  assert.deepEqual(notes, ["The model API stopped the answer: PROHIBITED_CONTENT"]);
  assert.equal(readWhole(format, blocked).stop, "refusal");
});

for (
  const finish of [
    "MALFORMED_FUNCTION_CALL",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "OTHER",
  ]
) {
  Deno.test(`the Gemini reader runs nothing after ${finish}, and another try is worth it`, () => {
    const error = streamError(format, [chunk([call({ name: "a" })], finish)]);
    assert.equal(error.retryable, true);
    assert.match(error.message, new RegExp(finish));
  });
}

Deno.test("the Gemini reader does not ask again for a signature that is missing", () => {
  assert.equal(streamError(format, [chunk([], "MISSING_THOUGHT_SIGNATURE")]).retryable, false);
});

Deno.test("the Gemini reader says why a call was malformed, where it is told", () => {
  const event = {
    candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed: print(x)" }],
  };
  assert.match(streamError(format, [event]).message, /Malformed: print\(x\)$/);
});

for (const events of [[], [chunk([{ text: "Hel" }])], [chunk([call({ name: "a" })])], ["{oops"]]) {
  Deno.test(`the Gemini reader takes ${JSON.stringify(events).slice(0, 60)} for no answer`, () => {
    assert.equal(streamError(format, events).retryable, true);
  });
}

Deno.test("the Gemini reader throws the error that comes in mid-stream", () => {
  const error = streamError(format, [
    chunk([{ text: "a" }]),
    { error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } },
  ]);
  assert.deepEqual([error.status, error.retryable], [503, true]);
  assert.equal(error.message, "The model API is overloaded: The model is overloaded");
});

Deno.test("the Gemini reader reads a whole answer as it does a stream", () => {
  const body = chunk([{ text: "Hi" }, call({ name: "a", args: { q: 1 } })], "STOP");
  const turn = readWhole(format, body);
  assert.equal(turn.text, "Hi");
  assert.deepEqual(turn.uses, [use("fb0001000", "a", { q: 1 })]);
  for (const odd of ["", null, [], {}, { candidates: [] }, { error: { message: "x" } }]) {
    errorOf(() => readWhole(format, odd));
  }
});

Deno.test("the Gemini reader takes an empty answer for what it is", () => {
  for (const candidate of [{}, { content: {} }, { content: null }, { content: { parts: [] } }]) {
    const { deltas: _, thoughts: __, ...turn } = readStream(format, [
      { candidates: [{ ...candidate, finishReason: "STOP" }] },
    ]);
    assert.deepEqual(turn, { text: "", uses: [], stop: "end" });
  }
});

Deno.test("geminiFormat() lists the models that can hold a conversation", () => {
  const models = [
    { name: "models/gemini-x", supportedGenerationMethods: ["generateContent", "countTokens"] },
    { name: "models/embed", supportedGenerationMethods: ["embedContent"] },
    { name: "models/new" },
    { id: 1 },
    null,
  ];
  assert.deepEqual(format.models.read({ models }), ["gemini-x", "new"]);
  for (const odd of [null, "", {}, { models: "x" }]) assert.deepEqual(format.models.read(odd), []);
});
