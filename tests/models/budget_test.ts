import assert from "node:assert/strict";
import {
  inputLimit,
  messageTokens,
  prefixTokens,
  shed,
  shedMedia,
  textTokens,
} from "../../lib/models/budget.ts";
import type { Message } from "../../lib/models/model.ts";

const result = (id: string, text: string, isError = false) => ({
  id,
  name: "mcp__notes__read",
  content: [{ type: "text", text }],
  isError,
});

/** A prompt, then so many turns with a result of `size` letters each. */
function conversation(turns: number, size: number): Message[] {
  return [
    { role: "user", text: "Read all of it" },
    ...Array.from({ length: turns }, (_, n): Message[] => [
      {
        role: "assistant",
        text: "",
        uses: [{ id: `${n}`, name: "mcp__notes__read", args: { n } }],
      },
      { role: "tool", results: [result(`${n}`, "x".repeat(size))] },
    ]).flat(),
  ];
}

const taken = (messages: readonly Message[]) =>
  messages.map((message) =>
    message.role === "tool" && JSON.stringify(message).includes("was taken out") ? "-" : "+"
  ).join("");

Deno.test("textTokens() counts four letters, two of other alphabets, one of Chinese", () => {
  assert.equal(textTokens(""), 0);
  assert.equal(textTokens("abcdefgh"), 2);
  assert.equal(textTokens("приветик"), 4);
  assert.equal(textTokens("漢字漢字"), 4);
  assert.equal(textTokens("👋"), 2);
});

Deno.test("messageTokens() counts uses, results, carried records, and images by the piece", () => {
  const use = { id: "1", name: "t", args: { text: "x".repeat(4_000) } };
  assert(messageTokens({ role: "assistant", text: "", uses: [use] }) > 1_000);
  assert(
    messageTokens({ role: "assistant", text: "", uses: [], carry: "x".repeat(4_000) }) > 1_000,
  );
  assert(messageTokens({ role: "tool", results: [result("1", "x".repeat(4_000))] }) > 1_000);
  const data = "A".repeat(1_000_000);
  const image = { type: "image", mimeType: "image/png", data };
  const resource = { uri: "a.pdf", mimeType: "application/pdf", blob: data };
  const file = { type: "resource", resource };
  assert.equal(messageTokens({ role: "user", text: "", parts: [image] }), 1_508);
  assert.equal(messageTokens({ role: "user", text: "", parts: [file] }), 50_008);
  assert(prefixTokens("x".repeat(400), [{ name: "t", description: "", inputSchema: {} }]) > 100);
});

Deno.test("inputLimit() leaves room for the answer, and for the estimate", () => {
  assert.equal(inputLimit(200_000, 10_000), 170_000);
  assert.equal(inputLimit(8_000), 5_200);
});

Deno.test("shed() leaves what fits as it is", () => {
  const messages = conversation(3, 400);
  assert.equal(shed(messages, 1_000).messages, messages);
});

Deno.test("shed() takes the oldest results out, down to well below the limit, and says so in their place", () => {
  const messages = conversation(10, 4_000);
  const left = shed(messages, 8_000);
  assert.equal(taken(left.messages), "++-+-+-+-+-++++++++++");
  assert.equal(left.count, 5);
  assert(left.tokens <= 5_600, String(left.tokens));
  const gone = left.messages[2]!;
  assert(gone.role === "tool");
  assert.equal(gone.results[0]!.id, "0");
  assert.equal(
    gone.results[0]!.content[0]!.text,
    "[This result, about 1012 tokens, was taken out to make room. " +
      "Call mcp__notes__read again if you still need it.]",
  );
  assert.deepEqual(messages, conversation(10, 4_000));
});

Deno.test("shed() changes nothing about what it returned until the limit is passed again", () => {
  const first = shed(conversation(10, 4_000), 8_000).messages;
  assert.equal(shed(first, 8_000).messages, first);
  const longer = [...first, ...conversation(2, 4_000).slice(1)];
  assert.equal(shed(longer, 8_000).messages, longer);
  const full = [...first, ...conversation(5, 4_000).slice(1)];
  const again = shed(full, 8_000);
  assert.deepEqual(again.messages.slice(0, 11), first.slice(0, 11));
  assert.match(taken(again.messages), /^\+(?:\+-){7,}(?:\+\+)+$/);
});

Deno.test("shed() sheds the same results of the same conversation", () => {
  assert.deepEqual(shed(conversation(10, 4_000), 8_000), shed(conversation(10, 4_000), 8_000));
});

Deno.test("shed() never touches the prompt, what the model said, short results, or the last turn", () => {
  const messages = conversation(4, 4_000);
  messages[0] = { role: "user", text: "x".repeat(40_000) };
  messages[2] = { role: "tool", results: [result("0", "short", true)] };
  const left = shed(messages, 1_000);
  assert.equal(taken(left.messages), "++++-+-++");
  assert(left.tokens > 1_000);
  assert.equal(left.messages[0], messages[0]);
  const once = shed(conversation(1, 40_000), 1_000);
  assert.equal(once.count, 0);
  const stuck = shed(left.messages, 1_000);
  assert.equal(stuck.messages, left.messages);
});

Deno.test("shed() counts what comes before the messages, and keeps the mark of an error", () => {
  const messages = conversation(3, 4_000);
  messages[2] = { role: "tool", results: [result("0", "x".repeat(4_000), true)] };
  assert.equal(shed(messages, 4_000).count, 0);
  const left = shed(messages, 4_000, 2_000);
  const gone = left.messages[2]!;
  assert(gone.role === "tool" && gone.results[0]!.isError);
});

Deno.test("shedMedia() takes the oldest pictures out, and leaves the latest results theirs", () => {
  const shot = (n: number, size: number): Message => ({
    role: "tool",
    results: [{
      id: `${n}`,
      name: "shot",
      content: [{ type: "image", data: "x".repeat(size), mimeType: "image/png" }, {
        type: "text",
        text: "beside",
      }],
      isError: false,
    }],
  });
  const messages = [0, 1, 2, 3].map((n) => shot(n, 30));
  assert.deepEqual(shedMedia(messages, 120), { messages, count: 0 });
  const { messages: left, count } = shedMedia(messages, 100);
  const types = left.map((message) =>
    message.role === "tool" && message.results[0]!.content.map(({ type, text }) => text ?? type)
  );
  const gone = "(image/png; taken out to make room)";
  assert.deepEqual([count, types], [2, [[gone, "beside"], [gone, "beside"], ["image", "beside"], [
    "image",
    "beside",
  ]]]);
  assert.equal(shedMedia(left, 100).count, 0);
  assert.deepEqual(shedMedia([shot(0, 300)], 100).count, 0);
});
