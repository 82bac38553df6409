/** The three modes over the command line: same questions, same answers, and only the processes that are wanted. */
import assert from "node:assert/strict";
import {
  demo,
  eventually,
  flaky,
  type Launch,
  POSIX,
  posixTest,
  type Sandbox,
  sandbox,
  sideBySide,
} from "../support/cli.ts";

const SERVERS = { notes: demo("notes"), tickets: demo("tickets") };
const MODES = ["full", "lazy", "forward"] as const;

interface Use {
  name: string;
  args: Record<string, unknown>;
}

/** A script of one turn for each list of uses, and an answer. */
function script(...turns: Use[][]): string {
  const lines = turns.map((uses) => JSON.stringify({ uses }));
  return [...lines, JSON.stringify({ text: "done" })].join("\n");
}

const call = (name: string, args: Record<string, unknown> = {}): Use => ({
  name: "mcp",
  args: { action: "call", name, args },
});
const server = (name: string, server: string): Use => ({ name, args: { server } });

let scripts = 0;
/** Arguments for a run of this script. */
async function played(box: Sandbox, text: string, ...args: string[]): Promise<string[]> {
  const path = await box.file(`script-${++scripts}.jsonl`, text);
  return ["go", "-m", `script:${path}`, "--yes", ...args];
}

interface Report {
  mode: string;
  answer: string;
  calls: { alias?: string; tool: string; arguments: unknown; isError: boolean }[];
  offline: { alias: string; reason: string }[];
}

async function report(box: Sandbox, args: string[], launch: Launch = {}): Promise<Report> {
  const { code, stdout, stderr } = await box.fusebox([...args, "--json"], launch);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

/** What each result said, by the events of a run. */
async function results(box: Sandbox, args: string[], launch: Launch = {}): Promise<
  { text: string; isError: boolean }[]
> {
  const { code, stdout, stderr } = await box.fusebox([...args, "--jsonl"], launch);
  assert([0, 7].includes(code), stderr); // An answer, or all that was asked for refused.
  return stdout.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ type }) => type === "result")
    .map(({ result }) => ({
      text: result.content.map((part: { text?: string }) => part.text).join(""),
      isError: result.isError,
    }));
}

/** The same three calls, as a model makes them in each mode. */
const TASK: Readonly<Record<typeof MODES[number], Use[][]>> = (() => {
  const find: [string, Record<string, unknown>] = ["mcp__notes__search", { query: "certificate" }];
  const read: [string, Record<string, unknown>] = ["mcp__notes__read_note", { id: "n-2" }];
  const open: [string, Record<string, unknown>] = ["mcp__tickets__create_ticket", {
    title: "Ask IT",
    due: "2026-12-04",
  }];
  const direct = [find, read, open].map(([name, args]) => [{ name, args }]);
  return {
    full: direct,
    lazy: [[server("attach_server", "notes"), server("attach_server", "tickets")], ...direct],
    forward: [find, read, open].map(([name, args]) => [call(name, args)]),
  };
})();

Deno.test("each mode gives the same results of the same tools", async () => {
  const said = new Map<string, unknown>();
  await sideBySide(MODES, async (box, mode) => {
    const config = { servers: SERVERS };
    const args = await played(box, script(...TASK[mode]), "--mode", mode);
    // In forward mode the first run may have to be told the schema first; the second knows it.
    await box.fusebox(["catalog", "refresh", "-q"], { config: { servers: SERVERS } });
    for (const run of ["warm", "again"]) {
      const all = await results(box, args, { config });
      const own = all.slice(mode === "lazy" ? 2 : 0);
      assert(own.every(({ isError }) => !isError), `${mode}, ${run}: ${JSON.stringify(own)}`);
      said.set(`${mode}, ${run}`, own.map(({ text }) => text));
    }
    const told = await report(box, args, { config });
    assert.equal(told.mode, mode);
    await box.empty();
  });
  const [first, ...others] = said.values();
  for (const other of others) assert.deepEqual(other, first);
});

