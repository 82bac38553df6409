import assert from "node:assert/strict";
import { failed, failure, overflowIn, toolIn, waitIn } from "../../../lib/models/format/failure.ts";
import { ModelError } from "../../../lib/models/model.ts";

Deno.test("failure() says what could not be done, then why, without a full stop", () => {
  assert.deepEqual(failure("rate", "Slow\ndown. ", { retryAfterMs: 5 }), {
    message: "The model API asks for fewer requests: Slow down",
    retryable: true,
    retryAfterMs: 5,
  });
  assert.equal(failure("blocked").message, "The model API blocked the request");
  assert.equal(failure("refused", "x", { hint: "h" }).hint, "h");
});

Deno.test("failed() makes the error that a reader throws", () => {
  const error = failed(failure("key", "no"), 401);
  assert(error instanceof ModelError);
  assert.deepEqual([error.status, error.retryable], [401, false]);
  assert.match(error.hint!, /key/);
});

Deno.test("overflowIn() knows a conversation that is too long from other complaints", () => {
  assert.equal(overflowIn("Invalid 'name': string too long"), undefined);
  assert.equal(overflowIn(""), undefined);
  assert.equal(overflowIn("context_length_exceeded"), "");
  assert.equal(
    overflowIn("maximum context length is 128,000 tokens, you requested 130,000"),
    "130000 tokens where 128000 fit",
  );
});

Deno.test("toolIn() reads the index of a tool, and of nothing else", () => {
  assert.equal(toolIn("tools[3].function"), 3);
  assert.equal(toolIn("body.tools.12: bad"), 12);
  assert.equal(toolIn("('body', 'tools', 5, 'x')"), 5);
  for (const text of ["tool_calls[0]", "tools", "mytools[1]", "tools[]"]) {
    assert.equal(toolIn(text), undefined);
  }
});

Deno.test("waitIn() reads the spans that model APIs write", () => {
  const spans: [string, number | undefined][] = [
    ["48s", 48_000],
    ["1.5s", 1_500],
    ["350ms", 350],
    ["1m26.4s", 86_400],
    ["1h2m3s", 3_723_000],
    ["0.0001s", 1],
    ["", undefined],
    ["soon", undefined],
    ["..s", undefined],
    ["12", undefined],
  ];
  for (const [text, ms] of spans) assert.equal(waitIn(text), ms, text);
});
