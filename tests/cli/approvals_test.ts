/** "Always", kept for one very server and one very name. */
import assert from "node:assert/strict";
import { type Approval, Approvals } from "../../lib/cli/approvals.ts";
import { Disk } from "../support/disk.ts";

const SERVER = "1".repeat(64);
const OTHER = "2".repeat(64);

function setup(disk = new Disk(), secret = "our secret") {
  const notes: string[] = [];
  const { files } = disk;
  const state = Object.assign(disk, { secret });
  return { disk, files, notes, approvals: new Approvals(state, (line) => notes.push(line)) };
}

const approval = (tool?: string, more: Partial<Approval> = {}): Approval => ({
  server: SERVER,
  ...(tool !== undefined && { tool }),
  alias: "notes",
  file: "/home/me/config.yaml",
  start: "npx",
  at: 1_700_000_000_000,
  ...more,
});

Deno.test("recall() finds what was said of this tool of this server, in a later run too", async () => {
  const { disk, approvals } = setup();
  await approvals.remember(approval("search"));
  const later = setup(disk).approvals;
  assert.deepEqual(await later.recall(SERVER, "search"), { tool: true, server: false });
  assert.deepEqual(await later.recall(SERVER, "read"), { tool: false, server: false });
  assert.deepEqual(await later.recall(OTHER, "search"), { tool: false, server: false });
});

Deno.test("recall() takes what was said of the whole server for whatever it has", async () => {
  const { approvals } = setup();
  await approvals.remember(approval());
  assert.deepEqual(await approvals.recall(SERVER, "anything"), { tool: false, server: true });
  assert.deepEqual(await approvals.recall(OTHER, "anything"), { tool: false, server: false });
});

Deno.test("recall() knows exact names, no patterns and no look-alikes", async () => {
  const names = ["*", "", "null", "se*", "a.b", "__proto__", "search ", "Search", "\ud800", "🚀"];
  for (const name of names) {
    const { approvals } = setup();
    await approvals.remember(approval(name));
    for (const other of [...names, "search", "\ud801", "\ufffd"]) {
      const { tool, server } = await approvals.recall(SERVER, other);
      assert.deepEqual([tool, server], [name === other, false], JSON.stringify([name, other]));
    }
  }
});

Deno.test("recall() believes no file that was put in another's place, or damaged", async () => {
  const { files, notes, approvals } = setup();
  await approvals.remember(approval("harmless"));
  const [harmless] = [...files.keys()];
  const text = files.get(harmless!)!;
  await approvals.remember(approval("wipe"));
  const wipe = [...files.keys()].find((name) => name !== harmless)!;
  const late = text.replace("harmless", "wipe").replace(/"at": \d+/, '"at": 1e300');
  for (const forged of [text, "{}", text.slice(0, 50), text.replace("harmless", "Wipe"), late]) {
    files.set(wipe, forged);
    assert.equal((await approvals.recall(SERVER, "wipe")).tool, false, forged);
  }
  assert.equal(notes.length, 1, "it is said once");
  assert.equal((await approvals.recall(SERVER, "harmless")).tool, true);
});

Deno.test("recall() finds nothing under another secret", async () => {
  const { disk, approvals } = setup();
  await approvals.remember(approval("search"));
  assert.equal((await setup(disk, "another").approvals.recall(SERVER, "search")).tool, false);
});

Deno.test("list() has all of them, whole servers first, and forget() takes back one alone", async () => {
  const { approvals } = setup();
  await approvals.remember(approval("search"));
  await approvals.remember(approval("search", { alias: "a", server: OTHER }));
  await approvals.remember(approval());
  const named = async () => (await approvals.list()).map(({ alias, tool }) => [alias, tool]);
  assert.deepEqual(await named(), [["a", "search"], ["notes", undefined], ["notes", "search"]]);
  await approvals.forget((await approvals.list())[1]!);
  assert.deepEqual(await named(), [["a", "search"], ["notes", "search"]]);
  await approvals.clear();
  assert.deepEqual(await named(), []);
});
