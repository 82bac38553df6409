/** JSON as people write it, and the keys that JSON.parse would lose. @module */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseJson } from "../../lib/config/json.ts";
import { plain } from "../support/tree.ts";

const read = (text: string) => parseJson("f.json", text);

Deno.test("parseJson() reads what JSON.parse reads", () => {
  const values = [
    "{}",
    "[]",
    '{"a":{"b":[1,-2.5,1e3,true,false,null,"x"]}}',
    '"\\u00e9\\n\\\\ \\"quoted\\" 💡"',
    ' \n\t{"": {"": 0}}\r\n',
    '{"a":[[[["deep"]]]]}',
    "7",
  ];
  for (const text of values) {
    const { tree, issues } = read(text);
    assertEquals(issues, [], text);
    assertEquals(plain(tree), JSON.parse(text), text);
  }
});

Deno.test("parseJson() forgives comments, trailing commas, a BOM and tabs in strings", () => {
  const text = `\uFEFF// first
{
  /* block
     of lines */
  "url": "http://x/*y*/", // not a comment inside a string
  "list": [1, 2,],
  "tab": "a\tb",
}
// last`;
  const { tree, issues } = read(text);
  assertEquals(issues, []);
  assertEquals(plain(tree), { url: "http://x/*y*/", list: [1, 2], tab: "a\tb" });
});

Deno.test("parseJson() finds nothing in a file of blanks and comments", () => {
  for (const text of ["", "  \n", "// later\n/* much later */"]) {
    assertEquals(read(text), { issues: [] });
  }
});

Deno.test("parseJson() names a key that stands twice, at every level, and both its lines", () => {
  const { tree, issues } = read(`{
  "servers": {
    "notes": { "command": "a", "command": "b" },
    "notes": {
      "env": {
        "A": "1",
        "A": "2"
      }
    }
  },
  "servers": {}
}`);
  const told = issues.toSorted((a, b) => a.path < b.path ? -1 : 1);
  assertEquals(told.map(({ path, line, message }) => [path, line, message]), [
    ["servers", 11, 'Key "servers" stands twice, first on line 2'],
    ["servers.notes", 4, 'Key "notes" stands twice, first on line 3'],
    ["servers.notes.command", 3, 'Key "command" stands twice on one line'],
    ["servers.notes.env.A", 7, 'Key "A" stands twice, first on line 6'],
  ]);
  assert(tree);
});

Deno.test("parseJson() keeps keys of Object.prototype as keys", () => {
  const { tree, issues } = read('{"__proto__": {"x": 1}, "constructor": 2, "__proto__": 3}');
  assertEquals(issues.map(({ path }) => path), ["__proto__"]);
  assert(tree?.kind === "map");
  assertEquals([...tree.entries.keys()], ["__proto__", "constructor"]);
});

Deno.test("parseJson() says on which line it stopped understanding, what it wanted, and a way out", () => {
  const table: [text: string, line: number, message: string, hint?: string][] = [
    ['{"a": 1\n "b": 2}', 2, 'Expected "," or "}"'],
    ['{"a": 1,\n', 1, 'The "{" that opens here is never closed'],
    ['{\n"a": [1,\n2', 2, 'The "[" that opens here is never closed'],
    ["{\n\n'a': 1}", 3, "Expected a key in quotes", "double quotes"],
    ["{a: 1}", 1, 'Expected a key in quotes, got "a"', "double quotes"],
    ['{"a": nope}', 1, 'Expected a value, got "nope"', "double quotes"],
    ['{"a": }', 1, 'Expected a value, got "}"'],
    ['{"a" 1}', 1, 'Expected ":" after the key "a"'],
    ['{"a": 1}}', 1, "Expected the end of the file"],
    ['{"a": "x\n"}', 1, "The string that starts here never ends"],
    [
      '{"a": "C:\\Users"}',
      1,
      "Cannot read the string that starts here",
      "backslash is written twice",
    ],
    ['{"a": 01}', 1, 'Expected a value, got "01"'],
    ['{"a": +1}', 1, "Expected a value"],
    ["{,}", 1, "Expected a key"],
    ["[,]", 1, "Expected a value"],
    ["/* open", 1, "The comment that starts here never ends"],
    ["[".repeat(5_000), 1, "nested over 100 levels"],
  ];
  for (const [text, line, message, hint] of table) {
    const [issue, ...more] = read(text).issues;
    assertEquals(more, []);
    assertEquals(issue?.line, line, text);
    assertStringIncludes(issue!.message, message);
    assertStringIncludes(issue!.hint ?? "", hint ?? "");
  }
});

Deno.test("parseJson() reads a large minified file in about linear time", () => {
  const server = (i: number) => `"s${i}":{"command":"x","args":["${"a".repeat(50)}",${i}]}`;
  const text = `{"servers":{${Array.from({ length: 20_000 }, (_, i) => server(i)).join(",")}}}`;
  const { tree, issues } = read(text);
  assertEquals(issues, []);
  assertEquals(plain(tree), JSON.parse(text));
});