for (const mode of ["lazy", "forward"] as const) {
  posixTest(
    `--${mode} starts no server before one is called, and then that one alone`,
    async () => {
      await using box = await sandbox();
      const config = { servers: { ...SERVERS, slow: flaky() } };
      await box.fusebox(["catalog", "refresh", "-q"], { config });
      const slow = { name: "mcp__slow__slow", args: { ms: 60_000, every: 20 } };
      const use = mode === "lazy" ? slow : call(slow.name, slow.args);
      const path = await box.file("script.jsonl", script([use]));
      const run = await box.start(["go", `--${mode}`, "-v", "-m", `script:${path}`, "--yes"], {
        config,
      });
      await run.until("stderr", "/60000");
      // Ours, and the one that was called.
      assert.equal((await box.living()).length, 2, run.stderr);
      assert.doesNotMatch(run.stderr, /^(?:notes|tickets): online/m);
      run.send("SIGTERM");
      assert.equal((await run.ended).code, 143);
      await box.empty();
    },
  );
}

posixTest("a run in lazy mode that calls nothing starts nothing", async () => {
  await using box = await sandbox();
  const touch = `${box.home}/started`;
  const config = {
    servers: { spy: { command: "sh", args: ["-c", `touch '${touch}'; exec cat`] } },
  };
  for (const mode of ["--lazy", "--forward"]) {
    const told = await report(box, await played(box, script(), mode), { config });
    assert.deepEqual([told.answer, told.calls, told.offline], ["done", [], []]);
  }
  await assert.rejects(Deno.stat(touch), Deno.errors.NotFound);
});

posixTest(
  "a detached server's process is gone while the run goes on, and a call brings it back",
  async () => {
    await using box = await sandbox();
    const config = { servers: { a: flaky(), slow: flaky() } };
    const wait = { name: "mcp__slow__slow", args: { ms: 60_000, every: 20 } };
    const turns = [
      [server("attach_server", "a"), server("attach_server", "slow")],
      [{ name: "mcp__a__pid", args: {} }],
      [server("detach_server", "a")],
      [wait],
    ];
    const path = await box.file("script.jsonl", script(...turns));
    const run = await box.start(["go", "--lazy", "-m", `script:${path}`, "--yes", "-v"], {
      config,
    });
    await run.until("stderr", "/60000");
    await eventually(async () =>
      (await box.living()).length === 2 ? undefined : "the detached server lives"
    );
    run.send("SIGINT");
    assert.equal((await run.ended).code, 130);
  },
);

posixTest(
  "a server that rests is stopped in the midst of a run, and one with keepAlive is not",
  async () => {
    await using box = await sandbox();
    const servers = {
      a: { ...flaky(), idle: "100ms" },
      kept: { ...flaky(), idle: "100ms", keepAlive: true },
      slow: flaky(),
    };
    const pid = (alias: string) => ({ name: `mcp__${alias}__pid`, args: {} });
    const attach = Object.keys(servers).map((alias) => server("attach_server", alias));
    const slow = { name: "mcp__slow__slow", args: { ms: 60_000, every: 20 } };
    const path = await box.file("script.jsonl", script(attach, [pid("a"), pid("kept")], [slow]));
    const run = await box.start(["go", "--lazy", "-m", `script:${path}`, "--yes", "-v"], {
      config: { servers },
    });
    await run.until("stderr", "/60000");
    const [a, kept] = ["a", "kept"].map((alias) =>
      Number(new RegExp(`← ${alias}\\.pid (\\d+)`).exec(run.stderr)?.[1])
    );
    await eventually(async () => (await box.living()).includes(a!) ? "it still lives" : undefined);
    assert((await box.living()).includes(kept!), run.stderr);
    run.send("SIGTERM");
    assert.equal((await run.ended).code, 143);
  },
);

posixTest(
  "a server that is disabled has no process in any mode, and can't be attached",
  async () => {
    await sideBySide(MODES, async (box, mode) => {
      const touch = `${box.home}/started`;
      const spy = { command: "sh", args: ["-c", `touch '${touch}'; exec cat`], disabled: true };
      const config = { servers: { notes: demo("notes"), spy } };
      const uses = {
        full: [{ name: "mcp__spy__x", args: {} }],
        lazy: [server("attach_server", "spy"), { name: "mcp__spy__x", args: {} }],
        forward: [
          call("mcp__spy__x"),
          call("spy.x"),
          { name: "mcp", args: { action: "describe", name: "spy" } },
        ],
      };
      const all = await results(box, await played(box, script(uses[mode]), "--mode", mode), {
        config,
      });
      assert(all.every(({ isError }) => isError), `${mode}: ${JSON.stringify(all)}`);
      await assert.rejects(Deno.stat(touch), Deno.errors.NotFound, mode);
    });
  },
);

