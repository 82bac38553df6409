/** Servers that are a little off, met by way of the command line: told of, and never in the way. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { demo, flaky, posixTest, sandbox, sideBySide } from "../support/cli.ts";
import { ROOT } from "../support/paths.ts";

/** A server of `tests/support/wild.ts`. */
function wild(name: string): { command: string; args: string[] } {
  const file = join(ROOT, "tests", "support", "wild.ts");
  return { command: Deno.execPath(), args: ["run", "-A", "--no-config", "--quiet", file, name] };
}

Deno.test("-v shows what a server prints on stdout beside its messages, with the alias before it", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("banner", "noise") } };
  const loud = await box.fusebox(["call", "flaky.echo", "n=1", "-v"], { config });
  assert.deepEqual([loud.code, loud.stdout], [0, '{"n":1}\n'], loud.stderr);
  for (const line of ["Flaky server, version 1.0", "Ready.", "[debug] sending a reply"]) {
    assert(
      loud.stderr.split("\n").some((it) => it.startsWith("[flaky] ") && it.includes(line)),
      `"${line}" is not shown:\n${loud.stderr}`,
    );
  }
  const calm = await box.fusebox(["call", "flaky.echo", "n=1"], { config });
  assert.deepEqual([calm.code, calm.stdout, calm.stderr], [0, '{"n":1}\n', ""]);
});

posixTest(
  "-v shows a banner that would steer the terminal as harmless text, cut to a line",
  async () => {
    await using box = await sandbox();
    const script = `printf '\\033[2J\\033]0;owned\\007banner\\n%09000d\\n' 7; exec sleep 1000`;
    const server = { command: "sh", args: ["-c", script], limits: { handshake: "300ms" } };
    const run = await box.fusebox(["call", "evil.x", "-v"], {
      config: { servers: { evil: server } },
    });
    assert.equal(run.code, 4);
    assert.match(run.stderr, /^\[evil\] .*banner$/m);
    assert(!run.stderr.includes("\x1b"), run.stderr);
    for (const line of run.stderr.split("\n")) {
      assert(
        line.length < 2_000,
        `${line.length} characters`,
      );
    }
  },
);

posixTest(
  "the last words of a server that dies at its start are part of the reason, its banner is not",
  async () => {
    await using box = await sandbox();
    const script = "echo Welcome!; echo one >&2; echo 'two: no such key' >&2; exit 1";
    const config = {
      servers: { a: { command: "sh", args: ["-c", script] }, notes: demo("notes") },
    };
    const table = await box.fusebox(["servers"], { config });
    assert.match(table.stdout, /^a +offline .*exit code 1; it last said: two: no such key$/m);
    assert(!/Welcome/.test(table.stdout), table.stdout);
    const call = await box.fusebox(["call", "a.x"], { config });
    assert.equal(call.code, 4);
    assert.match(call.stderr, / {2}stderr: one\n {2}stderr: two: no such key\n/);
  },
);

Deno.test("a variable that is not set takes its server alone offline, wherever it stands", async () => {
  await using box = await sandbox();
  const { command, args } = demo("notes");
  const servers = {
    inCommand: { command: "${NO_SUCH_RUNTIME}", args },
    inArgs: { command, args: [...args, "--token=${NO_SUCH_TOKEN}"] },
    inCwd: { command, args, cwd: "${NO_SUCH_FOLDER}/x" },
    inEnv: { command, args, env: { A: "${input:no-such-input}" } },
    inHeader: {
      url: "https://127.0.0.1:9",
      headers: { Authorization: "Bearer ${NO_SUCH_BEARER}" },
    },
    noCommand: { args: ["x"] },
    noText: { command: 7 },
    nothing: null,
    good: { command, args, env: { A: "${NO_SUCH_VALUE:-default}" } },
  };
  const config = await box.file("mcp.json", { mcpServers: servers });
  const { code, stdout, stderr } = await box.fusebox(["servers", "--json"], { config });
  assert.equal(code, 0, stderr);
  // deno-lint-ignore no-explicit-any -- a row as it is printed
  const rows: any[] = JSON.parse(stdout).servers;
  const bad = rows.filter(({ alias }) => alias !== "good");
  assert.deepEqual(bad.map(({ reason }) => reason), Array(bad.length).fill("config"), stdout);
  assert.equal(bad.length, 8);
  assert.deepEqual(rows.at(-1).state, "online");
  for (const { alias, message } of bad.slice(0, 4)) {
    assert.match(message, /NO_SUCH_\w+ is not set|no-such-input is not set/, alias);
  }
});

Deno.test("a no without a word of text ends call with 1 all the same, and prints nothing on stdout", async () => {
  await using box = await sandbox();
  const config = { servers: { noes: wild("noes") } };
  for (const tool of ["mute", "structured", "picture"]) {
    const { code, stdout, stderr } = await box.fusebox(["call", `noes.${tool}`], { config });
    assert.deepEqual([code, stdout], [1, ""], stderr);
    assert.match(stderr, new RegExp(`^fusebox: noes\\.${tool} said no`, "m"));
    const json = await box.fusebox(["call", `noes.${tool}`, "--json"], { config });
    assert.deepEqual([json.code, JSON.parse(json.stdout).isError], [1, true]);
  }
});

Deno.test("--server with an alias that is taken is refused, and both places are named", async () => {
  await sideBySide(
    [["notes", "-c"], ["adhoc", "--server"]] as const,
    async (box, [alias, place]) => {
      const file = await box.file("fuse.json", { servers: { notes: demo("notes") } });
      const line = "fusebox serve-demo tickets";
      const args = [
        "-c",
        file,
        "--server",
        `adhoc=${line}`,
        "--server",
        `${alias}=${line}`,
        "servers",
      ];
      const { code, stdout, stderr } = await box.fusebox(args);
      assert.deepEqual([code, stdout], [2, ""], stderr);
      assert(stderr.includes(`"${alias}"`), stderr);
      if (place === "-c") assert(stderr.includes("fuse.json"), stderr);
    },
  );
});

Deno.test("one tool with a schema or an answer of endless depth spoils no listing and no answer", async () => {
  await using box = await sandbox();
  const config = { servers: { wild: wild("deep"), notes: demo("notes") } };
  const tools = await box.fusebox(["tools", "--json"], { config });
  assert.equal(tools.code, 0, tools.stderr);
  const names = JSON.parse(tools.stdout).tools.map(({ name }: { name: string }) => name);
  assert(names.includes("mcp__notes__search") && names.includes("mcp__wild__echo"), names.join());
  const call = await box.fusebox(["call", "wild.deep-value", "--json"], { config });
  assert.equal(call.code, 0, call.stderr);
  assert.equal(JSON.parse(call.stdout).content[0].text, "deep");
});
