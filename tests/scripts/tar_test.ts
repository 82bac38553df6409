import assert from "node:assert/strict";
import { type Entry, tar } from "../../scripts/portable/tar.ts";
import { posixTest } from "../support/cli.ts";

const text = (text: string) => new TextEncoder().encode(text);
const ENTRIES: readonly Entry[] = [
  { name: "program", bytes: text("#!/bin/sh\necho here\n"), executable: true },
  { name: "exact", bytes: new Uint8Array(1024).fill(97) },
  { name: "a".repeat(100), bytes: text("ü") },
  { name: "empty", bytes: new Uint8Array() },
];

posixTest("tar() makes what every tar unpacks, to the byte and with its mode", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(
      `${folder}/a.tar`,
      new Uint8Array(await new Blob(tar(ENTRIES)).arrayBuffer()),
    );
    const { success, stderr } = await new Deno.Command("tar", {
      args: ["-xf", "a.tar"],
      cwd: folder,
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    for (const { name, bytes, executable } of ENTRIES) {
      assert.deepEqual(await Deno.readFile(`${folder}/${name}`), bytes);
      const { mode } = await Deno.stat(`${folder}/${name}`);
      assert.equal((mode! & 0o100) !== 0, executable ?? false, name);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("tar() makes the same bytes of the same entries, and none of a name that does not fit", () => {
  assert.deepEqual(tar(ENTRIES), tar(ENTRIES));
  const entry = { name: "a".repeat(101), bytes: new Uint8Array() };
  assert.throws(() => tar([entry]), /Cannot pack "a+": its name is too long/);
});
