import assert from "node:assert/strict";
import { secretsOf } from "../../lib/config/secrets.ts";
import { Secrets } from "../../lib/kit/secrets.ts";
import type { TextStore } from "../../lib/kit/store.ts";
import { Catalog } from "../../lib/registry/catalog.ts";
import { type Facts, MAX_BYTES, type Remembered } from "../../lib/registry/catalog/entry.ts";
import { isFresh, readPage } from "../../lib/registry/catalog/freshness.ts";
import { serverKey, type Start, startKey } from "../../lib/registry/catalog/start.ts";
import { toolHash } from "../../lib/registry/catalog/tool_hash.ts";
import type { ToolInfo } from "../../lib/protocol/types.ts";
import { FakeClock } from "../support/clock.ts";

/** Files in memory. Like those of a disk, they come and go a little later than they are asked for. */
class Files implements TextStore {
  readonly texts = new Map<string, string>();
  readonly privates = new Set<string>();
  reads = 0;

  async read(name: string): Promise<string | undefined> {
    this.reads++;
    await Promise.resolve();
    return this.texts.get(name);
  }

  async write(name: string, text: string, { isPrivate }: { isPrivate: boolean }): Promise<void> {
    await Promise.resolve();
    this.texts.set(name, text);
    if (isPrivate) this.privates.add(name);
    else this.privates.delete(name);
  }

  async remove(name: string): Promise<void> {
    await Promise.resolve();
    this.texts.delete(name);
  }

  list(): Promise<string[]> {
    return Promise.resolve([...this.texts.keys()]);
  }

  /** Changes the only file whose name ends so. */
  edit(ending: string, change: (text: string) => string): void {
    const [name] = [...this.texts.keys()].filter((name) => name.endsWith(ending));
    this.texts.set(name!, change(this.texts.get(name!)!));
  }
}

const NOW = 1_000_000;
const DAY = 24 * 60 * 60 * 1000;
const KEY = "a".repeat(64);

function setup(files: TextStore = new Files(), secret = "s3cret", clock = new FakeClock(NOW)) {
  const notes: string[] = [];
  const catalog = new Catalog(files, { secret, clock, note: (_, message) => notes.push(message) });
  return { catalog, notes, clock, files: files as Files };
}

const tool = (name: string, more: Partial<ToolInfo> = {}): ToolInfo => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

function facts(tools: readonly ToolInfo[], more: Partial<Facts> = {}): Facts {
  return {
    dialect: { era: "modern", version: "2026-07-28" },
    server: { name: "Notes", version: "1.2.3" },
    capabilities: { tools: { listChanged: true } },
    tools,
    heldBack: [],
    pages: [readPage({ ttlMs: 60_000, cacheScope: "public" }, tools.length)],
    ...more,
  };
}

const NOTES: Start = {
  kind: "stdio",
  command: "notes",
  args: ["--verbose"],
  cwd: "/home/me",
  env: { NOTES_TOKEN: "tok-0123456789", HOME_OF: "x" },
  executable: { path: "/usr/bin/notes", size: 7, modifiedMs: 1 },
};
const TRACKER: Start = {
  kind: "http",
  url: "https://tracker.example/mcp",
  headers: { Authorization: "Bearer abc-0123456789" },
};

Deno.test("startKey() is another one for whatever is started otherwise, or as somebody else", async () => {
  const others: Start[] = [
    NOTES,
    { ...NOTES, command: "note" },
    { ...NOTES, args: [] },
    { ...NOTES, args: ["--verbose", ""] },
    { ...NOTES, cwd: "/home/you" },
    { ...NOTES, env: { ...NOTES.env, NOTES_TOKEN: "tok-another" } },
    { ...NOTES, env: { NOTES_TOKEN: "x", HOME_OF: "tok-0123456789" } },
    { ...NOTES, env: {} },
    { ...NOTES, env: { ["__proto__"]: "x" } },
    { ...NOTES, executable: { path: "/usr/bin/notes", size: 7, modifiedMs: 2 } },
    TRACKER,
    { ...TRACKER, url: "https://tracker.example/mcp/" },
    { ...TRACKER, headers: { Authorization: "Bearer of somebody else" } },
    { ...TRACKER, headers: {} },
  ];
  const keys = await Promise.all(others.map((start) => startKey(start, "s")));
  assert.equal(new Set(keys).size, others.length);
  assert(keys.every((key) => /^[0-9a-f]{64}$/.test(key)));
  assert.notEqual(await startKey(NOTES, "other secret"), keys[0]);
  assert.match(await startKey(NOTES, ""), /^[0-9a-f]{64}$/);
});

