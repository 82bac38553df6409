import assert from "node:assert/strict";
import { readArgs } from "../../lib/cli/args.ts";
import { HELP } from "../../lib/cli/help.ts";
import { USAGE } from "../../lib/cli/usage.ts";
import { UsageError } from "../../lib/kit/usage.ts";

const CASES: [args: string[], wanted: Record<string, unknown>][] = [
  [["hello", "world"], { command: "ask", words: ["hello", "world"] }],
  [["ask", "tools"], { command: "ask", words: ["tools"] }],
  [["tools please help"], { command: "ask", words: ["tools please help"] }],
  [["call", "a.b", "n=1", "-"], { command: "call", words: ["a.b", "n=1", "-"] }],
  [["call", "a.b", '{"x": -1}'], { words: ["a.b", '{"x": -1}'] }],
  [["-c", "a.yaml", "--config", "b.yaml", "tools"], {
    config: ["a.yaml", "b.yaml"],
    command: "tools",
  }],
  [["--only", "a,b", "--only=c", "x"], { only: ["a", "b", "c"] }],
  [["-m", "script:x", "42"], { model: "script:x", words: ["42"] }],
  [["--timeout", "1m30s", "--max-steps", "7", "x"], { timeoutMs: 90_000, maxSteps: 7 }],
  [["--no-stdin", "-qv", "x"], { stdin: false, quiet: true, verbose: true }],
  [["x"], { stdin: true, quiet: false, json: false, yes: false }],
  [["--", "--not-a-flag"], { words: ["--not-a-flag"] }],
  [["serve-demo", "notes", "--legacy"], { command: "serve-demo", words: ["notes", "--legacy"] }],
  [["all notes of today"], { command: "ask" }],
  [["all", "notes"], { command: "ask", words: ["all", "notes"] }],
  [["007", "1e3"], { words: ["007", "1e3"] }],
  [["--status", "what", "now"], { statusPort: 3873, words: ["what", "now"] }],
  [["what now", "--status=0"], { statusPort: 0, words: ["what now"] }],
  [["status", "--status-host=::1"], { command: "status", statusHost: "::1" }],
  [["--status", "--", "80"], { statusPort: 3873, words: ["80"] }],
  [["--yes", "false", "alarm"], { yes: true, words: ["false", "alarm"] }],
  [["-qv", "true", "story"], { quiet: true, verbose: true, words: ["true", "story"] }],
  [["--lazy=false", "--json=true", "x"], { json: true, words: ["x"] }],
  [["--no-stdin", "true", "story"], { stdin: false, words: ["true", "story"] }],
  [["--no-stdin=false", "--no-stream=true", "x"], { stdin: true, stream: false }],
  [["--stdin", "false", "alarm"], { stdin: true, words: ["false", "alarm"] }],
  [["-q=false", "x"], { quiet: false, words: ["x"] }],
  [["--", "--yes", "true"], { yes: false, words: ["--yes", "true"] }],
  [["help", "pins"], { help: true, command: "pins" }],
  [["serve-demo", "--help"], { help: true, command: "serve-demo" }],
  [["help", "me", "out"], { help: false, words: ["help", "me", "out"] }],
  [["--timeout=5s", "-"], { words: ["-"] }],
  [["serve-demo", "notes", "--status"], { words: ["notes", "--status"] }],
];

for (const [args, wanted] of CASES) {
  Deno.test(`readArgs() reads ${args.join(" ")}`, () => {
    const read: Record<string, unknown> = { ...readArgs(args) };
    for (const [key, value] of Object.entries(wanted)) assert.deepEqual(read[key], value, key);
  });
}

const WRONG: [args: string[], message: RegExp, hint: RegExp][] = [
  [["toools"], /no such command/, /fusebox tools/],
  [["cal", "a.b"], /no such command/, /fusebox call/],
  [["severs"], /no such command/, /fusebox servers/],
  [["--jsn", "x"], /"--jsn": no such flag/, /--json/],
  [["--modle=x", "x"], /no such flag/, /--model/],
  [["-z", "x"], /no such flag/, /--help/],
  [["--toString"], /no such flag/, /./],
  [["--model"], /--model: it needs a value/, /./],
  [["-c"], /--config: it needs a value/, /./],
  [["--max-steps", "0", "x"], /not a whole number from 1 to 10000/, /20/],
  [["--budget-tokens", "many", "x"], /--budget-tokens many: not a whole number/, /--help/],
  [["--timeout", "30", "x"], /not a duration/, /30s/],
  [["--status", "8080", "x"], /its port stands behind "="/, /--status=8080/],
  [["--status=many", "x"], /not a port/, /--status=0/],
  [["--status=65536", "x"], /not a port/, /--status=0/],
  [["tools", "--status"], /no status page/, /ask --status/],
  [["--status-host", "::1", "x"], /without --status/, /--status=PORT/],
  [["status", "notes"], /takes no words/, /--only/],
  [["statuss"], /no such command/, /fusebox status/],
  [["--yes=no", "x"], /--yes=no: --yes takes no value/, /leave it out/],
  [["-q=1", "x"], /-q=1: --quiet takes no value/, /leave it out/],
  [["-zq", "x"], /"-zq": no such flag/, /--help/],
  [["--timeout", "-1", "x"], /--timeout -1: a value/, /--timeout=-1/],
  [["-m", "--jsn", "x"], /--model --jsn: a value/, /--model=--jsn/],
  [["--json", "--jsonl", "x"], /--json and --jsonl/, /Choose/],
];

for (const [args, message, hint] of WRONG) {
  Deno.test(`readArgs() refuses ${args.join(" ")} in a sentence with a hint`, () => {
    assert.throws(() => readArgs(args), (error) => {
      assert(error instanceof UsageError);
      assert.match(error.message, message);
      assert.match(error.hint ?? "", hint);
      return true;
    });
  });
}

Deno.test("HELP and USAGE fit one screen", () => {
  for (const text of [HELP, ...Object.values(USAGE)]) {
    const lines = text.trimEnd().split("\n");
    assert(lines.length <= 24, `${lines.length} lines`);
    for (const line of lines) assert(line.length <= 80, line);
  }
});

Deno.test("USAGE shows how its own command is called, and no other", () => {
  for (const [command, text] of Object.entries(USAGE)) {
    const calls = text.split("\n").filter((line) => !line.startsWith("  "));
    for (const line of calls) assert(line.startsWith(`fusebox ${command} `), line);
  }
});
