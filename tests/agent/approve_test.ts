import assert from "node:assert/strict";
import { decide, type Policy, question, readAnswer } from "../../lib/agent/approve.ts";
import type { Target } from "../../lib/tools/tool.ts";

const target = (alias: string, tool: string, more: Partial<Target> = {}): Target => ({
  ref: { alias, tool },
  ...more,
});
const policy = (more: Partial<Policy> = {}): Policy => ({
  allow: [],
  deny: [],
  yes: false,
  ...more,
});
const kind = (it: Target, p: Policy, canAsk: boolean) => decide(it, p, canAsk).kind;

Deno.test("decide() asks where somebody can be asked, and refuses where nobody can", () => {
  assert.equal(kind(target("a", "t"), policy(), true), "ask");
  const refused = decide(target("a", "t"), policy(), false);
  assert(refused.kind === "refuse");
  assert.match(refused.why, /"a\.t" needs .*--allow a\.t \(or --yes/);
});

Deno.test("decide() lets patterns and --yes spare the question, and deny beats all", () => {
  const cases: [Partial<Policy>, string][] = [
    [{ allow: ["a"] }, "run"],
    [{ allow: ["a.*"] }, "run"],
    [{ allow: ["*.delete_*"] }, "run"],
    [{ allow: ["b.*"] }, "ask"],
    [{ yes: true }, "run"],
    [{ yes: true, deny: ["a.delete_*"] }, "refuse"],
    [{ allow: ["a.delete_all"], deny: ["a"] }, "refuse"],
  ];
  for (const [more, wanted] of cases) {
    assert.equal(kind(target("a", "delete_all"), policy(more), true), wanted, JSON.stringify(more));
  }
});

Deno.test("decide() gives nothing on a server's own hints", () => {
  const harmless = target("a", "t", { annotations: { readOnlyHint: true } });
  assert.equal(kind(harmless, policy(), true), "ask");
});

Deno.test("decide() quotes a name that a shell would take apart", () => {
  const refused = decide(target("a", "rm -rf; '"), policy(), false);
  assert(refused.kind === "refuse");
  assert(refused.why.includes(`--allow 'a.rm -rf; '\\'''`));
});

Deno.test("question() shows server, tool, title and arguments, safe to print and bounded", () => {
  const asked = question(target("a", "t\u001b[31m", { title: "Tit\u202ele" }), {
    text: "\u001b]0;gotcha\u0007\nx".repeat(50),
    list: Array.from({ length: 50 }, (_, n) => n),
  });
  assert.match(asked, /^Run a\.t \(Title\)\?\n/);
  // deno-lint-ignore no-control-regex -- looking for what must not be there
  assert.doesNotMatch(asked, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  assert(asked.split("\n").length < 20);
  assert.match(asked, /more lines/);
});

Deno.test("readAnswer() takes anything but a clear yes for a no", () => {
  const cases: [string | undefined, string][] = [
    ["y", "once"],
    [" YES ", "once"],
    ["a", "always"],
    ["", "no"],
    ["n", "no"],
    ["yup", "no"],
    [undefined, "no"],
  ];
  for (const [line, answer] of cases) assert.equal(readAnswer(line), answer);
});
