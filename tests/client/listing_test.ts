import assert from "node:assert/strict";
import { readAllTools } from "../../lib/client/listing.ts";
import { client, PATIENCE } from "../support/clients.ts";
import { opener, WIRES } from "../support/wire.ts";

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
    const { ODD_NAMES } = await import("../../servers/faults/list.ts");
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