Deno.test("a call through mcp asks for approval of the inner tool, known or not, and is refused without", async () => {
  await sideBySide(["known", "never listed"], async (box, how) => {
    const config = { servers: { a: flaky() } };
    if (how === "known") await box.fusebox(["catalog", "refresh", "-q"], { config });
    const path = await box.file("script.jsonl", script([call("mcp__a__echo", { n: 1 })]));
    const args = ["go", "--forward", "-m", `script:${path}`];
    const { stdout } = await box.fusebox([...args, "--jsonl"], { config });
    assert.doesNotMatch(stdout, /"text":"\{\\"n\\":1\}"/, how);
    const allowed = await results(box, [...args, "--allow", "a.echo"], { config });
    if (how === "known") assert.deepEqual(allowed, [{ text: '{"n":1}', isError: false }]);
    const denied = await results(box, [...args, "--yes", "--deny", "a.echo"], { config });
    assert.equal(denied[0]?.isError, true, how);
  });
});

Deno.test("--mode that is none, and two modes at once, end with 2", async () => {
  await using box = await sandbox();
  const wrong = await box.fusebox(["go", "--mode", "nonsense"]);
  assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /Cannot read --mode nonsense: no such mode/);
  assert.match(wrong.stderr, /auto, full, lazy, forward/);
  for (const flags of [["--lazy", "--forward"], ["--mode", "full", "--lazy"]]) {
    const { code, stderr } = await box.fusebox(["go", ...flags]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /two modes at once/);
  }
  const { code, stderr } = await box.fusebox(["go"], { config: { mode: "lazzy", servers: {} } });
  assert.equal(code, 2, stderr);
});

Deno.test("mode: in the configuration is the flag's, and the flag goes before it", async () => {
  await using box = await sandbox();
  const config = { mode: "forward", servers: SERVERS };
  const args = await played(box, script());
  assert.equal((await report(box, args, { config })).mode, "forward");
  assert.equal((await report(box, [...args, "--lazy"], { config })).mode, "lazy");
  assert.equal((await report(box, [...args, "--mode", "auto"], { config })).mode, "full");
});

Deno.test("search finds tools, and the second time without a single process", async () => {
  await using box = await sandbox();
  const config = { servers: SERVERS };
  const first = await box.fusebox(["search", "close a ticket"], { config });
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, /^mcp__tickets__close_ticket\(id\*: string\) – Closes a ticket/);
  const again = await box.fusebox(["search", "close", "a", "ticket", "-v"], { config });
  assert.equal(again.stdout, first.stdout);
  assert.doesNotMatch(again.stderr, /online/);
  const json = await box.fusebox(["search", "close a ticket", "--json"], { config });
  const { query, found } = JSON.parse(json.stdout);
  assert.deepEqual([query, found[0].alias, found[0].tool], [
    "close a ticket",
    "tickets",
    "close_ticket",
  ]);
  const nothing = await box.fusebox(["search", "xyzzy"], { config });
  assert.equal(nothing.code, 0);
  assert.match(nothing.stdout, /No tool matches "xyzzy".*\nnotes – .*\ntickets – /);
  const wordless = await box.fusebox(["search"], { config });
  assert.equal(wordless.code, 2);
  assert.match(wordless.stderr, /Cannot search: no words are given/);
});

