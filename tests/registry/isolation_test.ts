/** Each server on a circuit of its own: however one fails, the others answer and the reason is the right one. @module */
import assert from "node:assert/strict";
import type { Opener } from "../../lib/client/handshake.ts";
import { ProtocolError, TransportError } from "../../lib/protocol/errors.ts";
import type { Registry } from "../../lib/registry/registry.ts";
import type { ToolResult } from "../../lib/protocol/tools.ts";
import { stdioTransport } from "../../lib/transport/stdio.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { notes } from "../../servers/notes.ts";
import { LIMITS, registryOf } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { shell } from "../support/wild.ts";
import { command, inMemory, Log, opener } from "../support/wire.ts";

const WINDOWS = Deno.build.os === "windows";
const healthy: Opener = () => inMemory(notes());
const text = (result: ToolResult) => result.content.map((part) => part.text).join("");

/** Lets the system have its say; no time passes on the clock. */
const breathe = () => new Promise((resolve) => setTimeout(resolve, 0));

/** For `await using`: ends the registry, whose servers may have to be made to leave. */
function leaving(registry: Registry, clock: FakeClock): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      const disposed = registry[Symbol.asyncDispose]();
      await settle();
      await clock.tick(1_000);
      await disposed;
    },
  };
}

Deno.test("attachAll() gives each way to be no server its own reason, and the good one its tools", {
  ignore: WINDOWS,
}, async () => {
  const clock = new FakeClock();
  const start = (name: string, ...args: string[]) => () => {
    // Not by way of a log: one of these has more to say than any log can hold.
    return stdioTransport({
      command: name,
      args,
      env: { PATH: Deno.env.get("PATH") ?? "" },
      clock,
    });
  };
  const sh = (script: string) => start("sh", "-c", script);
  const servers: Record<string, [Opener, string, RegExp]> = {
    "no-command": [start("/nonexistent"), "spawn_not_found", /no such command/],
    "a-folder": [start("/"), "spawn_denied", /can't be run/],
    "leaves-well": [sh("exit 0"), "exited", /exit code 0/],
    "leaves-badly": [sh("echo reading; echo no key >&2; exit 7"), "exited", /exit code 7/],
    "killed": [sh("kill -9 $$"), "exited", /signal SIGKILL/],
    "deaf-and-dumb": [sh("exec sleep 1000"), "handshake_timeout", /within 30s/],
    "chatterbox": [sh("exec yes ready"), "handshake_timeout", /within 30s/],
    "random": [sh("head -c 300000 /dev/urandom; exec sleep 1000"), "handshake_timeout", /30s/],
    "shut": [sh("exec sleep 1000 >&-"), "closed", /closed its output/],
    "no-list": [shell("exec sleep 1000", { clock }), "list_timeout", /within 30s/],
  };
  const openers = Object.fromEntries(
    Object.entries(servers).map(([alias, [open]]) => [alias, open]),
  );
  const registry = registryOf({ ...openers, notes: healthy }, { clock, atOnce: 99 });
  await using _ = leaving(registry, clock);
  const attached = registry.attachAll();
  const settled = ["online", "offline"];
  const waiting = () => registry.servers().filter(({ state }) => !settled.includes(state)).length;
  const last = async (count: number) => {
    while (waiting() > count) {
      await clock.tick(5); // The last words of a server have their own time.
      await breathe();
    }
  };
  await last(4);
  assert.equal((await registry.refresh()).entries.size, 3, "the good one does not wait for them");
  await clock.tick(LIMITS.handshakeMs);
  await last(0);
  await attached;
  const statuses = registry.servers();
  for (const [alias, [, code, message]] of Object.entries(servers)) {
    const { state, reason } = statuses.find((it) => it.alias === alias)!;
    assert.deepEqual([alias, state, reason?.code], [alias, "offline", code], reason?.message);
    assert.match(reason!.message, message);
    assert(reason!.message.startsWith(`Cannot attach "${alias}": `), reason!.message);
  }
  assert.deepEqual(statuses.find(({ alias }) => alias === "leaves-badly")?.reason?.tail, [
    "no key",
  ]);
  assert.equal((await registry.call("notes.search", { query: "Lisbon" })).isError, false);
});

Deno.test(
  "attachAll() gives up a server that sends back all that it is told, and does not play with it",
  {
    ignore: WINDOWS,
  },
  async () => {
    const clock = new FakeClock();
    const log = new Log();
    const registry = registryOf({ mirror: () => command("cat", [], { clock, log }) }, { clock });
    await using _ = leaving(registry, clock);
    const attached = registry.attachAll();
    await log.until("server/discover");
    await clock.tick(LIMITS.probeMs);
    await log.until("initialize");
    await breathe();
    await clock.tick(LIMITS.handshakeMs);
    await attached;
    const [{ state, reason } = assert.fail()] = registry.servers();
    assert.equal(state, "offline");
    assert(["refused", "handshake_timeout"].includes(reason!.code), reason!.code);
    assert(log.sent.length < 10, `${log.sent.length} messages were sent`);
  },
);

Deno.test("attachAll() reads past structured log lines on stdout, one with our id among them", {
  ignore: WINDOWS,
}, async () => {
  const log = (fields: string) => `echo '{"level":"info",${fields}}'`;
  const open = shell(
    `${log('"msg":"listing","id":2')}
read -r line
${log('"id":2,"jsonrpc":null')}
echo '{"id":2,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}'
read -r line`,
  );
  await using registry = registryOf({ a: open });
  await registry.attachAll();
  const [{ state, reason, tools } = assert.fail()] = registry.servers();
  assert.equal(state, "online", reason?.message);
  assert.deepEqual(tools.map(({ name }) => name), ["t"]);
});

Deno.test("attachAll() keeps a server with its hands full of notices, and its list", async () => {
  const open: Opener = () => {
    const handler = notes({ dialect: "legacy" });
    return inMemory((message, out) => {
      for (let n = 0; n < 500; n++) {
        out?.({ jsonrpc: "2.0", method: "notifications/message", params: { data: n } });
        out?.({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: [1] } });
        out?.({ jsonrpc: "2.0", method: "notifications/progress" });
      }
      return handler(message, out);
    });
  };
  await using registry = registryOf({ a: open, b: healthy });
  await registry.attachAll();
  assert.equal(registry.table.entries.size, 6);
});