Deno.test("serverKey() outlives an upgrade, and is another one for another server", async () => {
  const executable = { path: "/bin/notes", size: 1, modifiedMs: 2 };
  const same = [{ ...executable }, { ...executable, size: 9, modifiedMs: 9 }]
    .map((executable) => serverKey({ ...NOTES, executable }, "s"));
  const [key, upgraded] = await Promise.all(same);
  assert.equal(key, upgraded);
  const others = await Promise.all([
    serverKey({ ...NOTES, executable: { ...executable, path: "/tmp/notes" } }, "s"),
    serverKey({ ...NOTES, executable, args: ["--other"] }, "s"),
    serverKey({ ...NOTES, executable, cwd: "/elsewhere" }, "s"),
    serverKey({ ...NOTES, executable, env: {} }, "s"),
    serverKey(TRACKER, "s"),
    serverKey({ ...NOTES, executable }, "another secret"),
    startKey({ ...NOTES, executable }, "s"),
  ]);
  assert.equal(new Set([key, ...others]).size, others.length + 1);
});

Deno.test("startKey() is the same in whatever order environment and headers are written", async () => {
  const env = { HOME_OF: "x", NOTES_TOKEN: "tok-0123456789" };
  assert.equal(await startKey({ ...NOTES, env }, "s"), await startKey(NOTES, "s"));
  const headers = { authorization: "Bearer abc-0123456789" };
  assert.equal(await startKey({ ...TRACKER, headers }, "s"), await startKey(TRACKER, "s"));
});

Deno.test("recall() gives back all that was remembered, in another process too", async () => {
  const { catalog, files, notes } = setup();
  const given = facts([tool("read", { title: "Read", annotations: { readOnlyHint: true } })], {
    instructions: "Read before you write.",
    heldBack: [{ tool: "odd", why: "has no inputSchema" }],
  });
  const kept = await catalog.remember(KEY, given);
  const known = await setup(files).catalog.recall(KEY);
  assert.deepEqual(known, kept);
  assert.deepEqual(known, {
    ...given,
    fetchedAt: NOW,
    hashes: new Map([["read", await toolHash(given.tools[0]!)]]),
  });
  assert.equal(await catalog.recall("b".repeat(64)), undefined);
  assert.deepEqual(notes, []);
});

Deno.test("remember() of the same facts writes the same bytes", async () => {
  const texts = [];
  for (let run = 0; run < 2; run++) {
    const { catalog, files } = setup();
    await catalog.remember(KEY, facts(["b", "a", "__proto__"].map((name) => tool(name))));
    texts.push([...files.texts]);
  }
  assert.deepEqual(texts[0], texts[1]);
});

Deno.test("remember() takes tools with the names of what objects are made of", async () => {
  const { catalog } = setup();
  const names = ["__proto__", "constructor", "toString", "1", "0", "\ud800", "a\nb"];
  const tools = names.map((name, at) => tool(name, { description: `number ${at}` }));
  await catalog.remember(KEY, facts(tools));
  const { hashes, tools: known } = (await catalog.recall(KEY))!;
  assert.deepEqual([...hashes.keys()], names);
  assert.equal(new Set(hashes.values()).size, names.length);
  for (const each of known) assert.equal(hashes.get(each.name), await toolHash(each));
});

