/** Lines of a peer: what is a message, what is not, and what is not even parsed. */
import assert from "node:assert/strict";
import { decode } from "../../lib/protocol/codec.ts";

Deno.test("decode() does not parse what is nested without end", () => {
  const deep = `{"jsonrpc":"2.0","id":1,"result":{"a":${"[".repeat(1_100_000)}`;
  assert.equal(decode(deep).kind, "noise");
  const closed = "[".repeat(20_000) + "]".repeat(20_000);
  const result = `{"list":${closed},"text":"${"x".repeat(1_000_000)}"}`;
  assert.equal(decode(`{"jsonrpc":"2.0","id":1,"result":${result}}`).kind, "noise");
});

Deno.test("decode() reads a long line that only looks nested", () => {
  const text = '[{\\"'.repeat(400_000) + "\\";
  const results = [{ text }, { [text]: [] }, { list: Array(300_000).fill([[]]) }];
  for (const result of results) {
    const line = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
    assert.deepEqual(decode(line), {
      kind: "reply",
      reply: { jsonrpc: "2.0", id: 1, result },
    });
  }
});
