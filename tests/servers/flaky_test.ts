/** The faults that other tests lean on: in memory where it shows there, else as a process. @module */
import assert from "node:assert/strict";
import { memoryBox } from "../../servers/faults/fault.ts";
import { ODD_NAMES } from "../../servers/faults/tools.ts";
import { FAULTS, flaky, type FlakyOptions } from "../../servers/flaky.ts";
import type { Message } from "../../servers/serve.ts";

const FLAKY = new URL("../../servers/flaky.ts", import.meta.url).pathname;
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const NAMES = `
  banner exit-at-start mute mute-discover die-on-discover discover-error unsupported unsupported-bare
  slow-start discover-then-legacy no-handshake-needed stdin-unread refuse-handshake init-version
  crlf blank-lines noise batch-lines drip invalid-utf8 string-ids unknown-ids duplicate-replies
  wrong-ids null-ids no-object nan torn slow-drip half-frame-then-exit huge-line
  garbage end-flood stderr-flood stdout-flood chatter notices
  pages endless-pages same-cursor empty-cursor empty-page cursor-expires null-cursor bad-tools odd-names
  stale-cursor odd-cursor hints schema-bombs many-tools huge-tool tools-are
  list-error list-hang list-late list-storm list-changed list-same
  turncoat
  no-result-type odd-result-type structured-only structured-mismatch odd-content redos-schema
  no-content deep-result escapes huge-image forged-notes
  hang die-on-call endless-progress server-ping call-error late amnesia
  die-on die-after signal-on signal-at-start exit-at-end lingers slow-end
  deaf grandchild deaf-grandchild close-stdout
  leak leak-at-start`.trim().split(/\s+/);

let lastId = 0;
const call = (method: string, params: Message = {}) => ({
  jsonrpc: "2.0",
  id: ++lastId,
  method,
  params: { _meta: META, ...params },
});
const use = (name: string, args?: Message) => call("tools/call", { name, arguments: args });
const bare = (method: string, params: Message = {}) => ({
  jsonrpc: "2.0",
  id: ++lastId,
  method,
  params,
});

/** A client of a flaky server in memory; what it sends of its own accord is in `sent`. */
function client(faults: string[], options: FlakyOptions = {}) {
  const sent: Message[] = [];
  const handle = flaky(faults, options);
  const send = (message: Message) => handle(message, (message) => sent.push(message));
  const greet = async () => {
    const { result } = await send(bare("initialize", { protocolVersion: "2025-11-25" }));
    await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return result;
  };
  return { sent, send, greet };
}

/** The pages of tools/list, `most` at the most, as tool names. */
async function pages(faults: string[], most = 5): Promise<{ names: unknown[][]; end: Message }> {
  const { send } = client(faults);
  const names: unknown[][] = [];
  let cursor: string | undefined;
  for (;;) {
    const reply = await send(call("tools/list", cursor === undefined ? {} : { cursor }));
    if (reply.error) return { names, end: reply.error.code };
    names.push(reply.result.tools.map((tool: Message) => tool?.name));
    cursor = reply.result.nextCursor;
    if (typeof cursor !== "string" || names.length === most) return { names, end: cursor };
  }
}

const HEALTHY = ["echo", "slow", "env", "received", "fail", "pid"];

/** Runs the program over these messages and closes its stdin. */
async function run(args: string[], messages: Message[] = []) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", FLAKY, ...args],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const lines = messages.map((message) => JSON.stringify(message) + "\n").join("");
  // The program may be gone before it has read.
  await writer.write(new TextEncoder().encode(lines)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout, out: out!, err: err! };
}

Deno.test("FAULTS holds every fault by name, each with a line about it", () => {
  assert.deepEqual([...FAULTS.keys()].toSorted(), NAMES.toSorted());
  for (const { about } of FAULTS.values()) assert.match(about, /^[a-z].{10,}[^.]$/);
});

Deno.test("flaky() without a fault is a healthy server in all dialects", async () => {
  const modern = client([]);
  assert.ok((await modern.send(call("server/discover"))).result);
  const { tools } = (await modern.send(call("tools/list"))).result;
  assert.deepEqual(tools.map(({ name }: Message) => name), HEALTHY);
  for (const dialect of ["legacy", "dual"] as const) {
    const { send, greet } = client([], { dialect });
    assert.equal((await greet()).protocolVersion, "2025-11-25");
    assert.equal((await send(bare("tools/call", { name: "fail" }))).result.isError, true);
  }
});