Deno.test("toolHash() is another one for each thing that a model or a check would see", async () => {
  const others: ToolInfo[] = [
    tool("a"),
    tool("b"),
    tool("a", { title: "A" }),
    tool("a", { description: "A" }),
    tool("a", { outputSchema: { type: "object" } }),
    tool("a", { annotations: { readOnlyHint: true } }),
    tool("a", { annotations: { readOnlyHint: false } }),
    tool("a", { inputSchema: { type: "object", title: "A" } }),
    tool("a", { inputSchema: JSON.parse('{"type":"object","__proto__":{"title":"A"}}') }),
  ];
  assert.equal(new Set(await Promise.all(others.map(toolHash))).size, others.length);
});

Deno.test("isFresh() believes each page for its own time, and the list for the shortest", () => {
  const list = (...ttls: unknown[]) => ({
    fetchedAt: NOW,
    pages: ttls.map((ttlMs) => readPage({ ttlMs }, 1)),
  });
  const cases: [ReturnType<typeof list>, number, boolean][] = [
    [list(1_000), NOW, true],
    [list(1_000), NOW + 999, true],
    [list(1_000), NOW + 1_000, false],
    [list(60_000, 1_000), NOW + 2_000, false],
    [list(0), NOW, false],
    [list(undefined), NOW, false],
    [list(null), NOW, false],
    [list("1000"), NOW, false],
    [list(-1), NOW, false],
    [list(NaN), NOW, false],
    [list(60_000, undefined), NOW, false],
    [list(), NOW, false],
    [list(1e15), NOW + DAY - 1, true],
    [list(1e15), NOW + DAY, false],
    [list(Infinity), NOW + DAY, false],
    // The clock was set back.
    [list(60_000), NOW - 1, false],
  ];
  for (const [entry, now, fresh] of cases) {
    assert.equal(isFresh(entry, now), fresh, JSON.stringify([entry, now]));
  }
  assert.equal(
    isFresh({ fetchedAt: NOW, pages: [{ ttlMs: 1e15, scope: "public", tools: 1 }] }, 2 * DAY),
    false,
  );
});

Deno.test("recall() is as good a menu whatever the server says of its time", async () => {
  for (const ttlMs of [0, undefined, -1, 1e15]) {
    const { catalog, clock } = setup();
    await catalog.remember(KEY, facts([tool("a")], { pages: [readPage({ ttlMs }, 1)] }));
    await clock.tick(400 * DAY);
    const known = (await catalog.recall(KEY))!;
    assert.deepEqual(known.tools.map(({ name }) => name), ["a"]);
    assert.equal(isFresh(known, clock.now()), false);
    assert(known.pages.every((page) => page.ttlMs >= 0 && page.ttlMs <= DAY));
  }
});

Deno.test("remember() keeps for one identity what was not said to be for all", async () => {
  const scopes: [unknown[], boolean][] = [
    [["public"], false],
    [["public", "private"], true],
    [["private"], true],
    [[undefined], true],
    [["PUBLIC"], true],
    [[], true],
  ];
  for (const [each, isPrivate] of scopes) {
    const { catalog, files } = setup();
    await catalog.remember(
      KEY,
      facts([], { pages: each.map((cacheScope) => readPage({ cacheScope }, 0)) }),
    );
    assert.equal(files.privates.size === 1, isPrivate, String(each));
  }
});

Deno.test("recall() knows nothing of what another identity fetched, nor of a file moved to its name", async () => {
  const { catalog, files, notes } = setup();
  const mine = await startKey(TRACKER, "s3cret");
  const headers = { Authorization: "Bearer of somebody else" };
  const theirs = await startKey({ ...TRACKER, headers }, "s3cret");
  await catalog.remember(mine, facts([tool("a")]));
  assert.equal(await catalog.recall(theirs), undefined);
  assert.deepEqual(notes, []);
  for (const [name, text] of [...files.texts]) files.texts.set(name.replace(mine, theirs), text);
  assert.equal(await catalog.recall(theirs), undefined);
  assert.match(notes.join(), /damaged/);
});

