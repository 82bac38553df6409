/** Forward mode: one tool of constant bytes, and whatever is sent through it is looked at inside. */
import assert from "node:assert/strict";
import { Dispatched } from "../../lib/agent/dispatched.ts";
import { act } from "../../lib/agent/act.ts";
import type { Approve } from "../../lib/agent/terms.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import { toJson } from "../../lib/kit/json.ts";
import type { ToolUse } from "../../lib/models/model.ts";
import { ProtocolError, TransportError } from "../../lib/protocol/errors.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import type { Params } from "../../lib/protocol/types.ts";
import { Registry } from "../../lib/registry/registry.ts";
import type { Known, ServerOptions } from "../../lib/registry/server_options.ts";
import { FORWARD_SPEC, forwardToolbox } from "../../lib/tools/forward.ts";
import { KeptResults } from "../../lib/tools/kept.ts";
import type { Toolbox } from "../../lib/tools/tool.ts";
import { realClock } from "../../lib/cli/world.ts";
import { notes } from "../../servers/notes.ts";
import { server, type Tool } from "../../servers/server.ts";
import { tickets } from "../../servers/tickets.ts";
import { LIMITS, OURS, registryOf } from "../support/clients.ts";
import { memoryDrop } from "../support/drop.ts";
import { use } from "../support/scripted.ts";
import { type Frame, inMemory, Log, opener } from "../support/wire.ts";

type Openers = Readonly<Record<string, Opener>>;

const missing: Opener = () => {
  throw new TransportError("spawn_not_found", 'no such command "nots"');
};
const text = (result: ToolResult) => result.content.map((part) => part.text).join("");
/** Runs a use as the loop does, once its target was approved. */
const approved = (box: Toolbox, one: ToolUse) =>
  box.run(one, { approved: box.target(one)?.ref ?? "nothing" });
const mcp = (box: Toolbox, args: Params) => approved(box, use("mcp", args));
const call = (box: Toolbox, name: string, args?: unknown) =>
  mcp(box, { action: "call", name, ...(args !== undefined && { args }) });
/** What reached a server, in the order in which it came. */
const reached = (log: Log): Frame[] =>
  log.sent.filter(({ method }) => method === "tools/call").map(({ params }) => params);

/** A registry that knows from an earlier run what `before` offered, and has started none of `after`. */
async function recalled(
  before: Openers,
  after: Openers = before,
  each: Partial<ServerOptions> = {},
): Promise<Registry> {
  const known = new Map<string, Known>();
  const build = (openers: Openers) => {
    const servers = Object.entries(openers).map(([alias, open]): ServerOptions => ({
      alias,
      required: false,
      open,
      limits: LIMITS,
      toolLimits: [],
      denies: () => undefined,
      memory: {
        recall: () => Promise.resolve(known.get(alias)),
        remember: (it) => Promise.resolve(void known.set(alias, it)),
        blame: () => Promise.resolve(),
      },
      ...each,
    }));
    return new Registry(servers, { clock: realClock, client: OURS });
  };
  const earlier = build(before);
  await earlier.attachAll();
  await earlier[Symbol.asyncDispose]();
  const registry = build(after);
  await registry.recallAll();
  return registry;
}

/** Both built-in servers, attached, and what is sent to each. */
async function attached() {
  const [toNotes, toTickets] = [new Log(), new Log()];
  const registry = registryOf({
    notes: () => inMemory(notes(), toNotes),
    tickets: () => inMemory(tickets(), toTickets),
  });
  await registry.attachAll();
  return { registry, box: forwardToolbox(registry), toNotes, toTickets };
}

/** A server with these tools; each says its arguments. */
function shop(tools: readonly { name: string; properties: Params; required?: string[] }[]) {
  const log = new Log();
  const open: Opener = () =>
    inMemory(
      server({
        name: "shop",
        version: "1",
        tools: tools.map(({ name, properties, required = [] }): Tool => ({
          name,
          description: `Does ${name}.`,
          inputSchema: { type: "object", properties, required },
          run: (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }),
        })),
      }),
      log,
    );
  return { log, open };
}