Deno.test("flaky() echoes arguments, even odd ones", async () => {
  const args = JSON.parse('{"__proto__":{"a":1},"constructor":"ü"}');
  const { result } = await client([]).send(use("echo", args));
  assert.deepEqual(result.structuredContent, args);
  assert.equal(result.content[0].text, '{"__proto__":{"a":1},"constructor":"ü"}');
});

Deno.test("flaky() returns what it has received, that very call included", async () => {
  const { send } = client(["call-error=-32603"]);
  const seen = [use("echo"), { jsonrpc: "2.0", method: "notifications/x" }, use("received")];
  const replies = [];
  for (const message of seen) replies.push(await send(message));
  assert.equal(replies[0].error.code, -32603);
  assert.deepEqual(
    JSON.parse(replies[2].result.content[0].text),
    JSON.parse(JSON.stringify(seen)),
  );
});

Deno.test("flaky() refuses faults it does not know and arguments that make no sense", () => {
  const cases: [string, RegExp][] = [
    ["nope", /^Cannot be "nope": no such fault/],
    ["toString", /no such fault/],
    ["", /no such fault/],
    ["pages", /^Cannot be "pages": expected pages=N$/],
    ["pages=many", /^Cannot be "pages=many": "many" is not a whole number$/],
    ["mute=yes", /^Cannot be "mute=yes": mute takes no argument$/],
    ["grandchild=loud", /"loud" is not "quiet"/],
  ];
  for (const [fault, message] of cases) assert.throws(() => flaky([fault]), { message });
});

Deno.test("flaky() combines faults", async () => {
  const { send } = client(["no-result-type", "structured-only", "string-ids"]);
  const message = use("echo", { a: 1 });
  const { id, result } = await send(message);
  assert.equal(id, String(message.id));
  assert.deepEqual([result.resultType, result.content, result.structuredContent], [
    undefined,
    [],
    { a: 1 },
  ]);
});

Deno.test("flaky() chooses its dialect by its faults, unless it is told one", async () => {
  const legacy = client(["mute-discover"]);
  assert.equal(await legacy.send(call("server/discover")), undefined);
  assert.ok(await legacy.greet());
  const told = client(["mute-discover"], { dialect: "modern" });
  assert.equal((await told.send(call("tools/list"))).result.resultType, "complete");
});

Deno.test("discover-error is legacy for most codes, and modern for the modern ones", async () => {
  for (const [code, modern] of [[-32601, false], [-32000, false], [-32020, true], [-32021, true]]) {
    const { send } = client([`discover-error=${code}`]);
    assert.equal((await send(call("server/discover"))).error.code, code);
    assert.equal("result" in await send(bare("initialize")), !modern);
  }
});

Deno.test("unsupported refuses once and then serves what it named", async () => {
  const retry = client(["unsupported=2026-07-28"]);
  const { code, data } = (await retry.send(call("server/discover"))).error;
  assert.deepEqual([code, data.supported], [-32022, ["2026-07-28"]]);
  assert.ok((await retry.send(call("server/discover"))).result);
  const old = client(["unsupported=2025-11-25"]);
  assert.equal((await old.send(call("tools/list"))).error.code, -32022);
  assert.ok(await old.greet());
  const none = client(["unsupported=2099-01-01"]);
  assert.equal((await none.send(call("tools/list"))).error.code, -32022);
  assert.equal((await none.send(bare("initialize"))).error.code, -32601);
  const nothing = await client(["unsupported-bare"]).send(call("server/discover"));
  assert.deepEqual([nothing.error.code, nothing.error.data], [-32022, undefined]);
});

Deno.test("discover-then-legacy forgets the modern dialect at initialize", async () => {
  const { send, greet } = client(["discover-then-legacy"]);
  assert.equal((await send(call("tools/list"))).result.resultType, "complete");
  await greet();
  assert.equal((await send(call("tools/list"))).result.resultType, undefined);
  assert.equal((await send(call("server/discover"))).error.code, -32601);
});

