/** `--trace FILE`: all that crossed and was decided, in order, without secrets, whatever becomes of the disk. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { answering, start } from "../support/approvals.ts";
import {
  demo,
  eventually,
  flaky,
  FUSEBOX,
  posixTest,
  quoted,
  type Sandbox,
  sandbox,
  sideBySide,
  testWhere,
} from "../support/cli.ts";
import { ChatServer, KEY, refuses, turn } from "../support/models_chat.ts";
import { answers, ASKS } from "../support/project.ts";
import { terminalTest } from "../support/pty.ts";
import { patient } from "../support/time.ts";
import { type Json, of, readTrace, replayed } from "../support/trace.ts";

const LINUX = Deno.build.os === "linux";
const CONFIG = {
  servers: { flaky: flaky("noise"), notes: demo("notes") },
  allow: ["flaky", "notes"],
};

type Turn = { text?: string; uses?: { name: string; args: object }[] };

const use = (name: string, args: object = {}) => ({
  name: `mcp__${name.replace(".", "__")}`,
  args,
});
const TURNS: Turn[] = [
  {
    text: "I look.",
    uses: [use("flaky.echo", { n: 1 }), use("notes.search", { query: "Lisbon" })],
  },
  { uses: [use("flaky.fail"), use("flaky.nope")] },
  { text: "The answer is 42." },
];

async function script(box: Sandbox, turns: readonly Turn[] = TURNS): Promise<string[]> {
  return ["-m", `script:${await box.file("turns.yaml", [...turns])}`];
}

async function traceOf(box: Sandbox, name = "run.jsonl"): Promise<Json[]> {
  return readTrace(await Deno.readTextFile(join(box.home, name)));
}

const frame = ({ line }: Json) => JSON.parse(line);

Deno.test("a run is in its trace: who was started, every line, turns, uses, approvals, results, the end", async () => {
  await using box = await sandbox();
  const args = ["Go", ...await script(box), "--trace", "run.jsonl", "--json"];
  const { code, stdout, stderr } = await box.fusebox(args, { config: CONFIG });
  assert.equal(code, 0, stderr);
  const records = await traceOf(box);
  const [header] = records;
  assert.deepEqual(header.aliases, ["flaky", "notes"]);
  assert.deepEqual([header.command, header.mode, header.version], ["ask", "auto", 1]);
  assert.equal(header.model, args[2]);
  assert(Math.abs(Date.parse(header.startedAt) - Date.now()) < 60_000);
  const [run] = of("run", records);
  assert.deepEqual([run.mode, run.model], ["full", args[2]]);
  assert.match(run.prompt, /^Go/);

  for (const { server, process, pid } of of("process", records)) {
    assert(pid > 0);
    const own = records.filter((record) => record.process === process);
    assert(own.every((record) => record.server === server));
    assert.deepEqual([own[0].kind, own.at(-1).kind], ["process", "ended"]);
    // Every answer stands behind its question.
    const asked = of("sent", own).map(frame).filter(({ id, method }) => id !== undefined && method);
    for (const { id } of asked) {
      const at = (kind: "sent" | "received") =>
        of(kind, own).find(({ line }) => line.includes('"jsonrpc"') && frame({ line }).id === id)
          .seq;
      assert(at("sent") < at("received"));
    }
  }
  const [noise] = of("noise", records);
  assert.equal(records.find(({ seq }) => seq === noise.of).kind, "received");

  const kinds = (id: string) => records.filter((it) => it.use === id).map(({ kind }) => kind);
  const uses = of("turn", records).flatMap((turn) => turn.uses);
  assert.deepEqual(uses.map(({ id }) => kinds(id)), [
    ["use", "approval", "result"],
    ["use", "approval", "result"],
    ["use", "approval", "result"],
    ["use", "result"], // There is no such tool to be approved.
  ]);
  assert.deepEqual(of("use", records).map(({ server, tool }) => [server, tool]), [
    ["flaky", "echo"],
    ["notes", "search"],
    ["flaky", "fail"],
    [undefined, undefined],
  ]);
  assert(of("approval", records).every(({ ok, by }) => ok && by === "allow"));
  assert.deepEqual(of("call", records).map(({ outcome }) => outcome).sort(), [
    "ok",
    "ok",
    "tool_error",
  ]);
  assert.deepEqual(of("request", records).map(({ step }) => step), [1, 2, 3]);
  assert.deepEqual(of("turn", records).map(({ text }) => text), [
    "I look.",
    "",
    "The answer is 42.",
  ]);
  const [outcome] = of("outcome", records);
  assert.deepEqual([outcome.ending, outcome.steps], ["answered", 3]);
  assert.deepEqual([records.at(-1).kind, records.at(-1).exit], ["end", 0]);
  assert.equal(JSON.parse(stdout).answer, "The answer is 42.");
});

Deno.test("a run can be played again from its trace: servers from their lines, the model from its turns", async () => {
  await using box = await sandbox();
  const flags = ["Go", "--trace", "run.jsonl", "--jsonl"];
  const first = await box.fusebox([...flags, ...await script(box)], { config: CONFIG });
  const records = await traceOf(box);
  const turns = of("turn", records).map(({ text, uses, stop }) => ({ text, uses, stop }));
  const trace = join(box.home, "run.jsonl");
  const servers = { flaky: replayed(trace, "flaky"), notes: replayed(trace, "notes") };
  const again = await box.fusebox(["Go", "--jsonl", ...await script(box, turns)], {
    config: { ...CONFIG, servers },
  });
  assert.equal(again.code, 0, again.stderr);
  const told = (stdout: string) =>
    stdout.replaceAll(/"ms":\d+/g, '"ms":0').split("\n").filter((line) => line.includes('"use"'))
      .sort();
  assert(told(first.stdout).length >= 8);
  assert.deepEqual(told(again.stdout), told(first.stdout));
});

Deno.test("every command that starts a server or asks a model can be traced", async () => {
  const commands = [
    ["call", "flaky.echo", "n=1"],
    ["tools"],
    ["servers"],
    ["search", "echo"],
    ["catalog", "refresh"],
    ["selftest"],
    ["demo"],
  ];
  await sideBySide(commands, async (box, args) => {
    const { code, stderr } = await box.fusebox([...args, "--trace", "run.jsonl"], {
      config: CONFIG,
    });
    assert.equal(code, 0, stderr);
    const records = await traceOf(box);
    assert.equal(records[0].command, args[0]);
    assert(of("process", records).length > 0 && of("received", records).length > 0, args[0]);
    assert.equal(records.at(-1).exit, 0);
    if (args[0] !== "call") return;
    const [use, result] = [...of("use", records), ...of("result", records)];
    assert.deepEqual([use.args, use.server, use.tool], [{ n: 1 }, "flaky", "echo"]);
    assert.deepEqual(result.structuredContent, { n: 1 });
  });
});

Deno.test("a server that fails is in the trace: its last words, how it ended, the state of its fuse", async () => {
  await using box = await sandbox();
  const config = {
    servers: { flaky: flaky("die-on-call"), gone: { command: "/nonexistent" } },
    allow: ["flaky"],
    fuse: { exits: 1 },
  };
  const turns = [...Array(3)].map(() => ({ uses: [use("flaky.echo")] }));
  const args = ["Go", ...await script(box, [...turns, { text: "Done." }]), "--trace", "run.jsonl"];
  await box.fusebox(args, { config });
  const records = await traceOf(box);
  const [ended] = of("ended", records);
  assert.equal(ended.code, 3);
  assert.match(JSON.stringify(of("stderr", records)), /core dumped/);
  const states = of("server", records).filter(({ server }) => server === "flaky");
  assert(states.some(({ state }) => state === "online"));
  assert(states.some(({ fuse, reason }) => fuse.state === "open" && reason.code === "exited"));
  const [gone] = of("server", records).filter(({ server, reason }) => server === "gone" && reason);
  assert.equal(gone.reason.code, "spawn_not_found");
  assert(of("call", records).some(({ outcome }) => outcome === "exited"));
});

Deno.test("requests to a model API are in the trace, with each try and its tokens, and without the key", async () => {
  await using box = await sandbox();
  await using server = new ChatServer(refuses(503, { message: `no ${KEY}` }), turn("Hello."));
  const { code, stdout, stderr } = await box.fusebox(
    ["Go", "-m", "openai-chat/gpt-x", "--trace", "run.jsonl"],
    { env: server.env, config: { servers: {} } },
  );
  assert.deepEqual([code, stdout], [0, "Hello.\n"], stderr);
  const records = await traceOf(box);
  assert.deepEqual(of("http_ended", records).map(({ status }) => status), [503, 200]);
  assert.deepEqual(of("http", records).map(({ request }) => request), [1, 2]);
  assert.match(of("http", records)[0].url, /\/v1\/chat\/completions$/);
  assert(of("note", records).some(({ text }) => /trying again/.test(text)));
  const [answer] = of("turn", records);
  assert.deepEqual([answer.text, answer.usage.output], ["Hello.", 10]);
  assert(!JSON.stringify(records).includes(KEY));
});

Deno.test("a model that fails, and the exit code, are in the trace", async () => {
  await using box = await sandbox();
  const { code } = await box.fusebox([
    "Go",
    ...await script(box, [{ uses: [use("flaky.echo")] }]),
    "--trace",
    "run.jsonl",
  ], { config: CONFIG });
  assert.equal(code, 5);
  const records = await traceOf(box);
  assert.match(of("turn_failed", records)[0].message, /Cannot take turn 2/);
  assert.equal(records.at(-1).exit, 5);
  assert.match(records.at(-1).message, /Cannot take turn 2/);
});

terminalTest("questions, what was typed, and what came of it are in the trace", async () => {
  await using box = await sandbox();
  const flags = await script(box, [
    { uses: [use("flaky.echo", { n: 1 }), use("flaky.echo", { n: 2 })] },
    { text: "Done." },
  ]);
  const person = await start(box, [...flags, "--trace", "run.jsonl"], {}, {
    servers: { flaky: flaky() },
  });
  await using _ = person;
  await answering(person, "y", "n");
  const records = await traceOf(box);
  assert.match(of("asked", records)[0].question, /^Run flaky\.echo\?/);
  assert.deepEqual(of("answered", records).map(({ text }) => text), ["y", "n"]);
  assert.deepEqual(of("approval", records).map(({ ok, by }) => [ok, by]), [
    [true, "user"],
    [false, "user"],
  ]);
});

terminalTest(
  "what is asked before there is a configuration stands behind the header, without secrets",
  async () => {
    await using box = await sandbox();
    const theirs = { ...flaky(), env: { API_TOKEN: "tok-0123456789" } };
    await box.file("project/fusebox.json", { servers: { theirs } });
    const path = join(box.home, "run.jsonl");
    for (const [key, aliases] of [["n", ["notes", "tickets"]], ["y", ["theirs"]]] as const) {
      const { screen } = await answers(box, ASKS, `${key}\n`, "tools", "--trace", path);
      assert(screen.includes("tok-0123456789"), "who is asked sees the file as it is written");
      const text = await Deno.readTextFile(path);
      assert(!text.includes("tok-0123456789"));
      const [header, asked, answered] = readTrace(text);
      assert.deepEqual(header.aliases, aliases);
      assert.match(asked.question, /would start:/);
      assert.equal(answered.text, key);
      await box.fusebox(["trust", "clear"]);
    }
  },
);

posixTest("a trace is its owner's alone, and begun anew", async () => {
  await using box = await sandbox();
  const path = await box.file("run.jsonl", "");
  await Deno.chmod(path, 0o644);
  const run = () => box.fusebox(["tools", "--trace", "run.jsonl"], { config: CONFIG });
  await run();
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  const { length } = await traceOf(box);
  await run();
  assert(Math.abs((await traceOf(box)).length - length) < length / 2);
});

Deno.test("a trace that can't be written ends the command with 2, before anything is started", async () => {
  await using box = await sandbox();
  await box.file("precious.md", "Not a trace.");
  const started = join(box.home, "started");
  const config = { servers: { a: { command: "touch", args: [started] } } };
  const cases: [string, RegExp][] = [
    [
      "precious.md",
      /^fusebox: Cannot trace to precious\.md: there is another file of this name\n {2}--trace takes/,
    ],
    [".", /: it is a folder\n/],
    ["no/such/run.jsonl", /: No such file or directory\n/],
    ["-", /: stdout is for the answer/],
    ["", /^fusebox: Cannot read --trace: it needs a value\n/],
  ];
  for (const [path, said] of cases) {
    const { code, stdout, stderr } = await box.fusebox(["tools", `--trace=${path}`], { config });
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, said);
  }
  await assert.rejects(Deno.stat(started), Deno.errors.NotFound);
  assert.equal(await Deno.readTextFile(join(box.home, "precious.md")), "Not a trace.");
});

testWhere(
  LINUX,
  "only Linux has /dev/full",
  "a full disk costs one warning, and nothing of the run",
  async () => {
    await using box = await sandbox();
    const args = ["Go", ...await script(box), "--trace", "/dev/full", "-q"];
    const { code, stdout, stderr, ms } = await box.fusebox(args, { config: CONFIG });
    assert.deepEqual([code, stdout], [0, "The answer is 42.\n"]);
    assert.equal(
      stderr,
      "fusebox: Cannot write the trace: No space left on device. The run goes on, and parts of it are missing " +
        "(--trace /dev/full)\n",
    );
    assert(ms < patient(10_000));
  },
);

posixTest("a pipe takes a trace, also where its reader leaves or does not read", async () => {
  const readers: [string, string][] = [
    ["cat > run.jsonl", ""],
    ["head -c 100 > /dev/null", "Broken pipe"],
    ["sleep 1000", ""],
  ];
  await sideBySide(readers, async (box, [reader, warning]) => {
    const config = await box.file("pipe.json", CONFIG);
    // Far more than a pipe holds.
    const big = { text: "x".repeat(300_000), uses: [use("flaky.echo")] };
    const turns = await script(box, [big, big, { text: "Done." }]);
    const args = [...FUSEBOX, "-c", config, "Go", ...turns, "-q", "--trace", "pipe"];
    const shell =
      `mkfifo pipe; ${reader} < pipe & ${quoted(args)}; code=$?; kill $! 2>/dev/null; ` +
      `wait; exit $code`;
    const { code, stdout, stderr, ms } = await box.spawn(["sh", "-c", shell]).ended;
    assert.deepEqual([code, stdout], [0, "Done.\n"], stderr);
    assert(warning ? stderr.includes(warning) : !stderr.includes("trace"), stderr);
    assert(ms < patient(10_000), `it took ${ms} ms`);
    if (reader.startsWith("cat")) assert.equal((await traceOf(box)).at(-1).kind, "end");
  });
});

posixTest(
  "after Ctrl-C a trace ends with 130; after SIGKILL every line but perhaps the last is whole",
  async () => {
    const signals = ["SIGINT", "SIGKILL"] as const;
    await sideBySide(signals, async (box, signal) => {
      const turns = [{ uses: [use("flaky.hang")] }];
      const config = { servers: { flaky: flaky("hang") }, allow: ["flaky"] };
      const args = ["Go", ...await script(box, turns), "--trace", "run.jsonl"];
      const run = await box.start(args, { config });
      const path = join(box.home, "run.jsonl");
      await eventually(async () => {
        const text = await Deno.readTextFile(path).catch(() => "");
        return text.includes('\\"method\\":\\"tools/call\\"')
          ? undefined
          : `nothing is called:\n${text}`;
      });
      run.send(signal);
      await run.ended;
      const text = await Deno.readTextFile(path);
      const records = readTrace(text.slice(0, text.lastIndexOf("\n") + 1));
      assert(of("use", records).length === 1);
      if (signal === "SIGINT") {
        assert.deepEqual([records.at(-1).kind, records.at(-1).exit], ["end", 130]);
      } else for (const { pid } of of("process", records)) Deno.kill(-pid, "SIGKILL");
    });
  },
);

Deno.test("a line too long for the trace is cut, and says how long it was", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("huge-line=3000000") } };
  const { code, stdout } = await box.fusebox(["call", "flaky.huge", "--trace", "run.jsonl"], {
    config,
  });
  assert.deepEqual([code, stdout.length], [0, 3_000_001]);
  const records = await traceOf(box);
  const long = of("received", records).find(({ length }) => length !== undefined);
  assert(long.length > 3_000_000 && long.line.length === 2 ** 20);
  assert(of("result", records)[0].cut.length === 2 ** 20);
});

Deno.test("no secret is in a trace, in whatever place a server says it", async () => {
  const secret = 's3cr/et+v@lue "42" of mine';
  const commands = [
    ["Go", "--jsonl"],
    ["servers"],
    ["call", "leaky.leak"],
    ["call", "leaky.leak_die"],
    ["call", "leaky.leak_error"],
  ];
  await sideBySide(commands, async (box, args) => {
    const server = { ...flaky("leak=API_TOKEN"), env: { API_TOKEN: "${MY_TOKEN}" } };
    const names = ["leak", "leak_no", "leak_error", "leak_die"];
    const turns = names.map((name) => ({ uses: [use(`leaky.${name}`, { about: secret })] }));
    const model = args[0] === "Go"
      ? await script(box, [...turns, { text: `It is ${secret}.` }])
      : [];
    await box.fusebox([...args, ...model, "--trace", "run.jsonl"], {
      config: { servers: { leaky: server }, allow: ["leaky"] },
      env: { MY_TOKEN: secret },
    });
    const text = await Deno.readTextFile(join(box.home, "run.jsonl"));
    readTrace(text);
    const base64 = new TextEncoder().encode(secret).toBase64().slice(0, 30);
    for (const form of ["cr/et+v", "cr%2Fet", "v@lue", "v%40lue", "cr_et_v", base64]) {
      assert(!text.includes(form), `${form} is in it`);
    }
    assert(text.includes("[hidden]"));
  });
});
