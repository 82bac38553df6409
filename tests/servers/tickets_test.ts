/** The tracker, and its strictness about dates. @module */
import assert from "node:assert/strict";
import type { Handler, Message } from "../../servers/serve.ts";
import { tickets } from "../../servers/tickets.ts";

const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const today = () => new Date(2026, 10, 30, 23, 59);

async function use(handle: Handler, name: string, args: Message): Promise<Message> {
  const params = { _meta, name, arguments: args };
  const reply = await handle({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  assert.ok(reply.result, JSON.stringify(reply.error));
  return reply.result;
}

Deno.test("tickets() lists search, create_ticket and close_ticket on one page", async () => {
  const reply = await tickets()({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta } });
  const { tools, nextCursor } = reply.result;
  assert.deepEqual(
    tools.map(({ name, annotations }: Message) => [name, annotations.destructiveHint]),
    [["search", undefined], ["create_ticket", false], ["close_ticket", true]],
  );
  assert.equal(nextCursor, undefined);
});

Deno.test("tickets() says what a due date must be, what it was, and what today is", async () => {
  const handle = tickets({ today });
  const { content, isError } = await use(handle, "create_ticket", {
    title: "Release",
    due: "next friday",
  });
  assert.equal(isError, true);
  assert.equal(
    content[0].text,
    '"due" must be an ISO 8601 date like 2026-12-04 (YYYY-MM-DD), got "next friday". ' +
      "Today is 2026-11-30 (Monday).",
  );
});

Deno.test("tickets() takes days that exist and no others", async () => {
  const handle = tickets({ today });
  const days = ["2026-12-04", "2028-02-29", "2026-01-01"];
  for (const due of days) {
    assert.equal((await use(handle, "create_ticket", { title: "t", due })).isError, undefined);
  }
  const others = [
    "2026-02-30",
    "2027-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-12-00",
    "2026-12-4",
    "04.12.2026",
    "2026-12-04T00:00:00Z",
    " 2026-12-04",
    "2026-12-04\n",
    "",
  ];
  for (const due of others) {
    const { isError, content } = await use(handle, "create_ticket", { title: "t", due });
    assert.equal(isError, true, due);
    assert.match(content[0].text, /Today is 2026-11-30 \(Monday\)\.$/);
  }
});

Deno.test("tickets() creates a ticket with the next id, normal unless told", async () => {
  const handle = tickets();
  const made = await use(handle, "create_ticket", { title: "Ship 2.4", due: "2026-12-04" });
  assert.deepEqual(made.structuredContent, {
    id: "T-6",
    title: "Ship 2.4",
    due: "2026-12-04",
    priority: "normal",
    state: "open",
  });
  assert.equal(
    made.content[0].text,
    "Created T-6  Ship 2.4  (due 2026-12-04, normal, open)",
  );
  const found = await use(handle, "search", { query: "ship" });
  assert.deepEqual(found.structuredContent.tickets, [made.structuredContent]);
});

Deno.test("tickets() refuses an unknown priority and a missing title, in words", async () => {
  const handle = tickets();
  const due = "2026-12-04";
  const odd = await use(handle, "create_ticket", { title: "t", due, priority: "urgent" });
  assert.equal(
    odd.content[0].text,
    'Cannot call create_ticket: "priority" must be one of low, normal, high, got "urgent"',
  );
  const none = await use(handle, "create_ticket", { due });
  assert.match(none.content[0].text, /"title" is missing/);
  assert.equal((await use(handle, "create_ticket", { title: " ", due })).isError, true);
});

Deno.test("tickets() finds by words, by id and by state", async () => {
  const handle = tickets();
  const ids = async (args: Message) =>
    (await use(handle, "search", args)).structuredContent.tickets.map(({ id }: Message) => id);
  assert.deepEqual(await ids({ query: "release" }), ["T-3"]);
  assert.deepEqual(await ids({ query: "t-4" }), ["T-4"]);
  assert.deepEqual(await ids({ query: "test", state: "open" }), []);
  assert.deepEqual(await ids({ query: "test", state: "closed" }), ["T-2"]);
});

Deno.test("tickets() closes a ticket once, and says which are open if there is none such", async () => {
  const handle = tickets();
  const close = async (id: string) => (await use(handle, "close_ticket", { id })).content[0].text;
  assert.equal(await close("t-1"), 'Closed T-1 "Renew the code signing certificate".');
  assert.equal(await close("T-1"), "T-1 was closed already.");
  assert.equal(await close("T-99"), 'No ticket has the id "T-99". Open are T-3, T-4, T-5.');
});

Deno.test("tickets() seeds every connection anew", async () => {
  const first = tickets();
  await use(first, "close_ticket", { id: "T-1" });
  const found = await use(tickets(), "search", { query: "T-1" });
  assert.equal(found.structuredContent.tickets[0].state, "open");
});
