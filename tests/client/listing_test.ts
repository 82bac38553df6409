import assert from "node:assert/strict";
import { readAllTools } from "../../lib/client/listing.ts";
import { client, PATIENCE } from "../support/clients.ts";
import { inMemory, opener, WIRES } from "../support/wire.ts";
import { nested } from "../support/wild.ts";
import type { Message } from "../../servers/serve.ts";
import { server } from "../../servers/server.ts";

const list = async (wire: "memory" | "stdio", ...faults: string[]) => {
  await using peer = await client(opener(wire, faults));
  return await peer.listTools();
};

for (const wire of WIRES) {
  Deno.test(`listTools() over ${wire} reads every page`, async () => {
    const { tools, problems } = await list(wire, "pages=7");
    assert.equal(tools.length, 7);
    assert.deepEqual(problems, []);
  });

  for (const fault of ["empty-cursor", "empty-page", "null-cursor", "cursor-expires"]) {
    Deno.test(`listTools() over ${wire} reads the whole list in spite of ${fault}`, async () => {
      const { tools, problems } = await list(wire, fault);
      assert(tools.length >= 6, `${tools.length} tools`);
      assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
      assert.deepEqual(problems, []);
    });
  }

  Deno.test(`listTools() over ${wire} stops at a cursor that repeats, and keeps what it read`, async () => {
    const { tools, problems } = await list(wire, "same-cursor");
    assert(tools.length >= 1);
    assert.match(problems.join(), /repeats a cursor/);
  });

  Deno.test(`listTools() over ${wire} holds malformed tools back one by one`, async () => {
    const { tools, heldBack } = await list(wire, "bad-tools");
    assert(tools.some(({ name }) => name === "echo"));
    const why = heldBack.map((it) => it.why).join("\n");
    for (
      const words of [
        "no inputSchema",
        "null",
        '"string"',
        "properties",
        "required",
        "empty name",
        "no name",
        "no object",
        "twice",
      ]
    ) {
      assert(why.includes(words), `no tool is held back for: ${words}\n${why}`);
    }
  });

  Deno.test(`listTools() over ${wire} keeps names of every kind, each callable`, async () => {
    const { ODD_NAMES } = await import("../../servers/faults/tools.ts");
    await using peer = await client(opener(wire, ["odd-names"]));
    const { tools } = await peer.listTools();
    const names = new Set(tools.map(({ name }) => name));
    for (const name of ODD_NAMES) {
      assert(names.has(name), `${JSON.stringify(name)} is missing`);
      assert.equal((await peer.callTool(name, {}, PATIENCE)).isError, false);
    }
  });
}

Deno.test("readAllTools() stops after 1,000 pages, with a diagnosis and what it read", async () => {
  let page = 0;
  const { tools, problems } = await readAllTools(() => {
    page++;
    const tool = { name: `t${page}`, inputSchema: { type: "object" } };
    return Promise.resolve({ tools: [tool], nextCursor: `${page}` });
  });
  assert.equal(page, 1000);
  assert.equal(tools.length, 1000);
  assert.match(problems.join(), /more than 1000 pages/);
});

Deno.test("readAllTools() starts again once when a cursor is refused, and only once", async () => {
  const { ProtocolError } = await import("../../lib/protocol/errors.ts");
  let asked = 0;
  const always = readAllTools((params) => {
    asked++;
    if (params.cursor !== undefined) return Promise.reject(new ProtocolError(-32602, "bad cursor"));
    return Promise.resolve({ tools: [], nextCursor: "x" });
  });
  await assert.rejects(always, /bad cursor/);
  assert.equal(asked, 4);
});

Deno.test("readAllTools() says which page has no list, and goes on", async () => {
  const pages = [{ tools: "none", nextCursor: "2" }, { tools: [] }];
  const { problems } = await readAllTools(() => Promise.resolve(pages.shift()!));
  assert.deepEqual(problems, ["page 1 has no list of tools"]);
});

/** What comes of a list whose pages are these, each found by the cursor before it. */
async function listOf(page: (cursor: unknown, asked: number) => Message) {
  const handler = server({ name: "pages", version: "1", tools: [] });
  let asked = 0;
  await using peer = await client(() =>
    inMemory(async (message, out) => {
      const reply = await handler(message, out);
      if (message.method !== "tools/list") return reply;
      const result = page(message.params.cursor, ++asked);
      return { ...reply, id: message.id, error: undefined, result };
    })
  );
  return { ...await peer.listTools(), asked };
}
const named = (...names: string[]) =>
  names.map((name) => ({ name, inputSchema: { type: "object" } }));

