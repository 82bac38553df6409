/** Both dialects of server(), message by message. @module */
import assert from "node:assert/strict";
import type { Handler, Message } from "../../servers/serve.ts";
import { type Description, says, server, type ToolCall } from "../../servers/server.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const INFO = "io.modelcontextprotocol/serverInfo";
const META = { [VERSION]: "2026-07-28", [CAPABILITIES]: {} };

const inputSchema = { type: "object", properties: {} };

/** Five tools over three pages; `wait` ends when told to, by `running`. */
function made(more: Partial<Description> = {}) {
  const running: { call: ToolCall; answer: () => void }[] = [];
  const handle = server({
    name: "made",
    version: "1.2.3",
    instructions: "Mind the gap.",
    tools: [
      { name: "greet", inputSchema, run: () => says("hello", { greeting: "hello" }) },
      {
        name: "add",
        inputSchema: { ...inputSchema, properties: { a: { type: "number" } }, required: ["a"] },
        run: ({ a }) => says(String(a + 1)),
      },
      {
        name: "wait",
        inputSchema,
        run: (_, call) =>
          new Promise((resolve) => running.push({ call, answer: () => resolve(says("at last")) })),
      },
      {
        name: "throw",
        inputSchema,
        run() {
          throw new Error("out of paper");
        },
      },
      { name: "change", inputSchema, run: (_, call) => (call.listChanged(), says("changed")) },
    ],
    pageSize: 2,
    ttlMs: 5000,
    cacheScope: "public",
    ...more,
  });
  return { handle, running };
}

let lastId = 0;
const call = (method: string, params: Message = {}) => ({
  jsonrpc: "2.0",
  id: ++lastId,
  method,
  params: { _meta: META, ...params },
});
const bare = (method: string, params?: Message) => ({
  jsonrpc: "2.0",
  id: ++lastId,
  method,
  ...(params ? { params } : {}),
});
const notice = (method: string, params?: Message) => ({ jsonrpc: "2.0", method, params });
const cancel = (requestId: unknown) => notice("notifications/cancelled", { requestId });
const errorOf = async (reply: Promise<Message>) => (await reply).error;

async function greeted(handle: Handler, protocolVersion = "2025-11-25") {
  const reply = await handle(bare("initialize", { protocolVersion, capabilities: {} }));
  assert.equal(await handle(notice("notifications/initialized")), undefined);
  return reply.result;
}

Deno.test("server() answers server/discover with exactly a DiscoverResult", async () => {
  const { handle } = made();
  const message = call("server/discover");
  assert.deepEqual(await handle(message), {
    jsonrpc: "2.0",
    id: message.id,
    result: {
      resultType: "complete",
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {} },
      instructions: "Mind the gap.",
      ttlMs: 5000,
      cacheScope: "public",
      _meta: { [INFO]: { name: "made", version: "1.2.3" } },
    },
  });
});

Deno.test("server() demands both keys of _meta, and says which is missing", async () => {
  const { handle } = made();
  for (const method of ["server/discover", "tools/list", "tools/call", "no/such"]) {
    const cases: [Message, string[]][] = [
      [undefined, [VERSION, CAPABILITIES]],
      [{}, [VERSION, CAPABILITIES]],
      [{ [VERSION]: "2026-07-28" }, [CAPABILITIES]],
      [{ [CAPABILITIES]: {} }, [VERSION]],
    ];
    for (const [_meta, missing] of cases) {
      assert.deepEqual(await errorOf(handle(call(method, { _meta }))), {
        code: -32602,
        message: `Missing in params._meta: ${missing.join(", ")}`,
        data: { missing },
      });
    }
  }
});

Deno.test("server() refuses metadata of the wrong type", async () => {
  const { handle } = made();
  for (const wrong of [{ [VERSION]: 1 }, { [CAPABILITIES]: "all" }, { [CAPABILITIES]: [] }]) {
    const reply = await handle(call("tools/list", { _meta: { ...META, ...wrong } }));
    assert.equal(reply.error.code, -32602);
  }
});

Deno.test("server() answers another version with -32022 and the versions it has", async () => {
  for (
    const [dialect, supported] of [
      ["modern", ["2026-07-28"]],
      ["dual", ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]],
    ] as const
  ) {
    const { handle } = made({ dialect });
    const message = call("tools/list", { _meta: { ...META, [VERSION]: "2099-01-01" } });
    assert.deepEqual(await errorOf(handle(message)), {
      code: -32022,
      message: "Unsupported protocol version: 2099-01-01",
      data: { supported, requested: "2099-01-01" },
    });
  }
});

Deno.test("server() has no removed methods in the modern dialect, and names its version", async () => {
  const { handle } = made();
  for (const method of ["initialize", "ping", "logging/setLevel"]) {
    for (const message of [call(method), bare(method, { protocolVersion: "2025-11-25" })]) {
      const { code, data } = await errorOf(handle(message));
      assert.deepEqual([code, data], [-32601, { supported: ["2026-07-28"] }]);
    }
  }
});

