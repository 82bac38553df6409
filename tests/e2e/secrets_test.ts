/** A server that repeats what it was trusted with, everywhere: nobody but its caller hears it from us. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  flaky,
  posixTest,
  type Result,
  type Sandbox,
  sandbox,
  sideBySide,
} from "../support/cli.ts";
import { terminal, terminalTest } from "../support/pty.ts";

const SECRET = 's3cr/et+v@lue "42" of mine';
const ENV = { MY_TOKEN: SECRET };

/** What of a text gives the secret away, in whichever form. */
function told(text: string): string | undefined {
  const json = JSON.stringify(SECRET).slice(1, -1);
  const base64 = (it: string) => new TextEncoder().encode(it).toBase64().slice(4, -4);
  const forms = [
    SECRET,
    json,
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(SECRET),
    base64(SECRET),
    base64(`user:${SECRET}`),
    // What is left of it in the name of a tool that every model API takes.
    SECRET.replace(/[^\w-]/g, "_"),
  ];
  return forms.find((form) => text.includes(form));
}

function silent(what: string, text: string): void {
  assert.equal(told(text), undefined, `${what} tells it:\n${text.slice(0, 4_000)}`);
}

function config(fault = "leak", more: object = {}): Record<string, unknown> {
  const server = { ...flaky(`${fault}=API_TOKEN`), env: { API_TOKEN: "${MY_TOKEN}" } };
  return { servers: { leaky: { ...server, ...more } }, allow: ["leaky"] };
}

async function run(box: Sandbox, args: readonly string[], of = config()): Promise<Result> {
  const result = await box.fusebox(args, { config: of, env: ENV });
  silent(`stderr of ${args.join(" ")}`, result.stderr);
  return result;
}

/** All that is written below the home, but for what the test wrote there itself. */
async function onDisk(folder: string, files: string[] = []): Promise<string[]> {
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isSymlink || /^(?:config-\d+\.json|turns\.yaml)$/.test(name)) continue;
    if (isDirectory) await onDisk(path, files);
    else files.push(`${path}\n${await Deno.readTextFile(path)}`);
  }
  return files;
}

async function script(box: Sandbox, names: readonly string[]): Promise<string[]> {
  const turns = names.map((name) => ({
    text: "I look.",
    uses: [{ name: `mcp__leaky__${name}`, args: { about: SECRET } }],
  }));
  const file = await box.file("turns.yaml", [...turns, { text: "Done." }]);
  return ["-m", `script:${file}`];
}

const SILENT: readonly string[][] = [
  ["servers"],
  ["tools"],
  ["search", "leak"],
  ["catalog"],
  ["catalog", "refresh"],
  ["call", "leaky.leak_no"],
  ["call", "leaky.leak_error"],
  ["call", "leaky.leak_die"],
  ["call", `leaky.is_${SECRET}`],
  ["call", `leaky.bad_${SECRET}`],
];

Deno.test("no command tells a secret that a server repeats, in any format, and none comes to lie on the disk", async () => {
  const formats = [[], ["-v"], ["--json"], ["--jsonl", "-v"]];
  await sideBySide(formats, async (box, format) => {
    for (const args of SILENT) {
      const { stdout } = await run(box, [...args, ...format]);
      silent(`stdout of ${args.join(" ")} ${format}`, stdout);
      if (format[0]?.startsWith("--json") && stdout !== "") JSON.parse(stdout);
    }
    const files = await onDisk(box.home);
    assert(files.some((text) => text.includes("[hidden]")), "the catalogue knows it");
    for (const text of files) silent("the disk", text);
  });
});

Deno.test("a server that dies telling it, or can't be started with it, is told of without it", async () => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [config("leak-at-start"), /\[hidden\]/],
    [config("leak", { command: "/nonexistent/${MY_TOKEN}" }), /no such command.*\[hidden\]/],
    [config("leak", { cwd: "/nonexistent/${MY_TOKEN}" }), /no such folder.*\[hidden\]/],
    [config("leak", { args: ["run", "${MY_TOKEN}"] }), /\[hidden\]/],
  ];
  await sideBySide(cases, async (box, [of, said]) => {
    for (const args of [["servers", "--json"], ["servers", "-v"], ["call", "leaky.leak"]]) {
      const { code, stdout, stderr } = await run(box, args, of);
      silent("stdout", stdout);
      assert.match(stdout + stderr, said);
      if (args[0] === "call") assert.equal(code, 4);
    }
    for (const text of await onDisk(box.home)) silent("the disk", text);
  });
});

