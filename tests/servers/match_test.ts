/** What match() finds. @module */
import assert from "node:assert/strict";
import { match, words } from "../../servers/match.ts";

Deno.test("words() drops what carries no meaning, case, and plurals", () => {
  assert.deepEqual(words("What do my notes say about the Releases?"), ["release"]);
  assert.deepEqual(words("Grüße, Jo: pass T-1!"), ["grüße", "jo", "pass", "t", "1"]);
});

Deno.test("match() puts more words first, then words in weightier fields, then the old order", () => {
  const items = [["x", "release"], ["release", "x"], ["y", "release checklist"], ["z", "z"]];
  const found = match("release checklist", items, (item) => item);
  assert.deepEqual(found.map(([first]) => first), ["y", "release", "x"]);
});

Deno.test("match() finds everything when a query has no words", () => {
  assert.deepEqual(match("the?", ["a", "b"], (item) => [item]), ["a", "b"]);
});
