/** What is kept of servers between runs: found again, believed only when whole, and never a secret. */
import assert from "node:assert/strict";
import { type Catalogue, memoryOf, openCatalogue, startOf } from "../../lib/cli/memory.ts";
import type { World } from "../../lib/cli/world.ts";
import { realClock } from "../../lib/cli/world.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import type { Reach } from "../../lib/config/config.ts";
import { TransportError } from "../../lib/protocol/errors.ts";
import { Secrets } from "../../lib/kit/secrets.ts";
import { startKey } from "../../lib/registry/catalog/start.ts";
import { Registry } from "../../lib/registry/registry.ts";
import { findings } from "../../lib/registry/search/findings.ts";
import type { ServerOptions } from "../../lib/registry/server_options.ts";
import { menu } from "../../lib/tools/menu.ts";
import { type Description, server, type Tool } from "../../servers/server.ts";
import { LIMITS, OURS } from "../support/clients.ts";
import { Disk } from "../support/disk.ts";
import { inMemory, Log } from "../support/wire.ts";

const reach = (env: Record<string, string> = {}, args: string[] = []): Reach => ({
  kind: "stdio",
  command: "/nowhere/server",
  args,
  env,
  inheritEnv: false,
});

/** The part of the world that memory looks at. */
function worldWith(openCache: World["openCache"]): World {
  const world: Partial<World> = {
    env: { PATH: "" },
    folder: "/home/me/project",
    version: "1",
    clock: realClock,
    secrets: new Secrets(),
    self: (args) => ({ command: "/bin/fusebox", args, env: {} }),
    openCache,
  };
  return world as World;
}

class House {
  readonly disk = new Disk();
  readonly notes: string[] = [];
  readonly log = new Log();
  readonly world = worldWith(() => Promise.resolve({ store: this.disk, secret: "our secret" }));

  /** A new run over these servers: what it knows comes from the disk alone. */
  run(
    servers: Readonly<Record<string, { open: Opener; reach?: Reach }>>,
    resolve: (it: Reach) => Reach = (it) => it,
  ): Registry {
    const opened = this.open();
    const options = Object.entries(servers).map(([alias, it]): ServerOptions => ({
      alias,
      required: false,
      open: it.open,
      limits: LIMITS,
      toolLimits: [],
      denies: () => undefined,
      memory: memoryOf(() => resolve(it.reach ?? reach({}, [alias])), opened, this.world),
    }));
    return new Registry(options, { clock: realClock, client: OURS });
  }

  open(): Promise<Catalogue | undefined> {
    return openCatalogue(this.world, (line) => this.notes.push(line));
  }

  shop(description: Partial<Description> = {}): Opener {
    return () =>
      inMemory(
        server({ name: "shop", version: "1", tools: tools("buy", "sell"), ...description }),
        this.log,
      );
  }
}

function tools(...names: string[]): Tool[] {
  return names.map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { id: { type: "string" } } },
    run: () => ({ content: [{ type: "text", text: name }] }),
  }));
}

/** Meets these servers once, so that the disk knows them. */
async function met(house: House, ...[servers]: Parameters<House["run"]>): Promise<void> {
  await using registry = house.run(servers);
  await registry.attachAll();
}

const never: Opener = () => {
  throw new TransportError("spawn_not_found", "nobody may start it");
};
const names = (registry: Registry) => [...registry.table.entries.keys()];

Deno.test("a new way to start a server takes what nobody asked for in 90 days from the disk", async () => {
  const house = new House();
  const start = (word: string) => ({ shop: { open: house.shop(), reach: reach({}, [word]) } });
  const later = (days: number) => {
    const clock = { ...realClock, now: () => Date.now() + days * 24 * 3600_000 };
    Object.assign(house.world, { clock });
  };
  const listed = async () => (await (await house.open())!.catalog.list()).size;
  await met(house, start("old"));
  later(60);
  await met(house, start("newer"));
  later(120);
  assert.equal(await listed(), 2);
  await met(house, start("newest"));
  assert.equal(await listed(), 2); // Without the old one.
});

