import assert from "node:assert/strict";
import { firstMessage } from "../../lib/agent/prompt.ts";

Deno.test("firstMessage() is the prompt alone when there is nothing beside it", () => {
  assert.equal(firstMessage({ prompt: "hello" }), "hello");
});

Deno.test("firstMessage() puts the context and who is offline beside the prompt", () => {
  assert.equal(
    firstMessage({
      prompt: "Sum this up",
      context: "line 1\nline 2",
      absent: [{ alias: "a", why: "no such command" }, { alias: "b", why: "silent" }],
    }),
    "Sum this up\n\n<context>\nline 1\nline 2\n</context>\n\n" +
      "(Offline just now: a – no such command; b – silent)",
  );
});
