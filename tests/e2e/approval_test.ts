/** Who may run a tool unasked, who is asked, and what happens where nobody can be. @module */
import assert from "node:assert/strict";
import { asked, ASKS, CONFIG, denied, model, ran, start, uses } from "../support/approvals.ts";
import { flaky, posixTest, sandbox, sideBySide } from "../support/cli.ts";
import { STEERING, terminal, terminalTest } from "../support/pty.ts";

terminalTest("y runs a tool once, and the next use asks again", async () => {
  await using box = await sandbox();
  await using person = await start(box, await model(box, uses({ n: 1 }), uses({ n: 2 })));
  await person.expect(ASKS);
  person.type("y\n");
  await person.expect(ASKS);
  person.type("yes\n");
  assert.equal((await person.leaves()).code, 0);
  assert.deepEqual(ran(person.screen), ['{"n":1}', '{"n":2}']);
});

terminalTest(
  "n refuses, and so does all but a clear yes; a run of refusals ends with 7",
  async () => {
    await sideBySide(["n\n", "\n", "maybe\n", "ys\n", "\x04"], async (box, keys) => {
      await using person = await start(box, await model(box, uses({ n: 1 })));
      await person.expect(ASKS);
      person.type(keys);
      assert.equal((await person.leaves()).code, 7, JSON.stringify(keys));
      assert.deepEqual([ran(person.screen), denied(person.screen)], [[], 1]);
      assert.match(person.screen, /^✗ .*the user refused "flaky\.echo"/m); // On a line of its own.
    });
  },
);

terminalTest("uses side by side are asked for one after the other", async () => {
  await using box = await sandbox();
  await using person = await start(box, await model(box, uses({ n: 1 }, { n: 2 }, { n: 3 })));
  for (const [n, key] of [[1, "y"], [2, "n"], [3, "y"]] as const) {
    await person.expect(`"n": ${n}`);
    await person.expect(ASKS);
    person.type(`${key}\n`);
  }
  assert.equal((await person.leaves()).code, 0);
  // The result of the first comes while the second question stands, and waits for its answer.
  const answers = person.screen.split("\n").filter((line) => line.startsWith(ASKS));
  assert.deepEqual(answers, ["y", "n", "y"].map((key) => ASKS + key));
  assert.deepEqual(ran(person.screen).sort(), ['{"n":1}', '{"n":3}']);
  assert.equal(denied(person.screen), 1);
});

terminalTest(
  "a question stands whole, behind what led to it, and nothing runs over it",
  async () => {
    await using box = await sandbox();
    const turn = { text: "Let me see.", ...uses({ n: 1 }) };
    await using person = await start(box, await model(box, turn), { NO_COLOR: "1" });
    await person.expect(ASKS);
    person.type("y\n");
    await person.leaves();
    const said = person.screen.split("\n").map((line) => line.trimEnd());
    assert.deepEqual(said.map((line) => line.replace(/\(\d+ ms\)$/, "(ms)")), [
      "Let me see.",
      '→ flaky.echo {"n":1}',
      "Run flaky.echo?",
      "  {",
      '    "n": 1',
      "  }",
      "flaky calls it read-only",
      `${ASKS}y`,
      '← flaky.echo {"n":1} (ms)',
      "Done.",
      "",
    ]);
  },
);

terminalTest("what was typed before a question was there answers it not", async () => {
  await using box = await sandbox();
  await using person = await terminal(box, [
    "Go",
    ...await model(box, uses({ n: 1 }, { n: 2 })),
  ], {
    config: CONFIG,
    shell: (fusebox) => `read -r go; exec ${fusebox}`,
  });
  // The first line starts it, so the rest is there before it. Half a line waits for whoever ends it.
  person.type("go\ny\na\ny\ny");
  for (const [n, keys] of [[1, "\ny\ny"], [2, "\n"]] as const) {
    await person.expect(`"n": ${n}`);
    await person.expect(ASKS);
    person.type(keys); // What follows the first line is there before the second question.
  }
  assert.equal((await person.leaves()).code, 7);
  assert.deepEqual([ran(person.screen), denied(person.screen)], [[], 2]);
});

