/** Everything that a stranger sends has an end: each bound is tried, and told in docs/bounds.md. @module */
import assert from "node:assert/strict";
import { type Bounds, render } from "./support/bounds.ts";
import { CALL, WIRE } from "./support/bounds_call.ts";
import { FOUND, KEPT, SHOWN } from "./support/bounds_kept.ts";
import { FILES, TOLD } from "./support/bounds_told.ts";
import { HANDSHAKE, LIST, TOOL } from "./support/bounds_list.ts";
import { ROOT } from "./support/paths.ts";

const BOUNDS: Bounds = {
  "The wire": WIRE,
  "Who a server says it is": HANDSHAKE,
  "Its list of tools": LIST,
  "One tool": TOOL,
  "A call": CALL,
  "What a model is told": TOLD,
  "Files of a run": FILES,
  "What is remembered": KEPT,
  "What is searched": FOUND,
  "What is shown": SHOWN,
};
const FILE = ROOT + "docs/bounds.md";

for (const [heading, rows] of Object.entries(BOUNDS)) {
  for (const { what, limit, beyond, proof } of rows) {
    Deno.test(`${heading}: ${what}: ${limit}, beyond it ${beyond}`, () => proof());
  }
}

Deno.test("docs/bounds.md says what the code does", async () => {
  const made = render(BOUNDS);
  if (Deno.env.get("UPDATE_DOCS") === "1") await Deno.writeTextFile(FILE, made);
  assert.equal(await Deno.readTextFile(FILE), made);
});
