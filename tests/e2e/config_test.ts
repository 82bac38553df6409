/** Which files are read, and all that can be wrong with them, told at once. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  demo,
  flaky,
  FUSEBOX,
  POSIX,
  posixTest,
  quoted,
  type Result,
  type Sandbox,
  sandbox,
  testWhere,
} from "../support/cli.ts";

const NOTES = "  notes: { command: fusebox, args: [serve-demo, notes] }\n";
const TICKETS = "  tickets: { command: fusebox, args: [serve-demo, tickets] }\n";

/** Refused before anything was started; the lines of stderr. */
function refused({ code, stdout, stderr }: Result): string[] {
  assert.deepEqual([code, stdout], [2, ""], stderr);
  return stderr.trimEnd().split("\n");
}

/** The aliases of the servers that a configuration has. */
function aliasesOf({ code, stdout, stderr }: Result): string[] {
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).servers.map(({ alias }: { alias: string }) => alias);
}

function servers(box: Sandbox, ...files: string[]): Promise<Result> {
  return box.fusebox([...files.flatMap((file) => ["-c", file]), "servers", "--json"]);
}

Deno.test("all that is wrong in a YAML file is told at once, with line, path and hint", async () => {
  await using box = await sandbox();
  const file = await box.file(
    "fuse.yaml",
    `servers:
${NOTES}  notes: { command: other }
  My Server: { command: x }
  tickets: { comand: fusebox }
sevrers: {}
allow: notes
limits: { strat: 5s }
`,
  );
  assert.deepEqual(refused(await servers(box, file)), [
    `fusebox: Cannot use the configuration: 6 problems in ${file}`,
    `  ${file}:3: servers.notes: Key "notes" stands twice, first on line 2 ` +
    `(Keep one of them, or give the other a name of its own)`,
    `  ${file}:4: servers["My Server"]: Cannot call a server "My Server" (Call it "my-server": ` +
    `small letters and digits, single - or _ between them, at most 20 characters)`,
    `  ${file}:5: servers.tickets.comand: Unknown key "comand" (Did you mean "command"?)`,
    `  ${file}:6: sevrers: Unknown key "sevrers" (Did you mean "servers"?)`,
    `  ${file}:7: allow: Expected a list of strings, got a string (Write ["notes"])`,
    `  ${file}:8: limits.strat: Unknown key "strat" (Did you mean "start"?)`,
  ]);
});