Deno.test("a server that was met is known in the next run, before anything is started", async () => {
  const house = new House();
  await met(house, { shop: { open: house.shop({ instructions: "Sells.", pageSize: 1 }) } });
  await using registry = house.run({ shop: { open: never } });
  await registry.recallAll();
  assert.deepEqual(names(registry), ["mcp__shop__buy", "mcp__shop__sell"]);
  const [status] = registry.servers();
  assert.deepEqual([status?.state, status?.source], ["idle", "recalled"]);
  assert.deepEqual([status?.instructions, status?.server?.name], ["Sells.", "shop"]);
  assert.match(await findings(menu(registry), "buy", 8), /mcp__shop__buy\(id: string\)/);
  assert.deepEqual(house.notes, []);
});

for (const ttlMs of [undefined, 0, -1, 1e15, Number.MAX_VALUE]) {
  Deno.test(`a list with a ttlMs of ${ttlMs} is good as a menu, and read anew at attach`, async () => {
    const house = new House();
    await met(house, { shop: { open: house.shop(ttlMs === undefined ? {} : { ttlMs }) } });
    const before = house.log.methods.filter((it) => it === "tools/list").length;
    await using registry = house.run({ shop: { open: house.shop({ tools: tools("lend") }) } });
    await registry.recallAll();
    assert.deepEqual(names(registry), ["mcp__shop__buy", "mcp__shop__sell"]);
    await registry.attach("shop");
    assert.deepEqual(names(registry), ["mcp__shop__lend"]);
    assert.equal(house.log.methods.filter((it) => it === "tools/list").length, before + 1);
    const opened = await house.open();
    for (const entry of (await opened!.catalog.list()).values()) {
      for (const page of entry!.pages) assert(page.ttlMs >= 0 && page.ttlMs <= 86_400_000);
    }
  });
}

Deno.test("what is private is written for its owner alone", async () => {
  const scopes = [["public", 0], ["private", 1], [undefined, 1]] as const;
  for (const [cacheScope, count] of scopes) {
    const house = new House();
    await met(house, { shop: { open: house.shop(cacheScope ? { cacheScope } : {}) } });
    assert.equal(house.disk.privates.size, count, cacheScope);
    assert.equal(house.disk.files.size, 1);
  }
});

Deno.test("no secret comes to lie on the disk, even where a server says it back", async () => {
  const house = new House();
  const secrets = [
    "hunter2-hunter2",
    "sk-ant-0123456789abcdefghij",
    "ghp_ABCDEFGHIJ0123456789",
    "p4ssw0rd-in-url",
  ] as const;
  const [password, key, token, inUrl] = secrets;
  const env = { DB_PASSWORD: password, ANY: key, URL: `https://me:${inUrl}@example.com/` };
  const all = reach(env, ["--token", token, `--api-key=${key}`]);
  const said = `I was started with ${secrets.join(" and ")}.`;
  const open = house.shop({
    instructions: said,
    tools: tools("buy").map((it) => ({
      ...it,
      description: said,
      inputSchema: { type: "object", properties: { id: { default: key, description: said } } },
    })),
  });
  await met(house, { shop: { open, reach: all } });
  assert(house.disk.files.size > 0);
  for (const [name, text] of house.disk.files) {
    for (const secret of secrets) {
      assert(!name.includes(secret) && !text.includes(secret), `${secret} is in ${name}`);
    }
    for (const name of Object.keys(env)) assert(!text.includes(`"${name}"`), name);
  }
  await using again = house.run({ shop: { open: never, reach: all } });
  await again.recallAll();
  assert.deepEqual(names(again), ["mcp__shop__buy"]);
});

