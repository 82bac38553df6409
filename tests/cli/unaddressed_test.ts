import assert from "node:assert/strict";
import { unaddressed } from "../../lib/cli/unaddressed.ts";

const ALIASES = ["notes", "my-github", "tickets"];
const KNOWN = [
  { alias: "notes", tool: "search" },
  { alias: "notes", tool: "read_note" },
  { alias: "tickets", tool: "search" },
];

const CASES: [name: string, message: RegExp, hint: string][] = [
  ["notes", /it is a server, and no tool/, "fusebox tools notes lists them"],
  ["read_note", /names no configured server/, "Did you mean notes.read_note?"],
  ["search", /names no/, "Did you mean notes.search or tickets.search?"],
  ["notes:search", /names no/, "Did you mean notes.search?"],
  ["notes/search", /names no/, "Did you mean notes.search?"],
  ["notes__search", /names no/, "Did you mean notes.search?"],
  ["mcp__notse__search", /names no/, "Did you mean notes.search?"],
  ["My GitHub.list/all", /names no/, "Did you mean my-github.list/all?"],
  ["weather.today", /names no/, "Write alias.tool; the servers are: notes, my-github, tickets"],
  ["", /names no/, "Write alias.tool; the servers are: notes, my-github, tickets"],
];

for (const [name, message, hint] of CASES) {
  Deno.test(`unaddressed() says what "${name}" may have meant`, () => {
    const error = unaddressed(name, ALIASES, KNOWN);
    assert.match(error.message, message);
    assert.equal(error.hint, hint);
  });
}
