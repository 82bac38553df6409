/** What is printed where: answers on stdout, everything else on stderr, and readers who leave early. @module */
import assert from "node:assert/strict";
import { demo, flaky, FUSEBOX, posixTest, quoted, sandbox, testWhere } from "../support/cli.ts";

const PROMPT = "What do my notes say about Lisbon?";
const CONFIG = { servers: { notes: demo("notes"), flaky: flaky() }, allow: ["flaky"] };

/** The keys an {@linkcode AskReport} always has, and those it may have. */
const ALWAYS = [
  "answer",
  "ending",
  "model",
  "mode",
  "steps",
  "calls",
  "prefixes",
  "offline",
  "outages",
];
const MAYBE = ["why", "usage"];

function checkReport(report: Record<string, unknown>): void {
  for (const key of ALWAYS) assert(key in report, `${key} is missing`);
  for (const key of Object.keys(report)) {
    assert([...ALWAYS, ...MAYBE].includes(key), `${key} is not documented`);
  }
}

/** A script of turns for `-m`. */
const SCRIPT = [
  { text: "Let me look.", uses: [{ name: "mcp__flaky__echo", args: { n: 1 } }] },
  { uses: [{ name: "mcp__flaky__fail", args: {} }, { name: "mcp__flaky__nope", args: {} }] },
  { text: "The answer is 42." },
];

Deno.test("the answer stands on stdout alone, and what went on on stderr", async () => {
  await using box = await sandbox();
  const model = `script:${await box.file("turns.yaml", SCRIPT)}`;
  const { code, stdout, stderr } = await box.fusebox(["Go", "-m", model], { config: CONFIG });
  assert.equal(code, 0, stderr);
  assert.equal(stdout, "The answer is 42.\n");
  assert.match(stderr, /^Let me look\.$/m);
  assert.match(stderr, /^→ flaky\.echo \{"n":1\}$/m);
  assert.match(stderr, /^← flaky\.echo \{"n":1\} \(\d+ ms\)$/m);
  assert.match(stderr, /^✗ flaky\.fail This tool always says no\./m);
  assert.match(stderr, /^✗ mcp__flaky__nope /m);
});

Deno.test("ask --json prints one document with the documented keys", async () => {
  await using box = await sandbox();
  const model = `script:${await box.file("turns.yaml", SCRIPT)}`;
  const config = { ...CONFIG, servers: { ...CONFIG.servers, ghost: { command: "/nonexistent" } } };
  const { code, stdout, stderr } = await box.fusebox(["Go", "-m", model, "--json"], { config });
  assert.equal(code, 0, stderr);
  const report = JSON.parse(stdout);
  checkReport(report);
  const { calls, offline, outages, prefixes, ...rest } = report;
  assert.equal(prefixes.length, 3);
  assert.equal(new Set(prefixes).size, 1);
  assert.deepEqual(rest, {
    answer: "The answer is 42.",
    ending: "answered",
    mode: "full",
    model,
    steps: 3,
  });
  for (const call of calls) assert(Number.isInteger(call.ms) && call.ms >= 0);
  const recordOf = (name: string) => {
    const { ms: _, ...record } = calls.find((call: { name: string }) => call.name === name);
    return record;
  };
  const ref = (tool: string) => ({ alias: "flaky", tool });
  assert.equal(calls.length, 3);
  assert.deepEqual(
    ["mcp__flaky__echo", "mcp__flaky__fail", "mcp__flaky__nope"].map(recordOf),
    [
      { step: 1, name: "mcp__flaky__echo", ...ref("echo"), arguments: { n: 1 }, isError: false },
      { step: 2, name: "mcp__flaky__fail", ...ref("fail"), arguments: {}, isError: true },
      { step: 2, name: "mcp__flaky__nope", arguments: {}, isError: true, failure: "refused" },
    ],
  );
  const gone = {
    alias: "ghost",
    reason: "spawn_not_found",
    message: 'Cannot attach "ghost": no such command "/nonexistent"',
  };
  assert.deepEqual(offline, [gone]);
  const [{ at, ...outage }] = outages;
  assert.deepEqual([outage, outages.length], [{ ...gone, state: "offline" }, 1]);
  assert(Date.parse(at) <= Date.now());
});

