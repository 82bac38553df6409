/** What a person sees on a terminal: colours where they are wanted, and nothing that a server steers. @module */
import assert from "node:assert/strict";
import { demo, flaky, sandbox, sideBySide } from "../support/cli.ts";
import { shown, STEERING, terminal, terminalTest } from "../support/pty.ts";
import { within } from "../support/time.ts";

const PROMPT = "What do my notes say about Lisbon?";
const SLOW = { servers: { flaky: flaky() } };
const FRAMES = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/;
// deno-lint-ignore no-control-regex -- what a terminal is steered by
const COLOUR = /\x1b\[\d+m/;

Deno.test("shown() is what a terminal leaves of what was written to it", () => {
  assert.equal(shown("one\r\ntwo\rT"), "one\nTwo");
  assert.equal(shown("\r\x1b[?7l⠋ thinking\x1b[K\x1b[?7h\r\x1b[K\x1b[31m✗\x1b[0m no\n"), "✗ no\n");
  assert.equal(shown("a\x1b[2Jb"), "a\x1b[2Jb");
});

terminalTest("the screen of a terminal is coloured, and ends with the answer", async () => {
  await using box = await sandbox();
  await using person = await terminal(box, [PROMPT]);
  assert.equal((await person.leaves()).code, 0);
  assert.match(person.raw, COLOUR);
  const lines = person.screen.trimEnd().split("\n");
  const answer = lines.findIndex((line) => /^Lisbon won the vote/.test(line));
  const last = lines.findLastIndex((line) => /^[→←✗] /.test(line));
  assert(last >= 0 && last < answer, `what went on stands behind the answer:\n${person.screen}`);
});

terminalTest("NO_COLOR and TERM=dumb have no colours, and a dumb terminal no spinner", async () => {
  await using box = await sandbox();
  const slow = ["call", "flaky.slow", "ms=300"];
  for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }] as Record<string, string>[]) {
    for (const args of [[PROMPT], slow]) {
      const config = args === slow ? { config: SLOW } : {};
      await using person = await terminal(box, args, { env, ...config });
      assert.equal((await person.leaves()).code, 0);
      assert.doesNotMatch(person.raw, COLOUR, args[0]);
      // It would show escape sequences as they are.
      if (env.TERM) assert(!person.raw.includes("\x1b"), `${args}: ${person.raw}`);
    }
  }
});

terminalTest("an empty NO_COLOR is none", async () => {
  await using box = await sandbox();
  await using person = await terminal(box, [PROMPT], { env: { NO_COLOR: "" } });
  await person.leaves();
  assert.match(person.raw, COLOUR);
});

terminalTest("a spinner turns while a tool runs, and is gone when it has", async () => {
  await using box = await sandbox();
  await using person = await terminal(box, ["call", "flaky.slow", "ms=1000"], { config: SLOW });
  await person.expect("⠙ flaky.slow");
  assert.equal((await person.leaves()).code, 0);
  assert.equal(person.screen, "Slept 1000 ms.\n");
});

terminalTest("-q has neither a spinner nor colours, only the answer", async () => {
  await using box = await sandbox();
  const args = ["call", "flaky.slow", "ms=300", "-q"];
  await using person = await terminal(box, args, { config: SLOW });
  await person.leaves();
  assert.equal(person.raw, "Slept 300 ms.\r\n");
});

terminalTest(
  "nothing spins when stderr is no terminal, and an answer in a pipe has no colours",
  async () => {
    await using box = await sandbox();
    const err = `${box.home}/err`;
    await using person = await terminal(box, ["call", "flaky.slow", "ms=300"], {
      config: SLOW,
      shell: (fusebox) => `exec ${fusebox} 2>${err}`,
    });
    await person.leaves();
    assert.equal(person.raw, "Slept 300 ms.\r\n");
    assert.equal(await Deno.readTextFile(err), "");
    const out = `${box.home}/out`;
    await using other = await terminal(box, ["demo"], { shell: (fusebox) => `${fusebox} >${out}` });
    await other.leaves();
    assert.doesNotMatch(await Deno.readTextFile(out), COLOUR);
  },
);

terminalTest(
  "a failure leaves the terminal clean: its sentence, and no rest of a spinner",
  async () => {
    await using box = await sandbox();
    const args = ["call", "flaky.hang", "--timeout", "400ms"];
    await using person = await terminal(box, args, {
      config: { servers: { flaky: flaky("hang") } },
    });
    assert.equal((await person.leaves()).code, 4);
    assert.match(person.screen, /^fusebox: Cannot finish "flaky\.hang": [^\n]*\n$/);
  },
);

