/** "Always": remembered for one very server, listed and taken back by `fusebox approvals`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  answering,
  asked,
  ASKS,
  CONFIG,
  model,
  ran,
  start,
  type Turn,
  uses,
} from "../support/approvals.ts";
import { flaky, posixTest, type Sandbox, sandbox, sideBySide } from "../support/cli.ts";
import { terminalTest } from "../support/pty.ts";

const STATE = ".local/state/fusebox";

const HINTING = { servers: { flaky: flaky("hints") } };
const one = (tool: string, args: object = {}): Turn => ({
  uses: [{ name: `flaky.${tool}`, args }],
});

/** A run on a terminal that gets these answers; asked for more, the test fails by waiting. */
async function run(
  box: Sandbox,
  turns: Turn[],
  answers: string[] = [],
  config: Record<string, unknown> = CONFIG,
): Promise<{ code: number; screen: string }> {
  await using person = await start(box, await model(box, ...turns), {}, config);
  const end = await answering(person, ...answers);
  assert.equal(asked(end.screen), answers.length, end.screen);
  return end;
}

async function approvals(box: Sandbox): Promise<string[]> {
  const { stdout } = await box.fusebox(["approvals", "--json"]);
  return JSON.parse(stdout).approvals.map(({ alias, tool }: Record<string, string>) =>
    tool === undefined ? alias : `${alias}.${tool}`
  );
}

async function stateFiles(box: Sandbox): Promise<string[]> {
  const folder = join(box.home, STATE);
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => join(folder, name));
  return names.filter((name) => /approval-/.test(name));
}

terminalTest("a runs a tool whenever it is asked for, in this run and in later ones", async () => {
  await using box = await sandbox();
  const first = await run(box, [uses({ n: 1 }), uses({ n: 2 }, { n: 3 })], ["a"]);
  assert.deepEqual([first.code, ran(first.screen).sort()], [0, ['{"n":1}', '{"n":2}', '{"n":3}']]);
  assert.match(first.screen, /Remembered: fusebox approvals revoke flaky\.echo takes it back/);
  const later = await run(box, [uses({ n: 4 })]);
  assert.deepEqual([later.code, ran(later.screen)], [0, ['{"n":4}']]);
  // Another tool of the same server is another question.
  await run(box, [one("pid")], ["n"]);
  assert.deepEqual(await approvals(box), ["flaky.echo"]);
});

terminalTest("s runs whatever the server has, in this run and in later ones", async () => {
  await using box = await sandbox();
  const { code } = await run(box, [uses({ n: 1 }), one("pid")], ["s"]);
  assert.equal(code, 0);
  assert.equal((await run(box, [one("env")])).code, 0);
  assert.deepEqual(await approvals(box), ["flaky"]);
});

terminalTest("what is remembered holds where there is no terminal", async () => {
  await using box = await sandbox();
  const flags = await model(box, uses({ n: 1 }));
  const unattended = async () => (await box.fusebox(["Go", ...flags], { config: CONFIG })).code;
  assert.equal(await unattended(), 7);
  await using person = await start(box, flags);
  await answering(person, "a");
  assert.equal(await unattended(), 0);
});

terminalTest("deny beats what is remembered", async () => {
  await using box = await sandbox();
  await run(box, [uses({ n: 1 })], ["s"]);
  await using person = await start(box, [
    ...await model(box, uses({ n: 2 })),
    "--deny",
    "flaky.echo",
  ]);
  const { code, screen } = await answering(person);
  assert.deepEqual([code, ran(screen)], [7, []]);
});

terminalTest(
  "what is remembered holds for that server, and for no other under its alias",
  async () => {
    await using box = await sandbox();
    await run(box, [uses({ n: 1 })], ["s"]);
    const { command, args } = flaky("odd-names");
    const others = [
      { command, args: [...args, "hints"] },
      { command, args, env: { TOKEN: "another" } },
      { command, args, cwd: "/" },
      { command: "env", args: [command, ...args] },
    ];
    for (const other of others) {
      const config = { servers: { flaky: other } };
      assert.equal((await run(box, [uses({ n: 2 })], ["n"], config)).code, 7);
    }
    // The same one under another alias is the same one.
    const renamed = { servers: { other: flaky("odd-names") } };
    const turn = { uses: [{ name: "mcp__other__echo", args: {} }] };
    assert.equal((await run(box, [turn], [], renamed)).code, 0);
  },
);

