/** Names that broken clients trip over: every tool keeps a name of its own, and is called by its raw one. @module */
import assert from "node:assert/strict";
import { isAlias } from "../../lib/config/alias.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import { ProtocolError } from "../../lib/protocol/errors.ts";
import type { Registry } from "../../lib/registry/registry.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import { fullToolbox } from "../../lib/tools/full.ts";
import type { Message } from "../../servers/serve.ts";
import { says, server } from "../../servers/server.ts";
import { registryOf } from "../support/clients.ts";
import { use } from "../support/scripted.ts";
import { inMemory } from "../support/wire.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const text = (result: ToolResult) => result.content.map((part) => part.text).join("");

/** A server whose tools say which server was called, by which name, with which arguments. */
function bearing(who: string, ...names: unknown[]): Opener {
  const tools = names.map((name) => ({
    name: name as string,
    inputSchema: { type: "object", properties: {} },
    run: (args: Message) => says(JSON.stringify([who, name, args])),
  }));
  return () => inMemory(server({ name: "same name everywhere", version: "1", tools }));
}

/** A registry over servers that bear these names, by alias. */
async function household(servers: Readonly<Record<string, unknown[]>>): Promise<Registry> {
  const openers = Object.entries(servers).map((
    [alias, names],
  ) => [alias, bearing(alias, ...names)]);
  const registry = registryOf(Object.fromEntries(openers));
  await registry.attachAll();
  return registry;
}

/** Each of these tools is offered under one legal name of its own, and reached by it and by alias.tool. */
async function reaches(servers: Readonly<Record<string, string[]>>): Promise<string[]> {
  await using registry = await household(servers);
  const entries = [...registry.table.entries.values()];
  const wanted = Object.entries(servers).flatMap(([alias, tools]) =>
    tools.map((tool) => ({ alias, tool }))
  );
  assert.deepEqual(registry.heldBack(), []);
  assert.equal(entries.length, wanted.length);
  const toolbox = fullToolbox(registry);
  const offered = toolbox.specs().map(({ name }) => name);
  for (const { alias, tool } of wanted) {
    const entry = entries.find(({ ref }) => ref.alias === alias && ref.tool === tool);
    assert(entry, `${alias}.${tool} is missing`);
    assert.match(entry.name, LEGAL);
    assert.equal(offered.filter((name) => name === entry.name).length, 1);
    const asked = { n: 1 };
    const asking = use(entry.name, asked);
    const approved = toolbox.target(asking)?.ref;
    assert.deepEqual(approved, { alias, tool });
    const results = [
      await registry.call(entry.name, asked),
      await registry.call(`${alias}.${tool}`, asked),
      await toolbox.run(asking, { approved }),
    ];
    for (const result of results) assert.equal(text(result), JSON.stringify([alias, tool, asked]));
  }
  return offered;
}

Deno.test("call() reaches a tool whose name is too long for the model under its raw name", async () => {
  const [name] = await reaches({ "my-long-server": ["a".repeat(60)] });
  assert.equal(name!.length, 64);
});

Deno.test("call() reaches the tools of the longest alias, at the limit and on either side of it", async () => {
  const alias = "a".repeat(20);
  const room = 64 - `mcp__${alias}__`.length;
  const names = await reaches({
    [alias]: [room - 1, room, room + 1, 128].map((n) => "t".repeat(n)),
  });
  assert.deepEqual(names.map((name) => name.length).sort(), [63, 64, 64, 64]);
});

Deno.test("call() tells tools apart whose names are cut to the same stem, on each run", async () => {
  const tools = ["_one", "_two"].map((end) => "x".repeat(70) + end);
  const middle = ["a", "b"].map((it) => "y".repeat(40) + it + "y".repeat(40));
  const names = await reaches({ srv: [...tools, ...middle] });
  assert.deepEqual(names, await reaches({ srv: [...middle.toReversed(), ...tools.toReversed()] }));
});

Deno.test("call() tells tools apart that differ far behind the cut, or in one invisible mark", async () => {
  const far = ["1", "2"].map((end) => "z".repeat(5_000) + end);
  const unseen = ["s".repeat(60), "s".repeat(60) + "\u200b", "s".repeat(59) + "\u0455"];
  await reaches({ srv: [...far, ...unseen] });
});

Deno.test("call() sends b__c to a, and a__b is no alias, so that no name has two readings", async () => {
  assert(!isAlias("a__b") && !isAlias("evil_"));
  await reaches({ a: ["b__c", "__c"], a_b: ["c", "_c"], "a-b": ["c"], b: ["_c", "c"] });
});

Deno.test("call() sends a tool that is dressed up as another server's to its own server", async () => {
  await reaches({
    a: ["search", "mcp__b__search", "b.search", "__b__search"],
    b: ["search", "mcp__a__search", "a.search"],
    mcp: ["a__search", "mcp", "__a__search"],
  });
});

Deno.test("call() tells foo.bar, foo/bar, foo_bar and foo bar of one server apart", async () => {
  assert.equal((await reaches({ a: ["foo.bar", "foo/bar", "foo_bar", "foo bar"] })).length, 4);
});

Deno.test("call() tells apart what cleans up to nothing but underscores", async () => {
  await reaches({
    a: ["_", ".", " ", "\t", "\0", "。", "__", "..", "👋", "\ud83d", "é", "e\u0301"],
  });
});

