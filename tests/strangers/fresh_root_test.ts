/** The portable file in a Debian that has nothing but its essential packages: no Deno, no Node, no certificates. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { testWhere } from "../support/cli.ts";
import { portable, removePortable } from "../support/portable.ts";

async function output(command: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command(command, { args, stderr: "null" }).output();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch {
    return undefined;
  }
}

/** Where this machine has its own packages from, and of which release: nobody else's is asked. */
async function mirror(): Promise<{ site: string; release: string } | undefined> {
  const lines = await output("apt-get", "indextargets", "--format", "$(SITE) $(CODENAME)");
  // What is updated since stands beside the release itself, under longer names.
  const [first] = (lines ?? "").split("\n").filter((line) => /^\S+ [a-z]+$/.test(line));
  const [site, release] = first?.split(" ") ?? [];
  return site && release ? { site, release } : undefined;
}

const LINUX = Deno.build.os === "linux";
const SOURCE = LINUX && Deno.uid() === 0 && await output("debootstrap", "--version") !== undefined
  ? await mirror()
  : undefined;

/** How often a mirror may lose a package on the way. What has come stays in `packages`. */
const TRIES = 4;

async function install(root: string, packages: string): Promise<void> {
  const { site, release } = SOURCE!;
  const args = ["--variant=minbase", `--cache-dir=${packages}`, release, root, site];
  for (let tries = 1;; tries++) {
    const signal = AbortSignal.timeout(300_000);
    const { success, stdout } = await new Deno.Command("debootstrap", { args, signal }).output();
    if (success) return;
    const said = new TextDecoder().decode(stdout).split("\n").slice(-5).join("\n");
    assert(tries < TRIES && /Couldn't (?:download|retrieve)|Failed getting/.test(said), said);
    await Deno.remove(root, { recursive: true });
    await Deno.mkdir(root);
  }
}

Deno.test.afterAll(removePortable);

testWhere(
  SOURCE !== undefined,
  "it takes root, debootstrap and Debian's packages",
  "the portable file holds 9 of 9 in a fresh Debian",
  async () => {
    const packages = await Deno.makeTempDir({ prefix: "fusebox-packages-" });
    const root = await Deno.makeTempDir({ prefix: "fusebox-root-" });
    try {
      await install(root, packages);
      await Deno.copyFile(await portable(), join(root, "fusebox"));
      // In a namespace of its own: what is mounted there is gone with its last process.
      const script = 'mount -t proc proc "$0/proc" && exec chroot "$0" /usr/bin/env -i ' +
        "HOME=/root PATH=/usr/bin:/bin /fusebox selftest";
      const { code, stdout, stderr } = await new Deno.Command("unshare", {
        args: ["-mpf", "sh", "-c", script, root],
      }).output();
      const text = new TextDecoder().decode(stdout);
      assert.equal(code, 0, text + new TextDecoder().decode(stderr));
      assert.equal(text.trimEnd().split("\n").at(-1), "9 of 9");
    } finally {
      for (const folder of [root, packages]) await Deno.remove(folder, { recursive: true });
    }
  },
);
