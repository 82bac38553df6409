import assert from "node:assert/strict";
import { join } from "node:path";
import { sandbox } from "../support/cli.ts";
import { ROOT } from "../support/paths.ts";

/** The self-test with a server spoilt: the numbers of the checks that failed, and the exit code. */
async function failures(...spoilt: string[]): Promise<{ failed: number[]; code: number }> {
  await using box = await sandbox();
  const file = join(ROOT, "tests", "support", "sabotage.ts");
  const servers = spoilt.flatMap((name) => {
    const alias = name.slice(0, name.indexOf("-"));
    return [
      "--server",
      `${alias}="${Deno.execPath()}" run -A --no-config --quiet "${file}" ${name}`,
    ];
  });
  const { code, stdout } = await box.fusebox(["selftest", ...servers], { patienceMs: 100_000 });
  const lines = stdout.trimEnd().split("\n");
  assert.equal(lines.length, 10, stdout);
  for (const [index, line] of lines.slice(0, 9).entries()) {
    assert(line.startsWith(`ok ${index + 1} `) || line.startsWith(`FAIL ${index + 1} `), line);
  }
  const failed = lines.flatMap((line) => /^FAIL (\d)/.exec(line)?.[1] ?? []).map(Number);
  assert.equal(lines.at(-1), `${9 - failed.length} of 9`);
  return { failed, code };
}

Deno.test("the self-test holds nine checks of nine, and ends with 0", async () => {
  assert.deepEqual(await failures(), { failed: [], code: 0 });
});

const SPOILT: Record<string, number[]> = {
  "notes-legacy": [1],
  "notes-one-page": [3],
  "notes-no-hints": [4],
  "notes-no-search": [8, 9],
  "tickets-legacy": [1],
  "tickets-any-date": [7],
};

for (const [name, failed] of Object.entries(SPOILT)) {
  Deno.test(`the self-test over ${name} fails in ${failed.join(" and ")}, and ends with 1`, async () => {
    assert.deepEqual(await failures(name), { failed, code: 1 });
  });
}

Deno.test("the self-test over two spoilt servers fails in the checks of both", async () => {
  const { failed, code } = await failures("notes-one-page", "tickets-any-date");
  assert.deepEqual([failed, code], [[3, 7], 1]);
});