Deno.test("blame() adds a reason and takes nothing away; remember() takes it off again", async () => {
  const { catalog, files, clock } = setup();
  const kept = await catalog.remember(KEY, facts([tool("a")]));
  const reason = {
    code: "exited",
    message: 'Cannot attach "notes": exit code 7',
    since: NOW + 5,
  } as const;
  await clock.tick(5);
  await catalog.blame(KEY, { ...reason, tail: ["a stranger's last words"] } as typeof reason);
  assert.deepEqual(await catalog.recall(KEY), { ...kept, reason });
  assert.equal(files.privates.size, 1, "why it failed is for nobody else");
  await clock.tick(5);
  const anew = await catalog.remember(KEY, facts([tool("b")]));
  assert.deepEqual(await catalog.recall(KEY), anew);
  assert.equal(files.texts.size, 1);
});

Deno.test("blame() of a server that nobody has seen makes no entry", async () => {
  const { catalog } = setup();
  await catalog.blame(KEY, { code: "dns", message: "no such host", since: NOW });
  assert.equal(await catalog.recall(KEY), undefined);
  assert.equal((await catalog.list()).size, 0);
});

Deno.test("recall() misses, and says so once, where the file is not what was written", async () => {
  const damages: Record<string, (text: string) => string> = {
    empty: () => "",
    "half of it": (text) => text.slice(0, text.length / 2),
    "all but the end": (text) => text.slice(0, -1),
    "all but the end of the JSON": (text) => text.slice(0, -2) + "\n",
    "more than it": (text) => text + "{}",
    "twice": (text) => text + text,
    "another word": (text) => text.replace("Notes", "Hoaxs"),
    "another time": (text) => text.replace(`"at":${NOW}`, `"at":${NOW + 1}`),
    "no JSON": () => "\0\0\0\0",
    "JSON of another kind": () => "[]\n",
    "null": () => "null\n{}\n",
    "no seal": (text) => text.replace(/"seal":"\w+"/, '"seal":null'),
    "only a body": (text) => text.slice(text.indexOf("\n") + 1),
    "too much": (text) => text.replace("Notes", "N".repeat(MAX_BYTES + 1_000)),
  };
  for (const [name, damage] of Object.entries(damages)) {
    const { catalog, files, notes } = setup();
    await catalog.remember(KEY, facts([tool("a")]));
    files.edit(".tools", damage);
    assert.equal(await catalog.recall(KEY), undefined, name);
    assert.equal(await catalog.recall(KEY), undefined, name);
    assert.deepEqual(notes, ["Cannot use an entry of the catalogue: it is damaged"], name);
    // What is found out next mends it.
    await catalog.remember(KEY, facts([tool("b")]));
    assert.equal((await catalog.recall(KEY))!.tools[0]!.name, "b", name);
  }
});

Deno.test("recall() loses only the reason where that is damaged", async () => {
  const { catalog, files, notes } = setup();
  const kept = await catalog.remember(KEY, facts([tool("a")]));
  await catalog.blame(KEY, { code: "dns", message: "no such host", since: NOW });
  files.edit(".blame", (text) => text.slice(5));
  assert.deepEqual(await catalog.recall(KEY), kept);
  assert.equal(notes.length, 1);
});

Deno.test("recall() leaves alone what another version of fusebox wrote", async () => {
  const { catalog, files, notes } = setup();
  await catalog.remember(KEY, facts([tool("a")]));
  files.edit(".tools", (text) => text.replace('"catalogue":1', '"catalogue":2'));
  assert.equal(await catalog.recall(KEY), undefined);
  assert.match(notes.join(), /another version of fusebox/);
  await catalog.sweep(DAY);
  assert.equal(files.texts.size, 1);
});

