/** A light signal: given once, heard by whoever still listens. */
import assert from "node:assert/strict";
import { Leaving } from "../../lib/kit/leaving.ts";

Deno.test("abort() tells whoever listens, once, with the reason at hand", () => {
  const leaving = new Leaving();
  const heard: unknown[] = [];
  leaving.addEventListener("abort", () => heard.push(leaving.reason));
  leaving.addEventListener("abort", () => heard.push("second"));
  assert.equal(leaving.aborted, false);
  leaving.abort("why");
  leaving.abort("again");
  assert.deepEqual([leaving.aborted, leaving.reason, heard], [true, "why", ["why", "second"]]);
});

Deno.test("abort() does not tell who has stopped listening", () => {
  for (const [gone, heardBy] of [[0, ["b", "c"]], [1, ["a", "c"]], [2, ["a", "b"]]] as const) {
    const leaving = new Leaving();
    const heard: string[] = [];
    const listeners = ["a", "b", "c"].map((name) => () => void heard.push(name));
    for (const listener of listeners) leaving.addEventListener("abort", listener);
    leaving.removeEventListener("abort", listeners[gone]!);
    leaving.removeEventListener("abort", () => {}); // Nobody's: nothing happens.
    leaving.abort("why");
    assert.deepEqual(heard, heardBy);
  }
});