Deno.test("ask --jsonl prints a JSON object a line, the outcome last", async () => {
  await using box = await sandbox();
  const model = `script:${await box.file("turns.yaml", SCRIPT)}`;
  const run = await box.fusebox(["Go", "-m", model, "--jsonl"], { config: CONFIG });
  assert.equal(run.code, 0, run.stderr);
  const lines = run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const types = lines.map(({ type }) => type);
  assert.deepEqual([types[0], types.at(-1)], ["step", "outcome"]);
  for (const type of ["text", "use", "result"]) assert(types.includes(type), type);
  const { type: _, ...report } = lines.at(-1);
  checkReport(report);
  assert.equal(report.answer, "The answer is 42.");
});

Deno.test("an ending without a full answer has its own exit code, and says why in --json too", async () => {
  await using box = await sandbox();
  const use = { uses: [{ name: "mcp__flaky__echo", args: {} }], repeat: true };
  const model = `script:${await box.file("turns.yaml", [use])}`;
  const ask = (...args: string[]) =>
    box.fusebox(["Go", "-m", model, "--json", ...args], { config: CONFIG });
  for (
    const [args, ending] of [[["--max-steps", "2"], "step_limit"], [[], "repetition"]] as const
  ) {
    const { code, stdout, stderr } = await ask(...args);
    assert.equal(code, 6, stderr);
    const report = JSON.parse(stdout);
    checkReport(report);
    assert.equal(report.ending, ending);
    assert.match(stderr, new RegExp(`^fusebox: ${report.why.slice(0, 20)}`, "m"));
  }
});

Deno.test("a model that fails ends the run with 5, one sentence and a hint", async () => {
  await using box = await sandbox();
  const model = `script:${await box.file("turns.yaml", SCRIPT.slice(0, 1))}`;
  const { code, stdout, stderr } = await box.fusebox(["Go", "-m", model], { config: CONFIG });
  assert.deepEqual([code, stdout], [5, ""], stderr);
  assert.match(stderr, /^fusebox: Cannot take turn 2 .*\n {2}\S.*\n$/m);
});

Deno.test("tools, servers and call print one JSON document with --json, and one line with --jsonl", async () => {
  await using box = await sandbox();
  for (
    const [args, keys] of [
      [["tools"], ["heldBack", "late", "offline", "tools"]],
      [["servers"], ["servers"]],
      [
        ["call", "flaky.echo", "n=1"],
        ["alias", "content", "isError", "ms", "name", "structuredContent", "tool"],
      ],
    ] as const
  ) {
    const pretty = await box.fusebox([...args, "--json"], { config: CONFIG });
    assert.equal(pretty.code, 0, pretty.stderr);
    assert.deepEqual(Object.keys(JSON.parse(pretty.stdout)).sort(), keys);
    const line = await box.fusebox([...args, "--jsonl"], { config: CONFIG });
    assert.match(line.stdout, /^[^\n]+\n$/);
    assert.deepEqual(Object.keys(JSON.parse(line.stdout)).sort(), keys);
  }
});

Deno.test("-q prints nothing on stderr when all goes well", async () => {
  await using box = await sandbox();
  for (
    const args of [
      [PROMPT],
      [PROMPT, "--json"],
      ["tools"],
      ["servers"],
      ["call", "notes.search", "query=Lisbon"],
    ]
  ) {
    const { code, stdout, stderr } = await box.fusebox([...args, "-q"]);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.match(stdout, /notes/);
  }
});

Deno.test("nothing in a pipe has colours, and nothing spins there", async () => {
  await using box = await sandbox();
  const model = `script:${await box.file("turns.yaml", SCRIPT)}`;
  for (const args of [["Go", "-m", model, "-v"], ["tools"], ["servers"], ["demo"]]) {
    const { code, stdout, stderr } = await box.fusebox(args, { config: CONFIG });
    assert.equal(code, 0, stderr);
    // deno-lint-ignore no-control-regex -- these are what must not be there
    assert.doesNotMatch(stdout + stderr, /[\x1b\r]|[⠋⠙⠹⠸]/);
  }
});

