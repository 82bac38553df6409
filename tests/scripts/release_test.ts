/** The commands of the release, as its workflow has them, over programs of two lines and a `gh` that only listens. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parse } from "@std/yaml";
import { outputOf, TARGETS } from "../../scripts/compile.ts";
import { testWhere } from "../support/cli.ts";
import { ROOT } from "../support/paths.ts";
import config from "../../deno.json" with { type: "json" };

interface Workflow {
  jobs: Record<string, { steps: { run?: string }[] }>;
}

const VERSION = "7.8.9";

/** A checkout in which everything is compiled, with an `npx` and a `gh` of ours beside it. */
async function checkout(folder: string): Promise<void> {
  for (const name of ["tools", "temporary", "dist", "scripts"]) {
    await Deno.mkdir(join(folder, name));
  }
  const program = (path: string, text: string) =>
    Deno.writeTextFile(join(folder, path), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  await program("tools/npx", `shift 2\nexec '${Deno.execPath()}' "$@"`);
  await program("tools/gh", `printf '%s\\n' "$@" >'${folder}/told'`);
  for (const target of TARGETS) await program(outputOf(target), `echo "${target}: $1"`);
  for (const name of ["release.ts", "release_notes.ts", "install.sh"]) {
    await Deno.copyFile(`${ROOT}scripts/${name}`, join(folder, "scripts", name));
  }
  const changelog = `# Changelog\n\n## Unreleased\n\n## ${VERSION} (2027-01-31)\n\n- Smaller.\n`;
  await Deno.writeTextFile(join(folder, "CHANGELOG.md"), changelog);
  const text = JSON.stringify({ ...config, version: VERSION });
  await Deno.writeTextFile(join(folder, "deno.json"), text);
}

/** Runs the commands of a job, as GitHub would. @returns what `gh` was told last */
async function run(folder: string, job: string, tag: string): Promise<string[]> {
  const text = await Deno.readTextFile(`${ROOT}.github/workflows/release.yml`);
  for (const { run } of (parse(text) as Workflow).jobs[job]!.steps) {
    if (run === undefined) continue;
    const { success, stdout, stderr } = await new Deno.Command("bash", {
      args: ["-e", "-c", run],
      cwd: folder,
      clearEnv: true,
      env: {
        PATH: `${folder}/tools:${Deno.env.get("PATH")}`,
        HOME: folder,
        GITHUB_SERVER_URL: "https://forge.example",
        GITHUB_REPOSITORY: "us/fusebox",
        GITHUB_REF_NAME: tag,
        RUNNER_TEMP: `${folder}/temporary`,
      },
    }).output();
    const said = new TextDecoder();
    assert(success, `${run}\n${said.decode(stdout)}${said.decode(stderr)}`);
  }
  try {
    return (await Deno.readTextFile(`${folder}/told`)).trimEnd().split("\n");
  } catch {
    return [];
  }
}

testWhere(
  Deno.build.os === "linux" && TARGETS.includes(Deno.build.target),
  "a release is made on Linux",
  "a release is five programs, their sums, an install script that knows them, and the notes of its version",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "fusebox-release-" });
    try {
      await checkout(folder);
      assert.deepEqual(await run(folder, "gather", `v${VERSION}`), [], "nothing is out yet");
      const files = [...TARGETS.map(outputOf).sort(), "dist/SHA256SUMS", "dist/install.sh"];
      assert.deepEqual(await run(folder, "release", `v${VERSION}`), [
        ...["release", "create", "v7.8.9", "--repo", "us/fusebox", "--verify-tag"],
        ...["--title", "fusebox v7.8.9", "--notes-file", "dist/notes.md"],
        ...files,
      ]);
      for (const file of files) assert((await Deno.stat(join(folder, file))).isFile, file);
      assert.equal(await Deno.readTextFile(`${folder}/dist/notes.md`), "- Smaller.\n");
      const script = await Deno.readTextFile(`${folder}/dist/install.sh`);
      assert(script.includes("'https://forge.example/us/fusebox/releases/download/v7.8.9'"));
      assert(script.includes(await Deno.readTextFile(`${folder}/dist/SHA256SUMS`)));
      assert.doesNotMatch(script, /@[A-Z]+@/);
      // A candidate is nobody's latest release.
      assert((await run(folder, "release", "v8.0.0-rc.1")).includes("--prerelease"));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