Deno.test("catalog lists, refreshes and forgets what is known, and keeps who failed with the reason", async () => {
  await using box = await sandbox();
  const config = { servers: { ...SERVERS, dead: { command: "no-such-command" } } };
  const list = async (...args: string[]) => {
    const { code, stdout, stderr } = await box.fusebox(["catalog", ...args], { config });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const empty = await list();
  assert.match(empty, /^notes +- +- +never listed: fusebox catalog refresh$/m);
  const full = await list("refresh");
  assert.match(full, /^notes +3 +2026-07-28/m);
  assert.match(full, /^dead .*no such command/m);
  assert.equal(await list("list"), await list());
  const { servers } = JSON.parse(await list("list", "--json"));
  assert.deepEqual(servers[0].tools, ["search", "read_note", "add_note"]);
  assert.equal(servers[0].dialect.era, "modern");
  assert.match(await list(), /^tickets +3 +2026-07-28/m);
  await list("clear");
  assert.equal(await list(), empty);
  for (const words of [["nonsense"], ["list", "more"]]) {
    const { code, stderr } = await box.fusebox(["catalog", ...words], { config });
    assert.equal(code, 2);
    assert.match(stderr, /There are: list, refresh, clear/);
  }
});

Deno.test("catalog list says why a server that was known failed the last time", async () => {
  await using box = await sandbox();
  const file = await box.file("server.js", "");
  const config = { servers: { a: { command: Deno.execPath(), args: ["run", "-A", file] } } };
  const { command, args } = flaky();
  await Deno.writeTextFile(
    file,
    `await new Deno.Command(${JSON.stringify(command)}, { args: ${
      JSON.stringify(args)
    } }).spawn().status;`,
  );
  const refresh = await box.fusebox(["catalog", "refresh"], { config });
  assert.match(refresh.stdout, /^a +6 /m, refresh.stderr);
  await Deno.writeTextFile(file, "Deno.exit(3);");
  await box.fusebox(["catalog", "refresh"], { config });
  const { stdout } = await box.fusebox(["catalog", "list"], { config });
  assert.match(stdout, /^a +6 /m, "a menu entry never vanishes");
  assert.match(stdout, /exited|exit code 3/);
});

posixTest(
  "catalog refresh drops what nobody heard of for months, and list --json says what is fresh",
  async () => {
    await using box = await sandbox();
    const config = { servers: SERVERS };
    const env = { XDG_CACHE_HOME: `${box.home}/.cache` };
    await box.fusebox(["catalog", "refresh", "-q"], { config, env });
    const folder = `${box.home}/.cache/fusebox/catalog`;
    const old = `${folder}/${"a".repeat(64)}.tools`;
    await Deno.writeTextFile(old, '{"catalogue":1,"at":0,"seal":""}\n{}\n');
    await box.fusebox(["catalog", "refresh", "-q"], { config, env });
    const left = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name);
    assert.equal(left.length, Object.keys(SERVERS).length, left.join());
    const { stdout } = await box.fusebox(["catalog", "--json"], { config, env });
    for (const { fresh } of JSON.parse(stdout).servers) assert.equal(typeof fresh, "boolean");
  },
);

Deno.test("a forwarded call is logged and reported as the tool that it reached", async () => {
  await using box = await sandbox();
  const config = { servers: SERVERS };
  await box.fusebox(["catalog", "refresh", "-q"], { config });
  const uses = [call("mcp__notes__search", { query: "lisbon" })];
  const args = await played(box, script(uses), "--forward");
  const { stdout, stderr } = await box.fusebox([...args, "--json"], { config });
  const [one] = (JSON.parse(stdout) as Report).calls;
  assert.deepEqual([one?.alias, one?.tool], ["notes", "search"]);
  assert.deepEqual(one?.arguments, { query: "lisbon" });
  assert.match(stderr, /→ notes\.search \{"query":"lisbon"\}/);
});

Deno.test("a folder for caches that can't be written, or holds rubbish, costs nothing but time", async () => {
  await using box = await sandbox();
  const config = { servers: SERVERS };
  const inTheWay = await box.file("in-the-way", "a file");
  const uses = [{ name: "mcp__notes__search", args: { query: "lisbon" } }];
  const args = await played(box, script(uses), "--mode", "full");
  const runtime = POSIX ? { DENO_DIR: await Deno.realPath(`${box.home}/.cache/deno`) } : {};
  // Elsewhere than on Linux the folder is another one, and this is an ordinary run.
  for (const folder of [inTheWay, "/proc/nowhere"]) {
    const env = { ...runtime, XDG_CACHE_HOME: folder };
    const all = await results(box, args, { config, env });
    assert.deepEqual(all.map(({ isError }) => isError), [false]);
    const found = await box.fusebox(["search", "lisbon"], { config, env });
    assert.equal(found.code, 0, found.stderr);
  }
  if (!POSIX) return;
  const cache = `${box.home}/cache`;
  const env = { ...runtime, XDG_CACHE_HOME: cache };
  await box.fusebox(["catalog", "refresh"], { config, env });
  const folder = `${cache}/fusebox/catalog`;
  for await (const { name } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    await Deno.writeTextFile(path, (await Deno.readTextFile(path)).slice(0, 100));
  }
  const { code, stdout, stderr } = await box.fusebox(["search", "-v", "ticket"], { config, env });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Cannot use an entry of the catalogue: it is damaged/);
  assert.match(stdout, /mcp__tickets__/);
});
