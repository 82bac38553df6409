/** `fusebox call`: one tool, no model, and an exit code for each way it can end. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  demo,
  flaky,
  posixTest,
  quoted,
  type Result,
  sandbox,
  sideBySide,
} from "../support/cli.ts";
import { ROOT } from "../support/paths.ts";
import { within } from "../support/time.ts";

const NOTES = { servers: { notes: demo("notes") } };
const of = (...faults: string[]) => ({ servers: { flaky: flaky(...faults) } });
const TYPED = {
  servers: {
    typed: {
      command: Deno.execPath(),
      args: ["run", "-A", "--no-config", "--quiet", join(ROOT, "tests/support/typed.ts")],
    },
  },
};

/** It printed this, and nothing beside it. */
function printed({ code, stdout, stderr }: Result, text: string): void {
  assert.deepEqual([code, stderr, stdout], [0, "", text]);
}

/** It failed with this code and this on stderr, and stdout is empty. */
function failed({ code, stdout, stderr }: Result, wanted: number, ...said: RegExp[]): void {
  assert.deepEqual([code, stdout], [wanted, ""], stderr);
  for (const pattern of said) assert.match(stderr, pattern);
}

Deno.test("call runs a tool by alias.tool and by its public name", async () => {
  await using box = await sandbox();
  const config = of("odd-names");
  printed(await box.fusebox(["call", "flaky.echo", "n=1"], { config }), '{"n":1}\n');
  printed(await box.fusebox(["call", "mcp__flaky__echo", "n=1"], { config }), '{"n":1}\n');
  for (const tool of ["foo.bar", "foo bar", "__proto__", "🚀"]) {
    printed(await box.fusebox(["call", `flaky.${tool}`], { config }), `${tool}\n`);
  }
  const hashed = "mcp__flaky__admin_tools_list_2320b4d9a62a";
  printed(await box.fusebox(["call", hashed], { config }), "admin.tools.list\n");
});

Deno.test("call takes JSON, also from stdin, and nothing at all", async () => {
  await using box = await sandbox();
  const config = of();
  const json = '{"a":[1,{"b":null}],"__proto__":"own","ü":"👋"}';
  printed(await box.fusebox(["call", "flaky.echo", json], { config }), `${json}\n`);
  const stdin = { text: ` ${json}\n` };
  printed(await box.fusebox(["call", "flaky.echo", "-"], { config, stdin }), `${json}\n`);
  printed(await box.fusebox(["call", "flaky.echo"], { config, stdin: "open" }), "{}\n");
});

Deno.test("call refuses JSON that is broken or no object, with 2", async () => {
  await using box = await sandbox();
  const config = of();
  const hint = /\n {2}A JSON object is wanted/;
  const call = (...args: string[]) => box.fusebox(["call", "flaky.echo", ...args], { config });
  failed(await call('{"a":'), 2, /^fusebox: Cannot read ARGS: /, hint);
  for (const text of ["[1]", "null", "", "{"]) {
    const run = await box.fusebox(["call", "flaky.echo", "-"], { config, stdin: { text } });
    failed(run, 2, /^fusebox: Cannot read stdin: /, hint);
  }
});

Deno.test("call types key=value by the tool's schema", async () => {
  const cases: [string[], unknown][] = [
    [["text=12", "whole=-3", "real=2.5"], { text: "12", whole: -3, real: 2.5 }],
    [["list=1,2,3", "words=1,2", "flag=true"], { list: [1, 2, 3], words: ["1", "2"], flag: true }],
    [["list=[4, 5]", "words=", "flag=false"], { list: [4, 5], words: [], flag: false }],
    [["list=7", "list=8", 'object={"a": 1}'], { list: [7, 8], object: { a: 1 } }],
    [["maybe=null", "text=a=b=c"], { maybe: null, text: "a=b=c" }],
    [["maybe=1", "text="], { maybe: 1, text: "" }],
  ];
  await sideBySide(cases, async (box, [args, wanted]) => {
    const run = await box.fusebox(["call", "typed.typed", ...args], { config: TYPED });
    printed(run, `${JSON.stringify(wanted)}\n`);
  });
});

Deno.test("call refuses a value that is not of its type, with 2", async () => {
  const wrong = ["whole=2.5", "whole=", "real=much", "flag=yes", "list=1,x", "object=1x"];
  await sideBySide(wrong, async (box, arg) => {
    const key = arg.split("=")[0];
    const run = await box.fusebox(["call", "typed.typed", arg], { config: TYPED });
    failed(run, 2, new RegExp(`^fusebox: Cannot read ${key}=.*: ${key} takes `));
  });
});

Deno.test("a tool that says no ends call with 1, its words on stderr and nothing on stdout", async () => {
  await using box = await sandbox();
  failed(
    await box.fusebox(["call", "flaky.fail", "text=Not today"], { config: of() }),
    1,
    /^fusebox: flaky\.fail said no: Not today\n$/,
  );
  const { code, stdout } = await box.fusebox(["call", "flaky.fail", "--json"], { config: of() });
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).isError, true);
});