Deno.test("specs() is one tool of the same bytes whatever joins, dies or changes", async () => {
  await using none = registryOf({});
  const constant = toJson(forwardToolbox(none).specs());
  assert.deepEqual(JSON.parse(constant).length, 1);
  await using registry = registryOf({
    a: opener("stdio", ["list-changed", "die-on-call=echo"], { era: "legacy" }),
    dead: missing,
    notes: () => inMemory(notes()),
  });
  const box = forwardToolbox(registry);
  const steps: (() => Promise<unknown>)[] = [
    () => registry.attach("a"),
    () => call(box, "mcp__a__grow"),
    () => call(box, "mcp__a__echo"), // It dies.
    () => call(box, "mcp__a__grow"),
    () => registry.attach("notes"),
    () => registry.detach("a"),
    () => mcp(box, { action: "search", query: "dead" }),
  ];
  for (const step of steps) {
    await step();
    await box.refresh();
    assert.equal(toJson(box.specs()), constant);
  }
  // At four letters to a token, as every public rule of thumb has it.
  assert(constant.length / 4 <= 350, `${constant.length / 4} tokens`);
});

Deno.test("search shows signatures by public name, and never an empty dead end", async () => {
  const { registry, box } = await attached();
  await using _ = registry;
  const found = await mcp(box, { action: "search", query: "close a ticket" });
  assert.equal(found.isError, false);
  assert.match(text(found), /^mcp__tickets__close_ticket\(id\*: string\)/);
  assert.match(text(await mcp(box, { query: "note" })), /mcp__notes__/);
  const nothing = text(await mcp(box, { action: "search", query: "xyzzy" }));
  assert.match(nothing, /No tool matches "xyzzy".*\nnotes – .*\ntickets – /);
});

