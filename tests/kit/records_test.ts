/** Decisions on a disk: kept whole, never mixed up, and never a yes that nobody said. */
import assert from "node:assert/strict";
import { type RecordKind, Records } from "../../lib/kit/records.ts";
import { Disk } from "../support/disk.ts";

interface Choice {
  colour: string;
}

const KIND: RecordKind<Choice> = {
  name: "choice",
  version: 1,
  read: ({ colour }) => typeof colour === "string" ? { colour } : undefined,
};
const ID = "a".repeat(64);
const OTHER = "b".repeat(64);
const FILE = `choice-${ID}.json`;

function setup(disk = new Disk()) {
  const notes: string[] = [];
  return { disk, notes, records: new Records(disk, KIND, (line) => notes.push(line)) };
}

Deno.test("put() keeps a decision privately, and get() has it back", async () => {
  const { disk, records } = setup();
  assert.equal(await records.get(ID), undefined);
  await records.put(ID, { colour: "red" });
  assert.deepEqual(await setup(disk).records.get(ID), { colour: "red" });
  assert.equal(await records.get(OTHER), undefined);
  assert.deepEqual([...disk.privates], [FILE]);
});

Deno.test("two that write side by side lose nothing of each other", async () => {
  const disk = new Disk();
  const ids = Array.from({ length: 20 }, (_, n) => n.toString(16).padStart(64, "0"));
  await Promise.all(ids.map((id) => setup(disk).records.put(id, { colour: id })));
  assert.deepEqual([...(await setup(disk).records.all()).keys()], ids);
});

Deno.test("get() takes what is damaged, of another version or of another kind for nothing, and says so once", async () => {
  const texts = [
    "",
    "{",
    "null",
    "[]",
    '"red"',
    '{"version": 1}',
    '{"version": 1, "colour": 1}',
    '{"version": 2, "colour": "red"}',
    '{"colour": "red"}',
    '{"version": "1", "colour": "red"}',
    '{"version": 1, "colour": "red"',
  ];
  for (const text of texts) {
    const { disk, notes, records } = setup();
    disk.files.set(FILE, text);
    assert.equal(await records.get(ID), undefined, text);
    assert.equal(await records.get(ID), undefined, text);
    assert.deepEqual(notes, [
      `Cannot use ${FILE} of the state folder: it is damaged, or of another version of fusebox`,
    ]);
    assert.equal((await records.all()).size, 0);
  }
});

Deno.test("get() takes a disk that fails for an empty one, and says why; put() and all() throw", async () => {
  const { disk, notes, records } = setup();
  disk.fault = new Error("permission denied");
  assert.equal(await records.get(ID), undefined);
  assert.deepEqual(notes, [`Cannot use ${FILE} of the state folder: permission denied`]);
  await assert.rejects(records.put(ID, { colour: "red" }), /permission denied/);
  await assert.rejects(records.all(), /permission denied/);
});

Deno.test("all() and clear() see the files of their kind alone, and clear() the damaged ones too", async () => {
  const { disk, records } = setup();
  await records.put(ID, { colour: "red" });
  disk.files.set(`choice-${OTHER}.json`, "{");
  const others = ["secret", `pin-${ID}.json`, "choice-1.json", `${FILE}.tmp`, "x.tmp"];
  for (const name of others) disk.files.set(name, "");
  assert.deepEqual([...await records.all()], [[ID, { colour: "red" }]]);
  await records.clear();
  assert.deepEqual([...disk.files.keys()].sort(), others.toSorted());
});