Deno.test("attach() waits once for a server that is mute on discover, and never again", async () => {
  const clock = new FakeClock();
  const log = new Log();
  const lives: PromiseWithResolvers<TransportError>[] = [];
  const inner = opener("memory", ["mute-discover"], { log });
  const mortal: Opener = async () => {
    const life = Promise.withResolvers<TransportError>();
    lives.push(life);
    const transport = await inner();
    return {
      exchange: (call, options) => transport.exchange(call, options),
      notify: (notice) => transport.notify(notice),
      listen: (on) => transport.listen(on),
      tail: () => transport.tail(),
      closed: life.promise,
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    } satisfies Transport;
  };
  await using registry = registryOf({ a: mortal }, { clock });
  const attached = registry.attachAll();
  await log.until("server/discover");
  await clock.tick(LIMITS.probeMs);
  await attached;
  assert.equal(registry.servers()[0]?.dialect?.era, "legacy");
  lives[0]!.resolve(new TransportError("exited", "it ended with exit code 0"));
  await settle();
  const calling = registry.call("a.echo", {});
  await breathe();
  const greeted = log.methods.filter((method) => method === "initialize").length;
  await clock.tick(LIMITS.probeMs); // For whoever waits all the same.
  assert.equal((await calling).isError, false);
  assert.equal(lives.length, 2);
  assert.equal(greeted, 2, "it waited for an answer to the probe once more");
});

