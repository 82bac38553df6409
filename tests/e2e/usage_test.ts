/** What is said to somebody who mistyped, and to somebody who asks how it goes. @module */
import assert from "node:assert/strict";
import { USAGE } from "../../lib/cli/usage.ts";
import { demo, type Result, sandbox, sideBySide } from "../support/cli.ts";
import deno from "../../deno.json" with { type: "json" };

const CONFIG = { model: "offline", servers: { notes: demo("notes"), tickets: demo("tickets") } };

/** One sentence, one hint, and nothing else. */
function checkUsage({ code, stdout, stderr }: Result, sentence: string, hint: string): void {
  assert.equal(stderr, `fusebox: ${sentence}\n  ${hint}\n`);
  assert.deepEqual([code, stdout], [2, ""]);
}

const TYPOS: Readonly<Record<string, readonly [string[], string, string][]>> = {
  "a command": [
    [
      ["tool"],
      'Cannot run "tool": no such command',
      'Did you mean "fusebox tools"? To use it as a prompt: fusebox ask "tool …"',
    ],
    [
      ["cal", "notes.search"],
      'Cannot run "cal": no such command',
      'Did you mean "fusebox call"? To use it as a prompt: fusebox ask "cal …"',
    ],
    [
      ["selftset"],
      'Cannot run "selftset": no such command',
      'Did you mean "fusebox selftest"? To use it as a prompt: fusebox ask "selftset …"',
    ],
  ],
  "a flag": [
    [["--jsno", "Hi"], 'Cannot read "--jsno": no such flag', "Did you mean --json?"],
    [
      ["--max-step", "3", "Hi"],
      'Cannot read "--max-step": no such flag',
      "Did you mean --max-steps?",
    ],
    [
      ["-x"],
      'Cannot read "-x": no such flag',
      "fusebox --help lists them; a prompt that begins with a dash stands behind --",
    ],
  ],
  "the value of a flag": [
    [
      ["--timeout", "5", "Hi"],
      "Cannot read --timeout 5: not a duration",
      'Write the unit: "5s", or "5ms" for milliseconds',
    ],
    [
      ["--max-steps", "many", "Hi"],
      "Cannot read --max-steps many: not a whole number from 1 to 10000",
      "The default is 20",
    ],
    [["Hi", "--model"], "Cannot read --model: it needs a value", "fusebox --help shows which"],
    [
      ["Hi", "-m", "openia/gpt"],
      'Cannot use the model "openia/gpt": no such provider',
      'Did you mean "openai/gpt"?',
    ],
    [
      ["Hi", "-m", "script:nowhere.yaml"],
      'Cannot use the model "script:nowhere.yaml": no such file',
      "script:FILE names a YAML or JSONL file of turns",
    ],
    [["Hi", "--json", "--jsonl"], "Cannot print --json and --jsonl at once", "Choose one"],
  ],
  "an alias": [
    [
      ["call", "notse.search"],
      'Cannot call "notse.search": it names no configured server',
      "Did you mean notes.search?",
    ],
    [
      ["tools", "notse"],
      'Cannot list the tools of "notse": no server has this alias',
      "Did you mean notes?",
    ],
    [
      ["Hi", "--only", "notse"],
      "Cannot use --only notse: no server has this alias",
      "Did you mean notes?",
    ],
    [
      ["call", "weather.today"],
      'Cannot call "weather.today": it names no configured server',
      "Write alias.tool; the servers are: notes, tickets",
    ],
  ],
  "a tool": [
    [
      ["call", "notes.serach"],
      'Cannot call "notes.serach": "notes" has no such tool',
      "Near it: notes.search",
    ],
    [
      ["call", "mcp__notes__serach"],
      'Cannot call "mcp__notes__serach": "notes" has no such tool',
      "Near it: mcp__notes__search",
    ],
    [
      ["call", "notes.weather"],
      'Cannot call "notes.weather": "notes" has no such tool',
      "fusebox tools notes lists them",
    ],
    [
      ["call"],
      "Cannot call: no tool is named",
      "fusebox call alias.tool key=value; fusebox tools lists them",
    ],
    [
      ["serve-demo", "nots"],
      'Cannot serve "nots": no such built-in server',
      "There are: notes, tickets",
    ],
  ],
  "an argument": [
    [
      ["call", "notes.search", "qeury=x"],
      'Cannot use the argument "qeury": the tool has no such parameter',
      "Did you mean query?",
    ],
    [
      ["call", "notes.search", "limit=few"],
      "Cannot read limit=few: limit takes integer",
      "fusebox tools --json shows the schema",
    ],
    [
      ["call", "notes.search", "release"],
      'Cannot read the argument "release": it is neither JSON nor key=value',
      `Write '{"key": "value"}', key=value, or - for JSON on stdin`,
    ],
  ],
};

