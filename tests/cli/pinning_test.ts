/** Pins at work: kept between runs, told once, without a secret, and never silently given up. */
import assert from "node:assert/strict";
import { PinFiles } from "../../lib/cli/pin_files.ts";
import { PinDesk, type PinNews } from "../../lib/cli/pinning.ts";
import { realClock, type World } from "../../lib/cli/world.ts";
import { openState } from "../../lib/cli/disk.ts";
import type { ToolList } from "../../lib/client/listing.ts";
import type { Reach } from "../../lib/config/config.ts";
import { Secrets } from "../../lib/kit/secrets.ts";
import type { ToolInfo } from "../../lib/protocol/types.ts";
import { toolHash } from "../../lib/registry/catalog/tool_hash.ts";
import { FrozenPins } from "../../lib/registry/failures.ts";
import { accept, type Pinned } from "../../lib/registry/pins.ts";
import { pinKey } from "../../lib/registry/pins/identity.ts";
import { merge, NOTHING } from "../../lib/registry/pins/record.ts";
import { Texts } from "../../lib/registry/pins/texts.ts";
import { Disk } from "../support/disk.ts";

const SECRET = "s3cr3t-t0ken-abcdef";
const REACH: Reach = {
  kind: "stdio",
  command: "server",
  args: [],
  env: { API_TOKEN: "${API_TOKEN}" },
  inheritEnv: false,
};

const info = (name: string, description = `Does ${name}.`): ToolInfo => ({
  name,
  description,
  inputSchema: { type: "object", properties: { [name]: {} } },
});
const listOf = (...tools: ToolInfo[]): ToolList => ({
  tools,
  heldBack: [{ tool: "odd", why: "has no inputSchema" }],
  problems: [],
  pages: [],
  typed: true,
});

/** A machine on which runs follow each other. */
class Machine {
  readonly disk = Object.assign(new Disk(), { secret: "s" });
  openState: World["openState"] = () => Promise.resolve(this.disk);
  news: PinNews[] = [];
  readonly breaches: Error[] = [];

  run(frozen = false, token = SECRET) {
    const world: Partial<World> = {
      clock: realClock,
      folder: "/home/me",
      secrets: new Secrets(),
      openState: this.openState,
    };
    const desk = new PinDesk({
      frozen,
      world: world as World,
      tell: (news) => this.news.push(news),
      onBreach: (error) => this.breaches.push(error),
    });
    const server = (alias: string) =>
      desk.pinsOf({
        alias,
        reach: REACH,
        resolved: () => ({ ...REACH, env: { API_TOKEN: token } }),
        denies: () => false,
      });
    return { desk, server };
  }

  async list(alias: string, ...tools: ToolInfo[]): Promise<ToolList> {
    return await this.run().server(alias).check(listOf(...tools));
  }

  kinds(): string[] {
    return this.news.splice(0).map(({ kind }) => kind);
  }
}

const held = ({ heldBack }: ToolList) =>
  heldBack.filter(({ changed }) => changed).map(({ tool }) => tool);
const evil = (name: string) => info(name, "Something else.");