Deno.test("server() pages tools/list with opaque cursors, the last page without one", async () => {
  const { handle } = made();
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const { result } = await handle(call("tools/list", cursor === undefined ? {} : { cursor }));
    assert.deepEqual([result.resultType, result.ttlMs, result.cacheScope], [
      "complete",
      5000,
      "public",
    ]);
    pages.push(result.tools.map(({ name }: Message) => name));
    cursor = result.nextCursor;
    assert.equal("nextCursor" in result, pages.length < 3);
  } while (cursor !== undefined);
  assert.deepEqual(pages, [["greet", "add"], ["wait", "throw"], ["change"]]);
});

Deno.test("server() accepts its cursors in another process, and refuses all others", async () => {
  const first = await made().handle(call("tools/list"));
  const { nextCursor: cursor } = first.result;
  const { handle } = made();
  assert.equal((await handle(call("tools/list", { cursor }))).result.tools[0].name, "wait");
  for (const wrong of ["bogus", "", "2", `${cursor}=`, 2, null]) {
    assert.equal((await errorOf(handle(call("tools/list", { cursor: wrong })))).code, -32602);
  }
});

Deno.test("server() answers a call with content and structuredContent", async () => {
  const { handle } = made();
  assert.deepEqual((await handle(call("tools/call", { name: "greet" }))).result, {
    resultType: "complete",
    content: [{ type: "text", text: "hello" }],
    structuredContent: { greeting: "hello" },
    _meta: { [INFO]: { name: "made", version: "1.2.3" } },
  });
});

Deno.test("server() refuses an unknown tool and malformed calls with -32602", async () => {
  const { handle } = made();
  const unknown = await errorOf(handle(call("tools/call", { name: "toString" })));
  assert.deepEqual(unknown, { code: -32602, message: "Unknown tool: toString" });
  for (
    const params of [
      {},
      { name: 1 },
      { name: "greet", arguments: [] },
      { name: "greet", arguments: null },
    ]
  ) {
    assert.equal((await errorOf(handle(call("tools/call", params)))).code, -32602);
  }
});

Deno.test("server() answers bad arguments and a throwing tool with isError", async () => {
  const { handle } = made();
  const bad = await handle(call("tools/call", { name: "add", arguments: { a: "1" } }));
  assert.equal(bad.result.isError, true);
  assert.equal(bad.result.content[0].text, 'Cannot call add: "a" must be a number, got "1"');
  const thrown = await handle(call("tools/call", { name: "throw" }));
  assert.equal(thrown.result.isError, true);
  assert.equal(thrown.result.content[0].text, "out of paper");
});

Deno.test("server() refuses what is not JSON-RPC with -32600", async () => {
  const { handle } = made();
  const malformed = [
    null,
    7,
    "text",
    [],
    [call("server/discover")],
    { id: 1, method: "server/discover" },
    { jsonrpc: "2.0", id: null, method: "server/discover" },
    { jsonrpc: "2.0", id: 1.5, method: "server/discover" },
    { jsonrpc: "2.0", id: 1, method: 4 },
  ];
  for (const message of malformed) {
    const reply = await handle(message);
    assert.deepEqual([reply.error.code, "id" in reply], [-32600, false]);
  }
  assert.equal((await errorOf(handle({ ...call("tools/list"), params: [] }))).code, -32602);
});

Deno.test("server() never answers notices and replies", async () => {
  const { handle } = made({ dialect: "dual" });
  assert.equal(await handle(notice("notifications/whatever")), undefined);
  assert.equal(await handle(cancel("unheard of")), undefined);
  assert.equal(await handle({ jsonrpc: "2.0", id: 0, result: {} }), undefined);
});

Deno.test("server() does not answer a cancelled call, and its id is free again", async () => {
  const { handle, running } = made();
  const message = call("tools/call", { name: "wait" });
  const reply = handle(message);
  const twin = await errorOf(handle({ ...call("tools/list"), id: message.id }));
  assert.deepEqual(twin, {
    code: -32600,
    message: "Invalid Request: a call with this id is still running",
  });
  await handle(cancel(String(message.id)));
  assert.equal(running[0]!.call.signal.aborted, false, "an id is a number or a string, not both");
  await handle(cancel(message.id));
  assert.equal(await reply, undefined);
  assert.equal(running[0]!.call.signal.aborted, true);
  assert.ok((await handle({ ...call("tools/list"), id: message.id })).result);
});

Deno.test("server() sends progress to who asked for it, until the call is over", async () => {
  const { handle, running } = made();
  const sent: Message[] = [];
  const out = (message: Message) => sent.push(message);
  const _meta = { ...META, progressToken: "p-1" };
  const asked = handle(call("tools/call", { name: "wait", _meta }), out);
  const unasked = handle(call("tools/call", { name: "wait" }), out);
  await Promise.resolve();
  for (const { call } of running) {
    call.progress(1, 4, "a quarter");
    call.progress(2);
  }
  for (const { answer } of running) answer();
  assert.equal((await asked).result.content[0].text, "at last");
  await unasked;
  running[0]!.call.progress(3);
  assert.deepEqual(sent, [
    notice("notifications/progress", {
      progressToken: "p-1",
      progress: 1,
      total: 4,
      message: "a quarter",
    }),
    notice("notifications/progress", { progressToken: "p-1", progress: 2 }),
  ]);
});