Deno.test("no-handshake-needed serves tools to a stranger", async () => {
  const { send } = client(["no-handshake-needed"]);
  assert.equal((await send(call("tools/list"))).result.resultType, undefined);
  assert.equal((await send(call("server/discover"))).error.code, -32601);
});

Deno.test("the faults of pages have the pages they say", async () => {
  assert.deepEqual(await pages(["pages=3"]), {
    names: [["tool_1"], ["tool_2"], ["tool_3"]],
    end: undefined,
  });
  assert.deepEqual(await pages(["endless-pages"], 3), {
    names: [HEALTHY, ["tool_2"], ["tool_3"]],
    end: "4",
  });
  assert.deepEqual(await pages(["same-cursor"], 3), {
    names: [HEALTHY, ["tool_2"], ["tool_2"]],
    end: "same",
  });
  assert.deepEqual(await pages(["empty-cursor"]), { names: [HEALTHY, ["tool_2"]], end: undefined });
  assert.deepEqual(await pages(["empty-page"]), {
    names: [HEALTHY, [], ["tool_3"]],
    end: undefined,
  });
  assert.deepEqual(await pages(["null-cursor"]), { names: [HEALTHY], end: null });
  assert.deepEqual(await pages(["list-error=-32603"]), { names: [], end: -32603 });
});

Deno.test("stale-cursor refuses what it gave out, odd-cursor gives out a number", async () => {
  assert.deepEqual(await pages(["stale-cursor"]), { names: [HEALTHY], end: -32602 });
  assert.deepEqual(await pages(["odd-cursor"]), { names: [HEALTHY], end: 42 });
});

Deno.test("cursor-expires rejects the cursor of page 3 once", async () => {
  const { send } = client(["cursor-expires"]);
  assert.equal((await send(call("tools/list", { cursor: "3" }))).error.code, -32602);
  assert.equal((await send(call("tools/list", { cursor: "3" }))).result.tools[0].name, "tool_3");
});

Deno.test("the tools of the faults of lists can be called", async () => {
  for (const [fault, name] of [["pages=2", "tool_2"], ["bad-tools", "schema_null"]] as const) {
    const { result } = await client([fault]).send(use(name, { a: 1 }));
    assert.deepEqual(result.structuredContent, { a: 1 });
  }
  const { send } = client(["odd-names"]);
  for (const name of ODD_NAMES) {
    const { result } = await send(use(name, { a: 1 }));
    assert.deepEqual(result.structuredContent, { tool: name, arguments: { a: 1 } });
  }
});

Deno.test("bad-tools has nine bad entries between two good ones", async () => {
  const { names: [names] } = await pages(["bad-tools"]);
  assert.deepEqual(names!.slice(HEALTHY.length), [
    "good_first",
    "schema_null",
    "schema_missing",
    "schema_string",
    "properties_array",
    "required_null",
    "",
    undefined,
    undefined,
    "twin",
    "twin",
    "good_last",
  ]);
});

Deno.test("the faults of tools list as much, and as deep, as they are asked to", async () => {
  const listed = async (fault: string) =>
    (await client([fault]).send(call("tools/list"))).result.tools;
  assert.equal((await listed("many-tools=1000")).at(-1).name, "many_1000");
  assert.equal((await listed("huge-tool=100000")).at(-1).description.length, 100_000);
  assert.equal(await listed("tools-are=null"), null);
  assert.deepEqual(await listed('tools-are=[{"name":1}]'), [{ name: 1 }]);
  assert.throws(() => flaky(["tools-are=[1"]), { message: /^Cannot be "tools-are=\[1"/ });
  const bombs = (await listed("schema-bombs")).slice(HEALTHY.length);
  assert.equal(bombs.length, 7);
  for (const { name, inputSchema } of bombs) assert.equal(inputSchema.type, "object", name);
  let depth = 0;
  for (let at = bombs[0].inputSchema; at; at = at.properties?.a) depth++;
  assert(depth >= 2_000);
});

Deno.test("amnesia forgets its tools once they are listed", async () => {
  const { send } = client(["amnesia"]);
  assert.ok((await send(use("echo"))).result);
  assert.equal((await send(call("tools/list"))).result.tools.length, HEALTHY.length);
  assert.equal((await send(use("echo"))).error.code, -32602);
  assert.deepEqual((await send(call("tools/list"))).result.tools, []);
});