Deno.test("a Catalog over a folder that does not work notes it and throws nothing", async () => {
  const refuse = () => Promise.reject(new Error("permission denied"));
  const { catalog, notes } = setup(
    { read: refuse, write: refuse, remove: refuse, list: refuse } as TextStore,
  );
  const kept = await catalog.remember(KEY, facts([tool("a")]));
  assert.equal(kept.tools.length, 1);
  assert.equal(await catalog.recall(KEY), undefined);
  await catalog.blame(KEY, { code: "dns", message: "no such host", since: NOW });
  assert.deepEqual(notes, [
    "Cannot write an entry of the catalogue: permission denied",
    "Cannot clear an entry of the catalogue: permission denied",
    "Cannot read an entry of the catalogue: permission denied",
  ]);
});

Deno.test("remember() does not write what is too large, and leaves what it had", async () => {
  const { catalog, notes } = setup();
  const kept = await catalog.remember(KEY, facts([tool("a")]));
  // Fewer characters than the limit, and more bytes.
  const huge = tool("huge", { description: "語".repeat(MAX_BYTES / 2) });
  await catalog.remember(KEY, facts([huge]));
  assert.deepEqual(notes, ["Cannot write an entry of the catalogue: it takes more than 16 MiB"]);
  assert.deepEqual(await catalog.recall(KEY), kept);
});

Deno.test("remember() holds back alone what is nested too deep to be written", async () => {
  const { catalog, notes } = setup();
  let inputSchema: Record<string, unknown> = { type: "object" };
  for (let depth = 0; depth < 5_000; depth++) inputSchema = { type: "object", not: inputSchema };
  await catalog.remember(KEY, facts([tool("deep", { inputSchema }), tool("a")]));
  const known = (await catalog.recall(KEY))!;
  assert.deepEqual(known.tools.map(({ name }) => name), ["a"]);
  assert.deepEqual(known.heldBack, [{ tool: "deep", why: "is nested too deep to be remembered" }]);
  assert.deepEqual(notes, []);
});

Deno.test("no file, and no name of one, holds a secret of the start, even where the server says it back", async () => {
  const starts: [Start, string[]][] = [
    [{ ...NOTES, args: ["--api-key", "arg-0123456789", "--password=pass-0123456789"] }, [
      "tok-0123456789",
      "arg-0123456789",
      "pass-0123456789",
    ]],
    [
      {
        ...NOTES,
        env: { DB: "postgres://me:hunter2-hunter2@db/x", X: "ghp_AbCdEf0123456789AbCdEf" },
      },
      ["hunter2-hunter2", "ghp_AbCdEf0123456789AbCdEf"],
    ],
    [TRACKER, ["abc-0123456789"]],
    [{ ...TRACKER, url: "https://t.example/?api_key=url-0123456789" }, ["url-0123456789"]],
    [{ ...TRACKER, headers: { "X-Api-Key": 'quo"ted\\0123' } }, ['quo"ted\\0123']],
  ];
  for (const [start, secrets] of starts) {
    const { catalog, files } = setup();
    const key = await startKey(start, "s3cret");
    const said = `I was given ${secrets.join(" and ")}.`;
    const leaky = tool("leaky", {
      description: said,
      inputSchema: { type: "object", properties: { a: { default: said } } },
    });
    const given = facts([leaky], { instructions: said, server: { name: said } });
    const hidden = new Secrets(secretsOf(start));
    const { hashes } = await catalog.remember(key, given, hidden);
    await catalog.blame(key, { code: "refused", message: said, since: NOW }, hidden);
    const all = JSON.stringify([...files.texts]);
    const known = (await catalog.recall(key))!;
    for (const secret of secrets) {
      assert(secretsOf(start).includes(secret), secret);
      assert(!all.includes(secret), secret);
      assert(!JSON.stringify(known).includes(JSON.stringify(secret).slice(1, -1)), secret);
    }
    assert.match(known.instructions!, /^I was given \[hidden\]/);
    assert.match(known.reason!.message, /\[hidden\]/);
    // What is hidden is no change.
    assert.equal(known.hashes.get(leaky.name), await toolHash(leaky));
    assert.deepEqual(known.hashes, hashes);
  }
});

