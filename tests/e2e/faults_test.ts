/** The worst that servers do, beside a healthy one: docs/faults.md is made of what comes of it. @module */
import assert from "node:assert/strict";
import { posixTest, sandbox, sideBySide, testWhere } from "../support/cli.ts";
import { CALL } from "../support/faults/call.ts";
import { CLOSE } from "../support/faults/close.ts";
import { FUSE } from "../support/faults/fuse.ts";
import { HANDSHAKE } from "../support/faults/handshake.ts";
import { LIST } from "../support/faults/list.ts";
import { type Mode, MODES, PHASES, type Row } from "../support/faults/row.ts";
import { check, house, meet, type Met } from "../support/faults/run.ts";
import { SPAWN } from "../support/faults/spawn.ts";
import { render } from "../support/faults/table.ts";
import { ROOT } from "../support/paths.ts";

const LINUX = Deno.build.os === "linux";
const ROWS = [SPAWN, HANDSHAKE, LIST, CALL, FUSE, CLOSE].flat().filter(({ linux }) =>
  LINUX || !linux
);
/** As many of one phase share a run, and one healthy server. */
const COMPANY = 4;

const rowsIn = (mode: Mode) => ROWS.filter(({ everyMode }) => everyMode || mode === "full");

function companies(rows: readonly Row[]): Row[][] {
  const found: Row[][] = rows.filter(({ alone }) => alone).map((row) => [row]);
  for (const phase of PHASES) {
    const others = rows.filter((row) => row.phase === phase && !row.alone);
    for (let at = 0; at < others.length; at += COMPANY) found.push(others.slice(at, at + COMPANY));
  }
  return found;
}

const made = new Map<Mode, Promise<Map<Row, Met | Error>>>();

/** What came of every fault, in the order of the rows; each is tried once, whoever asks. */
function metIn(mode: Mode): Promise<Map<Row, Met | Error>> {
  if (!made.has(mode)) made.set(mode, tryAll(mode));
  return made.get(mode)!;
}

async function tryAll(mode: Mode): Promise<Map<Row, Met | Error>> {
  const rows = rowsIn(mode);
  const found = new Map<Row, Met | Error>();
  await sideBySide(companies(rows), async (box, company) => {
    try {
      for (const [row, met] of await meet(box, company, mode)) found.set(row, met);
    } catch (error) {
      for (const row of company) found.set(row, error as Error);
      await box.clear();
    }
  });
  return new Map(rows.map((row) => [row, found.get(row)!]));
}

for (const mode of MODES) {
  const name = `${mode} mode: ${rowsIn(mode).length} faults cost their own tools, and nothing else`;
  posixTest(name, async (t) => {
    for (const [row, met] of await metIn(mode)) {
      await t.step(`${row.phase}: a server that ${row.does}`, () => {
        if (met instanceof Error) throw met;
        check(row, met);
      });
    }
  });
}

posixTest(
  "servers --json names the same codes, of all that can't be attached at once",
  async () => {
    await using box = await sandbox();
    const rows = rowsIn("lazy").filter(({ offline }) => offline);
    const company = new Map(rows.map((row, n) => [`faulty-${n + 1}`, row]));
    const config = await box.file("fusebox.json", await house(box, company));
    const { code, stdout, stderr } = await box.fusebox(["servers", "--json"], { config });
    assert.equal(code, 0, stderr);
    const { servers } = JSON.parse(stdout);
    const states = servers.map((it: Record<string, unknown>) => [it.alias, it.state, it.reason]);
    assert.deepEqual(states, [
      ["notes", "online", undefined],
      ...[...company].map(([alias, { offline }]) => [alias, "offline", offline]),
    ]);
  },
);

Deno.test("the matrix has at least 45 faults, a dozen of them in every mode, and none twice", () => {
  assert(ROWS.length >= 45);
  assert(rowsIn("lazy").length >= 12);
  assert.equal(new Set(ROWS.map(({ phase, does }) => `${phase} ${does}`)).size, ROWS.length);
});

testWhere(
  LINUX,
  "some faults can't be tried here",
  "docs/faults.md says what happened",
  async () => {
    const met = await metIn("full");
    const failed = met.values().find((it) => it instanceof Error);
    if (failed) throw failed;
    const text = render(met as Map<Row, Met>);
    const path = ROOT + "docs/faults.md";
    if (Deno.env.get("UPDATE_DOCS") === "1") return await Deno.writeTextFile(path, text);
    const kept = await Deno.readTextFile(path).catch(() => "");
    assert.equal(kept, text, "UPDATE_DOCS=1 deno test -A tests/e2e/faults_test.ts writes it anew");
  },
);
