/** Scenes between a model and two servers: what it says, what has to come of it. @module */
import assert from "node:assert/strict";
import { flaky } from "./cli.ts";
import type { Body, Format, Refusal, Trouble } from "./models_formats.ts";
import { FITTED, HOPELESS, oddServer } from "./models_odd.ts";
import type { Cell, Line, Scene, Seen } from "./models_play.ts";

/** What every turn says to have cost. */
const COST = { input_tokens: 100, output_tokens: 10, prompt_tokens: 100, completion_tokens: 10 };

interface Call {
  name: string;
  /** As the model writes them. */
  arguments: string;
}

function say(content: string, more: object = {}): Body {
  return { content, usage: COST, ...more };
}

function call(tool: string, args: object | string = {}): Call {
  const name = `mcp__${tool.replace(".", "__")}`;
  return { name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
}

function use(calls: readonly Call[], more: object = {}): Body {
  const toolCalls = calls.map((each, at) => ({ id: `call_${at}_${each.name.length}`, ...each }));
  return { toolCalls, usage: COST, ...more };
}

function refuse({ status, error }: Refusal, retryAfter?: number): Body {
  return { error, status, ...(retryAfter !== undefined && { retryAfter }) };
}

const SEARCH = call("notes.search", { query: "Lisbon" });
const ANSWER = "Lisbon won the vote.";

/** What the model asked for, and whether it was told no. */
function called({ report }: Seen): unknown[] {
  return report.calls.map(({ alias, tool, arguments: args, isError }: Body) => [
    `${alias}.${tool}`,
    args,
    isError ? "error" : "ok",
  ]);
}

function answered(seen: Seen, answer: string, turns: number): void {
  const { report } = seen;
  assert.deepEqual([report.ending, report.answer], ["answered", answer]);
  assert.equal(report.steps, turns);
  costs(seen, turns);
}

function costs({ report }: Seen, turns: number): void {
  assert.deepEqual(report.usage, {
    input: 100 * turns,
    output: 10 * turns,
    cachedInput: 0,
    cacheWrite: 0,
  });
}

/** The results that the model was told with a request. */
function told({ format, sent }: Seen, request: number): ReturnType<Format["results"]> {
  return format.results(sent[request]!.body);
}

/** It went wrong at the API: a sentence, a hint, and nothing on stdout. */
function failedWith({ result: { stdout, stderr } }: Seen, sentence: RegExp, hint?: RegExp): void {
  assert.equal(stdout, "");
  const at = stderr.indexOf("fusebox: ");
  const [said = "", advice, ...more] = stderr.slice(at).trimEnd().split("\n");
  assert.match(said, sentence);
  if (hint) assert.match(advice ?? "", hint);
  else assert.equal(advice, undefined);
  assert.deepEqual(more, []);
}

/** Once something, then the answer. */
function thenAnswer(first: Omit<Line, "nth">): Line[] {
  return [{ ...first, nth: 0 }, { nth: 1, response: say(ANSWER) }];
}

const TEXT: readonly Scene[] = [
  {
    title: "text",
    prompt: "Say hello.",
    args: [],
    lines: () => [{ response: say("Hello there, grüße 👋.\n"), chunkSize: 3 }],
    asked: 1,
    check({ format, result, sent: [sent] }) {
      assert.equal(result.stdout, "Hello there, grüße 👋.\n");
      const { body, headers } = sent!;
      assert.equal(format.prompt(body), "Say hello.");
      assert.match(format.system(body), /^You answer the user with the help of tools/);
      assert.deepEqual(format.tools(body), [
        "mcp__notes__add_note",
        "mcp__notes__read_note",
        "mcp__notes__search",
        "mcp__tickets__close_ticket",
        "mcp__tickets__create_ticket",
        "mcp__tickets__search",
      ]);
      if (format.provider === "anthropic") {
        assert.equal(headers.get("anthropic-version"), "2026-10-21");
      }
    },
  },
  {
    title: "an empty answer",
    lines: () => [{ response: say("\n") }],
    code: 6,
    asked: 1,
    check({ report, result }) {
      assert.deepEqual([report.ending, report.answer], ["empty", "\n"]);
      assert.match(result.stderr, /^fusebox: The model returned an empty answer$/m);
    },
  },
  {
    title: "a slow answer",
    args: [],
    lines: () => [{
      response: say("one two three"),
      chunkSize: 2,
      streamingProfile: { ttft: 400, tps: 25, jitter: 0 },
    }],
    asked: 1,
    check({ result, stream }) {
      assert.equal(result.stdout, "one two three\n");
      assert(!stream || result.ms > 600, `${result.ms} ms`);
    },
  },
  {
    title: "a length stop",
    lines: () => [{ response: say("Once upon a", { finishReason: "length" }) }],
    args: ["--json", "--max-tokens", "7"],
    code: 6,
    asked: 1,
    check(seen) {
      const { report, result } = seen;
      assert.deepEqual([report.ending, report.answer], ["length", "Once upon a"]);
      assert.match(result.stderr, /^fusebox: The answer was cut off at the model's length limit$/m);
      costs(seen, 1);
    },
  },
  {
    title: "a length stop in plain text",
    lines: () => [{ response: say("Once upon a", { finishReason: "length" }) }],
    args: [],
    code: 6,
    asked: 1,
    check: ({ result }) => assert.equal(result.stdout, "Once upon a\n"),
  },
  {
    title: "a refusal",
    isCase: ({ format }) => format.refusal !== undefined,
    lines: ({ format }) => [{ response: say("I can't", { finishReason: format.refusal }) }],
    code: 6,
    asked: 1,
    check({ report, result }) {
      assert.deepEqual([report.ending, report.answer], ["refusal", "I can't"]);
      assert.match(result.stderr, /^fusebox: The model declined to answer$/m);
    },
  },
];

const TOOLS: readonly Scene[] = [
  {
    title: "one tool",
    prompt: "Where do we go?",
    lines: () => [
      { response: use([SEARCH]), chunkSize: 4 },
      { turn: 1, told: "Q3 offsite", response: say(ANSWER) },
    ],
    asked: 2,
    check(seen) {
      answered(seen, ANSWER, 2);
      assert.deepEqual(called(seen), [["notes.search", { query: "Lisbon" }, "ok"]]);
      const [result, ...others] = told(seen, 1);
      assert.match(result!.text, /^1 of 1 matching notes:\n\nn-4 {2}Q3 offsite/);
      assert.deepEqual([result!.isError, others], [false, []]);
      assert.deepEqual(seen.format.calls(seen.sent[1]!.body), ['{"query":"Lisbon"}']);
    },
  },
  {
    title: "one tool, in plain text",
    args: [],
    lines: () => [
      { response: { ...use([SEARCH]), content: "Let me look." } },
      { turn: 1, told: "Q3 offsite", response: say(ANSWER) },
    ],
    asked: 2,
    check({ result }) {
      assert.equal(result.stdout, `${ANSWER}\n`);
      assert.match(result.stderr, /^Let me look\.\n→ notes\.search \{"query":"Lisbon"\}$/m);
      assert.match(result.stderr, /^← notes\.search 1 of 1 matching notes/m);
    },
  },
  {
    title: "two parallel tools",
    lines: () => [
      {
        response: {
          ...use([SEARCH, call("tickets.search", { query: "T-1" })]),
          content: "In both.",
        },
        chunkSize: 5,
      },
      { turn: 1, response: say("Found both.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "Found both.", 2);
      assert.deepEqual(called(seen), [
        ["notes.search", { query: "Lisbon" }, "ok"],
        ["tickets.search", { query: "T-1" }, "ok"],
      ]);
      assert.deepEqual(seen.report.calls.map(({ step }: Body) => step), [1, 1]);
      // In the order asked, in one message.
      const results = told(seen, 1);
      assert.equal(results.length, 2);
      assert.match(results[0]!.text, /Q3 offsite/);
      assert.match(results[1]!.text, /^T-1 {2}Renew the code signing certificate/);
    },
  },
  {
    title: "the same tool twice at once",
    lines: () => [
      { response: use([SEARCH, call("notes.search", { query: "Groceries" })]) },
      { turn: 1, response: say("Both.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "Both.", 2);
      const results = told(seen, 1);
      assert.match(results[0]!.text, /Q3 offsite/);
      assert.match(results[1]!.text, /Oat milk/);
    },
  },
  {
    title: "a tool without arguments",
    servers: () => Promise.resolve({ flaky: flaky() }),
    lines: () => [
      { response: use([call("flaky.pid", "")]) },
      { turn: 1, response: say("That is its number.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "That is its number.", 2);
      assert.deepEqual(called(seen), [["flaky.pid", {}, "ok"]]);
      assert.match(told(seen, 1)[0]!.text, /^\d+/);
      assert.deepEqual(seen.format.calls(seen.sent[1]!.body), ["{}"]);
    },
  },
  {
    title: "a tool error and recovery",
    lines: () => [
      { response: use([call("tickets.create_ticket", { title: "Cake", due: "friday" })]) },
      {
        turn: 1,
        told: "must be an ISO 8601 date",
        response: use([call("tickets.create_ticket", { title: "Cake", due: "2026-12-04" })]),
      },
      { turn: 2, told: "Created T-6", response: say("T-6 is due on Friday.") },
    ],
    asked: 3,
    check(seen) {
      answered(seen, "T-6 is due on Friday.", 3);
      assert.deepEqual(called(seen), [
        ["tickets.create_ticket", { title: "Cake", due: "friday" }, "error"],
        ["tickets.create_ticket", { title: "Cake", due: "2026-12-04" }, "ok"],
      ]);
      const [no] = told(seen, 1);
      assert.equal(no!.isError, true);
      assert.match(no!.text, /^"due" must be an ISO 8601 date like 2026-12-04/);
      assert.equal(told(seen, 2)[0]!.isError, false);
    },
  },
  {
    title: "a tool that does not exist",
    lines: () => [
      { response: use([call("notes.toString", { a: 1 })]) },
      { turn: 1, told: "no tool", response: say("There is none.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "There is none.", 2);
      assert.equal(told(seen, 1)[0]!.isError, true);
      assert.equal(seen.report.calls[0].failure, "refused");
    },
  },
  {
    title: "a length stop in a call",
    lines: () => [{ response: use([SEARCH], { finishReason: "length" }) }],
    code: 6,
    asked: 1,
    check: ({ report }) => assert.deepEqual([report.ending, report.calls], ["length", []]),
  },
  {
    title: "arguments that are no JSON",
    // aimock mends them for the formats whose arguments are objects.
    isCase: ({ format }) => ["openai", "openai-chat"].includes(format.provider),
    lines: () => [
      { response: use([call("tickets.close_ticket", '{"id": "T-'), SEARCH]) },
      { turn: 1, response: say("It was garbled.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "It was garbled.", 2);
      assert.deepEqual(called(seen).map((it) => (it as unknown[]).at(-1)), ["error", "ok"]);
      const [no, yes] = told(seen, 1);
      assert.equal(no!.isError, true);
      assert.match(no!.text, /no JSON object\. Nothing was run\./);
      assert.match(yes!.text, /Q3 offsite/);
      // Servers parse them again.
      assert.deepEqual(seen.format.calls(seen.sent[1]!.body), ["{}", '{"query":"Lisbon"}']);
    },
  },
];

const THOUGHT = "Let me think about Lisbon for a while.";

const REASONING: readonly Scene[] = [
  {
    title: "reasoning, with -v",
    args: ["-v"],
    lines: () => [{ response: say("42", { reasoning: THOUGHT }), chunkSize: 4 }],
    asked: 1,
    check({ result }) {
      assert.equal(result.stdout, "42\n");
      assert(result.stderr.includes(THOUGHT), result.stderr);
    },
  },
  {
    title: "reasoning, without -v",
    args: [],
    lines: () => [{ response: say("42", { reasoning: THOUGHT }) }],
    asked: 1,
    check({ result }) {
      assert.equal(result.stdout, "42\n");
      assert(!result.stderr.includes("think about"), result.stderr);
    },
  },
  {
    title: "reasoning before a call goes back with it",
    lines: () => [
      {
        response: use([SEARCH], { reasoning: THOUGHT, reasoningSignature: "U0lH" }),
        chunkSize: 9,
      },
      { turn: 1, response: say(ANSWER) },
    ],
    asked: 2,
    check(seen) {
      answered(seen, ANSWER, 2);
      const { format, sent } = seen;
      const thoughts = format.thoughts(sent[1]!.body);
      const right: Record<string, unknown> = {
        anthropic: [[THOUGHT, "U0lH"]],
        openai: [[THOUGHT, "string"]],
        gemini: [THOUGHT],
      };
      assert.deepEqual(thoughts, right[format.provider]);
      assert.doesNotMatch(sent[1]!.body.model ?? "", /reasoning_content/);
    },
  },
];

/** A request that is tried again, and was worth it. */
function mended(
  title: string,
  fault: (cell: Cell) => Omit<Line, "nth">,
  says: RegExp,
  check?: Scene["check"],
): Scene {
  return {
    title,
    lines: (cell) => thenAnswer(fault(cell)),
    asked: 2,
    check(seen) {
      answered(seen, ANSWER, 1);
      assert.match(seen.result.stderr, says);
      check?.(seen);
    },
  };
}

const WAITED = ({ sent }: Seen, least: number) => {
  const ms = sent[1]!.at - sent[0]!.at;
  assert(ms >= least && ms < least + 3_000, `${ms} ms`);
};

/** What has not left when the socket dies is lost, so that it needs some time between the pieces. */
const CUT = { chunkSize: 4, latency: 20, truncateAfterChunks: 8 };
const GONE = { chaos: { disconnectRate: 1 } };
const GARBLED = { chaos: { malformedRate: 1 } };

const PATIENCE: readonly Scene[] = [
  mended(
    "429 with retry-after",
    ({ format }) => ({ response: refuse(format.refusals.rate, 1.2) }),
    /^\S+ is limiting us \(429\); trying again in 1\.2s$/m,
    (seen) => WAITED(seen, 1_200),
  ),
  mended(
    "500 once",
    ({ format }) => ({ response: refuse(format.refusals.failed) }),
    /^\S+ failed \(500\); trying again in 0\.[45]s$/m,
    (seen) => WAITED(seen, 375),
  ),
  mended(
    "529 once",
    ({ format }) => ({ response: refuse(format.refusals.overloaded) }),
    /^\S+ is overloaded \(529\); trying again in 0\.[45]s$/m,
  ),
  mended(
    "a connection that breaks before the answer",
    () => ({ response: say("never"), ...GONE }),
    /^\S+ can't be reached; trying again in 0\.[45]s$/m,
  ),
  mended(
    "malformed JSON",
    () => ({ response: say("never"), ...GARBLED }),
    /^\S+ answered with nonsense; trying again in 0\.[45]s$/m,
  ),
  {
    title: "529 for good",
    lines: ({ format }) => [{ response: refuse(format.refusals.overloaded) }],
    code: 5,
    asked: 5,
    check(seen) {
      failedWith(seen, /^fusebox: The model API is overloaded: .*overloaded.* \(tried 5 times\)$/i);
    },
  },
  {
    title: "a wait that is too long",
    lines: ({ format }) => [{ response: refuse(format.refusals.rate, 3600) }],
    code: 5,
    asked: 1,
    check: (seen) =>
      failedWith(
        seen,
        /^fusebox: The model API asks for fewer requests: .*; \S+ asks to wait 1h, and we wait 1m$/,
        /^ {2}Try again in 1h\.$/,
      ),
  },
  {
    title: "a stream cut in text",
    isCase: ({ stream }) => stream,
    lines: () => [{ response: say("A long answer, of which not all arrives."), ...CUT }],
    code: 5,
    // What was shown would be shown twice.
    asked: 1,
    check: (seen) =>
      failedWith(
        seen,
        /^fusebox: Cannot read the answer of \S+: the connection broke in the middle of it$/,
      ),
  },
  {
    title: "a stream cut in arguments",
    isCase: ({ stream }) => stream,
    lines: () => [
      // Gemini's calls come whole: there it is cut in the thought before.
      { nth: 0, response: use([SEARCH], { reasoning: THOUGHT }), ...CUT },
      { nth: 1, response: use([SEARCH]) },
      { turn: 1, response: say(ANSWER) },
    ],
    asked: 3,
    check(seen) {
      answered(seen, ANSWER, 2);
      assert.deepEqual(called(seen), [["notes.search", { query: "Lisbon" }, "ok"]]);
      assert.match(seen.result.stderr, /^\S+ broke off in mid-answer; trying again in 0\.[45]s$/m);
    },
  },
];

/** F60: the request behind a tool that has run fails, and only the request is made again. */
function continued(title: string, fault: (cell: Cell) => Omit<Line, "nth">): Scene {
  const create = (name: string) =>
    use([call("tickets.create_ticket", { title: name, due: "2026-12-04" })]);
  return {
    title: `a continuation that fails: ${title}`,
    lines: (cell) => [
      { response: create("First") },
      { turn: 1, nth: 0, told: "Created T-6", ...fault(cell) },
      { turn: 1, nth: 1, told: "Created T-6", response: create("Second") },
      { turn: 2, told: "Created T-7", response: say("T-6 and T-7.") },
    ],
    asked: 4,
    check(seen) {
      answered(seen, "T-6 and T-7.", 3);
      const { sent } = seen;
      assert.equal(sent[2]!.text, sent[1]!.text, "it is the same request, to the byte");
      assert.deepEqual(called(seen), [
        ["tickets.create_ticket", { title: "First", due: "2026-12-04" }, "ok"],
        ["tickets.create_ticket", { title: "Second", due: "2026-12-04" }, "ok"],
      ]);
      // The tracker counts: had the first run twice, the second would be T-8.
      assert.match(told(seen, 3).at(-1)!.text, /^Created T-7 {2}Second/);
    },
  };
}

const CONTINUED: readonly Scene[] = [
  continued("529", ({ format }) => ({ response: refuse(format.refusals.overloaded) })),
  continued("500", ({ format }) => ({ response: refuse(format.refusals.failed) })),
  continued("429", ({ format }) => ({ response: refuse(format.refusals.rate, 0.2) })),
  continued("no answer", () => ({ response: say("never"), ...GONE })),
  continued("malformed JSON", () => ({ response: say("never"), ...GARBLED })),
];

/** What waiting does not mend is asked once. */
function refused(
  title: string,
  trouble: Trouble,
  sentence: (format: Format) => RegExp,
  hint?: RegExp,
): Scene {
  return {
    title,
    lines: ({ format }) => [{ response: refuse(format.refusals[trouble], 0.1) }],
    code: 5,
    asked: 1,
    check: (seen) => failedWith(seen, sentence(seen.format), hint),
  };
}

const words = (format: Format, trouble: Trouble) =>
  format.refusals[trouble].error.message.replace(/[.\s]+$/, "").replace(/[^\w\s]/g, "\\$&");

const REFUSED: readonly Scene[] = [
  {
    title: "a key that aimock does not know",
    lines: () => [{ response: say("never") }],
    key: "sk-wrong-0123456789",
    code: 5,
    asked: 1,
    check: (seen) =>
      failedWith(
        seen,
        /^fusebox: The model API did not accept the key: Invalid API key$/,
        /^ {2}Check the key, and that it belongs to this provider\.$/,
      ),
  },
  refused(
    "a wrong key",
    "key",
    (format) =>
      new RegExp(`^fusebox: The model API did not accept the key: ${words(format, "key")}$`),
    /^ {2}Check the key, and that it belongs to this provider\.$/,
  ),
  refused(
    "an unknown model",
    "model",
    (format) =>
      new RegExp(`^fusebox: The model API does not know this model: ${words(format, "model")}$`),
    /^ {2}`fusebox models` lists what the provider offers\.$/,
  ),
  refused(
    "a context too long",
    "context",
    ({ tooLong }) =>
      new RegExp(`^fusebox: The conversation is too long for the model: ${tooLong}$`),
    /^ {2}Begin a new one, give it less at once, or choose a model with a larger window\.$/,
  ),
  refused(
    "a spent account",
    "quota",
    (format) => new RegExp(`^fusebox: The account has no quota left: ${words(format, "quota")}$`),
    /^ {2}Look at its plan and its billing; waiting does not help\.$/,
  ),
  refused(
    "a request that is refused",
    "refused",
    (format) =>
      new RegExp(`^fusebox: The model API refused the request: ${words(format, "refused")}$`),
  ),
];

/** A dot of one pixel. */
export const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
);
const PDF = "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";
const CITY = {
  type: "object",
  properties: { city: { type: "string", minLength: 3 }, votes: { type: "integer" } },
  required: ["city"],
};

const WITH: readonly Scene[] = [
  {
    title: "with a system prompt, attachments, a schema and a limit",
    prompt: "Which city?",
    files: {
      "system.md": "You love cities.",
      "dot.png": PNG,
      "short.pdf": PDF,
      "list.txt": "Lisbon 9\nOslo 5\n",
      "city.json": JSON.stringify(CITY),
    },
    args: [
      ...["--json", "--system", "system.md", "--schema", "city.json", "--max-tokens", "500"],
      ...["dot.png", "short.pdf", "list.txt"].flatMap((name) => ["--attach", name]),
    ],
    lines: () => [
      { response: use([SEARCH]) },
      { turn: 1, response: say('{"city": "Lisbon", "votes": 9}') },
    ],
    asked: 2,
    check(seen) {
      answered(seen, '{"city": "Lisbon", "votes": 9}', 2);
      for (const { body, text } of seen.sent) {
        const { format } = seen;
        assert.match(format.system(body), /You love cities\.$/);
        assert.match(format.prompt(body), /Which city\?/);
        assert.match(format.prompt(body), /Lisbon 9\nOslo 5/);
        assert.equal(format.media(body), 2);
        assert(text.includes(PNG.toBase64()));
        // As a limit, and as a schema that the API is told of.
        assert(/"max\w*":500\b/i.test(text), "no limit");
        assert(
          /"(?:output_config|text|response_format|generationConfig)":/.test(text),
          "no schema",
        );
      }
    },
  },
  {
    title: "tools of odd schemas",
    servers: async (box) => ({ odd: await oddServer(box) }),
    lines: () => [
      { response: use([call("odd.choice", { a: 1 }), call("odd.bare", {})]) },
      { turn: 1, response: say("They ran.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "They ran.", 2);
      assert.deepEqual(told(seen, 1).map(({ text }) => text), ['choice{"a":1}', "bare{}"]);
      const { format, sent: [{ body }], result } = seen as Seen & { sent: [{ body: Body }] };
      const odd = format.tools(body).filter((name) => name.startsWith("mcp__odd__"));
      assert.deepEqual(odd, Object.keys(FITTED).map((name) => `mcp__odd__${name}`).sort());
      for (const name of Object.keys(HOPELESS)) {
        // Once, though there were two requests.
        const lines = result.stderr.match(
          new RegExp(`^.*\\bmcp__odd__${name}\\b.*schema.*$`, "gm"),
        );
        assert.equal(lines?.length, 1, `${name}: ${result.stderr}`);
      }
    },
  },
  {
    title: "pictures that a tool gave",
    servers: () => Promise.resolve({ flaky: flaky("odd-content") }),
    lines: () => [
      { response: use([call("flaky.odd")]) },
      { turn: 1, response: say("A red dot.") },
    ],
    asked: 2,
    check(seen) {
      answered(seen, "A red dot.", 2);
      const { body, text } = seen.sent[1]!;
      // P10: as a picture and nowhere as text; what no model takes is named.
      assert.equal(seen.format.media(body) >= 1, true);
      assert(text.includes(PNG.toBase64()));
      const [result] = told(seen, 1);
      assert(!result!.text.includes("iVBOR"), result!.text);
      assert.match(result!.text, /first[^]*embedded[^]*last/);
      assert.match(result!.text, /hologram/);
    },
  },
];

export const SCENES: readonly Scene[] = [
  ...TEXT,
  ...TOOLS,
  ...REASONING,
  ...PATIENCE,
  ...CONTINUED,
  ...REFUSED,
  ...WITH,
];
