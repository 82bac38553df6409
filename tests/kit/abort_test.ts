/** Leaving a wait that others share. */
import assert from "node:assert/strict";
import { abortable } from "../../lib/kit/abort.ts";
import { settle } from "../support/clock.ts";

Deno.test("abortable() lets one caller leave, and the others hear how it ended", async () => {
  const caller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const left = assert.rejects(abortable(promise, caller.signal), /left/);
  const stayed = assert.rejects(abortable(promise, undefined), /failed/);
  caller.abort(new Error("left"));
  await left;
  reject(new Error("failed"));
  await stayed;
});

Deno.test("abortable() waits for nothing where the signal was given before", async () => {
  const never = new Promise<never>(() => {});
  const signal = AbortSignal.abort(new Error("left"));
  assert.equal(
    await Promise.race([abortable(never, signal).catch(String), settle().then(() => "waits")]),
    "Error: left",
  );
  // What fails then is nobody's any more, and no bug.
  await assert.rejects(abortable(Promise.reject(new Error("failed")), signal), /left/);
});