terminalTest("Ctrl-C at the question leaves with 130, and nothing was run", async () => {
  await using box = await sandbox();
  await using person = await start(box, await model(box, uses({ n: 1 })));
  await person.expect(ASKS);
  person.type("\x03");
  assert.equal((await person.leaves()).code, 130);
  assert.deepEqual(ran(person.screen), []);
  await box.empty();
});

terminalTest("the question reaches the person when stdin is a pipe and stdout a file", async () => {
  await using box = await sandbox();
  const out = `${box.home}/out`;
  await using person = await terminal(box, ["Go", ...await model(box, uses({ n: 1 }))], {
    config: CONFIG,
    shell: (fusebox) => `echo context | ${fusebox} 2>${box.home}/err >${out}`,
  });
  await person.expect(ASKS);
  person.type("y\n");
  assert.equal((await person.leaves()).code, 0);
  assert.equal(await Deno.readTextFile(out), "Done.\n");
});

terminalTest("a stranger's name and arguments can't dress up the question", async () => {
  await using box = await sandbox();
  const args = { note: "\x1b[2J\u202Egpj.exe\u200b\u{e0041}\u009b1A" };
  const name = "mcp__flaky__red__31malert__0m_txt_952279607c33";
  await using person = await start(box, await model(box, { uses: [{ name, args }] }));
  await person.expect("[n] no: ");
  person.type("y\n");
  assert.equal((await person.leaves()).code, 0);
  assert.match(person.screen, /Run flaky\.red\\u001b\[31malert\\u001b\[0m\\u202etxt\?/);
  assert.match(person.screen, /"\\u001b\[2J\\u202egpj\.exe\\u200b\\udb40\\udc41\\u009b1A"/);
  assert.doesNotMatch(person.raw, STEERING);
});

terminalTest("--allow, --yes, allow: and the built-in servers spare the question", async () => {
  await using box = await sandbox();
  const flags = await model(box, uses({ n: 1 }));
  for (const spared of [["--allow", "flaky.echo"], ["--allow", "notes,fl*.ec*"], ["--yes"]]) {
    await using person = await start(box, [...flags, ...spared]);
    assert.equal((await person.leaves()).code, 0);
    assert.deepEqual(ran(person.screen), ['{"n":1}']);
  }
  const config = { ...CONFIG, allow: ["flaky"] };
  await using person = await terminal(box, ["Go", ...flags], { config });
  assert.equal((await person.leaves()).code, 0);
  await using other = await terminal(box, ["What do my notes say about Lisbon?"]);
  assert.equal((await other.leaves()).code, 0);
  assert(!other.screen.includes("[n] no"), other.screen);
});

terminalTest("an explicit call never asks", async () => {
  await using box = await sandbox();
  await using person = await terminal(box, ["call", "flaky.echo", "n=1"], { config: CONFIG });
  assert.equal((await person.leaves()).code, 0);
  assert.match(person.screen, /\{"n":1\}/);
});

// All below run without a terminal, for each process of a sandbox has a session of its own.

posixTest(
  "without a terminal a tool is refused, the flag that allows it named, and the run ends with 7",
  async () => {
    await using box = await sandbox();
    const flags = await model(box, uses({ n: 1 }));
    const { code, stdout, stderr } = await box.fusebox(["Go", ...flags, "--json"], {
      config: CONFIG,
    });
    assert.equal(code, 7, stderr);
    const { ending, calls } = JSON.parse(stdout);
    assert.equal(ending, "denied");
    assert.deepEqual([calls[0].isError, calls[0].failure], [true, "denied"]);
    assert.match(stderr, /--allow flaky\.echo/);
  },
);

posixTest("the model is told which flag would allow it", async () => {
  await using box = await sandbox();
  const flags = await model(box, uses({ n: 1 }));
  const { stdout } = await box.fusebox(["Go", ...flags, "--jsonl"], { config: CONFIG });
  const results = stdout.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ type }) => type === "result");
  assert.match(results[0].result.content[0].text, /no terminal to ask on; --allow flaky\.echo /);
});