Deno.test("a server that refuses ends call with 3", async () => {
  await using box = await sandbox();
  const config = of("call-error=-32001");
  failed(
    await box.fusebox(["call", "flaky.echo"], { config }),
    3,
    /^fusebox: The server "flaky" refused the call: .*-32001/,
  );
  const { code, stdout } = await box.fusebox(["call", "flaky.echo", "--json"], { config });
  assert.deepEqual([code, JSON.parse(stdout).failure], [3, "refused"]);
});

Deno.test("a server that dies in mid-call ends call with 4 at once, its last words on stderr", async () => {
  await using box = await sandbox();
  const config = of("die-on-call=echo");
  await within(2_000, async () => {
    const run = await box.fusebox(["call", "flaky.echo"], { config });
    failed(
      run,
      4,
      /^fusebox: Cannot finish "flaky\.echo": it ended with exit code 3/,
      /core dumped/,
    );
    return run.ms;
  });
  // And the next process finds all well.
  assert.equal((await box.fusebox(["call", "flaky.pid"], { config })).code, 0);
});

Deno.test("call says why it failed on every run, however fast it leaves", async () => {
  await using box = await sandbox();
  const config = of("die-on-call");
  const runs = Array.from({ length: 10 }, () => box.fusebox(["call", "flaky.echo"], { config }));
  for (const run of await Promise.all(runs)) failed(run, 4, /exit code 3/);
});

Deno.test("a server that is not to be had ends call with 4, and each reason is another one", async () => {
  const cases: [object, string, RegExp[]][] = [
    [{ command: "/nonexistent" }, "spawn_not_found", [/Cannot attach "flaky": no such command/]],
    [
      flaky("exit-at-start=5"),
      "exited",
      [/Cannot attach "flaky": it ended with exit code 5/, /giving up/],
    ],
    [
      { ...flaky("mute"), limits: { handshake: "300ms" } },
      "handshake_timeout",
      [/no answer to the handshake within 300ms/, /servers\.flaky\.limits\.handshake/],
    ],
    [
      { ...flaky("list-hang"), limits: { list: "300ms" } },
      "list_timeout",
      [/no full list of tools within 300ms/, /servers\.flaky\.limits\.list/],
    ],
    [{ ...demo("notes"), env: { TOKEN: "${NO_SUCH_TOKEN}" } }, "config", [
      /NO_SUCH_TOKEN is not set/,
    ]],
  ];
  await sideBySide(cases, async (box, [server, why, said]) => {
    const config = { servers: { flaky: server } };
    failed(await box.fusebox(["call", "flaky.echo"], { config }), 4, ...said);
    const { code, stdout, stderr } = await box.fusebox(["call", "flaky.echo", "--json"], {
      config,
    });
    const { isError, failure, content } = JSON.parse(stdout);
    assert.deepEqual([code, isError, failure], [4, true, why]);
    assert(stderr.startsWith(`fusebox: ${content[0].text}\n`), stderr);
  });
});

Deno.test("policy ends call with 7, and nothing is run", async () => {
  const server = flaky("die-on-call");
  const cases: [string[], object, RegExp][] = [
    [["--deny", "flaky.e*"], { servers: { flaky: server } }, /--deny/],
    [[], { servers: { flaky: server }, deny: ["flaky"] }, /deny/],
    [[], { servers: { flaky: { ...server, tools: { deny: ["ec*"] } } } }, /flaky\.tools\.deny/],
    [[], { servers: { flaky: { ...server, tools: { allow: ["fail"] } } } }, /flaky\.tools\.allow/],
  ];
  await sideBySide(cases, async (box, [args, config, said]) => {
    const run = await box.fusebox(["call", "flaky.echo", ...args], { config: { ...config } });
    failed(run, 7, said, /Nothing was run/);
  });
});

Deno.test("a call that takes too long ends with 4 and names the limit and its key", async () => {
  const cases: [string, string[], object, RegExp][] = [
    [
      "hang",
      ["--timeout", "200ms"],
      {},
      /^fusebox: Cannot finish .*\.hang": .* for 200ms .*--timeout/,
    ],
    ["hang", [], { idle: "200ms" }, /no sign of life for 200ms .*servers\.flaky\.limits\.idle/],
    ["endless", [], { cap: "300ms" }, /no end after 300ms .*servers\.flaky\.limits\.cap/],
  ];
  await sideBySide(cases, async (box, [tool, args, limits, said]) => {
    const config = { servers: { flaky: { ...flaky("hang", "endless-progress"), limits } } };
    const run = await box.fusebox(["call", `flaky.${tool}`, ...args], { config });
    failed(run, 4, said, /outcome is unknown/);
  });
});

Deno.test("a limit of one tool is named by its own key when it passes", async () => {
  await using box = await sandbox();
  const tools = { limits: { hang: { idle: "200ms" } } };
  const config = { servers: { flaky: { ...flaky("hang"), tools } } };
  failed(
    await box.fusebox(["call", "flaky.hang"], { config }),
    4,
    /no sign of life for 200ms .*servers\.flaky\.tools\.limits\.hang\.idle/,
  );
});

