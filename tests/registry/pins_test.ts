/** A tool that is not what it was when it was pinned is nobody's to call. */
import assert from "node:assert/strict";
import type { ToolList } from "../../lib/client/listing.ts";
import { ProtocolError, TransportError } from "../../lib/protocol/errors.ts";
import { FrozenPins } from "../../lib/registry/failures.ts";
import { Gate } from "../../lib/registry/gate.ts";
import { Registry } from "../../lib/registry/registry.ts";
import { Server } from "../../lib/registry/server.ts";
import type { Memory, Pins } from "../../lib/registry/server_options.ts";
import { fullToolbox } from "../../lib/tools/full.ts";
import { LIMITS, OURS } from "../support/clients.ts";
import { FakeClock } from "../support/clock.ts";
import { Log, opener } from "../support/wire.ts";

const WHY = "changed since it was pinned";

/** Pins under which the tools named here have changed. */
function holding(...names: string[]): Pins & { names: string[] } {
  return {
    names,
    check: (list: ToolList) =>
      Promise.resolve({
        ...list,
        tools: list.tools.filter(({ name }) => !names.includes(name)),
        heldBack: [
          ...list.heldBack,
          ...names.map((tool) => ({ tool, why: WHY, changed: true as const })),
        ],
      }),
  };
}

function registryOf(pins: Pins, faults: string[] = [], memory?: Memory): Registry {
  return new Registry([{
    alias: "a",
    required: false,
    open: opener("memory", faults, { era: "legacy" }),
    limits: LIMITS,
    toolLimits: [],
    denies: () => undefined,
    pins,
    ...(memory && { memory }),
  }], { clock: new FakeClock(), client: OURS });
}

const text = (result: { content: readonly unknown[] }) =>
  (result.content[0] as { text: string }).text;

Deno.test("call() refuses a tool that has changed, by either of its names, and says why", async () => {
  await using registry = registryOf(holding("echo"));
  await registry.attachAll();
  assert(![...registry.table.entries.keys()].includes("mcp__a__echo"));
  for (const name of ["a.echo", "mcp__a__echo"]) {
    const result = await registry.call(name, {});
    assert(result.isError);
    assert.match(
      text(result),
      /Cannot call "a\.echo": .*changed since it was pinned.*Nothing was run/,
    );
    assert.equal((result.failure as TransportError).fault, "denied");
  }
  const other = await registry.call("a.nothing", {});
  assert(other.failure instanceof ProtocolError, "what is not there is not held back");
});

Deno.test("a tool that changes in mid-run stays in the model's table, and a call of it runs nothing", async () => {
  const pins = holding();
  await using registry = registryOf(pins, ["list-changed"]);
  await registry.attachAll();
  const toolbox = fullToolbox(registry);
  const before = JSON.stringify(toolbox.specs());
  const use = { id: "1", name: "mcp__a__echo", args: {} };
  assert.equal((await toolbox.run(use, {})).isError, false);
  pins.names.push("echo");
  await registry.call("a.grow", {});
  await toolbox.refresh();
  assert(JSON.stringify(toolbox.specs()).startsWith(before.slice(0, -1)));
  assert.equal(toolbox.target(use), undefined, "nobody is asked about it");
  const refused = await toolbox.run(use, { approved: "nothing" });
  assert(refused.isError && text(refused).includes(WHY), text(refused));
});

Deno.test("call() that starts the server anew runs nothing that has changed meanwhile", async () => {
  const pins = holding();
  await using registry = registryOf(pins);
  await registry.attachAll();
  await registry.detach("a");
  pins.names.push("echo");
  const result = await registry.call("a.echo", {});
  assert(result.isError && text(result).includes(WHY), text(result));
  assert.equal((await registry.call("a.pid", {})).isError, false);
});

Deno.test("call() runs nothing that has changed, also where the table is still the old one", async () => {
  const pins = holding();
  const log = new Log();
  const options = {
    alias: "a",
    required: false,
    open: opener("memory", ["list-changed"], { era: "legacy", log }),
    limits: LIMITS,
    toolLimits: [],
    denies: () => undefined,
    pins,
  };
  await using server = new Server(options, {
    clock: new FakeClock(),
    client: OURS,
    place: () => Promise.resolve(() => {}),
    onChange: () => {},
    hide: (text) => text,
    gate: new Gate(1),
    random: () => 0.5,
  });
  await server.attach();
  server.shown(); // Nobody knows it otherwise any more.
  await server.call("echo", {}, {});
  pins.names.push("echo");
  await server.call("grow", {}, {});
  await server.refresh();
  const calls = () => log.methods.filter((method) => method === "tools/call").length;
  const before = calls();
  await assert.rejects(server.call("echo", {}, {}), {
    name: "ProtocolError",
    message: /changed since/,
  });
  assert.equal(calls(), before);
});

Deno.test("recallAll() offers nothing that is not as it was pinned", async () => {
  const known = new Map<string, unknown>();
  const memory: Memory = {
    recall: () => Promise.resolve(known.get("a") as Awaited<ReturnType<Memory["recall"]>>),
    remember: (it) => Promise.resolve(void known.set("a", it)),
    blame: () => Promise.resolve(),
  };
  {
    await using first = registryOf(holding("echo"), [], memory);
    await first.attachAll();
  }
  const names = (registry: Registry) => [...registry.table.entries.keys()];
  await using held = registryOf(holding("echo"), [], memory);
  await held.recallAll();
  assert(!names(held).includes("mcp__a__echo") && names(held).includes("mcp__a__pid"));
  // What is remembered is all that was listed: it may be accepted by the next time.
  await using free = registryOf(holding(), [], memory);
  await free.recallAll();
  assert(names(free).includes("mcp__a__echo"));
});

Deno.test("pins that are frozen end it all, whoever attaches", async () => {
  const frozen: Pins = { check: () => Promise.reject(new FrozenPins("a has changed", "")) };
  await using registry = registryOf(frozen);
  await assert.rejects(registry.attachAll(), FrozenPins);
  await assert.rejects(registry.attach("a"), FrozenPins);
});