posixTest("a reader who has seen enough ends fusebox quietly, with 0", async () => {
  await using box = await sandbox();
  const exit = `${box.home}/exit`;
  const into = async (reader: string, args: readonly string[]) => {
    const command = `{ ${quoted([...FUSEBOX, ...args])}; echo $? > ${
      quoted([exit])
    }; } | ${reader}`;
    const { stdout, stderr } = await box.spawn(["sh", "-c", command]).ended;
    assert.equal((await Deno.readTextFile(exit)).trim(), "0", stderr);
    assert.equal(stderr, "");
    await box.empty();
    return stdout;
  };
  assert.match(await into("head -1", [PROMPT, "-q"]), /^[^\n]+\n$/);
  assert.match(
    await into("head -1", [PROMPT, "-q", "--jsonl"]),
    /^\{"type":"step","step":1,"prefix":\{.*\}\}\n$/,
  );
  assert.match(await into("head -1", ["tools", "-q"]), /^PUBLIC NAME/);
  assert.match(await into("head -1", ["servers", "-q"]), /^ALIAS/);
  // Gone before anything was written.
  for (const args of [[PROMPT, "-q"], ["call", "notes.search", "query=Lisbon"], ["--help"]]) {
    assert.equal(await into("true", args), "");
  }
});

posixTest("a reader who leaves in the midst of ten megabytes ends fusebox quietly", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("huge-line=10000000") } };
  const run = await box.start(["call", "flaky.huge"], { config });
  await run.until("stdout", "x".repeat(100));
  await run.stopReading("stdout");
  const { code, stderr } = await run.ended;
  assert.deepEqual([code, stderr], [0, ""]);
});

posixTest("nobody reading stderr is no reason to stop", async () => {
  await using box = await sandbox();
  const run = await box.start([PROMPT, "-v"]);
  await run.stopReading("stderr");
  const { code, stdout } = await run.ended;
  assert.equal(code, 0);
  assert.match(stdout, /Lisbon won the vote/);
});

posixTest("closed standard streams do not keep fusebox from its work", async () => {
  await using box = await sandbox();
  const sh = (redirection: string, ...args: string[]) =>
    box.spawn(["sh", "-c", `${quoted([...FUSEBOX, ...args])} ${redirection}`]).ended;
  assert.match((await sh("<&- 2>&-", PROMPT)).stdout, /Lisbon won the vote/);
  assert.equal((await sh("<&- >&- 2>&-", PROMPT)).code, 0);
  assert.equal((await sh("2>&-", "--jsno")).code, 2);
});

/** A test over a file that is always full. */
const fullTest = (name: string, fn: () => Promise<void>) =>
  testWhere(Deno.build.os === "linux", "only Linux has /dev/full", name, fn);

fullTest(
  "a stdout that can't be written to is told of in one sentence, and is no bug",
  async () => {
    await using box = await sandbox();
    const command = `${quoted([...FUSEBOX, PROMPT, "-q"])} > /dev/full`;
    const { code, stderr } = await box.spawn(["sh", "-c", command]).ended;
    assert.match(
      stderr,
      /^fusebox: Cannot write\b.*No space left on device[^\n]*\n( {2}[^\n]*\n)?$/,
    );
    assert.notEqual(code, 0);
    assert.notEqual(code, 70);
  },
);

fullTest("a stderr that can't be written to changes nothing else", async () => {
  await using box = await sandbox();
  const into = (args: readonly string[]) => {
    const command = `exec ${quoted([...FUSEBOX, ...args])} 2> /dev/full`;
    return box.spawn(["sh", "-c", command]).ended;
  };
  assert.match((await into([PROMPT])).stdout, /Lisbon won the vote/);
  assert.equal((await into(["--jsno"])).code, 2);
});