Deno.test("progress is a sign of life: a call may take longer than --timeout", async () => {
  await using box = await sandbox();
  const args = ["call", "flaky.slow", "ms=1500", "every=50", "--timeout", "1200ms"];
  printed(await box.fusebox(args, { config: of() }), "Slept 1500 ms.\n");
});

posixTest("a call that is given up is cancelled on the wire, and not sent again", async () => {
  await using box = await sandbox();
  const { command, args } = flaky("hang");
  const wire = `${box.home}/wire`;
  const script = `tee ${quoted([wire])} | exec ${quoted([command, ...args])}`;
  const config = { servers: { flaky: { command: "sh", args: ["-c", script] } } };
  failed(await box.fusebox(["call", "flaky.hang", "--timeout", "200ms"], { config }), 4);
  const lines = (await Deno.readTextFile(wire)).trim().split("\n").map((line) => JSON.parse(line));
  const calls = lines.filter(({ method }) => method === "tools/call");
  assert.equal(calls.length, 1);
  const cancelled = lines.filter(({ method }) => method === "notifications/cancelled");
  assert.deepEqual(cancelled.map(({ params }) => params.requestId), [calls[0].id]);
});

Deno.test("stdout holds the answer alone, whatever the server prints beside it", async () => {
  await using box = await sandbox();
  for (const faults of [["banner"], ["noise"], ["blank-lines", "crlf"], ["stderr-flood=200000"]]) {
    const run = await box.fusebox(["call", "flaky.echo", "n=1"], { config: of(...faults) });
    printed(run, '{"n":1}\n');
  }
});

Deno.test("an answer of ten megabytes arrives whole", async () => {
  await using box = await sandbox();
  const run = await box.fusebox(["call", "flaky.huge"], { config: of("huge-line=10000000") });
  assert.deepEqual([run.code, run.stderr, run.stdout.length], [0, "", 10_000_001]);
});

Deno.test("what is no text is named on stderr, and whole in --json", async () => {
  await using box = await sandbox();
  const config = of("odd-content");
  const { code, stderr } = await box.fusebox(["call", "flaky.odd"], { config });
  assert.equal(code, 0);
  assert.match(stderr, /\(image\/png, 70 bytes; not shown/);
  const { stdout } = await box.fusebox(["call", "flaky.odd", "--json"], { config });
  const { content } = JSON.parse(stdout);
  assert(content.some(({ type, data }: Record<string, string>) => type === "image" && data));
});

Deno.test("structured content is printed where there is no other, and a mismatch is noted", async () => {
  await using box = await sandbox();
  const only = of("structured-only");
  printed(await box.fusebox(["call", "flaky.echo", "n=1"], { config: only }), '{"n":1}\n');
  const { code, stdout, stderr } = await box.fusebox(["call", "flaky.mismatch"], {
    config: of("structured-mismatch"),
  });
  assert.equal(code, 0);
  assert.notEqual(stdout, "");
  assert.match(stderr, /^fusebox: structuredContent does not match the tool's outputSchema/);
});

Deno.test("call starts the one server that it needs, and never asks", async () => {
  await using box = await sandbox();
  const started = join(box.home, "started");
  const config = {
    servers: {
      flaky: flaky(),
      other: { command: "touch", args: [started], required: true },
    },
  };
  printed(await box.fusebox(["call", "flaky.echo"], { config }), "{}\n");
  await assert.rejects(Deno.stat(started), Deno.errors.NotFound);
});

Deno.test("a server sees little of the environment, unless it is configured to", async () => {
  await using box = await sandbox();
  const see = async (entry: object) => {
    const config = { servers: { flaky: { ...flaky(), ...entry } } };
    const env = { API_TOKEN: "hunter2", LC_TIME: "C", TOKEN: "given" };
    const { code, stdout, stderr } = await box.fusebox(["call", "flaky.env"], { config, env });
    assert.equal(code, 0, stderr);
    return stdout.trim().split("\n");
  };
  const little = await see({ env: { NOTES_TOKEN: "${TOKEN}", MODE: "${MODE:-calm}" } });
  for (const line of ["NOTES_TOKEN=given", "MODE=calm", "LC_TIME=C", `HOME=${box.home}`]) {
    assert(little.includes(line), line);
  }
  assert(!little.some((line) => /hunter2|^TOKEN=/.test(line)), little.join("\n"));
  assert((await see({ inheritEnv: true })).includes("API_TOKEN=hunter2"));
});

Deno.test("call reaches a server of any age of the protocol", async () => {
  await using box = await sandbox();
  for (const era of ["--legacy", "--modern", "--dual"]) {
    printed(await box.fusebox(["call", "flaky.echo"], { config: of(era) }), "{}\n");
  }
  for (const fault of ["die-on-discover", "discover-error=-32601"]) {
    printed(await box.fusebox(["call", "flaky.echo"], { config: of(fault) }), "{}\n");
  }
  const { code, stdout } = await box.fusebox(["call", "notes.search", "query=Lisbon", "limit=1"], {
    config: NOTES,
  });
  assert.deepEqual([code, stdout.split("\n")[0]], [0, "1 of 1 matching notes:"]);
});