posixTest("the flag is named to people whole, however long the name of the tool", async () => {
  await using box = await sandbox();
  const name = "mcp__flaky__nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn_a68bfbd5f588";
  const flags = await model(box, { uses: [{ name, args: {} }] });
  const { stderr } = await box.fusebox(["Go", ...flags], { config: CONFIG });
  assert.match(stderr, /--allow/);
});

posixTest("a run of which some was refused and some was run ends with 0", async () => {
  await using box = await sandbox();
  const search = { uses: [{ name: "mcp__notes__search", args: { query: "Lisbon" } }] };
  const flags = await model(box, uses({ n: 1 }), search);
  const { code, stdout } = await box.fusebox(["Go", ...flags], { config: CONFIG });
  assert.deepEqual([code, stdout], [0, "Done.\n"]);
});

posixTest("a pipe is no terminal: what it says is no answer to a question", async () => {
  await using box = await sandbox();
  const flags = await model(box, uses({ n: 1 }));
  const { code, stderr } = await box.fusebox(["Go", ...flags], {
    config: CONFIG,
    stdin: { text: "y\ny\n" },
  });
  assert.equal(code, 7);
  assert.match(stderr, /--allow flaky\.echo/);
  assert.equal(asked(stderr), 0);
});

posixTest("--yes says once that nothing is asked, and not with -q", async () => {
  await using box = await sandbox();
  const flags = await model(box, uses({ n: 1 }), uses({ n: 2 }, { n: 3 }));
  const said = "--yes: whatever is not denied runs unasked\n";
  const loud = await box.fusebox(["Go", ...flags, "--yes"], { config: CONFIG });
  assert.deepEqual([loud.code, loud.stderr.split(said).length], [0, 2], loud.stderr);
  const quiet = await box.fusebox(["Go", ...flags, "--yes", "-q"], { config: CONFIG });
  assert.deepEqual([quiet.code, quiet.stderr], [0, ""]);
  // Where it spared no question there is nothing to say.
  const idle = await box.fusebox(["Go", ...flags, "--yes", "--allow", "flaky"], { config: CONFIG });
  assert(!idle.stderr.includes(said), idle.stderr);
});

posixTest("--yes and --allow work without a terminal, and --deny beats both", async () => {
  await using box = await sandbox();
  const flags = await model(box, uses({ n: 1 }));
  const ask = async (...more: string[]) =>
    (await box.fusebox(["Go", ...flags, ...more], { config: CONFIG })).code;
  assert.equal(await ask("--yes"), 0);
  assert.equal(await ask("--allow", "flaky.*"), 0);
  assert.equal(await ask("--allow", "notes"), 7);
  assert.equal(await ask("--yes", "--allow", "flaky.echo", "--deny", "flaky.echo"), 7);
});

posixTest("a tool that is denied is not shown to the model", async () => {
  await using box = await sandbox();
  const args = ["tools", "--json", "--deny", "flaky.e*,notes"];
  const { stdout } = await box.fusebox(args, { config: CONFIG });
  const names = JSON.parse(stdout).tools.map(({ alias, tool }: Record<string, string>) =>
    `${alias}.${tool}`
  );
  assert(names.includes("flaky.pid"));
  assert(!names.some((name: string) => /^flaky\.e|^notes/.test(name)), names.join(", "));
});

posixTest("a program that only calls itself built in is asked about like any other", async () => {
  await using box = await sandbox();
  const { command, args } = flaky();
  const script = `exec '${command}' ${args.map((arg) => `'${arg}'`).join(" ")}`;
  const notes = { command: "sh", args: ["-c", script, "serve-demo", "notes"] };
  const use = { uses: [{ name: "mcp__notes__echo", args: {} }] };
  const flags = await model(box, use);
  assert.equal((await box.fusebox(["Go", ...flags], { config: { servers: { notes } } })).code, 7);
});
