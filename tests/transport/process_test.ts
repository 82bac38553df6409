/** Why a command was not started: what somebody has to mend, and what passes by itself. */
import assert from "node:assert/strict";
import { isPassing } from "../../lib/registry/fuse.ts";
import { spawnFailure } from "../../lib/transport/process.ts";

/** As Deno tells it. */
function failed(code: string, words: string): Error {
  return Object.assign(new Error(`Failed to spawn '/bin/x': ${words}`), { code });
}

Deno.test("spawnFailure() takes a shortage for what passes: no server is given up for it", () => {
  for (const code of ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"]) {
    const { fault, message } = spawnFailure(failed(code, "too few of them"), "x", undefined);
    assert(isPassing(fault), code);
    assert.equal(message, `"x" can't be run just now: too few of them`);
  }
});

Deno.test("spawnFailure() leaves to a person what only a person can mend", () => {
  const { fault, message } = spawnFailure(failed("EACCES", "Permission denied"), "x", undefined);
  assert.equal(fault, "spawn_denied");
  assert(!isPassing(fault));
  assert.equal(message, `"x" can't be run: Permission denied`);
});