Deno.test("call() to a server that closed its input fails once, and the next one finds it again", {
  ignore: WINDOWS,
}, async () => {
  const clock = new FakeClock();
  let starts = 0;
  const list = (id: number) =>
    `echo '{"id":${id},"result":{"resultType":"complete","tools":[{"name":"t","inputSchema":{"type":"object"}}]}}'`;
  // Its input is closed before we can have anything to tell it.
  const first = shell(`read -r line\nexec <&-\n${list(2)}\nexec sleep 1000`, { clock });
  // Met once, it is asked for its era no more: the list comes first.
  const script = `read -r line\n${list(1)}\nread -r line\necho '{"id":2,"result":{}}'\nread -r x`;
  const later = () => command("sh", ["-c", script], { clock });
  const registry = registryOf({ a: () => starts++ === 0 ? first() : later() }, { clock });
  await using _ = leaving(registry, clock);
  await registry.attachAll();
  const ask = async () => {
    let result: ToolResult | undefined;
    registry.call("a.t", {}).then((it) => result = it);
    while (!result) {
      await clock.tick(10);
      await breathe();
    }
    return result;
  };
  const lost = await ask();
  assert(lost.failure instanceof TransportError && lost.failure.fault === "closed", text(lost));
  const found = await ask();
  assert.equal(found.isError, false, text(found));
  assert.equal(starts, 2);
});

Deno.test("call() whose answer is garbled or refused was sent once, and is not sent again", async () => {
  for (const fault of ["odd-result-type", "call-error=-32603", "call-error=-32000"]) {
    const log = new Log();
    await using registry = registryOf({ a: opener("memory", [fault], { log }) });
    await registry.attachAll();
    assert.equal((await registry.call("a.echo", {})).isError, true);
    assert.equal(log.methods.filter((method) => method === "tools/call").length, 1, fault);
  }
});

Deno.test("call() is an error for who is offline, unknown, denied, disabled, starting or gone, and none runs", async () => {
  const clock = new FakeClock();
  const log = new Log();
  const off: Opener = () => {
    throw new TransportError("disabled", "it is disabled in the configuration");
  };
  const registry = registryOf(
    {
      off,
      mute: opener("memory", ["mute"], { log }),
      flaky: opener("memory", ["bad-tools"], { log }),
    },
    { clock },
    { denies: (tool) => tool === "env" ? "it is denied (--deny)" : undefined },
  );
  await using _ = registry;
  const attached = registry.attachAll({ budgetMs: 1_000 });
  await log.until("tools/list");
  await settle();
  await clock.tick(1_000);
  await attached;
  const cases: [string, typeof TransportError | typeof ProtocolError, RegExp][] = [
    ["off.search", TransportError, /"off" is offline.*disabled/],
    ["mcp__off__search", TransportError, /"off" is offline.*disabled/],
    ["flaky.env", TransportError, /denied/],
    ["mcp__flaky__env", TransportError, /denied/],
    ["flaky.schema_null", ProtocolError, /held back/],
    ["flaky.nothing", ProtocolError, /no tool has this name/],
    ["mute.search", ProtocolError, /./],
    ["nobody.search", ProtocolError, /no tool has this name/],
    ["mcp__", ProtocolError, /no tool has this name/],
    [".", ProtocolError, /no tool has this name/],
    ["ECHO", ProtocolError, /no tool has this name/],
    ["flaky.Echo", ProtocolError, /no tool has this name/],
  ];
  for (const [name, failure, said] of cases) {
    const result = await registry.call(name, {});
    assert.equal(result.isError, true, name);
    assert(result.failure instanceof failure, `${name}: ${text(result)}`);
    assert.match(text(result), said, name);
    assert.match(text(result), /Nothing was run/, name);
  }
  assert(!log.methods.includes("tools/call"));
});

for (const wire of ["memory", "stdio"] as const) {
  Deno.test(`call() over ${wire} with arguments nested 100,000 deep is a result, and the server lives`, async () => {
    let deep: unknown = 0;
    for (let n = 0; n < 100_000; n++) deep = [deep];
    await using registry = registryOf({ a: opener(wire, []) });
    await registry.attachAll();
    const parts = ["not ", "flat"];
    const result = await registry.call("a.echo", { deep, joined: parts.join("") + parts[0] });
    assert.equal(typeof result.isError, "boolean");
    assert.equal((await registry.call("a.echo", { n: 1 })).isError, false);
  });
}