Deno.test("two Catalogs hammering one store lose nothing: every entry is one that was written, whole", async () => {
  const files = new Files();
  const [one, other] = [setup(files), setup(files)];
  const keys = Array.from({ length: 5 }, (_, at) => String(at).repeat(64));
  for (const key of keys) await one.catalog.remember(key, facts([tool("first-0-0")]));
  const seen: (Remembered | undefined)[] = [];
  const hammer = async ({ catalog }: ReturnType<typeof setup>, who: string) => {
    for (let n = 0; n < 40; n++) {
      const key = keys[n % keys.length]!;
      const names = Array.from({ length: 1 + n % 7 }, (_, at) => tool(`${who}-${n}-${at}`));
      await catalog.remember(key, facts(names));
      if (n % 3 === 0) await catalog.blame(key, { code: "exited", message: who, since: NOW });
      seen.push(await catalog.recall(keys[(n + 1) % keys.length]!), await catalog.recall(key));
    }
  };
  await Promise.all([hammer(one, "one"), hammer(other, "other"), hammer(one, "again")]);
  assert.deepEqual([...one.notes, ...other.notes], []);
  for (const known of seen) {
    assert(known, "an entry that was there is there");
    const [writer] = known.tools[0]!.name.split(/-\d+$/);
    assert(known.tools.every(({ name }, at) => name === `${writer}-${at}`), "and is of one writer");
    assert.equal(known.hashes.size, known.tools.length);
  }
  assert.equal((await one.catalog.list()).size, keys.length);
});

Deno.test("recall() of 5,000 tools over ten servers is one reading each, and no hashing", async () => {
  const { catalog, files } = setup();
  const properties = Object.fromEntries(
    Array.from(
      { length: 8 },
      (_, at) => [`parameter${at}`, { type: "string", description: "Words. ".repeat(5) }],
    ),
  );
  const tools = Array.from(
    { length: 500 },
    (_, at) =>
      tool(`tool_${at}`, {
        description: "Does a thing. ".repeat(10),
        inputSchema: { type: "object", properties },
      }),
  );
  const keys = Array.from({ length: 10 }, (_, at) => String(at).repeat(64));
  for (const key of keys) await catalog.remember(key, facts(tools));
  const later = setup(files).catalog;
  files.reads = 0;
  const known = await Promise.all(keys.map((key) => later.recall(key)));
  assert.equal(known.reduce((sum, entry) => sum + entry!.tools.length, 0), 5_000);
  assert.equal(files.reads, 20, "an entry and a reason each");
});

Deno.test("forget() drops one entry or all, and nothing that is not the catalogue's", async () => {
  const { catalog, files } = setup();
  const other = "b".repeat(64);
  files.texts.set("secret", "s3cret");
  for (const key of [KEY, other]) {
    await catalog.remember(key, facts([tool("a")]));
    await catalog.blame(key, { code: "dns", message: "no such host", since: NOW });
  }
  assert.deepEqual([...(await catalog.list()).keys()], [KEY, other]);
  await catalog.forget(KEY);
  assert.deepEqual([...(await catalog.list()).keys()], [other]);
  await catalog.forget();
  assert.deepEqual([...files.texts.keys()], ["secret"]);
});

Deno.test("sweep() drops what is old or damaged, but nothing of which anything was heard since", async () => {
  const { catalog, files, clock } = setup();
  const [old, kept, recent, broken] = ["a", "b", "c", "d"].map((digit) => digit.repeat(64)) as [
    string,
    string,
    string,
    string,
  ];
  for (const key of [old, kept, broken]) await catalog.remember(key, facts([tool("a")]));
  files.texts.set(`${broken}.tools`, "{");
  await clock.tick(10 * DAY);
  await catalog.remember(recent, facts([tool("a")]));
  await catalog.blame(kept, { code: "dns", message: "no such host", since: clock.now() });
  await catalog.sweep(5 * DAY);
  assert.deepEqual([...(await catalog.list()).keys()], [kept, recent]);
});
