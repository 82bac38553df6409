/** Scenes in which all goes well at the API: text, tools, reasoning. @module */
import assert from "node:assert/strict";
import { flaky } from "./cli.ts";
import type { Body } from "./models_formats.ts";
import { ANSWER, answered, call, called, costs, say, SEARCH, told, use } from "./models_lines.ts";
import type { Scene } from "./models_play.ts";

export const TEXT: readonly Scene[] = [
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

export const TOOLS: readonly Scene[] = [
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

/** What a model thinks is told where it was asked for, and however it was cut. */
function thinking(title: string, stream: boolean): Scene {
  return {
    title,
    isCase: (cell) => cell.stream === stream,
    args: ["-v"],
    lines: () => [{ response: say("42", { reasoning: THOUGHT }), chunkSize: 4 }],
    asked: 1,
    check({ result }) {
      assert.equal(result.stdout, "42\n");
      assert(result.stderr.includes(THOUGHT), result.stderr);
    },
  };
}

export const REASONING: readonly Scene[] = [
  thinking("reasoning that is streamed, with -v", true),
  thinking("reasoning in one piece, with -v", false),
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