Deno.test("refuse-handshake and init-version spoil the beginning, and nothing else", async () => {
  const refusing = client(["refuse-handshake=-32603"]);
  for (const method of ["server/discover", "initialize"]) {
    assert.equal((await refusing.send(call(method))).error.code, -32603);
  }
  assert.ok((await refusing.send(use("echo"))).result);
  const future = client(["init-version=2099-01-01"]);
  assert.equal((await future.greet()).protocolVersion, "2099-01-01");
});

Deno.test("the faults of ids and of results keep to the method that they are given", async () => {
  const cases: [string, (reply: Message, id: number) => unknown][] = [
    ["wrong-ids", ({ id }, asked) => id === asked + 1000],
    ["null-ids", ({ id }) => id === null],
    ["no-object", ({ result }) => typeof result === "string"],
  ];
  for (const [fault, isSpoilt] of cases) {
    for (const method of ["tools/list", "tools/call"]) {
      const { send } = client([`${fault}=${method}`]);
      for (const message of [call("tools/list"), use("echo"), call("server/discover")]) {
        const reply = await send(message);
        assert.equal(isSpoilt(reply, message.id), message.method === method, `${fault} ${method}`);
      }
      const witness = use("pid");
      assert(!isSpoilt(await send(witness), witness.id), fault);
    }
  }
  const all = client(["wrong-ids"]);
  const discover = call("server/discover");
  assert.equal((await all.send(discover)).id, discover.id + 1000);
});

Deno.test("no-content answers with nothing, escapes steers with all that is read", async () => {
  const { result } = await client(["no-content"]).send(use("echo"));
  assert.deepEqual(result, { resultType: "complete" });
  const { send } = client(["escapes", "call-error=-32603"]);
  const { tools } = (await send(call("tools/list"))).result;
  for (const { name, description } of tools) {
    assert.match(name, /^\w+$/);
    assert(description.startsWith("\x1b[2J"), name);
  }
  assert((await send(use("echo"))).error.message.startsWith("\x1b[2J"));
});

Deno.test("notices are sent before the answer, as many as they are asked to be", async () => {
  const { sent, send } = client(["notices=100"]);
  assert.ok((await send(use("echo"))).result);
  assert.equal(sent.filter(({ method }) => method === "notifications/message").length, 100);
  await send(use("pid"));
  assert.equal(sent.length, 100);
});

Deno.test("late and list-late take their time", async () => {
  const { send } = client(["late=30", "list-late=10"]);
  const ended: string[] = [];
  const note = async (message: Message) => {
    await send(message);
    ended.push(message.params.name ?? message.method);
  };
  await Promise.all([use("echo"), call("tools/list"), use("pid")].map(note));
  assert.deepEqual(ended, ["pid", "tools/list", "echo"]);
});

Deno.test("list-changed grows a tool and says so, list-same only says so", async () => {
  const grown = client(["list-changed"], { dialect: "legacy" });
  assert.deepEqual((await grown.greet()).capabilities, { tools: { listChanged: true } });
  await grown.send(bare("tools/call", { name: "grow" }));
  const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  assert.deepEqual(grown.sent, [notice]);
  const { tools } = (await grown.send(bare("tools/list"))).result;
  assert.equal(tools.at(-1).name, "grown_1");
  const same = client(["list-same"], { dialect: "legacy" });
  await same.greet();
  await same.send(bare("tools/call", { name: "stir" }));
  assert.deepEqual(same.sent, [notice, notice]);
});

Deno.test("turncoat is what it is told to be, and says that it has turned", async () => {
  const box = { ...memoryBox(), env: () => ({ TURNCOAT: '{"description":"Other."}' }) };
  const { sent, send, greet } = client(["turncoat"], { dialect: "legacy", box });
  await greet();
  const first = async () => (await send(bare("tools/list"))).result.tools[0];
  assert.deepEqual([(await first()).name, (await first()).description], ["echo", "Other."]);
  await send(bare("tools/call", { name: "turn", arguments: { name: "parrot" } }));
  assert.deepEqual([(await first()).name, (await first()).description], ["parrot", "Other."]);
  assert.deepEqual(sent, [{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }]);
});