for (const [what, cases] of Object.entries(TYPOS)) {
  Deno.test(`a typo in ${what} ends with 2, one sentence and a hint`, async () => {
    await sideBySide(cases, async (box, [args, sentence, hint]) => {
      checkUsage(await box.fusebox(args, { config: CONFIG }), sentence, hint);
    });
  });
}

Deno.test("a typo in the alias of --deny is refused: what it was to forbid would be allowed", async () => {
  await using box = await sandbox();
  const { code, stderr } = await box.fusebox(["Hi", "--deny", "ticktes.*"], { config: CONFIG });
  assert.equal(code, 2, stderr);
  assert.match(stderr, /ticktes[^]*Did you mean "?tickets/);
});

Deno.test("a typo is told at once, and not once stdin has ended", async () => {
  const typos = [["Hi", "-m", "openia/gpt"], ["Hi", "--only", "notse"], [
    "call",
    "notse.search",
    "-",
  ]];
  await sideBySide(typos, async (box, args) => {
    const { code, stderr } = await box.fusebox(args, { config: CONFIG, stdin: "open" });
    assert.equal(code, 2, `${args}: ${stderr}`);
    assert(!stderr.includes("Waiting for the end of stdin"), stderr);
  });
});

Deno.test("a prompt that looks a little like a command is still a prompt", async () => {
  const prompts = [["tell me about Lisbon"], ["ask", "tool"], ["all about Lisbon"]];
  await sideBySide(prompts, async (box, args) => {
    const { code, stderr } = await box.fusebox(args, { config: CONFIG });
    assert.equal(code, 0, stderr);
  });
});

Deno.test("--help fits a terminal of 24 lines and 80 columns", async () => {
  await using box = await sandbox();
  const { code, stdout, stderr } = await box.fusebox(["--help"]);
  assert.deepEqual([code, stderr], [0, ""]);
  const lines = stdout.trimEnd().split("\n");
  // The prompt of the shell takes the last one.
  assert(lines.length <= 23, `${lines.length} lines`);
  for (const line of lines) assert(line.length <= 80, `${line.length} columns: ${line}`);
});

Deno.test("--help names every command, and only flags that there are", async () => {
  await using box = await sandbox();
  const { stdout } = await box.fusebox(["-h"]);
  const commands = ["ask", "tools", "call", "servers", "selftest", "demo", "serve-demo"];
  const flags = ["-c", "-m", "-q", "-v", "-h", "--server", "--only", "--timeout", "--max-steps"]
    .concat("--allow", "--deny", "--yes", "--no-stdin", "--json", "--jsonl", "--version");
  for (const word of [...commands, ...flags]) assert(stdout.includes(word), word);
  const shown = stdout.matchAll(/(?<![\w-])--?[a-z][a-z-]*/g);
  await sideBySide(shown.map(([flag]) => flag).toArray(), async (box, flag) => {
    const { code, stderr } = await box.fusebox([flag, "1s", "--version"]);
    const known = code === 0 || /it needs a value|not a whole number|no such mode/.test(stderr);
    assert(known, `${flag} is shown: ${stderr}`);
  });
});

Deno.test("--help wins over whatever stands beside it, and needs no configuration", async () => {
  await using box = await sandbox();
  const { stdout: help } = await box.fusebox(["--help"]);
  const cases: [args: string[], wanted: string][] = [
    [["-c", "nowhere.yaml", "-h"], help],
    [["ask", "Hi", "--help"], help],
    [["tools", "--help"], `${USAGE.tools}\n\nfusebox --help lists the flags.\n`],
    [["call", "-h"], `${USAGE.call}\n\nfusebox --help lists the flags.\n`],
  ];
  for (const [args, wanted] of cases) {
    const { code, stdout } = await box.fusebox(args, { stdin: "open" });
    assert.deepEqual([code, stdout], [0, wanted]);
  }
});

Deno.test("--version is the version of the project", async () => {
  await using box = await sandbox();
  const { code, stdout, stderr } = await box.fusebox(["--version"], { stdin: "open" });
  assert.deepEqual([code, stdout, stderr], [0, `fusebox ${deno.version}\n`, ""]);
});
