import assert from "node:assert/strict";
import { withSwitches } from "../../lib/cli/switches.ts";

const NAMES = ["yes", "quiet", "verbose", "stdin", "no-stdin"];
const LETTERS = { q: "quiet", v: "verbose", m: "model" };

Deno.test("withSwitches() leaves no form that parseArgs of @std/cli reads otherwise than ours", () => {
  const written = (...argv: string[]) => withSwitches(argv, NAMES, LETTERS).join(" ");
  // A letter's value is text there, and what stands behind "--no-x=" is the value of x.
  assert.equal(written("-qv", "true"), "--quiet=true --verbose=true true");
  assert.equal(written("-q=false"), "--quiet=false");
  assert.equal(written("--no-stdin"), "--no-stdin");
  assert.equal(written("--no-stdin=true"), "--no-stdin");
  assert.equal(written("--no-stdin=false"), "--stdin=true");
  assert.equal(written("--yes", "-"), "--yes=true -");
  // No switch is among them, or not only.
  for (const other of ["-qm", "-mq", "-zq", "--model", "-", "-q1", "--", "--no-yes"]) {
    assert.equal(written(other), other);
  }
});