Deno.test("listTools() reads on from an empty first page, and from cursors of every look", async () => {
  const cursors = ["", " ", "0", "null", "__proto__", "\ud800", "x".repeat(100_000), undefined];
  const { tools, problems } = await listOf((_, asked) => ({
    tools: asked === 1 ? [] : named(`t${asked}`),
    nextCursor: cursors[asked - 1],
  }));
  assert.equal(tools.length, cursors.length - 1);
  assert.deepEqual(problems, []);
});

Deno.test("listTools() stops where the cursor never advances, and at once where it is no text", async () => {
  for (const nextCursor of ["x", 7, 0, false, true, {}, ["x"]]) {
    const { tools, problems, asked } = await listOf(() => ({ tools: named("one"), nextCursor }));
    const shown = JSON.stringify(nextCursor);
    assert.deepEqual(tools.map(({ name }) => name), ["one"], shown);
    assert.equal(problems.length, 1, shown);
    // What is no text may not be sent back: the schema of the call allows texts alone.
    assert.equal(asked, nextCursor === "x" ? 2 : 1, shown);
  }
});

Deno.test("listTools() tells a tool that is listed on a thousand pages once, and not a thousand times", async () => {
  // The cursor is always a new one, the page always the same.
  const { tools, heldBack, problems } = await listOf((_, asked) => ({
    tools: named("one", "two"),
    nextCursor: `${asked}`,
  }));
  assert.deepEqual(tools.map(({ name }) => name), ["one", "two"]);
  assert.match(problems.join(), /more than 1000 pages/);
  assert(heldBack.length <= 2, `${heldBack.length} lines about two tools`);
});

Deno.test("listTools() holds back a tool whose required is no list of names, and no other", async () => {
  const required: unknown[] = [null, "a", {}, [null], [1], [["a"]], true, 0];
  const odd = required.map((required, n) => ({
    name: `odd${n}`,
    inputSchema: { type: "object", required },
  }));
  const { tools, heldBack } = await listOf(() => ({
    tools: [...named("first"), ...odd, ...named("last")],
  }));
  assert.deepEqual(tools.map(({ name }) => name), ["first", "last"]);
  assert.deepEqual(heldBack.map(({ tool }) => tool), odd.map(({ name }) => name));
  for (const { why } of heldBack) assert.match(why, /"required" is no list of names/);
});

Deno.test("listTools() holds back a tool whose schema is of another kind, and no other", async () => {
  const schemas: unknown[] = [
    ...[null, [], "object", true, 7, {}, { type: "array" }, { type: null }, { type: ["object"] }],
    ...[[], null, "x", 7, true].map((properties) => ({ type: "object", properties })),
  ];
  const odd = schemas.map((inputSchema, n) => ({ name: `odd${n}`, inputSchema }));
  const { tools, heldBack } = await listOf(() => ({
    tools: [...named("first"), ...odd, ...named("last")],
  }));
  assert.deepEqual(tools.map(({ name }) => name), ["first", "last"]);
  assert.equal(heldBack.length, odd.length);
  for (const { why } of heldBack) assert(why.length < 200 && why.includes("inputSchema"), why);
});

Deno.test("listTools() holds back a tool whose schema no model API could be sent, and no other", async () => {
  const deep = nested(10_000, (inner) => ({ type: "object", properties: { a: inner } }));
  const { tools, heldBack } = await listOf(() => ({
    tools: [...named("first"), { name: "deep", inputSchema: deep }, ...named("last")],
  }));
  assert.deepEqual(tools.map(({ name }) => name), ["first", "last"]);
  assert.deepEqual(heldBack.map(({ tool }) => tool), ["deep"]);
  assert.match(heldBack[0]!.why, /nested|deep/);
});

Deno.test("listTools() takes a long complaint about a schema no further than a line", async () => {
  const { heldBack } = await listOf(() => ({
    tools: [
      { name: "text", inputSchema: "x".repeat(1_000_000) },
      { name: "kind", inputSchema: { type: "x".repeat(1_000_000) } },
    ],
  }));
  assert.equal(heldBack.length, 2);
  for (const { why } of heldBack) assert(why.length < 1_000, `${why.length} characters`);
});

Deno.test("listTools() passes over a description, a title and hints that are none", async () => {
  const { tools: [tool] } = await listOf(() => ({
    tools: [{
      ...named("odd")[0],
      description: 7,
      title: null,
      outputSchema: [],
      annotations: { readOnlyHint: "yes", title: {} },
    }],
  }));
  assert.deepEqual(tool, { name: "odd", inputSchema: { type: "object" }, annotations: {} });
});