Deno.test("describe shows the whole schema of a tool, and the signatures of a server", async () => {
  const { registry, box, toNotes } = await attached();
  await using _ = registry;
  for (const name of ["mcp__notes__search", "notes.search"]) {
    const one = await mcp(box, { action: "describe", name });
    assert.equal(one.isError, false);
    assert.match(text(one), /^mcp__notes__search: Finds notes.*\nIts arguments: \{.*"maximum":20/);
  }
  const all = await mcp(box, { action: "describe", name: "notes" });
  assert.match(text(all), /The tools of "notes":\nmcp__notes__add_note\(title\*: string/);
  assert.deepEqual(reached(toNotes), []);
});

Deno.test("describe of a server that was never listed starts it: nothing else can tell", async () => {
  await using registry = registryOf({ notes: () => inMemory(notes()) });
  const box = forwardToolbox(registry);
  await box.refresh();
  const told = await mcp(box, { action: "describe", name: "notes" });
  assert.match(text(told), /mcp__notes__search\(query\*: string/);
});

Deno.test("call reaches the tool with its arguments, however they are written", async () => {
  const { registry, box, toNotes } = await attached();
  await using _ = registry;
  const name = "mcp__notes__search";
  const wanted = { query: "lisbon", limit: 1 };
  const ways: Params[] = [
    { action: "call", name, args: wanted },
    { action: "call", name: "notes.search", args: wanted },
    { action: "call", name, args: JSON.stringify(wanted) },
    { action: "call", name, arguments: wanted },
    { action: "call", name, args: { args: wanted } },
    { name, args: { arguments: wanted } },
  ];
  for (const way of ways) {
    const result = await mcp(box, way);
    assert.equal(result.isError, false, text(result));
    assert.match(text(result), /1 of 1 matching|1 of \d matching/);
  }
  for (const { name, arguments: args } of reached(toNotes)) {
    assert.deepEqual([name, args], ["search", wanted]);
  }
  assert.equal(reached(toNotes).length, ways.length);
});

Deno.test("call takes flat arguments, whatever they are called", async () => {
  const { log, open } = shop([
    { name: "list", properties: { query: { type: "string" }, limit: { type: "integer" } } },
    { name: "put", properties: { input: { type: "object" } } },
  ]);
  await using registry = registryOf({ shop: open });
  await registry.attachAll();
  const box = forwardToolbox(registry);
  await mcp(box, { action: "call", name: "shop.list", limit: 3 });
  assert.deepEqual(reached(log).at(-1)?.arguments, { limit: 3 });
  // Each is sent as it was meant, or refused with the schema; none is sent as something else.
  const cases: [string, Params][] = [
    ["shop.list", { query: "shoes" }],
    ["shop.list", { query: "shoes", limit: 3 }],
    ["shop.put", { input: { x: 1 } }],
  ];
  for (const [name, flat] of cases) {
    const before = reached(log).length;
    const result = await mcp(box, { action: "call", name, ...flat });
    const sent = reached(log).slice(before).map(({ arguments: args }) => args);
    if (result.isError) assert.deepEqual([sent, /Its arguments/.test(text(result))], [[], true]);
    else assert.deepEqual(sent, [flat], toJson(flat));
  }
});

Deno.test("call with what is no object quotes the schema, and sends nothing", async () => {
  const { registry, box, toTickets } = await attached();
  await using _ = registry;
  const name = "mcp__tickets__create_ticket";
  const bad: unknown[] = ["not json", "", "null", "[]", null, [], [{ title: "x" }], 7, true];
  for (const args of bad) {
    const result = await mcp(box, { action: "call", name, args });
    assert.equal(result.isError, true, toJson(args));
    assert.match(text(result), /"args" has to be an object\. Nothing was run\./, toJson(args));
    assert.match(text(result), /Its arguments: \{.*"title".*"due"/, toJson(args));
  }
  const both = { action: "call", name, args: { title: "x" }, due: "2026-12-04" };
  assert.match(text(await mcp(box, both)), /in "args" and beside it \(due\)\. Nothing was run/);
  assert.deepEqual(reached(toTickets), []);
});

Deno.test("call checks arguments before anything is sent, and shows the inner schema", async () => {
  const { registry, box, toTickets } = await attached();
  await using _ = registry;
  const name = "mcp__tickets__create_ticket";
  const bad: (Params | undefined)[] = [
    undefined, // Absent is {}, and {} lacks the title.
    {},
    { title: "x" },
    { title: "x", due: 7 },
    { title: "x", due: "2026-12-04", priority: "urgent" },
    { title: "x", due: "2026-12-04", prioriti: "high" },
    { args: { title: "x" } },
  ];
  for (const args of bad) {
    const result = await call(box, name, args);
    assert.equal(result.isError, true, toJson(args));
    assert.match(text(result), /^Cannot call mcp__tickets__create_ticket: .*Nothing was run/);
    assert.match(text(result), /Its arguments: \{.*"enum":\["low","normal","high"\]/);
  }
  assert.deepEqual(reached(toTickets), []);
  const right = await call(box, name, { title: "x", due: "2026-12-04" });
  assert.equal(right.isError, false);
});

Deno.test("call without a server that runs checks against what is remembered, and starts nothing", async () => {
  const { log, open } = shop([{ name: "buy", properties: { id: {} }, required: ["id"] }]);
  await using registry = await recalled({ shop: open });
  const before = log.sent.length;
  const box = forwardToolbox(registry);
  assert.match(text(await call(box, "shop.buy", {})), /Nothing was run/);
  assert.equal(log.sent.length, before);
  assert.equal((await call(box, "shop.buy", { id: 1 })).isError, false);
});

Deno.test("a tool that is called by its own name runs as if it had been forwarded", async () => {
  const { registry, box, toNotes } = await attached();
  await using _ = registry;
  const direct = use("mcp__notes__search", { query: "lisbon" });
  assert.deepEqual(box.target(direct)?.ref, { alias: "notes", tool: "search" });
  assert.match(text(await approved(box, direct)), /Q3 offsite/);
  assert.deepEqual(reached(toNotes).map(({ name }) => name), ["search"]);
});

Deno.test("names that nobody has run nothing, and get near names", async () => {
  const { registry, box, toNotes, toTickets } = await attached();
  await using _ = registry;
  const odd = [
    "mcp__notes__serch",
    "notes.serch",
    "search",
    "mcp__note__search",
    "mcp__notes__search ",
    "MCP__notes__search",
    "mcp",
    "toString",
    "__proto__",
    "notes.toString",
  ];
  for (const name of odd) {
    for (const one of [use("mcp", { action: "call", name, args: { query: "x" } }), use(name)]) {
      if (one.name === "mcp" && name === "mcp" && !one.args.name) continue;
      const result = await approved(box, one);
      assert.equal(result.isError, true, name);
      assert.match(text(result), /[Nn]othing was run/, name);
    }
    assert.equal((await mcp(box, { action: "describe", name })).isError, true, name);
  }
  assert.match(text(await call(box, "mcp__notes__serch")), /Near it: mcp__notes__search/);
  assert.deepEqual([reached(toNotes), reached(toTickets)], [[], []]);
});

Deno.test("a denied inner tool is neither found, nor described, nor run, whatever the way", async () => {
  const log = new Log();
  const denies = (tool: string) => tool === "close_ticket" ? "it is denied" : undefined;
  await using registry = registryOf({ tickets: () => inMemory(tickets(), log) }, {}, { denies });
  await registry.attachAll();
  const box = forwardToolbox(registry);
  const args = { id: "T-1" };
  const ways: ToolUse[] = [
    use("mcp", { action: "call", name: "mcp__tickets__close_ticket", args }),
    use("mcp", { action: "call", name: "tickets.close_ticket", args }),
    use("mcp", { name: "tickets.close_ticket", ...args }),
    use("mcp__tickets__close_ticket", args),
    use("mcp", { action: "describe", name: "tickets.close_ticket" }),
  ];
  for (const one of ways) {
    const result = await approved(box, one);
    assert.equal(result.isError, true, toJson(one.args));
    assert(result.failure instanceof TransportError && result.failure.fault === "denied");
    assert.match(text(result), /it is denied\. Nothing was run/);
  }
  for (const words of ["close_ticket", "closes a ticket for good"]) {
    assert.doesNotMatch(text(await mcp(box, { action: "search", query: words })), /close_ticket/);
  }
  assert.doesNotMatch(text(await mcp(box, { action: "describe", name: "tickets" })), /close_tick/);
  assert.deepEqual(reached(log), []);
});

Deno.test("target() is the inner tool with the inner arguments, in whichever way it is called", async () => {
  const { registry, box } = await attached();
  await using _ = registry;
  const args = { id: "T-1" };
  const name = "mcp__tickets__close_ticket";
  const ways: Params[] = [
    { action: "call", name, args },
    { action: "call", name: "tickets.close_ticket", args: JSON.stringify(args) },
    { action: "call", name, args: { args } },
    { name, ...args },
  ];
  for (const way of ways) {
    const target = box.target(use("mcp", way));
    assert.deepEqual(target?.ref, { alias: "tickets", tool: "close_ticket" }, toJson(way));
    assert.deepEqual(target?.args, args, toJson(way));
    assert.equal(target?.title, "Close a ticket");
    assert.equal(target?.annotations?.destructiveHint, true);
  }
  const none: Params[] = [
    { action: "search", query: name },
    { action: "describe", name },
    { action: "call", name: "mcp__tickets__close" },
    { action: "call" },
    {},
  ];
  for (const way of none) assert.equal(box.target(use("mcp", way)), undefined, toJson(way));
});

/** Runs uses as the loop does, with nobody allowed anything. */
async function refused(box: Toolbox, ...uses: ToolUse[]) {
  const asked: string[] = [];
  const approve: Approve = (_, { ref }) => {
    asked.push(`${ref.alias}.${ref.tool}`);
    return Promise.resolve({ ok: false, why: "nobody is allowed anything" });
  };
  const model = { name: "none", turn: () => assert.fail() };
  const options = { model, tools: box, approve, clock: realClock };
  const acting = act(uses, options, new Dispatched("run/1"));
  for (let step = await acting.next();; step = await acting.next()) {
    if (step.done) return { asked, results: step.value.map(({ result }) => result) };
  }
}

Deno.test("no call runs unapproved, also of a tool that is known only once its server has started", async () => {
  const flat = { title: "x", due: "2026-12-04" };
  for (const known of [true, false]) {
    const log = new Log();
    const open = { tickets: () => inMemory(tickets(), log) };
    await using registry = known ? await recalled(open) : registryOf(open);
    const box = forwardToolbox(registry);
    await box.refresh();
    const name = "mcp__tickets__create_ticket";
    const { results } = await refused(
      box,
      use("mcp", { action: "call", name, args: flat }),
      use("mcp", { action: "call", name: "tickets.create_ticket", args: flat }),
      use(name, flat),
    );
    assert.deepEqual(reached(log), [], known ? "known" : "never listed");
    assert.deepEqual(results.map(({ isError }) => isError), [true, true, true]);
  }
});

Deno.test("failures are errors: offline, unknown, denied, malformed, the tool's own no", async () => {
  await using registry = registryOf({
    dead: missing,
    a: opener("memory", ["call-error=-32603"]),
    notes: () => inMemory(notes()),
  });
  await registry.attachAll();
  const box = forwardToolbox(registry);
  const cases: [Promise<ToolResult>, RegExp][] = [
    [call(box, "mcp__dead__search", {}), /"dead" is offline.*no such command.*Nothing was run/],
    [call(box, "dead.search", {}), /"dead" is offline/],
    [mcp(box, { action: "describe", name: "mcp__dead__search" }), /"dead" is offline/],
    [mcp(box, { action: "describe", name: "nots" }), /No server is called "nots"/],
    [call(box, "mcp__a__echo", {}), /refused the call: .*\(-32603\)/],
    [call(box, "notes.read_note", { id: "n-99" }), /No note is with the id "n-99"/],
    [call(box, "notes.nothing", {}), /no tool has this name/],
    [mcp(box, { action: "explode" }), /Nothing was run: "action" has to be one of/],
    [mcp(box, {}), /Nothing was run/],
    [mcp(box, { action: "call" }), /Nothing was run: call needs a "name"/],
  ];
  for (const [calling, words] of cases) {
    const result = await calling;
    assert.equal(result.isError, true, String(words));
    assert.match(text(result), words);
  }
});

Deno.test("describe of a server that can't start is an error with the reason", async () => {
  await using registry = registryOf({ dead: missing });
  const box = forwardToolbox(registry);
  await box.refresh();
  const told = await mcp(box, { action: "describe", name: "dead" });
  assert.match(text(told), /no such command "nots"/);
  assert.equal(told.isError, true);
});

Deno.test("a tool whose schema has changed since it was remembered gets no blind call, but is shown", async () => {
  const old = shop([{ name: "buy", properties: { id: { type: "integer" } }, required: ["id"] }]);
  const now = shop([{ name: "buy", properties: { sku: { type: "string" } } }]);
  await using registry = await recalled({ shop: old.open }, { shop: now.open });
  const box = forwardToolbox(registry);
  const results = await Promise.all([1, 2, 3].map((id) => call(box, "mcp__shop__buy", { id })));
  for (const result of results) {
    assert(result.isError && result.failure instanceof ProtocolError);
    assert.match(text(result), /has another schema now\. Nothing was run\. .*\{.*"sku"/);
  }
  assert.deepEqual(reached(now.log), []);
  await box.refresh();
  assert.equal((await call(box, "mcp__shop__buy", { sku: "a" })).isError, false);
  assert.deepEqual(reached(now.log).map(({ arguments: args }) => args), [{ sku: "a" }]);
});

Deno.test("a tool that is gone since it was remembered is not there any more, and nothing is sent", async () => {
  const old = shop([{ name: "buy", properties: {} }, { name: "sell", properties: {} }]);
  const now = shop([{ name: "purchase", properties: {} }]);
  await using registry = await recalled({ shop: old.open }, { shop: now.open });
  const box = forwardToolbox(registry);
  const gone = await call(box, "mcp__shop__buy", {});
  assert.equal(gone.isError, true);
  assert.match(text(gone), /"shop\.buy" is not there any more\. Nothing was run/);
  await box.refresh();
  for (const name of ["shop.buy", "shop.sell"]) {
    assert.match(text(await call(box, name, {})), /no tool has this name\. Nothing was run/);
  }
  assert.match(text(await mcp(box, { query: "purchase" })), /mcp__shop__purchase/);
  assert.deepEqual(reached(now.log), []);
});

Deno.test("a tool that only reads its schema in another order is called at once", async () => {
  const schema = (properties: Params): Opener => shop([{ name: "buy", properties }]).open;
  await using registry = await recalled(
    { shop: schema({ a: { type: "string" }, b: {} }) },
    { shop: schema({ b: {}, a: { type: "string" } }) },
  );
  const result = await call(forwardToolbox(registry), "shop.buy", { a: "x" });
  assert.equal(result.isError, false);
});

Deno.test("FORWARD_SPEC names no server and no number", () => {
  assert.doesNotMatch(toJson(FORWARD_SPEC), /notes|tickets|\d/);
  assert.equal(FORWARD_SPEC.name, "mcp");
});

Deno.test("a call runs what was approved and nothing else", async () => {
  const { registry, box, toTickets } = await attached();
  await using _ = registry;
  const args = { id: "T-1" };
  const ways = [
    use("mcp", { action: "call", name: "tickets.close_ticket", args }),
    use("mcp__tickets__close_ticket", args),
  ];
  const others = [
    "nothing" as const,
    { alias: "tickets", tool: "search" },
    { alias: "notes", tool: "close_ticket" },
  ];
  for (const one of ways) {
    for (const approved of others) {
      const result = await box.run(one, { approved });
      assert.equal(result.isError, true);
      assert.match(text(result), /Nothing was run/);
    }
  }
  assert.deepEqual(reached(toTickets), []);
});

Deno.test("read_result reads what this run has kept through the one tool, however a model writes it", async () => {
  await using registry = registryOf({});
  const kept = new KeptResults(() => Promise.resolve(memoryDrop()));
  const box = forwardToolbox(registry, kept);
  await kept.keep("a.t", "first line\nsecond line");
  const action = "read_result";
  for (
    const one of [
      use("mcp", { action, name: "r1", offset: 11 }),
      use("mcp", { action, result: "r1", line: 2 }),
      use("read_result", { result: "r1", line: 2 }),
    ]
  ) {
    assert.equal(box.target(one), undefined);
    assert.equal(text(await box.run(one, { approved: "nothing" })), "second line");
  }
  const found = await box.run(use("mcp", { action, name: "r1", query: "SECOND" }), {});
  assert.match(text(found), /^offset 11, line 2: second line$/);
  const nameless = await box.run(use("mcp", { action }), {});
  assert.match(
    text(nameless),
    /read_result needs a "name", as the note beside the result shows it/,
  );
});