Deno.test("server-ping asks the client twice, and in the legacy dialect waits for the answers", async () => {
  const { sent, send, greet } = client(["server-ping"], { dialect: "legacy" });
  await greet();
  const reply = send(bare("tools/call", { name: "echo" }));
  await Promise.resolve();
  assert.deepEqual(sent.map(({ id, method }) => [id, method]), [[0, "ping"], ["r1", "roots/list"]]);
  await send({ jsonrpc: "2.0", id: 0, result: {} });
  await send({ jsonrpc: "2.0", id: "r1", error: { code: -32601, message: "no" } });
  assert.ok((await reply).result);
  const modern = client(["server-ping"]);
  assert.ok((await modern.send(use("echo"))).result);
  assert.equal(modern.sent.length, 2);
});

Deno.test("endless-progress and hang go on until they are cancelled", async () => {
  const { sent, send } = client(["endless-progress=1", "hang"]);
  const endless = { ...use("endless"), id: "e" };
  endless.params._meta = { ...META, progressToken: 7 } as typeof META;
  const replies = [send(endless), send({ ...use("hang"), id: "h" })];
  while (sent.length < 3) await new Promise((resolve) => setTimeout(resolve, 0));
  for (const requestId of ["e", "h"]) {
    await send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  }
  assert.deepEqual(await Promise.all(replies), [undefined, undefined]);
  assert.deepEqual(sent.map(({ params }) => params.progress).slice(0, 3), [1, 2, 3]);
});

Deno.test("slow answers at the end of its time, with progress on the way", async () => {
  const { sent, send } = client([]);
  const message = use("slow", { ms: 4, every: 1 });
  const reply = await send({
    ...message,
    params: { ...message.params, _meta: { ...META, progressToken: "s" } },
  });
  assert.equal(reply.result.content[0].text, "Slept 4 ms.");
  assert.deepEqual(sent.map(({ params }) => params.progress), [1, 2, 3, 4]);
});

Deno.test("a fault that ends the process rejects in memory", async () => {
  await assert.rejects(client(["die-on-call"]).send(use("echo")), { message: /no process/ });
});

Deno.test("flaky.ts --list prints every fault with its argument", async () => {
  const { code, out } = await run(["--list"]);
  const listed = out.trimEnd().split("\n").map((line) => line.split(" ")[0]!);
  assert.equal(code, 0);
  assert.deepEqual(listed.map((usage) => usage.replace(/\[?=.*/, "")), [...FAULTS.keys()]);
  assert.ok(listed.includes("pages=N") && listed.includes("die-on-call[=TOOL]"));
});

Deno.test("flaky.ts exits with 2 over a fault it does not know", async () => {
  assert.deepEqual(
    (({ code, err }) => [code, err])(await run(["nope"])),
    [2, 'Cannot be "nope": no such fault, see --list\n'],
  );
});

Deno.test("flaky.ts serves on stdio and returns at the end of it", async () => {
  const { code, out, err } = await run([], [call("server/discover"), use("echo", { a: "ü" })]);
  const replies = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(replies[0].result.resultType, "complete");
  assert.deepEqual(replies[1].result.structuredContent, { a: "ü" });
  assert.deepEqual([code, err], [0, ""]);
});

Deno.test("flaky.ts frames as badly as it is asked to", async () => {
  const faults = ["banner", "crlf", "blank-lines", "noise", "invalid-utf8", "batch-lines", "drip"];
  const messages = [call("server/discover"), call("tools/list")];
  const { stdout, out } = await run(faults, messages);
  assert.ok(out.startsWith('Flaky server, version 1.0\nReady.\n"listening"\n42\n[]\n'));
  assert.ok(stdout.includes(0xff), "bytes that are not UTF-8");
  const lines = out.split("\r\n").filter((line) => line.startsWith('{"jsonrpc"'));
  assert.deepEqual(lines.map((line) => JSON.parse(line).id), messages.map(({ id }) => id));
});

Deno.test("flaky.ts dies as it is asked to, with last words on stderr", async () => {
  const start = await run(["exit-at-start=7"]);
  assert.deepEqual([start.code, start.out, start.err.trimEnd().split("\n").length], [7, "", 3]);
  const discover = await run(["die-on-discover"], [call("server/discover")]);
  assert.deepEqual([discover.code, discover.out], [1, ""]);
  const death = await run(["die-on-call=echo"], [use("echo")]);
  assert.deepEqual([death.code, death.out], [3, ""]);
  assert.match(death.err, /^flaky: echo began\n/);
  const half = await run(["half-frame-then-exit"], [use("echo")]);
  assert.deepEqual([half.code, half.out.at(-1)], [1, "y"]);
  assert.throws(() => JSON.parse(half.out));
  const list = call("tools/list");
  const on = await run(["die-on=tools/list"], [list]);
  assert.deepEqual([on.code, on.out, on.err], [3, "", ""]);
  const after = await run(["die-after=tools/list"], [list, use("echo")]);
  assert.deepEqual([after.code, JSON.parse(after.out).id], [0, list.id]);
  const end = await run(["exit-at-end=9"], [list]);
  assert.deepEqual([end.code, JSON.parse(end.out).id], [9, list.id]);
});

Deno.test({
  name: "flaky.ts is killed when it is asked to be",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const fault of ["signal-at-start=SIGKILL", "signal-on=tools/list"]) {
      const { code, out } = await run([fault], [call("tools/list")]);
      assert.deepEqual([code, out], [128 + 9, ""], fault);
    }
  },
});

