/** Many servers in one configuration, good ones and bad ones: each on a circuit of its own. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { demo, flaky, posixTest, sandbox, sideBySide, testWhere } from "../support/cli.ts";
import { within } from "../support/time.ts";

/** Two that work, and one for each way not to. */
const MIXED = {
  servers: {
    notes: demo("notes"),
    tickets: demo("tickets"),
    ghost: { command: "/nonexistent" },
    sleepy: { command: "sleep", args: ["1000"], limits: { handshake: "500ms" } },
    unset: { ...demo("notes"), env: { TOKEN: "${NO_SUCH_TOKEN}" } },
    broken: flaky("exit-at-start=5"),
    empty: {},
    far: { url: "https://127.0.0.1:9/mcp" },
  },
};

type Row = Record<string, unknown> & { alias: string };

/** The same configuration with this server required. */
function requiring(alias: keyof typeof MIXED.servers): typeof MIXED {
  return { servers: { ...MIXED.servers, [alias]: { ...MIXED.servers[alias], required: true } } };
}

posixTest("servers --json gives a reason to each server that is not to be had", async () => {
  await using box = await sandbox();
  let rows: Row[] = [];
  await within(4_000, async () => {
    const { code, stdout, stderr, ms } = await box.fusebox(["servers", "--json"], {
      config: MIXED,
    });
    assert.equal(code, 0, stderr);
    rows = JSON.parse(stdout).servers;
    return ms;
  });
  const states = rows.map(({ alias, state, reason }) => [alias, state, reason]);
  assert.deepEqual(states, [
    ["notes", "online", undefined],
    ["tickets", "online", undefined],
    ["ghost", "offline", "spawn_not_found"],
    ["sleepy", "offline", "handshake_timeout"],
    ["unset", "offline", "config"],
    ["broken", "offline", "exited"],
    ["empty", "offline", "config"],
    ["far", "offline", "config"],
  ]);
  const row = (alias: string) => rows.find((row) => row.alias === alias)!;
  assert.deepEqual(row("notes").tools, ["search", "read_note", "add_note"]);
  assert.equal(row("ghost").message, 'Cannot attach "ghost": no such command "/nonexistent"');
  assert.match(String(row("sleepy").message), /within 500ms .*servers\.sleepy\.limits\.handshake/);
  assert.match(String(row("unset").message), /NO_SUCH_TOKEN is not set/);
  assert.deepEqual((row("broken").stderr as string[]).at(-1), "flaky: giving up");
  for (const { since, reason } of rows) {
    assert.equal(reason === undefined, since === undefined);
    if (since !== undefined) assert(Date.now() - Date.parse(String(since)) < 60_000);
  }
});

posixTest(
  "a server that leaves at once has exited, however fast it was, and its words are kept",
  async () => {
    await using box = await sandbox();
    const hasty = { command: "sh", args: ["-c", "echo no key >&2; exit 7"] };
    const names = Array.from({ length: 12 }, (_, n) => `hasty-${n}`);
    const config = { servers: Object.fromEntries(names.map((name) => [name, hasty])) };
    const { stdout } = await box.fusebox(["servers", "--json"], { config });
    for (const { alias, reason, message, stderr } of JSON.parse(stdout).servers) {
      assert.equal(reason, "exited", `${alias}: ${message}`);
      assert.match(message, /exit code 7/);
      assert.deepEqual(stderr, ["no key"]);
    }
  },
);

posixTest("the table of servers has one row for each, and the last words of who died", async () => {
  await using box = await sandbox();
  const { code, stdout } = await box.fusebox(["servers"], { config: MIXED });
  assert.equal(code, 0);
  const [head, ...rows] = stdout.trimEnd().split("\n");
  assert.match(head!, /^ALIAS +STATE +TOOLS +DIALECT +ATTACH +REASON$/);
  assert.deepEqual(rows.map((row) => row.split(" ")[0]), Object.keys(MIXED.servers));
  assert.match(rows[0]!, /^notes +online +3 +2026-07-28 +\d+ ms$/);
  assert.match(rows[5]!, /^broken +offline .*exited: .*exit code 5.*giving up/);
});