Deno.test("all that is wrong in a JSON file is told at once, comments and commas allowed", async () => {
  await using box = await sandbox();
  const file = await box.file(
    "fuse.json",
    `{
  // Mine.
  "servers": {
    "notes": { "command": "fusebox", "args": ["serve-demo", "notes"], },
    "notes": { "command": "other" },
    "Tickets": { "command": "x" },
  },
  "modle": "offline",
}`,
  );
  const lines = refused(await servers(box, file));
  assert.equal(lines[0], `fusebox: Cannot use the configuration: 3 problems in ${file}`);
  assert.match(
    lines[1]!,
    /fuse\.json:5: servers\.notes: Key "notes" stands twice, first on line 4/,
  );
  assert.match(lines[2]!, /fuse\.json:6: servers\.Tickets: Cannot call .*\(Call it "tickets"/);
  assert.match(
    lines[3]!,
    /fuse\.json:8: modle: Unknown key "modle" \(Did you mean "model" or "mode"\?\)/,
  );
  assert.equal(lines.length, 4);
});

Deno.test("the same alias in two files is an error that names both places", async () => {
  await using box = await sandbox();
  const one = await box.file("one.yaml", `servers:\n${NOTES}`);
  const two = await box.file("two.json", { servers: { notes: demo("tickets") } });
  const lines = refused(await servers(box, one, two));
  assert.match(lines[1]!, /two\.json:3: servers\.notes: Two servers are called "notes"/);
  assert(lines[1]!.includes(`"notes" in ${two}:3 and "notes" in ${one}:2`), lines[1]);
});

Deno.test("what is wrong in several files is told at once", async () => {
  await using box = await sandbox();
  const one = await box.file("one.yaml", "servers:\n  BAD: { command: x }\n");
  const two = await box.file("two.json", '{ "servers": [] }');
  const lines = refused(await servers(box, one, two));
  assert.equal(
    lines[0],
    `fusebox: Cannot use the configuration: 2 problems in ${one}, ${two}`,
  );
  assert.match(lines[1]!, /one\.yaml:2: servers\.BAD: /);
  assert.match(lines[2]!, /two\.json:1: servers: /);
});

Deno.test("names of another client that differ in case alone are a duplicate", async () => {
  await using box = await sandbox();
  const file = await box.file("mcp.json", {
    mcpServers: { Notes: demo("notes"), notes: demo("tickets") },
  });
  const lines = refused(await servers(box, file));
  assert.match(lines.join("\n"), /Two servers are called "notes": "notes" in .* and "Notes" in /);
});

Deno.test("the mcpServers file of another client loads, and what is not used is noted", async () => {
  await using box = await sandbox();
  const file = await box.file("mcp.json", {
    mcpServers: {
      "My Notes": { ...demo("notes"), type: "stdio", alwaysAllow: ["search"] },
      tickets: demo("tickets"),
    },
    globalShortcut: "Ctrl+X",
    lazzy: true,
  });
  const run = await servers(box, file);
  assert.deepEqual(aliasesOf(run), ["my-notes", "tickets"]);
  assert.match(run.stderr, /"My Notes" is called my-notes here/);
  assert.match(run.stderr, /not used: "globalShortcut", "lazzy"/);
  const { stdout } = await box.fusebox(["-c", file, "call", "my-notes.search", "query=Lisbon"]);
  assert.match(stdout, /Lisbon won the vote/);
});

Deno.test("the -c files go before $FUSEBOX_CONFIG, and that before the user's own file", async () => {
  await using box = await sandbox();
  const server = (alias: string) => ({ servers: { [alias]: demo("notes") } });
  const [given, named] = [server("given"), server("named")];
  await box.file(".config/fusebox/config.json", server("own"));
  const env = { FUSEBOX_CONFIG: await box.file("named.json", named) };
  const list = ["servers", "--json"];
  assert.deepEqual(aliasesOf(await box.fusebox(list)), ["own"]);
  assert.deepEqual(aliasesOf(await box.fusebox(list, { env })), ["named"]);
  assert.deepEqual(aliasesOf(await box.fusebox(list, { env, config: given })), ["given"]);
});

Deno.test("the user's own file is found where XDG_CONFIG_HOME says", async () => {
  await using box = await sandbox();
  await box.file(".config/fusebox/config.yaml", `servers:\n${NOTES}`);
  await box.file("xdg/fusebox/config.yaml", `servers:\n${TICKETS}`);
  const list = ["servers", "--json"];
  const env = { XDG_CONFIG_HOME: join(box.home, "xdg") };
  assert.deepEqual(aliasesOf(await box.fusebox(list)), ["notes"]);
  assert.deepEqual(aliasesOf(await box.fusebox(list, { env })), ["tickets"]);
});

Deno.test("the file of a project starts nothing unless it is given with -c", async () => {
  await using box = await sandbox();
  const mark = join(box.home, "started");
  const stranger = { servers: { stranger: { command: "touch", args: [mark] } } };
  for (const name of ["fusebox.yaml", "fusebox.json", ".mcp.json"]) {
    await box.file(`project/${name}`, stranger);
  }
  const run = await box.fusebox(["servers", "--json"], { cwd: join(box.home, "project") });
  assert.deepEqual(aliasesOf(run), ["notes", "tickets"]);
  await assert.rejects(Deno.stat(mark), Deno.errors.NotFound);
});

Deno.test("without any configuration the built-in servers stand in, and a note says so", async () => {
  await using box = await sandbox();
  const run = await box.fusebox(["servers", "--json"]);
  assert.deepEqual(aliasesOf(run), ["notes", "tickets"]);
  assert.match(run.stderr, /^No servers are configured: using the built-in notes and tickets/);
});

Deno.test("several -c files, --server and --only make one configuration", async () => {
  await using box = await sandbox();
  const one = await box.file("one.yaml", `servers:\n${NOTES}`);
  const two = await box.file("two.yaml", `servers:\n${TICKETS}`);
  const { command, args } = flaky();
  const adHoc = ["--server", `mine=${[command, ...args].join(" ")}`];
  const all = ["-c", one, "-c", two, ...adHoc, "servers", "--json"];
  assert.deepEqual(aliasesOf(await box.fusebox(all)), ["notes", "tickets", "mine"]);
  assert.deepEqual(aliasesOf(await box.fusebox([...all, "--only", "mine,notes"])), [
    "notes",
    "mine",
  ]);
  const derived = await box.fusebox(["--server", "fusebox serve-demo notes", "servers", "--json"]);
  assert.deepEqual(aliasesOf(derived), ["notes"]);
});

Deno.test("a disabled server is left alone, and its absence is no failure", async () => {
  await using box = await sandbox();
  const off = { ...demo("tickets"), disabled: true };
  const config = { servers: { notes: demo("notes"), tickets: off } };
  const { stdout, stderr } = await box.fusebox(["Search my notes for Lisbon", "--json"], {
    config,
  });
  assert.deepEqual(JSON.parse(stdout).offline, []);
  assert(!stderr.includes("tickets"), stderr);
});

Deno.test("an empty file, a BOM and CRLF are nothing to complain of", async () => {
  await using box = await sandbox();
  const text = `\uFEFFservers:\n${NOTES}`.replaceAll("\n", "\r\n");
  const files = [
    await box.file("empty.yaml", ""),
    await box.file("comment.json", "// none yet\n"),
    await box.file("bom.yaml", text),
  ];
  assert.deepEqual(aliasesOf(await servers(box, ...files)), ["notes"]);
  const { code, stderr } = await servers(box, files[0]!);
  assert.deepEqual([code, stderr], [0, `No servers are configured in ${files[0]}\n`]);
});

Deno.test("a file that is not there, or can't be parsed, is named", async () => {
  await using box = await sandbox();
  assert.deepEqual(refused(await box.fusebox(["-c", "nowhere.yaml", "Hi"])), [
    "fusebox: Cannot read the configuration nowhere.yaml: no such file",
    "  Paths are taken from the current folder",
  ]);
  const env = { FUSEBOX_CONFIG: "nowhere.json" };
  assert.match(refused(await box.fusebox(["servers"], { env }))[0]!, /nowhere\.json: no such file/);
  for (
    const [name, text] of [["a.yaml", "servers: [\n"], ["a.json", '{"servers": {'], ["a.yml", "42"]]
  ) {
    const file = await box.file(name!, text!);
    assert(refused(await servers(box, file)).join("\n").includes(`${file}:`), name);
  }
  const toml = await box.file("a.toml", "[servers]");
  assert.match(refused(await servers(box, toml))[1]!, /Cannot read TOML \(Write .* YAML or JSON/);
});

Deno.test("a folder is no configuration, and is told in the words of people", async () => {
  await using box = await sandbox();
  const [said] = refused(await servers(box, box.home));
  assert.match(said!, /^fusebox: Cannot read the configuration .*: .*is a (?:folder|directory)$/i);
});

testWhere(
  POSIX && Deno.uid() !== 0,
  POSIX ? "root may read everything" : "Windows has none of this",
  "a file that may not be read is named, with the reason",
  async () => {
    await using box = await sandbox();
    const file = await box.file("mine.yaml", `servers:\n${NOTES}`);
    await Deno.chmod(file, 0o000);
    assert.match(refused(await servers(box, file))[0]!, /mine\.yaml: .*permission/i);
  },
);

posixTest("a configuration may come through a pipe", async () => {
  await using box = await sandbox();
  const file = await box.file("mine.yaml", `servers:\n${NOTES}`);
  const command = `cat ${quoted([file])} | ` +
    quoted([...FUSEBOX, "-c", "/dev/stdin", "servers", "--json"]);
  assert.deepEqual(aliasesOf(await box.spawn(["sh", "-c", command]).ended), ["notes"]);
});
