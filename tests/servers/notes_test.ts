/** The notebook, asked as a client would. @module */
import assert from "node:assert/strict";
import { notes } from "../../servers/notes.ts";
import type { Handler, Message } from "../../servers/serve.ts";

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function ask(handle: Handler, method: string, params: Message = {}): Promise<Message> {
  const reply = await handle({ jsonrpc: "2.0", id: 1, method, params: { _meta, ...params } });
  assert.ok(reply.result, JSON.stringify(reply.error));
  return reply.result;
}

const use = (handle: Handler, name: string, args: Message) =>
  ask(handle, "tools/call", { name, arguments: args });

Deno.test("notes() lists three tools over two pages", async () => {
  const handle = notes();
  const first = await ask(handle, "tools/list");
  const second = await ask(handle, "tools/list", { cursor: first.nextCursor });
  assert.deepEqual(first.tools.map(({ name }: Message) => name), ["search", "read_note"]);
  assert.deepEqual(second.tools.map(({ name }: Message) => name), ["add_note"]);
  assert.equal(second.nextCursor, undefined);
});

Deno.test("notes() describes each tool with a title, a description and hints", async () => {
  const handle = notes();
  const { tools, nextCursor: cursor } = await ask(handle, "tools/list");
  tools.push(...(await ask(handle, "tools/list", { cursor })).tools);
  for (const tool of tools) {
    assert.ok(tool.title && tool.description && tool.inputSchema.type === "object");
    assert.equal(tool.annotations.readOnlyHint, tool.name !== "add_note");
  }
});

Deno.test("notes() says the same in the legacy dialect, without the modern fields", async () => {
  const handle = notes({ dialect: "legacy", legacyVersion: "2025-06-18" });
  const greeting = await ask(handle, "initialize", { protocolVersion: "2025-11-25" });
  assert.equal(greeting.protocolVersion, "2025-06-18");
  assert.match(greeting.instructions, /notebook/);
  await handle({ jsonrpc: "2.0", method: "notifications/initialized" });
  const list = await ask(handle, "tools/list");
  assert.deepEqual(Object.keys(list), ["tools", "nextCursor"]);
});

Deno.test("notes() finds what a question in plain words is about", async () => {
  const { structuredContent, content } = await use(notes(), "search", {
    query: "What do my notes say about the release?",
  });
  assert.equal(structuredContent.notes[0].title, "Release checklist");
  assert.equal(structuredContent.total, structuredContent.notes.length);
  assert.match(content[0].text, /^2 of 2 matching notes:\n\nn-1 {2}Release checklist/);
});

Deno.test("notes() returns no more notes than the limit, but says how many there are", async () => {
  const { structuredContent } = await use(notes(), "search", { query: "release", limit: 1 });
  assert.deepEqual([structuredContent.total, structuredContent.notes.length], [2, 1]);
});

Deno.test("notes() says what there is when nothing was found", async () => {
  const { structuredContent, content, isError } = await use(notes(), "search", { query: "zebra" });
  assert.deepEqual([structuredContent, isError], [{ total: 0, notes: [] }, undefined]);
  assert.match(content[0].text, /^No note matches "zebra"\. The notes are called "Release/);
});

Deno.test("notes() reads a note by title in any case, and by id", async () => {
  const byTitle = await use(notes(), "read_note", { title: "release CHECKLIST" });
  const byId = await use(notes(), "read_note", { id: "n-1" });
  assert.deepEqual(byTitle, byId);
  assert.match(byId.content[0].text, /Sign the macOS build/);
});

Deno.test("notes() answers a wrong title, and none, with isError and a way out", async () => {
  const wrong = await use(notes(), "read_note", { title: "Release" });
  assert.equal(wrong.isError, true);
  assert.match(wrong.content[0].text, /^No note is called "Release"\. .*"Release checklist"/);
  const none = await use(notes(), "read_note", {});
  assert.equal(none.content[0].text, 'Cannot read a note: give its "title" or its "id"');
});

Deno.test("notes() adds a note that can be found and read, once per title", async () => {
  const handle = notes();
  const note = { title: "Zebra", body: "Stripes.", tags: ["zoo"] };
  const added = await use(handle, "add_note", note);
  assert.equal(added.content[0].text, 'Added n-8 "Zebra".');
  const { structuredContent } = await use(handle, "search", { query: "zoo" });
  assert.deepEqual(structuredContent.notes, [{
    id: "n-8",
    title: "Zebra",
    tags: ["zoo"],
    excerpt: "Stripes.",
  }]);
  const again = await use(handle, "add_note", { ...note, title: "zebra" });
  assert.equal(again.content[0].text, 'Cannot add a note: n-8 is called "Zebra" already');
});

Deno.test("notes() keeps the notes of one connection from another", async () => {
  await use(notes(), "add_note", { title: "Zebra", body: "" });
  const { structuredContent } = await use(notes(), "search", { query: "zebra" });
  assert.equal(structuredContent.total, 0);
});