Deno.test("call() offers search of two servers under both aliases", async () => {
  const names = await reaches({ notes: ["search"], tickets: ["search"] });
  assert.deepEqual(names, ["mcp__notes__search", "mcp__tickets__search"]);
});

Deno.test("call() offers nine servers that have the same list of tools and call themselves the same", async () => {
  const servers = Array.from({ length: 9 }, (_, n) => [`s${n}`, ["search", "Search", "get.it"]]);
  assert.equal((await reaches(Object.fromEntries(servers))).length, 27);
});

Deno.test("call() dispatches a tool of 80 characters by the name that was cut", async () => {
  await reaches({ a: ["n".repeat(80)] });
});

Deno.test("call() dispatches tools of a thousand characters of every kind", async () => {
  await reaches({
    a: ["n", "漢", "👋", "\u202e", '"', "\\", "%5F", "'"].map((it) => it.repeat(999)),
  });
});

Deno.test("publicName() stays the same when a second server comes", async () => {
  const alone = await reaches({ a: ["search", "foo.bar"] });
  const together = await reaches({ a: ["search", "foo.bar"], b: ["search", "foo.bar"] });
  for (const name of alone) assert(together.includes(name), name);
});

Deno.test("publicName() stays the same when servers go, fail, grow or change places", async () => {
  const alone = await reaches({ m: ["search", "x".repeat(90)] });
  const crowds: Record<string, string[]>[] = [
    { a: ["search"], m: ["search", "x".repeat(90)], z: [] },
    { z: ["x".repeat(90)], m: ["x".repeat(90), "search", "Search", "x".repeat(91)] },
  ];
  for (const crowd of crowds) {
    const names = await reaches(crowd);
    for (const name of alone) assert(names.includes(name), name);
  }
});

const OF_OBJECTS = ["constructor", "toString", "__proto__", "hasOwnProperty"];

Deno.test("call() reaches tools called as members of Object.prototype, and finds none that are not there", async () => {
  await reaches({ a: OF_OBJECTS });
  await using registry = await household({ a: ["search"] });
  for (const name of OF_OBJECTS) {
    for (const asked of [name, `a.${name}`, `mcp__a__${name}`]) {
      const result = await registry.call(asked, {});
      assert(result.isError && result.failure instanceof ProtocolError, asked);
      assert.match(text(result), /no tool has this name/);
    }
  }
});

Deno.test("call() takes then, toJSON, length and the like for names of aliases, tools and arguments", async () => {
  const odd = ["then", "tojson", "length", "valueof", "prototype", "constructor", "undefined"];
  await reaches(Object.fromEntries(odd.map((alias) => [alias, [...odd, "toJSON", "valueOf"]])));
  await using registry = await household({ a: ["echo"] });
  const args =
    '{"__proto__":{"__proto__":null},"then":1,"toJSON":"x","length":-1,"constructor":[]}';
  assert.equal(
    text(await registry.call("a.echo", JSON.parse(args))),
    `["a","echo",${args}]`,
  );
});

Deno.test("call() reaches admin.tools.list, a/b and 128 characters; a tool without a name is held back alone", async () => {
  const names = ["admin.tools.list", "a/b", "c".repeat(128)];
  await reaches({ a: names });
  await using registry = await household({ a: ["", ...names] });
  assert.equal(registry.table.entries.size, 3);
  assert.deepEqual(registry.heldBack(), [{ alias: "a", tool: "#1", why: "has an empty name" }]);
});

Deno.test("call() reaches the tools beside those whose names are no names", async () => {
  await using registry = await household({
    a: [7, null, ["x"], { x: 1 }, true, undefined, "good"],
  });
  assert.deepEqual([...registry.table.entries.keys()], ["mcp__a__good"]);
  assert.deepEqual(registry.heldBack().map(({ why }) => why), Array(6).fill("has no name"));
  assert.equal(text(await registry.call("a.good", {})), '["a","good",{}]');
});

Deno.test("specs() never holds a name with blanks, slashes or percent signs, above 64 characters, or twice", async () => {
  await using registry = await household({
    a: ["with blank", "a/b", "%5F", "x".repeat(95), "twin", "twin"],
    b: ["with blank", "twin"],
  });
  const names = fullToolbox(registry).specs().map(({ name }) => name);
  for (const name of names) assert.match(name, LEGAL);
  assert.equal(new Set(names).size, names.length);
  assert.equal(names.length, 7);
  assert.deepEqual(registry.heldBack(), [{ alias: "a", tool: "twin", why: "is listed twice" }]);
});

Deno.test("specs() never holds a forged name, nor the one that it forges", async () => {
  const [real] = await reaches({ a: ["foo.bar"] });
  const forged = real!.slice("mcp__a__".length);
  await using registry = await household({ a: ["foo.bar", forged, "fine"], b: [forged] });
  const names = fullToolbox(registry).specs().map(({ name }) => name);
  assert.deepEqual(names, ["mcp__a__fine", `mcp__b__${forged}`]);
  const result = await registry.call(`a.${forged}`, {});
  assert(result.isError && /held back.*Nothing was run/.test(text(result)), text(result));
});
