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
  const leaving = new Leaving();
  const heard: string[] = [];
  const [one, two] = [() => heard.push("one"), () => heard.push("two")].map((it) => () =>
    void it()
  );
  leaving.addEventListener("abort", one!);
  leaving.addEventListener("abort", two!);
  leaving.removeEventListener("abort", one!);
  leaving.removeEventListener("abort", () => {}); // Nobody's: nothing happens.
  leaving.abort("why");
  assert.deepEqual(heard, ["two"]);
});
