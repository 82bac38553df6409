/** Outages as a user sees them: a line for each change of state, the same in JSON, and a run that goes on. */
import assert from "node:assert/strict";
import { demo, flaky, sandbox } from "../support/cli.ts";

/** A model that calls a dying tool so often, then a healthy one, then answers. */
const script = (times: number) => [
  ...Array.from({ length: times }, (_, n) => ({ uses: [{ name: "mcp__ill__echo", args: { n } }] })),
  { uses: [{ name: "mcp__notes__search", args: { query: "release" } }] },
  { text: "the answer" },
];

Deno.test("a server that dies on every call is told of twice, left alone, and the run ends with its answer", async () => {
  await using box = await sandbox();
  const config = { servers: { ill: flaky("die-on-call=echo"), notes: demo("notes") } };
  const model = `script:${await box.file("turns.json", script(5))}`;
  const run = await box.fusebox(["ask", "go", "-m", model, "--yes", "--json"], { config });
  assert.equal(run.code, 0, run.stderr);
  const report = JSON.parse(run.stdout);
  assert.equal(report.answer, "the answer");
  assert.deepEqual(
    report.calls.map(({ alias, failure }: { alias: string; failure?: string }) => [alias, failure]),
    [
      ...Array(3).fill(["ill", "exited"]),
      ...Array(2).fill(["ill", "fuse_open"]),
      ["notes", undefined],
    ],
  );
  assert.deepEqual(
    report.outages.map((
      { alias, state, reason }: Record<string, string>,
    ) => [alias, state, reason]),
    [["ill", "offline", "exited"], ["ill", "open", "exited"]],
  );
  const told = run.stderr.split("\n").filter((line) => /^(Lost|ill: )/.test(line));
  assert.equal(told.length, 2, run.stderr);
  assert.match(
    told[1]!,
    /^ill: left alone, its fuse is open; next trial in [3-6](\.\d)?s \(servers\.ill\.fuse\): Lost/,
  );
});

Deno.test("--jsonl shows a server that goes as an event of its own", async () => {
  await using box = await sandbox();
  const config = { servers: { ill: flaky("die-on-call=echo"), notes: demo("notes") } };
  const model = `script:${await box.file("turns.json", script(1))}`;
  const run = await box.fusebox(["ask", "go", "-m", model, "--yes", "--jsonl", "-q"], { config });
  const events = run.stdout.trim().split("\n").map((line) => JSON.parse(line));
  const [gone] = events.filter(({ type }) => type === "server");
  assert.deepEqual([gone.alias, gone.state, gone.reason], ["ill", "offline", "exited"]);
  assert(events.findIndex(({ type }) => type === "server") < events.length - 1);
  assert.equal(run.stderr, "");
});

Deno.test("the policy of a fuse is the configuration's: one failure opens it where it says so", async () => {
  await using box = await sandbox();
  const config = {
    fuse: { failures: 1, backoff: "1m" },
    servers: { ill: flaky("die-on-call=echo"), notes: demo("notes") },
  };
  const model = `script:${await box.file("turns.json", script(2))}`;
  const run = await box.fusebox(["ask", "go", "-m", model, "--yes", "--json"], { config });
  const { calls } = JSON.parse(run.stdout);
  assert.deepEqual(calls.slice(0, 2).map(({ failure }: { failure: string }) => failure), [
    "exited",
    "fuse_open",
  ]);
});
