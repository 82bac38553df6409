/** A server's word about a tool, and whose word it is. @module */
import assert from "node:assert/strict";
import { hintLine, hintWords, isHarmless } from "../../lib/agent/hints.ts";

Deno.test("hintLine() says whose word it is, and what is left open", () => {
  const cases: [Parameters<typeof hintLine>[1], string][] = [
    [undefined, "a does not say whether it destroys anything"],
    [{}, "a does not say whether it destroys anything"],
    [{ readOnlyHint: false }, "a does not say whether it destroys anything"],
    [{ readOnlyHint: true }, "a calls it read-only"],
    [{ readOnlyHint: true, openWorldHint: true }, "a calls it read-only, open-world"],
    [{ readOnlyHint: true, destructiveHint: true }, "a calls it read-only, destructive"],
    [{ destructiveHint: true }, "a calls it destructive"],
    [{ destructiveHint: false }, "a calls it not destructive"],
    [
      { idempotentHint: true },
      "a calls it idempotent, and does not say whether it destroys anything",
    ],
  ];
  for (const [annotations, line] of cases) assert.equal(hintLine("a", annotations), line);
});

Deno.test("hintWords() has a word for each hint that is true", () => {
  assert.deepEqual(hintWords(undefined), []);
  assert.deepEqual(
    hintWords({
      readOnlyHint: true,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
    }),
    ["read-only", "destructive", "idempotent", "open-world"],
  );
  assert.deepEqual(hintWords({ readOnlyHint: false, title: "x" }), []);
});

Deno.test("isHarmless() needs a clear word: absent hints mean destructive", () => {
  assert(isHarmless({ readOnlyHint: true }));
  for (
    const hints of [undefined, {}, { destructiveHint: false }, { idempotentHint: true }, {
      readOnlyHint: true,
      destructiveHint: true,
    }]
  ) assert(!isHarmless(hints), JSON.stringify(hints));
});
