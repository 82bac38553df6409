/** The folder of the catalogue on a real disk: whole files or none, one secret, whoever else writes. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { cacheFolder, executableOf, openCache, openState, readWhole } from "../../lib/cli/disk.ts";
import { Catalog } from "../../lib/registry/catalog.ts";
import { posixTest, testWhere } from "../support/cli.ts";
import { files, modeOf, withFolder } from "../support/folder.ts";
import { realClock } from "../../lib/cli/world.ts";
import { ROOT } from "../support/paths.ts";

Deno.test("cacheFolder() is where this platform keeps caches", () => {
  const HOME = "/home/me";
  const cases: [string, Record<string, string>, string | undefined][] = [
    ["linux", { HOME }, "/home/me/.cache/fusebox"],
    ["linux", { HOME, XDG_CACHE_HOME: "/var/x" }, "/var/x/fusebox"],
    ["linux", { HOME, XDG_CACHE_HOME: "relative" }, "/home/me/.cache/fusebox"],
    ["linux", { HOME, XDG_CACHE_HOME: "" }, "/home/me/.cache/fusebox"],
    ["linux", { XDG_CACHE_HOME: "/var/x" }, "/var/x/fusebox"],
    ["linux", {}, undefined],
    ["linux", { HOME: "" }, undefined],
    ["freebsd", { HOME }, "/home/me/.cache/fusebox"],
    ["darwin", { HOME }, "/home/me/Library/Caches/fusebox"],
    ["darwin", { HOME, XDG_CACHE_HOME: "/var/x" }, "/var/x/fusebox"],
    ["windows", { LOCALAPPDATA: "C:\\L" }, "C:\\L\\fusebox\\cache"],
    ["windows", { HOME, XDG_CACHE_HOME: "/var/x" }, undefined],
    ["windows", { LOCALAPPDATA: "" }, undefined],
  ];
  for (const [platform, env, folder] of cases) {
    assert.equal(
      cacheFolder(platform, env) || undefined,
      folder,
      `${platform} ${Object.keys(env)}`,
    );
  }
});

Deno.test("openCache() keeps what is written, and nothing else beside it", async () => {
  await withFolder(async (folder) => {
    const { store } = await openCache(folder);
    assert.equal(await store.read("a.tools"), undefined);
    await store.write("a.tools", "one", { isPrivate: true });
    await store.write("a.tools", "two\n🍏", { isPrivate: true });
    assert.equal(await store.read("a.tools"), "two\n🍏");
    assert.deepEqual(await store.list(), ["a.tools"]);
    await store.remove("a.tools");
    await store.remove("a.tools");
    assert.deepEqual(await store.list(), []);
    assert.deepEqual(await files(folder), ["secret"]);
  });
});

posixTest(
  "openCache() keeps what is private from everybody else, also where it was public",
  async () => {
    await withFolder(async (folder) => {
      const { store } = await openCache(`${folder}/deep/er`);
      const path = `${folder}/deep/er/catalog/a.tools`;
      await store.write("a.tools", "x", { isPrivate: false });
      assert.equal(await modeOf(path) & 0o600, 0o600);
      await store.write("a.tools", "y", { isPrivate: true });
      assert.equal(await modeOf(path), 0o600);
      assert.equal(await modeOf(`${folder}/deep/er/secret`), 0o600);
      assert.equal(await modeOf(`${folder}/deep/er/catalog`), 0o700);
    });
  },
);

Deno.test("openCache() has one secret, however many make it at once", async () => {
  await withFolder(async (folder) => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => openCache(folder)));
    const { secret } = await openCache(folder);
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert(opened.every((it) => it.secret === secret));
    assert.deepEqual(await files(folder), ["secret"], "no draft is left");
  });
});

Deno.test("openCache() does not go on with a secret that is empty", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/secret`, "");
    const { secret } = await openCache(folder);
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.equal((await openCache(folder)).secret, secret);
  });
});

Deno.test("openCache() fails where no folder can be made, and leaves nothing behind", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "in the way");
    await assert.rejects(openCache(`${folder}/file/cache`));
    assert.deepEqual(await files(folder), ["file"]);
  });
});

testWhere(
  Deno.build.os === "linux",
  "nowhere else is a file system for certain that takes no files",
  "openCache() fails where nothing can be written",
  async () => await assert.rejects(openCache("/proc/fusebox")),
);

Deno.test("a write that fails leaves the old text and no draft", async () => {
  await withFolder(async (folder) => {
    const { store } = await openCache(folder);
    // A folder of that name can't be replaced by a file.
    await Deno.mkdir(`${folder}/catalog/a.tools/x`, { recursive: true });
    await assert.rejects(store.write("a.tools", "x", { isPrivate: true }));
    assert.deepEqual(await store.list(), ["a.tools"]);
    await Deno.remove(`${folder}/catalog`, { recursive: true });
    await assert.rejects(store.write("b.tools", "x", { isPrivate: true }));
    assert.equal(await store.read("b.tools"), undefined);
  });
});

posixTest(
  "a disk that is full keeps no draft of the secret, however often it is tried",
  async () => {
    await withFolder(async (folder) => {
      const disk = new URL("../../lib/cli/disk.ts", import.meta.url);
      const script = `const { openState } = await import("${disk}");
      await openState(Deno.args[0]).then(() => Deno.exit(1), () => {});`;
      // No file may hold a byte, and who writes one is told so.
      const full = `trap "" XFSZ; ulimit -f 0; exec "$0" eval --no-config "$1" "$2"`;
      const args = ["-c", full, Deno.execPath(), script, folder];
      const { code } = await new Deno.Command("sh", { args, stderr: "null" }).output();
      assert.equal(code, 0, "it was not full");
      assert.deepEqual(await files(folder), []);
    });
  },
);

Deno.test("what was killed in mid-write leaves no draft for ever, and nobody's else is taken away", async () => {
  await withFolder(async (folder) => {
    const { store } = await openCache(folder);
    const draft = () => `${crypto.randomUUID()}.tmp`;
    const [old, fresh, foreign] = [draft(), draft(), "notes.tmp"];
    for (const name of [old, fresh, foreign]) {
      await Deno.writeTextFile(`${folder}/catalog/${name}`, "half");
    }
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of [old, foreign]) {
      await Deno.utime(`${folder}/catalog/${name}`, hoursAgo, hoursAgo);
    }
    await store.write("a", "1", { isPrivate: true });
    assert.deepEqual((await store.list()).sort(), [fresh, foreign, "a"].sort());
  });
});

Deno.test("executableOf() is the file that a command means, and another one after an upgrade", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(`${folder}/bin`);
    await Deno.mkdir(`${folder}/empty/tool`, { recursive: true }); // A folder is no executable.
    await Deno.writeTextFile(`${folder}/bin/tool`, "1");
    const between = Deno.build.os === "windows" ? ";" : ":";
    const PATH = ["nowhere", "empty", "bin"].map((name) => `${folder}/${name}`).join(between);
    const found = await executableOf("tool", { PATH });
    assert.deepEqual([found?.path, found?.size], [`${folder}/bin/tool`, 1]);
    assert.deepEqual(await executableOf(`${folder}/bin/tool`, {}), found);
    await Deno.writeTextFile(`${folder}/bin/tool`, "22");
    assert.notDeepEqual(await executableOf("tool", { PATH }), found);
    for (
      const [command, env] of [["tool", {}], ["other", { PATH }], [`${folder}/no`, {}]] as const
    ) {
      assert.equal(await executableOf(command, env), undefined, command);
    }
  });
});

const ROUNDS = 60;
const OWN = 5;

/** Writes entries of its own and one that all share, and reads all the while; prints what it was told. */
const HAMMER = `
const [root, folder, id] = Deno.args;
const { openCache } = await import(root + "lib/cli/disk.ts");
const { Catalog } = await import(root + "lib/registry/catalog.ts");
const { realClock } = await import(root + "lib/cli/world.ts");
const { store, secret } = await openCache(folder);
const told = [];
const catalog = new Catalog(store, { secret, clock: realClock, note: (_, line) => told.push(line) });
const facts = (tag) => ({
  dialect: { era: "modern", version: "2026-07-28" },
  server: { name: tag },
  capabilities: {},
  tools: Array.from({ length: 40 }, (_, n) => ({
    name: "t" + n, description: tag.repeat(20), inputSchema: { type: "object" },
  })),
  heldBack: [],
  pages: [{ ttlMs: 1000, scope: "private", tools: 40 }],
});
const blame = { code: "exited", message: "it left", since: 0 };
for (let n = 0; n < ${ROUNDS}; n++) {
  await Promise.all([
    catalog.remember("shared", facts(id + n)),
    catalog.remember("own-" + id + "-" + n % ${OWN}, facts(id + n)),
    catalog.blame("shared", { ...blame, since: Date.now() }),
  ]);
  const it = await catalog.recall("shared");
  if (!it) told.push("lost in round " + n);
  const tags = new Set(it?.tools.map(({ description }) => description));
  if (tags.size !== 1 || !tags.has(it.server.name.repeat(20))) told.push("half of two");
}
console.log(JSON.stringify({ secret, told }));
`;