Deno.test("flaky.ts writes what is no JSON, breaks its lines, drips, as it is asked to", async () => {
  assert.match((await run(["nan"], [use("echo")])).out, /"number":NaN/);
  const deep = await run(["deep-result=1000"], [use("deep")]);
  assert(deep.out.includes("[".repeat(1_000)));
  assert.equal((await run(["torn"], [use("echo")])).out.trimEnd().split("\n").length, 2);
  const drip = await run(["slow-drip=0"], [use("echo", { a: 1 })]);
  assert.deepEqual(JSON.parse(drip.out).result.structuredContent, { a: 1 });
});

Deno.test("flaky.ts goes on talking for as long as it is asked to", async () => {
  const cases: [string, string, number][] = [
    ["garbage=lines", "", 1_000_000],
    ["garbage=bytes", "", 1_000_000],
    ["garbage=one-line", "", 1_000_000],
    ["chatter=tools/list", "notifications/message", 1_000],
    ["list-storm", "notifications/tools/list_changed", 1_000],
  ];
  for (const [fault, said, least] of cases) {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", FLAKY, fault],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(call("tools/list")) + "\n"));
    let heard = "";
    for await (const chunk of child.stdout) {
      heard += new TextDecoder().decode(chunk);
      if (heard.length > least && heard.includes(said)) break; // Nobody reads any more: it ends.
    }
    await writer.close().catch(() => {});
    await child.status;
  }
});

Deno.test("flaky.ts writes as much to stderr and on one line as it is asked to", async () => {
  const noise = await run(["stdout-flood=100000"], [use("echo")]);
  assert(noise.out.length > 200_000);
  const { out, err } = await run(["huge-line=3000000", "stderr-flood=300000"], [use("huge")]);
  assert.equal(err.length, 600_000);
  assert.equal(JSON.parse(out).result.content[0].text.length, 3_000_000);
});

Deno.test({
  name: "flaky.ts closes its stdout and lives",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", FLAKY, "close-stdout"],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    assert.deepEqual(await Array.fromAsync(child.stdout), []);
    await child.stdin.close(); // Which it still hears.
    assert.equal((await child.status).code, 0);
  },
});

Deno.test({
  name: "flaky.ts is deaf to all but SIGKILL, and its grandchild goes with the group",
  ignore: Deno.build.os === "windows",
  async fn() {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-config", FLAKY, "deaf", "deaf-grandchild=quiet"],
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
      detached: true, // A process group of its own.
    }).spawn();
    const writer = child.stdin.getWriter();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const ask = async () => {
      await writer.write(new TextEncoder().encode(JSON.stringify(use("pid")) + "\n"));
      return JSON.parse((await reader.read()).value!).result.structuredContent;
    };
    const { pid, children: [grandchild] } = await ask();
    assert.equal(pid, child.pid);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) Deno.kill(pid, signal);
    assert.deepEqual(await ask(), { pid, children: [grandchild] });
    await writer.close();
    Deno.kill(-pid, "SIGKILL");
    assert.equal((await child.status).signal, "SIGKILL");
    await reader.cancel();
  },
});
