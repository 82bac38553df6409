/** The configuration that a folder brings along: unused until a person has seen it, and said so. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { demo, posixTest, sandbox } from "../support/cli.ts";
import {
  answers,
  ASKS,
  MINE,
  NAMES,
  person,
  project,
  servers,
  there,
  trust,
  TRUSTS,
  wasStarted,
} from "../support/project.ts";
import { terminalTest } from "../support/pty.ts";

posixTest(
  "without a terminal a project file starts nothing, and one line says how it would",
  async () => {
    await using box = await sandbox();
    const commands = [["servers"], ["tools"], ["search", "echo"], ["catalog", "refresh"]]
      .concat([["call", "notes.search", "query=x"], ["What do my notes say about Lisbon?"]]);
    const cases = NAMES.map((name): [string, string[][]] => [name, [["catalog"]]]);
    for (const [name, all] of [...cases, [".mcp.json", commands] as const]) {
      const file = await project(box, name);
      for (const args of all) {
        const { code, stderr } = await box.fusebox(args, there(box));
        assert.equal(code, 0, stderr);
        const lines = stderr.split("\n").filter((line) => line.startsWith(`${file} is not used: `));
        assert.deepEqual(lines, [
          `${file} is not used: it starts processes, and you have not trusted it ` +
          `(fusebox trust shows it and asks; -c ${name} uses it)`,
        ]);
      }
      await Deno.remove(file);
    }
    assert.equal(await wasStarted(box), false);
  },
);

posixTest("-q keeps the line back, and what is named needs no trust", async () => {
  await using box = await sandbox();
  const file = await project(box);
  const quiet = await box.fusebox(["tools", "-q"], there(box));
  assert.deepEqual([quiet.code, quiet.stderr], [0, ""]);
  assert.deepEqual(await servers(box, { config: file }), ["theirs"]);
  assert.deepEqual(await servers(box, { env: { FUSEBOX_CONFIG: ".mcp.json" } }), ["theirs"]);
  assert.equal(await wasStarted(box), true);
});

posixTest("what is named leaves the file of the project alone", async () => {
  await using box = await sandbox();
  await project(box);
  await trust(box, "--yes");
  assert.deepEqual(await servers(box, { config: MINE }), ["mine"]);
  const env = { FUSEBOX_CONFIG: await box.file("mine.json", MINE) };
  assert.deepEqual(await servers(box, { env }), ["mine"]);
});

terminalTest("y uses it once, and the next run asks again", async () => {
  await using box = await sandbox();
  await project(box);
  for (let run = 0; run < 2; run++) {
    const { code, screen } = await answers(box, ASKS, "y\n", "servers");
    assert.equal(code, 0);
    assert.match(screen, /^theirs +online/m);
  }
  assert.equal((await trust(box, "list", "--jsonl")).stdout, '{"files":[]}\n');
});

terminalTest("t trusts it: no run asks again, with a terminal or without", async () => {
  await using box = await sandbox();
  await project(box);
  const { code, screen } = await answers(box, ASKS, "t\n", "servers");
  assert.equal(code, 0);
  assert.match(screen, /^theirs +online/m);
  await using later = await person(box, "call", "theirs.echo", "n=1");
  assert.equal((await later.leaves()).code, 0);
  assert(!later.screen.includes(ASKS), later.screen);
  assert.deepEqual(await servers(box), ["theirs"]);
});

terminalTest("n is remembered for that content, and a later change is asked about", async () => {
  await using box = await sandbox();
  const file = await project(box);
  const { code, screen } = await answers(box, ASKS, "n\n", "servers");
  assert.equal(code, 0);
  assert.match(screen, /^notes +online/m);
  await using later = await person(box, "servers", "-v");
  assert.equal((await later.leaves()).code, 0);
  assert(!later.screen.includes(ASKS), later.screen);
  assert.match(later.screen, /is not used: you said no \(fusebox trust asks again\)/);
  assert(!(await box.fusebox(["servers"], there(box))).stderr.includes("not used"));
  await Deno.writeTextFile(file, await Deno.readTextFile(file) + "\n");
  await answers(box, ASKS, "n\n", "servers");
  assert.equal(await wasStarted(box), false);
});

terminalTest("anything but a clear yes is a no for this run, and not remembered", async () => {
  await using box = await sandbox();
  await project(box);
  for (const keys of ["\n", "maybe\n", "yt\n", "\x04"]) {
    const { code, screen } = await answers(box, ASKS, keys, "servers");
    assert.equal(code, 0);
    assert.match(screen, /^notes +online/m);
  }
  assert.equal(await wasStarted(box), false);
});

terminalTest("Ctrl-C at the question leaves with 130, and nothing was run", async () => {
  await using box = await sandbox();
  await project(box);
  assert.equal((await answers(box, ASKS, "\x03", "servers")).code, 130);
  assert.equal((await answers(box, TRUSTS, "\x03", "trust")).code, 130);
  assert.deepEqual([await wasStarted(box), await servers(box)], [false, ["notes", "tickets"]]);
  await box.empty();
});

terminalTest("--yes is about tools: it trusts no file, and has nothing asked", async () => {
  await using box = await sandbox();
  await project(box);
  await using asked = await person(box, "tools", "--yes");
  assert.equal((await asked.leaves()).code, 0);
  assert(!asked.screen.includes(ASKS), asked.screen);
  assert.match(asked.screen, /is not used: it starts processes/);
  assert.equal(await wasStarted(box), false);
});

posixTest("one byte more or less, and the file is another one", async () => {
  await using box = await sandbox();
  const file = await project(box);
  await trust(box, "--yes");
  const text = await Deno.readTextFile(file);
  for (const changed of [text + " ", text.slice(0, -2) + "}", text.replace("touch", "TOUCH")]) {
    await Deno.writeTextFile(file, changed);
    const { stderr } = await box.fusebox(["servers"], there(box));
    assert(stderr.includes(`${file} is not used: it has changed since you trusted it`), stderr);
  }
  assert.equal(await wasStarted(box), false);
  await Deno.writeTextFile(file, text);
  assert.deepEqual(await servers(box), ["theirs"]);
});

terminalTest("a changed file is asked about as one that has changed", async () => {
  await using box = await sandbox();
  const file = await project(box);
  await trust(box, "--yes");
  await Deno.writeTextFile(file, await Deno.readTextFile(file) + "\n");
  const { screen } = await answers(box, ASKS, "t\n", "servers");
  assert(screen.includes(`${file} has changed since you trusted it. It would start:`), screen);
  assert.match(screen, /^theirs +online/m);
});

posixTest(
  "a link is what it leads to, in the folder it was trusted in and in no other",
  async () => {
    await using box = await sandbox();
    const [one, two] = [
      await project(box, ".mcp.json", "one"),
      await project(box, ".mcp.json", "two"),
    ];
    const link = join(box.home, "project/.mcp.json");
    await Deno.mkdir(join(box.home, "project"));
    await Deno.symlink(one, link);
    assert.match((await trust(box, "--yes")).stderr, /\(a link to \/.*\/one\/\.mcp\.json\)/);
    assert.deepEqual(await servers(box), ["theirs"]);
    // The same bytes elsewhere, and the same file in another folder: what runs would run elsewhere.
    await Deno.remove(link);
    await Deno.symlink(two, link);
    assert.deepEqual(await servers(box), ["notes", "tickets"]);
    assert.deepEqual(await servers(box, { cwd: join(box.home, "one") }), ["notes", "tickets"]);
  },
);

posixTest("once trusted it is read together with the user's own file", async () => {
  await using box = await sandbox();
  await project(box);
  await box.file(".config/fusebox/config.json", MINE);
  assert.deepEqual(await servers(box), ["mine"]);
  await trust(box, "--yes");
  assert.deepEqual(await servers(box), ["mine", "theirs"]);
  // And nowhere but in its folder.
  assert.deepEqual(await servers(box, { cwd: box.home }), ["mine"]);
});

posixTest(
  "the same alias in the user's file and in the project's is an error that names both",
  async () => {
    await using box = await sandbox();
    const file = await project(box, "fusebox.json");
    const own = await box.file(".config/fusebox/config.json", {
      servers: { theirs: demo("notes") },
    });
    assert.deepEqual(await servers(box), ["theirs"]);
    await trust(box, "--yes");
    const { code, stderr } = await box.fusebox(["servers"], there(box));
    assert.equal(code, 2);
    assert.match(stderr, /Two servers are called "theirs"/);
    for (const path of [file, own]) assert(stderr.includes(path), stderr);
  },
);

posixTest(
  "the user's own file needs no trust, also where it is a link to one like a project's",
  async () => {
    await using box = await sandbox();
    const file = await project(box, "fusebox.yaml");
    await Deno.mkdir(join(box.home, ".config/fusebox"), { recursive: true });
    await Deno.symlink(file, join(box.home, ".config/fusebox/config.yaml"));
    const { stdout, stderr } = await box.fusebox(["servers"], there(box));
    assert.match(stdout, /^theirs +online/m);
    assert(!stderr.includes("not used"), stderr);
  },
);

posixTest("a file that can't be used is nobody's trouble, unless they trust it", async () => {
  await using box = await sandbox();
  const file = await box.file("project/fusebox.json", '{ "servers": { "X": 1 }, "modle": 1 }');
  const { code, stderr } = await box.fusebox(["servers"], there(box));
  assert.equal(code, 0, stderr);
  const refused = await trust(box, "--yes");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /Cannot use the configuration: \d problems in .*fusebox\.json/);
  await Deno.writeTextFile(file, " ".repeat(2 ** 20 + 1));
  const large = await box.fusebox(["servers"], there(box));
  assert.match(large.stderr, /is not used: Cannot read .*: it is over 1 MiB/);
});

terminalTest(
  "a broken file is not asked about: a line names the problems and who shows them",
  async () => {
    await using box = await sandbox();
    await box.file("project/fusebox.yaml", "servers: [\n");
    await using asked = await person(box, "servers");
    assert.equal((await asked.leaves()).code, 0);
    assert.match(
      asked.screen,
      /is not used: 1 problem in it \(fusebox -c fusebox\.yaml servers shows/,
    );
  },
);

posixTest("what is no file, holds nothing or never ends is passed over", async () => {
  await using box = await sandbox();
  const folder = join(box.home, "project");
  await Deno.mkdir(join(folder, "fusebox.yaml"), { recursive: true });
  await Deno.symlink("/dev/zero", join(folder, "fusebox.yml"));
  const { success } = await new Deno.Command("mkfifo", { args: [join(folder, "fusebox.json")] })
    .output();
  assert(success);
  await box.file("project/.mcp.json", "");
  const { code, stderr } = await box.fusebox(["servers"], there(box));
  assert.equal(code, 0);
  assert(!stderr.includes("not used"), stderr);
});