posixTest("every tool of the good servers can be called, whatever the others do", async () => {
  await using box = await sandbox();
  const { stdout, stderr } = await box.fusebox(["tools", "--json"], { config: MIXED });
  const { tools, offline } = JSON.parse(stdout);
  const names = tools.map(({ alias, tool }: Record<string, string>) => `${alias}.${tool}`);
  assert.deepEqual(names.sort(), [
    "notes.add_note",
    "notes.read_note",
    "notes.search",
    "tickets.close_ticket",
    "tickets.create_ticket",
    "tickets.search",
  ]);
  assert.equal(offline.length, 6, stderr);
  const args: Record<string, string[]> = {
    "notes.add_note": ["title=A", "body=B"],
    "notes.read_note": ["id=n-1"],
    "tickets.close_ticket": ["id=T-1"],
    "tickets.create_ticket": ["title=A", "due=2026-12-04"],
  };
  const calls = names.map((name: string) =>
    box.fusebox(["call", name, ...args[name] ?? ["query=release"]], { config: MIXED })
  );
  for (const run of await Promise.all(calls)) assert.equal(run.code, 0, run.stderr);
});

posixTest("ask answers with the servers that are there, and says who is not", async () => {
  await using box = await sandbox();
  const args = ["What do my notes say about Lisbon?"];
  const { code, stdout, stderr } = await box.fusebox(args, { config: MIXED });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /Lisbon won the vote/);
  for (const alias of ["ghost", "sleepy", "unset", "broken", "empty", "far"]) {
    const told = stderr.match(new RegExp(`^Cannot attach "${alias}": `, "gm"));
    assert.equal(told?.length, 1, `${alias}: ${stderr}`);
  }
  assert.match(stderr, /^Cannot attach "broken": .*giving up$/m);
});

posixTest("ask starts with who is ready when the start budget is spent", async () => {
  await using box = await sandbox();
  const { notes } = MIXED.servers;
  const mute = flaky("mute");
  const config = { servers: { notes, mute }, limits: { start: "3s", handshake: "5m" } };
  const args = ["What do my notes say about Lisbon?"];
  const { code, stdout } = await box.fusebox(args, { config });
  assert.equal(code, 0);
  assert.match(stdout, /Lisbon won the vote/);
});

posixTest(
  "a required server that is not to be had ends a run with 4, and says so once",
  async () => {
    await sideBySide(["ghost", "sleepy", "unset"] as const, async (box, alias) => {
      const config = requiring(alias);
      const { code, stdout, stderr } = await box.fusebox(["Hi", "-m", "offline"], { config });
      assert.deepEqual([code, stdout], [4, ""], stderr);
      const told = stderr.match(new RegExp(`Cannot attach "${alias}": `, "g"));
      assert.equal(told?.length, 1, stderr);
      // Who works is not blamed because we leave.
      assert(!/"(?:notes|tickets)"/.test(stderr), stderr);
    });
  },
);

posixTest(
  "a required server that is not to be had ends servers with 4, after the table",
  async () => {
    await using box = await sandbox();
    const run = await box.fusebox(["servers"], { config: requiring("ghost") });
    assert.equal(run.code, 4);
    const [head, ...rows] = run.stdout.trimEnd().split("\n");
    assert.match(head!, /^ALIAS +STATE /);
    assert.equal(rows.length, 8);
    assert.deepEqual(rows.filter((row) => row.includes("attaching")), []);
    // The row says whom it is about: its reason does not say it again.
    const ghost = rows.find((row) => row.startsWith("ghost "));
    assert.match(ghost!, / spawn_not_found: no such command "\/nonexistent"$/);
    assert.match(run.stderr, /^fusebox: Cannot attach "ghost": no such command/m);
  },
);

posixTest(
  "a required server that works, and one that --only leaves out, ask for nothing",
  async () => {
    await using box = await sandbox();
    const args = ["What do my notes say about Lisbon?", "-q"];
    const only = ["--only", "notes"];
    assert.equal((await box.fusebox([...args, ...only], { config: requiring("notes") })).code, 0);
    assert.equal((await box.fusebox([...args, ...only], { config: requiring("ghost") })).code, 0);
  },
);

Deno.test("-v shows what servers write to stderr, with the alias before it", async () => {
  await using box = await sandbox();
  const config = { servers: { sick: flaky("die-on-call"), well: flaky() } };
  const { stderr } = await box.fusebox(["call", "sick.echo", "-v"], { config });
  for (const line of ["flaky: echo began", "flaky: out of luck", "flaky: core dumped"]) {
    assert.match(stderr, new RegExp(`^\\[sick\\] ${line}$`, "m"));
  }
  const calm = await box.fusebox(["call", "sick.echo"], { config });
  assert(!calm.stderr.includes("[sick]"), calm.stderr);
});