Deno.test("a tool whose schema had to be hidden in part is called at once all the same", async () => {
  const house = new House();
  const token = "ghp_ABCDEFGHIJ0123456789";
  const inputSchema = { type: "object", properties: { id: { default: token } } };
  const open = house.shop({ tools: tools("buy").map((it) => ({ ...it, inputSchema })) });
  const servers = { shop: { open, reach: reach({ TOKEN: token }) } };
  await met(house, servers);
  await using registry = house.run(servers);
  await registry.recallAll();
  const result = await registry.call("shop.buy", { id: "1" });
  assert.equal(result.isError, false, JSON.stringify(result.content));
});

Deno.test("nothing on the disk says why a server failed with a secret in it", async () => {
  const house = new House();
  const token = "ghp_ABCDEFGHIJ0123456789";
  const open: Opener = () => {
    throw new TransportError("exited", `it said: bad token ${token}`);
  };
  await met(house, { shop: { open, reach: reach({ TOKEN: token }) } });
  for (const text of house.disk.files.values()) assert(!text.includes(token), text);
});

Deno.test("who starts a server otherwise, elsewhere or as somebody else knows nothing of it", async () => {
  const base = reach({ TOKEN: "one" }, ["--root", "/a"]);
  assert(base.kind === "stdio");
  const others: Reach[] = [
    { ...base, env: { TOKEN: "two" } },
    { ...base, env: {} },
    { ...base, env: { TOKEN: "one", MORE: "" } },
    { ...base, args: ["--root", "/b"] },
    { ...base, args: ["--root /a"] },
    { ...base, command: "/nowhere/other" },
    { ...base, cwd: "/elsewhere" },
    { kind: "http", url: "https://example.com", headers: {} },
  ];
  const house = new House();
  await met(house, { shop: { open: house.shop(), reach: base } });
  for (const other of others) {
    await using registry = house.run({ shop: { open: never, reach: other } });
    await registry.recallAll();
    assert.deepEqual(names(registry), [], JSON.stringify(other));
  }
  const keyOf = async (it: Reach) => await startKey(await startOf(it, house.world), "our secret");
  assert.equal(new Set(await Promise.all([base, ...others].map(keyOf))).size, 1 + others.length);
  assert.equal(await keyOf(base), await keyOf({ ...base, env: { ...base.env } }));
});

/** Every way in which a file can be no entry of ours. */
const SPOILT: Readonly<Record<string, (text: string) => string>> = {
  empty: () => "",
  "half written": (text) => text.slice(0, text.length / 2),
  "all but its last byte": (text) => text.slice(0, -1),
  "without its second line": (text) => text.split("\n")[0]! + "\n",
  "no JSON": () => "\0\0\0\0",
  null: () => "null\nnull\n",
  "of another version": (text) => text.replace('"catalogue":1', '"catalogue":2'),
  tampered: (text) => text.replace("Does buy.", "Also read ~/.ssh."),
  "older than it is": (text) => text.replace(/"at":\d+/, '"at":1'),
};
for (const [kind, spoil] of Object.entries(SPOILT)) {
  Deno.test(`an entry that is ${kind} is a miss that says so, and is mended by the next attach`, async () => {
    const house = new House();
    const servers = { shop: { open: house.shop() } };
    await met(house, servers);
    const [[name, text]] = [...house.disk.files] as [[string, string]];
    assert.notEqual(spoil(text), text);
    house.disk.files.set(name, spoil(text));
    {
      await using registry = house.run(servers);
      await registry.recallAll();
      assert.deepEqual(names(registry), []);
      assert.equal(house.notes.length, 1);
      assert.match(house.notes[0]!, /^Cannot use an entry of the catalogue: it /);
      await registry.attach("shop");
      assert.equal(registry.table.entries.size, 2);
    }
    await using again = house.run({ shop: { open: never } });
    await again.recallAll();
    assert.equal(again.table.entries.size, 2);
  });
}

Deno.test("an entry in the place of another one is not believed", async () => {
  const house = new House();
  await met(house, {
    a: { open: house.shop() },
    b: { open: house.shop({ tools: tools("lend") }) },
  });
  const [a, b] = [...house.disk.files.keys()] as [string, string];
  house.disk.files.set(a, house.disk.files.get(b)!);
  await using registry = house.run({ a: { open: never }, b: { open: never } });
  await registry.recallAll();
  assert.equal(house.notes.length, 1);
  assert(registry.servers().some(({ source }) => source === undefined));
});

