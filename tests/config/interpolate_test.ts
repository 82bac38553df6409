/** What `${…}` becomes when a server is attached, and what is said when it cannot. @module */
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Reach } from "../../lib/config/config.ts";
import { interpolate, MissingVariable } from "../../lib/config/interpolate.ts";

const ENV: Record<string, string> = {
  HOME: "/home/me",
  TOKEN: "s3cret",
  EMPTY: "",
  NESTED: "${TOKEN}",
  DOLLARS: "$& $1 $$",
};
const env = (name: string) => Object.hasOwn(ENV, name) ? ENV[name] : undefined;

function stdio(more: Partial<Extract<Reach, { kind: "stdio" }>>): Reach {
  return { kind: "stdio", command: "x", args: [], env: {}, inheritEnv: false, ...more };
}

function one(text: string): string {
  const reach = interpolate(stdio({ args: [text] }), env);
  assert(reach.kind === "stdio");
  return reach.args[0]!;
}

Deno.test("interpolate() resolves what has the right form and keeps everything else", () => {
  const table: [text: string, expected: string][] = [
    ["${TOKEN}", "s3cret"],
    ["Bearer ${TOKEN}!", "Bearer s3cret!"],
    ["${TOKEN}${TOKEN}", "s3crets3cret"],
    ["${env:TOKEN}", "s3cret"],
    ["${EMPTY}", ""],
    ["${TOKEN:-other}", "s3cret"],
    ["${EMPTY:-other}", "other"],
    ["${UNSET:-other}", "other"],
    ["${UNSET:-}", ""],
    ["${env:UNSET:-other}", "other"],
    ["${UNSET:-a:-b}", "a:-b"],
    ["${UNSET:-https://x/?a=b}", "https://x/?a=b"],
    ['${UNSET:-{"a": {}}}', '{"a": {}}'],
    ["${UNSET:-${TOKEN}}", "${TOKEN}"],
    ["${TOKEN:-${OTHER}}", "s3cret"],
    ["${UNSET:-{}", "{"],
    ["${NESTED}", "${TOKEN}"],
    ["${DOLLARS}", "$& $1 $$"],
    ["$TOKEN", "$TOKEN"],
    ["$$", "$$"],
    ["$${TOKEN}", "$s3cret"],
    ["${TOKEN", "${TOKEN"],
    ["${UNSET:-x", "${UNSET:-x"],
    ["${", "${"],
    ["${}", "${}"],
    ["${ TOKEN }", "${ TOKEN }"],
    ["${1}", "${1}"],
    ["${TOKEN-x}", "${TOKEN-x}"],
    ["${${TOKEN}}", "${s3cret}"],
    ["$(TOKEN)", "$(TOKEN)"],
    ["", ""],
  ];
  for (const [text, expected] of table) assertEquals(one(text), expected, text);
});

Deno.test("interpolate() resolves every string of a reach", () => {
  const program = stdio({
    command: "${HOME}/bin/x",
    args: ["${TOKEN}"],
    env: { A: "${TOKEN}", "${TOKEN}": "b" },
    cwd: "${HOME}",
  });
  assertEquals<unknown>(interpolate(program, env), {
    kind: "stdio",
    command: "/home/me/bin/x",
    args: ["s3cret"],
    env: { A: "s3cret", "${TOKEN}": "b" },
    cwd: "/home/me",
    inheritEnv: false,
  });
  const remote: Reach = {
    kind: "http",
    url: "https://${HOST:-localhost}/mcp",
    headers: { Authorization: "Bearer ${TOKEN}" },
  };
  assertEquals<unknown>(interpolate(remote, env), {
    kind: "http",
    url: "https://localhost/mcp",
    headers: { Authorization: "Bearer s3cret" },
  });
});

Deno.test("interpolate() leads ~/ of command and cwd home, and of nothing else", () => {
  const reach = interpolate(stdio({ command: "~/bin/x", cwd: "~", args: ["~/docs"] }), env);
  assert(reach.kind === "stdio");
  assertEquals([reach.command, reach.cwd, reach.args], ["/home/me/bin/x", "/home/me", ["~/docs"]]);
  for (const command of ["~root/x", "a~/x"]) {
    const kept = interpolate(stdio({ command }), env);
    assert(kept.kind === "stdio");
    assertEquals(kept.command, command);
  }
  const nowhere = interpolate(stdio({ command: "~/x" }), () => undefined);
  assert(nowhere.kind === "stdio");
  assertEquals(nowhere.command, "~/x");
});

Deno.test("interpolate() throws one MissingVariable that names all, and no value of others", () => {
  const reach = stdio({
    command: "${TOKEN}",
    args: ["${A}", "${B}${A}"],
    env: { NOTES_TOKEN: "${NOTES_TOKEN}" },
    cwd: "${input:folder}",
  });
  const error = assertThrows(() => interpolate(reach, env), MissingVariable);
  assertEquals(error.missing, [
    { name: "A", at: "args[0]" },
    { name: "B", at: "args[1]" },
    { name: "A", at: "args[1]" },
    { name: "NOTES_TOKEN", at: "env.NOTES_TOKEN" },
    { name: "input:folder", at: "cwd" },
  ]);
  assertEquals(
    error.message,
    "A, B, NOTES_TOKEN, input:folder are not set (for args[0], args[1], env.NOTES_TOKEN, cwd)",
  );
  const single = assertThrows(() => interpolate(stdio({ args: ["${A}"] }), env), MissingVariable);
  assertEquals(single.message, "A is not set (for args[0])");
});

Deno.test("interpolate() takes __proto__ for a name like another", () => {
  const variables = Object.fromEntries([["__proto__", "${TOKEN}"]]);
  const reach = interpolate(stdio({ env: variables }), env);
  assert(reach.kind === "stdio");
  assertEquals(Object.entries(reach.env), [["__proto__", "s3cret"]]);
  assertThrows(() => interpolate(stdio({ args: ["${__proto__}"] }), env), MissingVariable);
});

Deno.test("interpolate() reads openings without end in linear time", () => {
  // In quadratic time each of these would take minutes.
  const openings = "${A:-".repeat(400_000);
  assertEquals(one("${".repeat(1_000_000)).length, 2_000_000);
  assertEquals(one(openings), openings);
  assertEquals(one(openings + "}").length, openings.length - 5);
});