terminalTest(
  "neither environment nor arguments of a server are in what is remembered",
  async () => {
    await using box = await sandbox();
    const { command, args } = flaky();
    const secret = "hunter2-in-the-clear";
    const server = { command, args, env: { TOKEN: secret, OTHER: "${FROM_OUTSIDE}" } };
    await using person = await start(
      box,
      await model(box, uses({ n: 1 })),
      { FROM_OUTSIDE: `outside-${secret}` },
      { servers: { flaky: server } },
    );
    await answering(person, "a");
    const [file] = await stateFiles(box);
    const text = await Deno.readTextFile(file!);
    for (const hidden of [secret, "flaky.ts", "--no-config"]) assert(!text.includes(hidden), text);
    assert.equal((await Deno.stat(file!)).mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(join(box.home, STATE))).mode! & 0o777, 0o700);
  },
);

terminalTest(
  "a tool that calls itself destructive is asked about once more, by its own name",
  async () => {
    await using box = await sandbox();
    await run(box, [one("peek")], ["s"], HINTING);
    // Who denies it, or says nothing, is covered by what was said of the server.
    assert.equal((await run(box, [one("*"), one("echo"), one("coax")], [], HINTING)).code, 0);
    for (const tool of ["wipe", "torn"]) {
      const { screen } = await run(box, [one(tool), one(tool)], ["a"], HINTING);
      assert.match(screen, /^flaky calls it .*destructive$/m);
      await run(box, [one(tool)], [], HINTING);
    }
  },
);

terminalTest("s at a destructive tool means that tool too", async () => {
  await using box = await sandbox();
  await run(box, [one("wipe"), one("wipe"), one("peek")], ["s"], HINTING);
  assert.equal((await run(box, [one("wipe")], [], HINTING)).code, 0);
  assert.deepEqual(await approvals(box), ["flaky", "flaky.wipe"]);
});

terminalTest('a tool that is called "*" is one tool, and no pattern', async () => {
  await using box = await sandbox();
  await run(box, [one("*")], ["a"], HINTING);
  assert.equal((await run(box, [one("*"), one("peek")], ["n"], HINTING)).code, 0);
  await run(box, [one("peek")], ["a"], HINTING);
  const { code } = await box.fusebox(["approvals", "revoke", "flaky.*"]);
  assert.equal(code, 0);
  assert.deepEqual(await approvals(box), ["flaky.peek"]);
});

terminalTest("a damaged file is a note and a question, never a yes", async () => {
  await using box = await sandbox();
  await run(box, [uses({ n: 1 })], ["a"]);
  const [file] = await stateFiles(box);
  const text = await Deno.readTextFile(file!);
  for (
    const damaged of ["", "{", text.slice(0, -9), text.replace('"version": 1', '"version": 2')]
  ) {
    await Deno.writeTextFile(file!, damaged);
    const { code, screen } = await run(box, [uses({ n: 2 })], ["n"]);
    assert.equal(code, 7);
    assert.match(screen, /Cannot use approval-\w+\.json of the state folder: it is damaged/);
  }
  const { screen } = await run(box, [uses({ n: 2 })], ["a"]);
  assert.match(screen, /it is damaged/);
  await run(box, [uses({ n: 3 })]);
});

terminalTest(
  "where nothing can be kept, always holds for the run, and a note says so",
  async () => {
    await using box = await sandbox();
    const blocked = await box.file("blocked", "a file where a folder would have to be");
    await using person = await start(
      box,
      await model(box, uses({ n: 1 }), uses({ n: 2 }), one("pid")),
      { XDG_STATE_HOME: blocked },
    );
    const { code, screen } = await answering(person, "a", "s");
    assert.deepEqual([code, ran(screen)], [0, ['{"n":1}', '{"n":2}']]);
    assert.match(screen, /Cannot keep the answer, it holds for this run: /);
    assert(!screen.includes("Remembered"), screen);
  },
);

