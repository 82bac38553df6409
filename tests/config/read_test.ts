/** Text to tree, in both languages. @module */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { readTree as readWith, type SourceFile } from "../../lib/config/read.ts";
import { parseYaml } from "../../lib/config/yaml.ts";
import { plain } from "../support/tree.ts";

const readTree = (file: SourceFile) => readWith(file, parseYaml);

Deno.test("readTree() goes by the extension, and else by what the text looks like", () => {
  const table: [path: string, text: string, expected: unknown][] = [
    ["a.json", '{"a": [1,], /* c */ }', { a: [1] }],
    ["a.JSONC", "// c\n[]", []],
    ["a.yaml", "a: [1]", { a: [1] }],
    ["a.yml", '{"a": 1}', { a: 1 }],
    ["config", '{"a": 1} // json', { a: 1 }],
    ["config", "// c\n{}", {}],
    ["config", "a: 1", { a: 1 }],
    ["config", "{a: 1}", { a: 1 }],
    ["dir.json/config", "a: 1", { a: 1 }],
    ["b.yaml", "\uFEFFa: 1", { a: 1 }],
    ["b.json", '\uFEFF{"a": 1}', { a: 1 }],
    ["crlf.yaml", "a: 1\r\nb:\r\n  - x\r\n", { a: 1, b: ["x"] }],
  ];
  for (const [path, text, expected] of table) {
    const { tree, issues } = readTree({ path, text });
    assertEquals(issues, [], path);
    assertEquals(plain(tree), expected, path);
  }
});

Deno.test("readTree() tells JSON's complaint about what looks like JSON and is neither", () => {
  const { issues } = readTree({ path: "config", text: '{"a": "b" "c"}' });
  assertStringIncludes(issues[0]!.message, 'Expected "," or "}"');
});

Deno.test("readTree() refuses TOML by name", () => {
  const { tree, issues } = readTree({ path: "config.toml", text: "[a]" });
  assertEquals([tree, issues[0]?.message], [undefined, "Cannot read TOML"]);
});

Deno.test("readTree() keeps the line of every YAML key, and of what stands in flow style the next above", () => {
  const { tree } = readTree({
    path: "a.yaml",
    text: "a:\n  b:\n    - x\n    - y: 1\n  c: { d: 1 }\n",
  });
  assert(tree?.kind === "map");
  const a = tree.entries.get("a");
  assert(a?.kind === "map");
  const [b, c] = [a.entries.get("b"), a.entries.get("c")];
  assert(b?.kind === "list" && c?.kind === "map");
  assertEquals([a.line, b.line, b.items[0]?.line, b.items[1]?.line, c.line], [1, 2, 3, 4, 5]);
  assertEquals(c.entries.get("d")?.line, 5);
});

Deno.test("readTree() keeps numbers and flags as they were written", () => {
  const texts = (path: string, text: string) => {
    const { tree } = readTree({ path, text });
    assert(tree?.kind === "list");
    return tree.items.map((item) => "text" in item ? item.text : item.kind);
  };
  assertEquals(
    texts(
      "a.yaml",
      "[8080, 012, 1.0, 1e3, 0x1F, 12345678901234567890, True, 2026-01-02, yes, ~, '7']",
    ),
    [
      "8080",
      "012",
      "1.0",
      "1e3",
      "0x1F",
      "12345678901234567890",
      "True",
      "2026-01-02",
      "yes",
      "null",
      "7",
    ],
  );
  assertEquals(texts("a.json", "[1.0, 1e3, 12345678901234567890, true]"), [
    "1.0",
    "1e3",
    "12345678901234567890",
    "true",
  ]);
});

Deno.test("readTree() names every YAML key that stands twice, with both lines, and reads on", () => {
  const { tree, issues } = readTree({
    path: "a.yaml",
    text:
      "servers:\n  notes:\n    command: a\n  notes:\n    command: b\n    command: c\nservers: {}\n",
  });
  assertEquals(issues.map(({ path, line, message }) => [path, line, message]), [
    ["servers.notes", 4, 'Key "notes" stands twice, first on line 2'],
    ["servers.notes.command", 6, 'Key "command" stands twice, first on line 5'],
    ["servers", 7, 'Key "servers" stands twice, first on line 1'],
  ]);
  assert(tree);
});

Deno.test("readTree() tells of a key that stands twice in flow style, too", () => {
  const { issues } = readTree({ path: "a.yaml", text: "a: 1\nb: {x: 1, x: 2}\n" });
  assertEquals(issues.length, 1);
  assertStringIncludes(issues[0]!.message, "twice");
  assertEquals(issues[0]!.line, 2);
});

Deno.test("readTree() says on which line YAML broke, and a way out where it knows one", () => {
  const table: [text: string, line: number | undefined, hint: string][] = [
    ["a: 1\nb:\n\tc: 1\n", 3, "Use spaces"],
    ["a: 1\nb:\n \tc: 1\n", 3, "Use spaces"],
    ["a: 1\nb: @x\n", 2, "in quotes"],
    ["a: 1\nb: c: d\n", 2, "in quotes"],
    ["a: [1, 2\nb: 3\n", undefined, ""],
    ["a: 1\n---\nb: 2\n", undefined, ""],
  ];
  for (const [text, line, hint] of table) {
    const { tree, issues } = readTree({ path: "a.yaml", text });
    assertEquals([tree, issues.length], [undefined, 1], text);
    assertMatch(issues[0]!.message, /^Cannot read the YAML: [a-z]/);
    assert(!/\n| at line /.test(issues[0]!.message), issues[0]!.message);
    assert(issues[0]!.line !== undefined);
    if (line) assertEquals(issues[0]!.line, line, text);
    assertStringIncludes(issues[0]!.hint ?? "", hint);
  }
});

Deno.test("readTree() is not blown up by aliases of aliases, nor caught by one that holds itself", () => {
  const levels = "abcdefghij".split("").map((name, i, all) =>
    `${name}: &${name} [${Array(9).fill(i === 0 ? "x" : `*${all[i - 1]}`).join(", ")}]`
  );
  for (const text of [levels.join("\n"), "a: &a\n  b: *a\n"]) {
    const { tree, issues } = readTree({ path: "a.yaml", text });
    assertEquals([tree, issues.length], [undefined, 1]);
  }
});