Deno.test("two processes that hammer one catalogue lose nothing, and see nothing half", async () => {
  await withFolder(async (folder) => {
    const script = join(folder, "hammer.js");
    await Deno.writeTextFile(script, HAMMER);
    const root = new URL(`file://${ROOT}`).href;
    const cache = join(folder, "cache");
    const ended = await Promise.all(["a", "b"].map((id) =>
      new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--quiet",
          `--config=${join(ROOT, "deno.json")}`,
          script,
          root,
          cache,
          id,
        ],
        stdin: "null",
      }).output()
    ));
    const reports = ended.map(({ code, stdout, stderr }) => {
      assert.equal(code, 0, new TextDecoder().decode(stderr));
      return JSON.parse(new TextDecoder().decode(stdout));
    });
    const [one, other] = reports;
    assert.equal(one.secret, other.secret);
    assert.deepEqual(reports.map(({ told }) => told), [[], []]);
    const { store, secret } = await openCache(cache);
    const told: string[] = [];
    const catalog = new Catalog(store, {
      secret,
      clock: realClock,
      note: (_, line) => told.push(line),
    });
    const all = await catalog.list();
    assert.equal(all.size, 1 + 2 * OWN);
    for (const [key, entry] of all) {
      const [, id, n] = key.split("-");
      const last = key === "shared" ? /^[ab]59$/ : new RegExp(`^${id}${ROUNDS - OWN + Number(n)}$`);
      assert.match(entry!.server.name!, last, key);
    }
    assert.deepEqual(told, []);
    const left = await files(cache);
    assert.deepEqual(left.filter((name) => name.endsWith(".tmp")), []);
  });
});