terminalTest("two runs that write at once lose nothing", async () => {
  await using box = await sandbox();
  const tools = ["echo", "pid", "env"];
  const people = await Promise.all(tools.map(async (tool) => {
    const file = await box.file(`${tool}.yaml`, [one(tool), { text: "Done." }]);
    return await start(box, ["-m", `script:${file}`]);
  }));
  for (const person of people) await person.expect(ASKS);
  for (const person of people) person.type("a\n");
  for (const person of people) {
    assert.equal((await person.leaves()).code, 0);
    await person[Symbol.asyncDispose]();
  }
  assert.deepEqual(await approvals(box), tools.map((tool) => `flaky.${tool}`).sort());
});

terminalTest("approvals lists what is remembered, and revoke has it asked again", async () => {
  await using box = await sandbox();
  await run(box, [uses({ n: 1 }), one("pid")], ["a", "a"]);
  const { stdout } = await box.fusebox(["approvals"]);
  const [head, ...rows] = stdout.trimEnd().split("\n");
  assert.match(head!, /^ALIAS {2}TOOL {2}SINCE {7}SERVER$/);
  assert.equal(rows.length, 2);
  assert.match(rows[0]!, /^flaky {2}echo {2}\d{4}-\d\d-\d\d {2}\S*deno, \/.*\/terminal\.json$/);
  const revoked = await box.fusebox(["approvals", "revoke", "flaky.echo"]);
  assert.deepEqual([revoked.code, revoked.stderr], [0, "Taken back: flaky.echo\n"]);
  assert.deepEqual(await approvals(box), ["flaky.pid"]);
  await run(box, [uses({ n: 1 })], ["s"]);
  assert.equal((await box.fusebox(["approvals", "revoke", "flaky"])).code, 0);
  assert.deepEqual(await approvals(box), []);
  await run(box, [uses({ n: 1 })], ["a"]);
  assert.equal((await box.fusebox(["approvals", "clear"])).code, 0);
  assert.deepEqual(await approvals(box), []);
});

terminalTest(
  "revoke takes back nothing where one of the names is a typo, and names what is near",
  async () => {
    await using box = await sandbox();
    await run(box, [uses({ n: 1 })], ["a"]);
    const cases: [string[], RegExp][] = [
      [["flaky.echo", "flaky.ehco"], /Did you mean flaky\.echo\?/],
      [["flakey"], /Did you mean flaky\?/],
      [["flaky.*"], /no patterns/],
      [["*"], /no patterns/],
      [["zebra"], /fusebox approvals lists them/],
    ];
    await sideBySide(cases, async (_, [names, hint]) => {
      const { code, stderr } = await box.fusebox(["approvals", "revoke", ...names]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, /Cannot take back ".*": no approval of this name/);
      assert.match(stderr, hint);
    });
    assert.deepEqual(await approvals(box), ["flaky.echo"]);
  },
);

posixTest("approvals wants an action that there is, and a folder that can be had", async () => {
  await using box = await sandbox();
  for (const words of [["revoke"], ["list", "x"], ["clear", "x"], ["remove", "x"]]) {
    const { code, stderr } = await box.fusebox(["approvals", ...words]);
    assert.equal(code, 2);
    assert.match(stderr, /revoke ALIAS or ALIAS\.TOOL, or clear/);
  }
  const blocked = await box.file("blocked", "");
  const { code, stderr } = await box.fusebox(["approvals"], { env: { XDG_STATE_HOME: blocked } });
  assert.equal(code, 2);
  assert.match(stderr, /^fusebox: Cannot list the approvals: .*\n {2}XDG_STATE_HOME names/);
  const empty = await box.fusebox(["approvals", "--jsonl"]);
  assert.deepEqual([empty.code, empty.stdout], [0, '{"approvals":[]}\n']);
});