terminalTest("Ctrl-C leaves the terminal clean", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("hang") } };
  await using person = await terminal(box, ["call", "flaky.hang"], { config });
  await person.expect("⠙ flaky.hang");
  person.type("\x03");
  assert.equal((await person.leaves()).code, 130);
  assert.doesNotMatch(person.screen.replace(/.*\^C/, ""), FRAMES);
});

/** What a server may say anywhere, to steer the terminal of whoever reads it. */
const EVIL = "\x1b[2J\x1b]0;owned\x07\u009b1A\u202Ereversed\u2066\u200b\u{e0041}\x08\x7f.";

terminalTest("no answer, error or refusal of a server steers the terminal", async () => {
  const cases = [
    ["flaky.echo", JSON.stringify({ text: EVIL })],
    ["flaky.fail", JSON.stringify({ text: EVIL })],
    [`flaky.red\x1b[31malert\x1b[0m\u202Etxt`],
    [`flaky.${EVIL}`],
  ];
  await sideBySide(cases, async (box, args) => {
    const config = { servers: { flaky: flaky("odd-names") } };
    await using person = await terminal(box, ["call", ...args], { config });
    await person.leaves();
    assert.doesNotMatch(person.raw, STEERING, args[0]);
  });
});

terminalTest("no JSON steers the terminal, and it still says the same", async () => {
  await using box = await sandbox();
  const config = { servers: { flaky: flaky("odd-names") } };
  const args = ["call", "flaky.echo", JSON.stringify({ text: EVIL }), "--json", "-q"];
  await using person = await terminal(box, args, { config });
  await person.leaves();
  assert.equal(JSON.parse(person.raw).structuredContent.text, EVIL);
  assert.doesNotMatch(person.raw, STEERING);
  await using other = await terminal(box, ["tools", "--json"], { config });
  await other.leaves();
  assert.doesNotMatch(other.raw, STEERING);
});

terminalTest("no listing and no run steers the terminal, with -v neither", async () => {
  await using box = await sandbox();
  const name = `mcp__flaky__${EVIL}`;
  const turns = [
    { text: EVIL, uses: [{ name: "mcp__flaky__echo", args: { text: EVIL } }] },
    { uses: [{ name: "mcp__flaky__fail", args: { text: EVIL } }, { name, args: {} }] },
    { text: `Done. ${EVIL}` },
  ];
  const model = `script:${await box.file("turns.yaml", turns)}`;
  const config = { servers: { flaky: flaky("odd-names"), notes: demo("notes") }, allow: ["flaky"] };
  for (const args of [["tools"], ["servers"], ["Go", "-m", model]]) {
    await using person = await terminal(box, [...args, "-v"], { config });
    assert.equal((await person.leaves()).code, 0);
    assert.doesNotMatch(person.raw, STEERING, args[0]);
  }
});

terminalTest("the reason of an ending does not steer the terminal", async () => {
  await using box = await sandbox();
  const use = { uses: [{ name: `mcp__flaky__${EVIL}`, args: {} }], repeat: true };
  const model = `script:${await box.file("turns.yaml", [use])}`;
  await using person = await terminal(box, ["Go", "-m", model], { config: SLOW });
  assert.equal((await person.leaves()).code, 6);
  assert.doesNotMatch(person.raw, STEERING);
});

terminalTest(
  "what a server writes to stderr does not steer the terminal, with -v or in a reason",
  async () => {
    await using box = await sandbox();
    const script = `printf '${
      EVIL.replaceAll("\x1b", "\\033").replaceAll("\x07", "\\007").replaceAll("\x08", "\\010")
        .replaceAll("\x7f", "\\177")
    }\\n' >&2; exit 1`;
    const config = { servers: { evil: { command: "sh", args: ["-c", script] } } };
    for (const args of [["call", "evil.x", "-v"], ["servers", "-v"], ["Hi", "-m", "offline"]]) {
      await using person = await terminal(box, args, { config });
      await person.leaves();
      assert.match(person.screen, /reversed/);
      assert.doesNotMatch(person.raw, STEERING, args[0]);
    }
  },
);

terminalTest("without a prompt on a terminal, fusebox says how to give one at once", async () => {
  await within(1_900, async () => {
    await using box = await sandbox();
    await using person = await terminal(box, []);
    const { code, ms } = await person.leaves();
    assert.equal(code, 2);
    assert.match(person.screen, /there is no prompt\n {2}fusebox "your question"/);
    return ms;
  });
});