Deno.test("server() tells listeners of a changed list, under the id of their subscription", async () => {
  const { handle } = made({ listChanged: true });
  const sent: Message[] = [];
  const out = (message: Message) => sent.push(message);
  const listen = call("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const open = handle(listen, out);
  await handle(call("tools/call", { name: "change" }));
  const _meta = { "io.modelcontextprotocol/subscriptionId": listen.id };
  assert.deepEqual(sent, [
    notice("notifications/subscriptions/acknowledged", {
      _meta,
      notifications: { toolsListChanged: true },
    }),
    notice("notifications/tools/list_changed", { _meta }),
  ]);
  await handle(cancel(listen.id));
  assert.equal(await open, undefined);
  await handle(call("tools/call", { name: "change" }));
  assert.equal(sent.length, 2);
});

Deno.test("server() acknowledges only what it can honour", async () => {
  const { handle } = made();
  const sent: Message[] = [];
  const listen = call("subscriptions/listen", { notifications: { toolsListChanged: true } });
  const open = handle(listen, (message) => sent.push(message));
  await handle(call("tools/call", { name: "change" }));
  assert.deepEqual(sent.map(({ params }) => params.notifications), [{}]);
  await handle(cancel(listen.id));
  await open;
});

Deno.test("server() in the legacy dialect knows no discovery, as real servers put it", async () => {
  const { handle } = made({ dialect: "legacy" });
  const message = call("server/discover");
  assert.deepEqual(await handle(message), {
    jsonrpc: "2.0",
    id: message.id,
    error: { code: -32601, message: "Method not found" },
  });
});

Deno.test("server() in the legacy dialect wants to be introduced first", async () => {
  const { handle } = made({ dialect: "legacy" });
  const early = { code: -32602, message: "Received request before initialization was complete" };
  assert.deepEqual(await errorOf(handle(bare("tools/list"))), early);
  assert.deepEqual((await handle(bare("ping"))).result, {});
  const { result } = await handle(bare("initialize", { protocolVersion: "2025-11-25" }));
  assert.deepEqual(result, {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    instructions: "Mind the gap.",
    serverInfo: { name: "made", version: "1.2.3" },
  });
  assert.deepEqual(await errorOf(handle(bare("tools/list"))), early);
  await handle(notice("notifications/initialized"));
  const list = (await handle(bare("tools/list"))).result;
  assert.deepEqual(Object.keys(list), ["tools", "nextCursor"]);
  assert.deepEqual((await handle(bare("tools/call", { name: "greet" }))).result, {
    content: [{ type: "text", text: "hello" }],
    structuredContent: { greeting: "hello" },
  });
});

Deno.test("server() serves a stranger where the handshake is optional", async () => {
  const { handle } = made({ dialect: "legacy", handshake: "optional" });
  assert.equal((await handle(bare("tools/list"))).result.tools.length, 2);
});

Deno.test("server() agrees on the version asked for if it is known, else on its own", async () => {
  const cases: [string | undefined, string, string][] = [
    [undefined, "2025-11-25", "2025-11-25"],
    [undefined, "2024-11-05", "2024-11-05"],
    [undefined, "2026-07-28", "2025-11-25"],
    [undefined, "1999-01-01", "2025-11-25"],
    ["2025-03-26", "2025-11-25", "2025-03-26"],
    ["2025-03-26", "2024-11-05", "2024-11-05"],
    ["1999-01-01", "2025-11-25", "1999-01-01"],
  ];
  for (const [legacyVersion, asked, answered] of cases) {
    const options = legacyVersion ? { legacyVersion } : {};
    const { handle } = made({ dialect: "legacy", ...options });
    assert.equal((await greeted(handle, asked)).protocolVersion, answered);
  }
});

Deno.test("server() in the legacy dialect sends list_changed without being asked", async () => {
  const { handle } = made({ dialect: "legacy", listChanged: true });
  assert.deepEqual((await greeted(handle)).capabilities, { tools: { listChanged: true } });
  const sent: Message[] = [];
  await handle(bare("tools/call", { name: "change" }), (message) => sent.push(message));
  assert.deepEqual(sent, [{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
});

Deno.test("server() in the dual dialect serves both at once, each in its shape", async () => {
  const { handle } = made({ dialect: "dual" });
  assert.equal((await handle(call("server/discover"))).result.supportedVersions[0], "2026-07-28");
  assert.equal((await errorOf(handle(bare("server/discover")))).code, -32602);
  assert.equal((await greeted(handle)).protocolVersion, "2025-11-25");
  assert.equal((await handle(call("tools/list"))).result.resultType, "complete");
  assert.equal((await handle(bare("tools/list"))).result.resultType, undefined);
  assert.equal((await errorOf(handle(call("ping")))).code, -32601);
  assert.deepEqual((await handle(bare("ping"))).result, {});
});
