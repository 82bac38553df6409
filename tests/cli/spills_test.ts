/** The folders of what runs keep: which stay, who may read them, and what the user names. */
import assert from "node:assert/strict";
import { openFolder, openSpill } from "../../lib/cli/disk.ts";
import { outdated } from "../../lib/cli/spills.ts";
import { posixTest } from "../support/cli.ts";
import { files, modeOf, withFolder } from "../support/folder.ts";

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const spill = (name: string, hours: number, bytes = 1_000) => ({
  name,
  modifiedMs: NOW - hours * HOUR,
  bytes,
});

Deno.test("outdated() names what is older than three days", () => {
  const spills = [spill("new", 0), spill("young", 71), spill("old", 73), spill("older", 500)];
  assert.deepEqual(outdated(spills, NOW), ["old", "older"]);
  assert.deepEqual(outdated([], NOW), []);
});

Deno.test("outdated() names the oldest beyond a gigabyte, and nobody who may still be at work", () => {
  const half = 500_000_000;
  const spills = [
    spill("c", 30, half),
    spill("a", 2, half),
    spill("d", 40, half),
    spill("b", 3, half),
  ];
  assert.deepEqual(outdated(spills, NOW), ["c", "d"]);
  const busy = Array.from({ length: 20 }, (_, n) => spill(`${n}`, 0.5, half));
  assert.deepEqual(outdated(busy, NOW), []);
  assert.deepEqual(outdated([...busy, spill("idle", 2)], NOW), ["idle"]);
});

const bytes = (text: string) => new TextEncoder().encode(text);
posixTest(
  "openSpill() keeps files that are the user's alone, in a folder of this run",
  async () => {
    await withFolder(async (cache) => {
      const [one, two] = [await openSpill(cache, Date.now()), await openSpill(cache, Date.now())];
      assert.notEqual(one.path, two.path);
      const path = await one.put("r1.txt", bytes("whole"));
      assert.equal(path, `${one.path}/r1.txt`);
      assert.deepEqual([
        await modeOf(path),
        await modeOf(one.path),
        await modeOf(`${cache}/results`),
      ], [
        0o600,
        0o700,
        0o700,
      ]);
      assert.deepEqual([await one.text("r1.txt"), await two.text("r1.txt")], ["whole", undefined]);
      assert.deepEqual(await files(one.path), ["r1.txt"]);
    });
  },
);

Deno.test("openSpill() removes what runs of days ago have left, and nothing else", async () => {
  await withFolder(async (cache) => {
    const old = await openSpill(cache, Date.now());
    await old.put("r1.txt", bytes("old"));
    await Deno.writeTextFile(`${cache}/results/of-the-user`, "mine");
    const later = await openSpill(cache, Date.now() + 73 * 3_600_000);
    await later.put("r1.txt", bytes("new"));
    const run = later.path.split(/[/\\]/).at(-1);
    assert.deepEqual(await files(`${cache}/results`), ["of-the-user", `${run}/r1.txt`].sort());
  });
});

Deno.test("openSpill() goes where temporary files go when there is no cache, or none to write to", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    for (const cache of [undefined, `${folder}/file`]) {
      const { path } = await openSpill(cache, Date.now());
      assert(!path.startsWith(folder));
      await Deno.remove(path);
    }
  });
});

Deno.test("openFolder() is what is there and is one", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/file`, "");
    assert.equal(await openFolder(`${folder}/none`), undefined);
    await assert.rejects(openFolder(`${folder}/file`), /^Error: it is no folder$/);
    await Deno.mkdir(`${folder}/media`);
    const drop = await openFolder(`${folder}/media`);
    assert(drop);
    await drop.put("a.png", bytes("one"));
    await drop.put("a.png", bytes("two"));
    assert.equal(await drop.text("a.png"), "two");
    assert.deepEqual(await files(folder), ["file", "media/a.png"]);
    await Deno.remove(`${folder}/media`, { recursive: true });
    await assert.rejects(drop.put("b.png", bytes("x")), /^Error: No such file or directory$/);
  });
});