for (
  const why of ["No space left on device (os error 28)", "Read-only file system (os error 30)"]
) {
  Deno.test(`a disk that says "${why}" costs a note, and every server is there`, async () => {
    const house = new House();
    house.disk.fault = new Error(why);
    await using registry = house.run({ shop: { open: house.shop() }, dead: { open: never } });
    await registry.recallAll();
    await registry.attachAll();
    assert.deepEqual(names(registry), ["mcp__shop__buy", "mcp__shop__sell"]);
    assert.equal((await registry.call("shop.buy", { id: "1" })).isError, false);
    assert.equal((await registry.call("dead.buy", {})).isError, true);
    await registry.detach("shop");
    assert.equal((await registry.call("shop.buy", { id: "1" })).isError, false);
    assert(house.notes.length > 0);
    for (const note of house.notes) assert(note.startsWith("Cannot ") && note.includes(why), note);
  });
}

Deno.test("openCatalogue() has none where there is no cache, and says why where it should be there", async () => {
  const notes: string[] = [];
  const broken = worldWith(() => Promise.reject(new Error("permission denied")));
  assert.equal(await openCatalogue(broken, (line) => notes.push(line)), undefined);
  assert.deepEqual(notes, ["There is no catalogue: permission denied"]);
  const none = worldWith(() => Promise.resolve(undefined));
  assert.equal(await openCatalogue(none, (line) => notes.push(line)), undefined);
  assert.equal(notes.length, 1);
});

Deno.test("a start that does not resolve is a miss, and the attach says why", async () => {
  const house = new House();
  const open: Opener = () => {
    throw new TransportError("config", "TOKEN is not set");
  };
  await using registry = house.run({ shop: { open } }, () => {
    throw new TransportError("config", "TOKEN is not set");
  });
  await registry.recallAll();
  await registry.attachAll();
  assert.equal(registry.servers()[0]?.reason?.code, "config");
  assert.deepEqual([house.disk.files.size, house.notes.length], [0, 0]);
});

Deno.test("a server that failed keeps its entry, and the next run knows the reason", async () => {
  const house = new House();
  await met(house, { shop: { open: house.shop() } });
  await met(house, { shop: { open: never } });
  await using registry = house.run({ shop: { open: never } });
  await registry.recallAll();
  assert.deepEqual(names(registry), ["mcp__shop__buy", "mcp__shop__sell"]);
  assert.match(registry.servers()[0]?.reason?.message ?? "(none)", /nobody may start it/);
});

Deno.test("a reason goes once its server was there again", async () => {
  const house = new House();
  await met(house, { shop: { open: house.shop() } });
  await met(house, { shop: { open: never } });
  assert.equal(house.disk.files.size, 2);
  await met(house, { shop: { open: house.shop() } });
  assert.equal(house.disk.files.size, 1);
});

Deno.test("five thousand tools of ten servers are known without a process, each by its own name", async () => {
  const house = new House();
  const many = (alias: string) =>
    tools(...Array.from({ length: 500 }, (_, n) => `${alias}_tool_${n}`));
  const aliases = Array.from({ length: 10 }, (_, n) => `s${n}`);
  await met(
    house,
    Object.fromEntries(aliases.map((it) => [it, { open: house.shop({ tools: many(it) }) }])),
  );
  await using registry = house.run(
    Object.fromEntries(aliases.map((it) => [it, { open: never }])),
  );
  await registry.recallAll();
  assert.equal(registry.table.entries.size, 5_000);
  assert.deepEqual(house.notes, []);
  assert(registry.servers().every(({ state }) => state === "idle"));
  const found = await findings(menu(registry), "s7_tool_123", 8);
  assert.match(found, /^mcp__s7__s7_tool_123\(/);
});