Deno.test("check() of another run holds back what has changed, and keeps what was held back before", async () => {
  const machine = new Machine();
  const first = listOf(info("a"), info("b"));
  assert.equal(await machine.run().server("s").check(first), first, "the very same list");
  assert.deepEqual(machine.kinds(), []);
  const second = await machine.list("s", info("a"), evil("b"));
  assert.deepEqual(second.tools.map(({ name }) => name), ["a"]);
  assert.deepEqual(second.heldBack.map(({ tool }) => tool), ["odd", "b"]);
  assert.match(
    machine.news[0]!.line,
    /^s: 1 tool is not as pinned, and held back: b \(fusebox pins/,
  );
  assert.deepEqual(machine.kinds(), ["held"]);
  assert.deepEqual(held(await machine.list("other", evil("b"))), [], "another server is another");
});

Deno.test("check() reads anew what another program has accepted meanwhile", async () => {
  const machine = new Machine();
  await machine.list("s", info("a"));
  const pins = machine.run().server("s");
  assert.deepEqual(held(await pins.check(listOf(evil("a")))), ["a"]);
  const files = new PinFiles(machine.disk);
  const key = await pinKey("s", REACH, "/home/me");
  const reading = await files.read(key);
  await files.write(key, reading, accept(reading.pinned, ["a"], 1));
  assert.deepEqual(held(await pins.check(listOf(evil("a")))), []);
});

Deno.test("check() tells the same thing once in a run, and of a new name", async () => {
  const machine = new Machine();
  await machine.list("s", info("a"));
  const pins = machine.run().server("s");
  for (let time = 0; time < 3; time++) await pins.check(listOf(evil("a")));
  assert.deepEqual(machine.kinds(), ["held"]);
  await machine.list("t", info("a"));
  await machine.list("t", { ...info("a"), name: "b" });
  assert.match(machine.news[0]!.line, /^t: "a" is called "b" now$/);
  assert.deepEqual(machine.kinds(), ["renamed"]);
});

Deno.test("what is kept is private, and holds no secret, though a server says it in a tool", async () => {
  const machine = new Machine();
  const leaky = info("leaky", `Call me with ${SECRET}.`);
  const { tools } = await machine.list("s", leaky, info(`do_${SECRET}`));
  assert.equal(tools[0], leaky, "what is offered is as it came");
  const [[name, text] = ["", ""], ...others] = [...machine.disk.files];
  assert.deepEqual(others, []);
  assert(machine.disk.privates.has(name));
  assert(!text.includes(SECRET) && text.includes("Call me with [hidden]."), text);
  // A new token is no change of the tool.
  const next = machine.run(false, "an0ther-t0ken-99999");
  const renewed = info("leaky", "Call me with an0ther-t0ken-99999.");
  assert.deepEqual(held(await next.server("s").check(listOf(renewed))), []);
});

Deno.test("a tool that is named after a secret is held back by its own name", async () => {
  const machine = new Machine();
  const name = `do_${SECRET}`;
  await machine.list("s", info(name));
  assert.deepEqual(held(await machine.list("s", evil(name))), [name]);
});

Deno.test("a list from disk costs no look at tools whose hashes are known", async () => {
  const machine = new Machine();
  await machine.list("s", info("a"), info("b"));
  const tools = [info("a"), evil("b"), info("new")];
  const hashes = new Map([["a", await toolHash(tools[0]!)]]);
  // If it were looked at, this would throw.
  Object.defineProperty(tools[0], "inputSchema", { get: () => assert.fail("looked at") });
  const before = [...machine.disk.files];
  const recalled = await machine.run().server("s").check(listOf(...tools), { hashes });
  assert.deepEqual([held(recalled), recalled.tools.map(({ name }) => name)], [["b"], ["a", "new"]]);
  assert.deepEqual([...machine.disk.files], before, "nothing is written");
});

Deno.test("pins that are damaged hold back all of their server, and name what mends it", async () => {
  const machine = new Machine();
  await machine.list("s", info("a"), info("b"));
  await machine.list("t", info("a"));
  const [name] = [...machine.disk.files.keys()].filter((it) => it.startsWith("pins.s."));
  machine.disk.files.set(name!, "{}");
  machine.kinds();
  const blind = await machine.list("s", info("a"), info("b"));
  assert.deepEqual([blind.tools, held(blind)], [[], ["a", "b"]]);
  const why = blind.heldBack[1]!.why;
  assert.match(why, /^can't be compared .*: the file is damaged \(fusebox pins reset s /);
  assert.deepEqual(machine.kinds(), ["held"]);
  assert.equal(machine.disk.files.get(name!), "{}", "nothing was pinned over it");
  assert.deepEqual(held(await machine.list("t", info("a"))), []);
  await new PinFiles(machine.disk).forget(await pinKey("s", REACH, "/home/me"));
  assert.deepEqual(held(await machine.list("s", evil("a"))), []);
});

Deno.test("a disk that can't be read holds everything back; one that can't be written is a note", async () => {
  const machine = new Machine();
  machine.disk.write = () => Promise.reject(new Error("no space is left"));
  assert.deepEqual(held(await machine.list("s", info("a"))), []);
  assert.match(machine.news[0]!.line, /^Cannot keep the pins of "s": no space is left$/);
  assert.deepEqual(machine.kinds(), ["problem"]);
  machine.disk.fault = new Error("it is gone");
  assert.deepEqual(held(await machine.list("s", info("a"))), ["a"]);
});

const NOWHERE: readonly [string, World["openState"]][] = [
  ["that is not known", () => Promise.resolve(undefined)],
  ["that can't be made", () => Promise.reject(new Error("permission denied"))],
];
for (const [what, openState] of NOWHERE) {
  Deno.test(`a state folder ${what} means no pins and one detail, and no run with frozen ones`, async () => {
    const machine = new Machine();
    machine.openState = openState;
    const { desk, server } = machine.run();
    for (const tool of [info("a"), evil("a")]) {
      assert.deepEqual(held(await server("s").check(listOf(tool))), []);
    }
    await desk.settle();
    assert.deepEqual(machine.kinds(), ["detail"]);
    await assert.rejects(machine.run(true).desk.settle(), FrozenPins);
  });
}

Deno.test("frozen pins pin nothing, and settle() names all that is new or not as it was", async () => {
  const machine = new Machine();
  await machine.list("s", info("a"), info("b"));
  const before = [...machine.disk.files.keys()];
  const { desk, server } = machine.run(true);
  await server("s").check(listOf(info("a"), info("b")));
  await desk.settle();
  assert.deepEqual(machine.breaches, []);

  const broken = machine.run(true);
  await broken.server("s").check(listOf(info("a"), info("b"), info("new")));
  await broken.server("t").check(listOf(info("x")));
  await assert.rejects(broken.desk.settle(), (error) => {
    assert(error instanceof FrozenPins);
    assert.match(error.message, /--frozen-pins: s\.new is new, t\.x is new$/);
    return true;
  });
  assert.deepEqual([...machine.disk.files.keys()], before, "nothing was written");

  const changed = machine.run(true);
  await changed.server("s").check(listOf(evil("a"), { ...info("b"), name: "c" }));
  await assert.rejects(changed.desk.settle(), /s\.a has changed, s\.b is called c$/);
  const key = await pinKey("s", REACH, "/home/me");
  const { pinned } = await new PinFiles(machine.disk).read(key);
  assert.deepEqual([...pinned.waiting.keys()], ["a"], "it can be looked at");
  assert.deepEqual([...pinned.pins.keys()], ["a", "b"]);
});

Deno.test("frozen pins take a list from disk as seriously, and a live one as the last word", async () => {
  const machine = new Machine();
  await machine.list("s", info("a"));
  const { desk, server } = machine.run(true);
  const pins = server("s");
  await pins.check(listOf(info("a"), info("new")), {});
  await assert.rejects(desk.settle(), /s\.new is new/);
  const later = machine.run(true);
  const same = later.server("s");
  await same.check(listOf(info("a"), info("new")), {});
  await same.check(listOf(info("a")));
  await later.desk.settle();
});

Deno.test("frozen pins that are broken once all was settled end the run at once", async () => {
  const machine = new Machine();
  await machine.list("s", info("a"));
  const { desk, server } = machine.run(true);
  const pins = server("s");
  await pins.check(listOf(info("a")));
  await desk.settle();
  await assert.rejects(pins.check(listOf(evil("a"))), FrozenPins);
  assert.equal(machine.breaches.length, 1);
});

const pinned = (name: string, turn = 0): Pinned => ({
  pins: new Map([[name, { hash: `h-${name}-${turn}`, at: turn, turn, former: [] }]]),
  waiting: new Map(),
  texts: new Texts(),
});

Deno.test("write() of twenty programs at once loses nothing, on a real disk", async () => {
  const folder = await Deno.makeTempDir({ prefix: "fusebox-pins-" });
  try {
    const names = Array.from({ length: 20 }, (_, at) => `t${at}`);
    await Promise.all(names.map(async (name) => {
      const files = new PinFiles(await openState(folder));
      const reading = await files.read("s.k");
      await files.write("s.k", reading, merge(reading.pinned, pinned(name)));
    }));
    const files = new PinFiles(await openState(folder));
    const all = await files.read("s.k");
    assert.deepEqual([...all.pinned.pins.keys()].sort(), names.sort());
    await files.write("s.k", all, all.pinned);
    const one = await files.read("s.k");
    assert.deepEqual([one.names.length, one.pinned.pins.size], [1, 20]);
    const [name] = one.names;
    if (Deno.build.os !== "windows") {
      assert.equal((await Deno.stat(`${folder}/${name}`)).mode! & 0o777, 0o600);
    }
    await files.forget();
    assert.deepEqual((await files.read("s.k")).names, []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("read() has a whole, whoever takes files away while it reads", async () => {
  const disk = new Disk();
  const files = new PinFiles(disk);
  await files.write("s.k", await files.read("s.k"), pinned("a"));
  const { read } = disk;
  disk.read = async (name) => {
    disk.read = read;
    const other = new PinFiles(disk);
    await other.write("s.k", await other.read("s.k"), pinned("a", 1));
    return await read.call(disk, name);
  };
  assert.equal((await files.read("s.k")).pinned.pins.get("a")!.turn, 1);
  disk.list = () => Promise.resolve(["pins.s.k.x.json"]);
  assert.match((await files.read("s.k")).why!, /change all the time/);
});

Deno.test("read() and forget() keep to their own server, where names begin alike", async () => {
  const disk = new Disk();
  const files = new PinFiles(disk);
  for (const key of ["s.k", "s-2.k", "s.k2"]) {
    await files.write(key, await files.read(key), pinned(key));
  }
  await files.forget("s.k");
  assert.equal((await files.read("s.k")).pinned, NOTHING);
  assert.deepEqual([...(await files.read("s-2.k")).pinned.pins.keys()], ["s-2.k"]);
  assert.deepEqual([...(await files.read("s.k2")).pinned.pins.keys()], ["s.k2"]);
});
