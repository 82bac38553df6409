/** A log is ours alone while it is written, and takes nothing from anybody. @module */
import assert from "node:assert/strict";
import { openLog } from "../../lib/cli/log.ts";
import { posixTest, testWhere } from "../support/cli.ts";
import { withFolder } from "../support/folder.ts";
import { ROOT } from "../support/paths.ts";

const OURS = /^ours/;
const bytes = (text: string) => new TextEncoder().encode(text);

posixTest(
  "openLog() begins a file of the user's alone, also where a wider one of ours was",
  async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/log`;
      await Deno.writeTextFile(path, "ours, older and longer", { mode: 0o644 });
      const log = await openLog(path, OURS);
      await log.write(bytes("a\n"));
      await log.write(bytes("b\n"));
      log.close();
      assert.equal(await Deno.readTextFile(path), "a\nb\n");
      assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    });
  },
);

Deno.test("openLog() overwrites nothing that is not ours, but what is empty", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/log`;
    await Deno.writeTextFile(path, "theirs");
    await assert.rejects(openLog(path, OURS), /another file/);
    assert.equal(await Deno.readTextFile(path), "theirs");
    await Deno.writeTextFile(path, "");
    (await openLog(path, OURS)).close();
    await assert.rejects(openLog(folder, OURS));
    await assert.rejects(openLog(`${folder}/no/such`, OURS), Deno.errors.NotFound);
  });
});

posixTest(
  "openLog() leaves a log alone that somebody is writing, until they have left",
  async () => {
    await withFolder(async (folder) => {
      const path = `${folder}/log`;
      const log = await openLog(path, OURS);
      await log.write(bytes("ours"));
      await assert.rejects(openLog(path, OURS), /another run is writing it/);
      assert.equal(await Deno.readTextFile(path), "ours");
      log.close();
      (await openLog(path, OURS)).close();
    });
  },
);

posixTest("openLog() of a new file by two at once is for one of them", async () => {
  await withFolder(async (folder) => {
    for (let round = 0; round < 20; round++) {
      const both = [1, 2].map(() => openLog(`${folder}/${round}`, OURS));
      const ends = await Promise.allSettled(both);
      const lost = ends.filter((it) => it.status === "rejected").map(({ reason }) =>
        reason.message
      );
      for (const end of ends) if (end.status === "fulfilled") end.value.close();
      assert.deepEqual(lost, ["another run is writing it"]);
    }
  });
});

/** Starts processes, one after the other, in a thread of its own: each holds for a moment what is open. */
const STARTING = `
  for (let n = 0; n < 150; n++) await new Deno.Command("true").output();
  postMessage("done");
`;

posixTest(
  "openLog() has let go of its log when it is closed, whoever is just being started",
  async () => {
    await withFolder(async (folder) => {
      const source = `data:text/javascript,${encodeURIComponent(STARTING)}`;
      const worker = new Worker(source, { type: "module" });
      let isDone = false;
      worker.onmessage = () => isDone = true;
      try {
        while (!isDone) {
          for (let n = 0; n < 20; n++) (await openLog(`${folder}/log`, OURS)).close();
          await new Promise((resolve) => setTimeout(resolve, 0)); // Messages come between turns.
        }
      } finally {
        worker.terminate();
      }
    });
  },
);

posixTest(
  "openLog() makes no file where somebody's link leads, and writes one that is there",
  async () => {
    await withFolder(async (folder) => {
      await Deno.symlink(`${folder}/profile`, `${folder}/log`);
      await assert.rejects(
        openLog(`${folder}/log`, OURS),
        /it is a link to a file that is not there/,
      );
      await assert.rejects(Deno.stat(`${folder}/profile`), Deno.errors.NotFound);
      await Deno.writeTextFile(`${folder}/profile`, "ours");
      (await openLog(`${folder}/log`, OURS)).close();
    });
  },
);

/** Writes lines of 100 bytes to a log, forty at a time, until one fails; then one more. */
const FILLING = `
const [root, path] = Deno.args;
const { openLog } = await import(root + "lib/cli/log.ts");
const log = await openLog(path, /^$/);
const line = new TextEncoder().encode(("x".repeat(99) + "\\n").repeat(40));
let written = 0;
try {
  while (true) {
    await log.write(line);
    written += 40;
  }
} catch (error) {
  await log.write(new TextEncoder().encode("last\\n"));
  console.log(written + " " + error.message);
}
`;

testWhere(
  Deno.build.os === "linux",
  "only Linux is known to limit files like this",
  "openLog() leaves no half of what did not fit",
  async () => {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(`${folder}/filling.ts`, FILLING);
      const run = '"$0" run -A --no-config --quiet "$1/filling.ts" "$2" "$1/log"';
      // Files of 31 KiB at the most, which is no multiple of what is written at a time.
      const limited = `ulimit -f 62; trap "" XFSZ; exec ${run}`;
      const { stdout, stderr } = await new Deno.Command("sh", {
        args: ["-c", limited, Deno.execPath(), folder, ROOT],
        env: { DENO_DIR: `${folder}/cache` }, // What does not fit there is not missed.
      }).output();
      const told = new TextDecoder().decode(stdout);
      assert.match(told, /^280 File too large/, new TextDecoder().decode(stderr));
      const text = await Deno.readTextFile(`${folder}/log`);
      assert.deepEqual(text.split("\n"), [...Array(280).fill("x".repeat(99)), "last", ""]);
    });
  },
);

testWhere(
  Deno.build.os === "linux",
  "only Linux has /dev/full",
  "openLog() opens what is no file, and says that it is full",
  async () => {
    const log = await openLog("/dev/full", OURS);
    await assert.rejects(log.write(bytes("a\n")), /space/);
    log.close();
  },
);
