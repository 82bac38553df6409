/** Where the keys of a YAML text stand, whatever else stands between them. @module */
import { assertEquals } from "@std/assert";
import { outline } from "../../lib/config/outline.ts";

const linesOf = (text: string) =>
  Object.fromEntries(
    [...outline(text).lines].map(([id, line]) => [JSON.parse(id).join("."), line]),
  );

Deno.test("outline() finds the line of every key and list item in block style", () => {
  const text = `# a comment
model: x

servers:
  notes:   # with a comment
    command: fusebox
    args:
    - serve-demo
    - notes
    "quoted key": 1
    'it''s': 2
  other:
    args:
      - a
      -   b: 1
          c: 2
      - - d
allow: ["*"]
`;
  assertEquals(linesOf(text), {
    "model": 2,
    "servers": 4,
    "servers.notes": 5,
    "servers.notes.command": 6,
    "servers.notes.args": 7,
    "servers.notes.args.0": 8,
    "servers.notes.args.1": 9,
    "servers.notes.quoted key": 10,
    "servers.notes.it's": 11,
    "servers.other": 12,
    "servers.other.args": 13,
    "servers.other.args.0": 14,
    "servers.other.args.1": 15,
    "servers.other.args.1.b": 15,
    "servers.other.args.1.c": 16,
    "servers.other.args.2": 17,
    "servers.other.args.2.0": 17,
    "allow": 18,
  });
});

Deno.test("outline() takes nothing inside texts, flow style and quotations for a key", () => {
  const text = `a: |
  key: no

  key: no
b: >-
  other: no
c: { x: 1,
  y: 2, "}": [
  z: 3 ] }
d: "first
  key: no"
e: 'it''s
  key: no'
f: [don't, "]",
  key: no]
g: &anchor
  h: 1
i: !!str |
  key: no
url: http://x:80/y
j: https
`;
  assertEquals(linesOf(text), {
    "a": 1,
    "b": 5,
    "c": 7,
    "d": 10,
    "e": 12,
    "f": 14,
    "g": 16,
    "g.h": 17,
    "i": 18,
    "url": 20,
    "j": 21,
  });
});

Deno.test("outline() sees keys that stand twice in one mapping, and only those", () => {
  const text = `a:
  x: 1
  y: 2
  x: 3
b:
  x: 1
list:
  - x: 1
    x: 2
  - x: 1
a: again
`;
  assertEquals(
    outline(text).twice.map(({ path, first, again }) => [path.join("."), first, again]),
    [["a.x", 2, 4], ["list.0.x", 8, 9], ["a", 1, 11]],
  );
});

Deno.test("outline() stays quick on long lines", () => {
  outline(`${"a".repeat(200_000)}\n${"a:b".repeat(100_000)}\n${" ".repeat(200_000)}x`);
  outline("k: [" + "[".repeat(200_000));
});

Deno.test("outline() sees a tab in the indentation of a key, and none where tabs may stand", () => {
  assertEquals(outline("a:\n  b: 1\n\tc: 1\n \td: 1\n").tab, 3);
  assertEquals(outline("a: |\n \tb: 1\nc: {\n\td: 1 }\ne:\t1\n\t# f\n").tab, undefined);
});