posixTest("tools names who is late and who is offline, each once, also with -v", async () => {
  await using box = await sandbox();
  const config = {
    limits: { start: "500ms" },
    servers: { slow: { command: "sleep", args: ["60"] }, ghost: { command: "/nonexistent" } },
  };
  for (const flags of [[], ["-v"]]) {
    const { stderr } = await box.fusebox(["tools", ...flags], { config });
    const told = stderr.split("\n").filter((line) => /not ready|Cannot attach/.test(line)).sort();
    assert.deepEqual(told, [
      'Cannot attach "ghost": no such command "/nonexistent"',
      "slow: not ready after 500ms (limits.start)",
    ]);
  }
  const { offline, late } = await box.fusebox(["tools", "--json"], { config })
    .then(({ stdout }) => JSON.parse(stdout));
  assert.deepEqual([offline.map(({ alias }: Row) => alias), late], [["ghost"], ["slow"]]);
});

Deno.test("a server that dies in one call is there again for the next one of the same run", async () => {
  await using box = await sandbox();
  const use = (tool: string) => ({ uses: [{ name: `mcp__flaky__${tool}`, args: {} }] });
  const turns = [use("pid"), use("echo"), use("pid"), { text: "Done." }];
  const model = `script:${await box.file("turns.yaml", turns)}`;
  const config = { servers: { flaky: flaky("die-on-call=echo") }, allow: ["flaky"] };
  const run = await box.fusebox(["Go", "-m", model, "--json"], { config });
  assert.equal(run.code, 0, run.stderr);
  const { calls, offline } = JSON.parse(run.stdout);
  assert.deepEqual(
    calls.map(({ isError, failure }: Row) => [isError, failure]),
    [[false, undefined], [true, "exited"], [false, undefined]],
  );
  assert.deepEqual(offline, []);
  assert.match(run.stderr, /^Lost "flaky": it ended with exit code 3; it last said: .*dumped$/m);
});

Deno.test("a tool that is held back is named with its reason, and its siblings stay", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("bad-tools") } };
  const { code, stdout, stderr } = await box.fusebox(["tools"], { config });
  assert.equal(code, 0);
  for (const name of ["good_first", "good_last"]) {
    assert.match(stdout, new RegExp(`flaky\\.${name}`));
  }
  for (const name of ["schema_null", "required_null", "twin"]) {
    assert.match(stderr, new RegExp(`^Held back: flaky\\.${name} `, "m"));
  }
  const call = await box.fusebox(["call", "flaky.required_null"], { config });
  assert.equal(call.code, 2);
  assert.match(call.stderr, /held back/);
});

Deno.test("demo narrates a whole run over both built-in servers", async () => {
  await using box = await sandbox();
  const { code, stdout, stderr } = await box.fusebox(["demo"]);
  assert.equal(code, 0, stderr);
  for (const said of ["mcp__notes__search", "mcp__tickets__search", "Created T-6", "Release 2.4"]) {
    assert(stdout.includes(said), `${said} is missing:\n${stdout}`);
  }
});

Deno.test("serve-demo serves a built-in server on stdio, until its stdin ends", async () => {
  await using box = await sandbox();
  const call = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":' +
    '"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}\n';
  const run = await box.fusebox(["serve-demo", "notes", "--legacy"], { stdin: { text: call } });
  assert.deepEqual([run.code, run.stderr], [0, ""]);
  assert.equal(JSON.parse(run.stdout).result.serverInfo.name, "notes");
});

testWhere(
  Deno.build.os === "linux" && Deno.env.get("FUSEBOX_BIN") === undefined,
  "there is no such cache",
  "a built-in server is found where DENO_DIR has it, and nothing is fetched again",
  async () => {
    await using box = await sandbox();
    const cache = await Deno.readLink(join(box.home, ".cache", "deno"));
    const home = join(box.home, "other");
    await Deno.mkdir(home);
    const env = { HOME: home, DENO_DIR: cache };
    const { code, stderr } = await box.fusebox(["call", "notes.search", "query=Lisbon"], { env });
    assert.equal(code, 0, stderr);
    // The catalogue is ours; anything else would have been fetched.
    const kept = await Array.fromAsync(Deno.readDir(join(home, ".cache")), ({ name }) => name);
    assert.deepEqual(kept, ["fusebox"]);
  },
);

Deno.test("two at once do not disturb each other", async () => {
  await using box = await sandbox();
  const args = ["What do my notes say about Lisbon?", "--json"];
  const runs = await Promise.all(Array.from({ length: 4 }, () => box.fusebox(args)));
  for (const { code, stdout, stderr } of runs) {
    assert.equal(code, 0, stderr);
    assert.match(JSON.parse(stdout).answer, /Lisbon won the vote/);
  }
});