Deno.test("a run tells it in no line, report or event, in any mode; its arguments are hidden too", async () => {
  const names = ["leak", "leak_no", "leak_error", "leak_die"];
  const flags = [["--json"], ["--jsonl", "-v"], ["-v", "--lazy"], ["--jsonl", "--forward"]];
  await sideBySide(flags, async (box, format) => {
    const model = await script(box, names);
    const { code, stdout, stderr } = await run(box, ["go", ...model, ...format]);
    assert.equal(code, 0, stderr);
    silent(`stdout of ${format}`, stdout);
    assert.match(format[0] === "-v" ? stderr : stdout, /\[hidden\]/);
  });
});

terminalTest("a person who is asked sees that a secret is given away, and not which", async () => {
  await using box = await sandbox();
  const of = { ...config(), allow: [] };
  const asked = await terminal(box, ["go", ...await script(box, ["leak"])], {
    config: of,
    env: ENV,
  });
  await using person = asked;
  await person.expect("[n] no: ");
  person.type("y\n");
  assert.equal((await person.leaves()).code, 0);
  silent("the terminal", person.screen);
  assert.match(person.screen, /"about": "\[hidden\]"/);
});

Deno.test("what was asked for is told as it is: the result of a call, the answer of a model", async () => {
  await using box = await sandbox();
  const { stdout } = await run(box, ["call", "leaky.leak"]);
  assert.equal(told(stdout), SECRET);
  const json = await run(box, ["call", "leaky.leak", "--json"]);
  const { content, structuredContent } = JSON.parse(json.stdout);
  assert.equal(told(content[0].text), SECRET);
  assert.equal(structuredContent.secret, SECRET);
  const turns = await box.file("turns.yaml", [{ text: `It is ${SECRET}.` }]);
  const answer = `It is ${SECRET}.`;
  const asked = ["go", "-m", `script:${turns}`];
  assert.equal((await run(box, asked)).stdout, answer + "\n");
  assert.equal(JSON.parse((await run(box, [...asked, "--json"])).stdout).answer, answer);
});

Deno.test("a file that can't be used is told of without what it holds", async () => {
  await using box = await sandbox();
  const args = "--token=tok-of-mine";
  const servers = { a: { command: "x", args, trusted: "tok-of-mine", limits: { idle: args } } };
  for (const command of [["-c", "fusebox.json", "servers"], ["trust"]]) {
    await box.file("project/fusebox.json", { servers });
    const { code, stderr } = await box.fusebox(command, { cwd: join(box.home, "project") });
    assert.equal(code, 2);
    assert.match(stderr, /servers\.a\.args: Expected a list .*\[hidden\]/);
    assert.doesNotMatch(stderr, /tok-of-mine/);
  }
});

posixTest("a short password that a server repeats is told by nobody", async () => {
  await using box = await sandbox();
  const script = 'echo "login as me:$DB_PASS failed, MODE=$MODE" >&2; exit 1';
  const env = { DB_PASS: "hunter2", MODE: "debug", API_KEY: "debug" };
  const servers = { a: { command: "sh", args: ["-c", script], env } };
  const { stdout, stderr } = await box.fusebox(["servers", "-v"], { config: { servers } });
  assert.match(stdout + stderr, /login as me:\[hidden\] failed, MODE=debug/);
  assert.doesNotMatch(stdout + stderr, /hunter2/);
});

Deno.test("what is no secret by name or look is told, and hides nothing", async () => {
  await using box = await sandbox();
  const env = { MODE: "production", AUTH_METHOD: "disabled", LOG_DIR: "/var/log/flaky" };
  const servers = { plain: { ...flaky("leak=AUTH_METHOD"), env } };
  const { stdout } = await box.fusebox(["tools", "--json"], { config: { servers } });
  assert(stdout.includes("disabled") && !stdout.includes("[hidden]"));
});