posixTest("openState() keeps a folder to the user that others could write to", async () => {
  await withFolder(async (folder) => {
    await Deno.chmod(folder, 0o777);
    await openState(folder);
    assert.equal((await Deno.stat(folder)).mode! & 0o777, 0o700);
  });
});

Deno.test("readWhole() gives all of a file, whatever its size says, and no more than is sensible", async () => {
  await withFolder(async (folder) => {
    for (const size of [0, 1, 65_535, 65_536, 65_537, 200_000]) {
      const path = `${folder}/${size}`;
      await Deno.writeFile(path, new Uint8Array(size).fill(7));
      const bytes = await readWhole(path, 200_000);
      assert.deepEqual([bytes.length, bytes.every((it) => it === 7)], [size, true]);
    }
    await assert.rejects(readWhole(`${folder}/200000`, 199_999), /it holds over/);
    await assert.rejects(readWhole(`${folder}/none`), Deno.errors.NotFound);
  });
});

posixTest(
  "readWhole() ends where a device never does, and reads a file without a size",
  async () => {
    await assert.rejects(readWhole("/dev/zero", 1_000_000), /it holds over/);
    assert.equal((await readWhole("/dev/null")).length, 0);
    if (Deno.build.os === "linux") {
      assert.match(new TextDecoder().decode(await readWhole("/proc/self/status")), /^Name:/);
    }
  },
);
