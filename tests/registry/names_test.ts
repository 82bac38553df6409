import assert from "node:assert/strict";
import { publicName } from "../../lib/registry/names.ts";
import { buildTable } from "../../lib/registry/table.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const info = (name: string) => ({ name, inputSchema: { type: "object" } });
const shelf = (alias: string, ...names: string[]) => ({
  alias,
  tools: names.map(info),
  denies: () => undefined,
});

Deno.test("publicName() keeps plain names plain", async () => {
  assert.equal(await publicName({ alias: "notes", tool: "read_note" }), "mcp__notes__read_note");
  assert.equal(await publicName({ alias: "a", tool: "Case-Sensitive" }), "mcp__a__Case-Sensitive");
});

Deno.test("publicName() is the same in every release: approvals, pins and transcripts hold such names", async () => {
  // Of `printf 'notes\\0café.read' | sha256sum`.
  assert.equal(
    await publicName({ alias: "notes", tool: "café.read" }),
    "mcp__notes__caf__read_402608bd9d20",
  );
});

Deno.test("publicName() tells apart what cleans up alike, is cut alike, or differs in case only", async () => {
  const groups = [
    ["foo.bar", "foo/bar", "foo_bar", "foo bar"],
    ["x".repeat(70) + "_one", "x".repeat(70) + "_two"],
    ["x".repeat(40) + "a" + "y".repeat(40), "x".repeat(40) + "b" + "y".repeat(40)],
    ["Search", "search", "SEARCH"],
    ["\ud800", "\ud801", "\udc00", "\ufffd"],
    ["é", "e\u0301"],
  ];
  for (const names of groups) {
    const all = await Promise.all(names.map((tool) => publicName({ alias: "my-server", tool })));
    assert.equal(new Set(all).size, names.length, names.join(" "));
    for (const name of all) assert.match(name, LEGAL);
  }
});

Deno.test("publicName() fits the longest alias and the longest tool", async () => {
  const name = await publicName({ alias: "a".repeat(20), tool: "t".repeat(128) });
  assert.equal(name.length, 64);
  assert.equal(name, await publicName({ alias: "a".repeat(20), tool: "t".repeat(128) }));
  const edge = await publicName({ alias: "a", tool: "t".repeat(64 - "mcp__a__".length) });
  assert.equal(edge, "mcp__a__" + "t".repeat(56));
});

Deno.test("publicName() of one tool does not depend on its siblings", async () => {
  const alone = await buildTable([shelf("a", "search", "foo.bar")]);
  const together = await buildTable([
    shelf("b", "search", "foo_bar"),
    shelf("a", "search", "foo.bar", "foo/bar"),
  ]);
  for (const name of alone.entries.keys()) assert(together.entries.has(name));
});

Deno.test("buildTable() gives the same order whatever order servers and tools come in", async () => {
  const one = await buildTable([shelf("b", "z", "a"), shelf("a", "m", "ä")]);
  const two = await buildTable([shelf("a", "ä", "m"), shelf("b", "a", "z")]);
  assert.deepEqual([...one.entries.keys()], [...two.entries.keys()]);
  assert.deepEqual([...one.entries.keys()], [...one.entries.keys()].sort());
});

Deno.test("buildTable() holds back both a forged suffix and the name it forges", async () => {
  const real = "foo.bar";
  const forged = (await publicName({ alias: "a", tool: real })).slice("mcp__a__".length);
  const { entries, heldBack } = await buildTable([shelf("a", real, forged, "fine")]);
  assert.deepEqual([...entries.keys()], ["mcp__a__fine"]);
  assert.deepEqual(heldBack.map(({ tool }) => tool), [real, forged].sort());
});

Deno.test("buildTable() takes names of Object.prototype for names", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const { entries } = await buildTable([shelf("a", ...names)]);
  assert.deepEqual([...entries.values()].map(({ ref }) => ref.tool).sort(), names.toSorted());
});

Deno.test("buildTable() holds back a tool in whose name there is what has to be hidden", async () => {
  const hide = (text: string) => text.replaceAll("s3cret", "[hidden]");
  const shelves = [shelf("b", "a_s3cret"), shelf("a", "is_s3cret", "fine", "a_s3cret")];
  const { entries, heldBack } = await buildTable(shelves, hide);
  assert.deepEqual([...entries.keys()], ["mcp__a__fine"]);
  assert.deepEqual(heldBack.map(({ alias, tool }) => `${alias}.${tool}`), [
    "a.a_[hidden]",
    "a.is_[hidden]",
    "b.a_[hidden]",
  ]);
});
