/** parse() and stringify() as @std/yaml has them: cases that hold for the library and the adapter. @module */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { parse, stringify } from "@std/yaml";

Deno.test("parse() reads scalars as YAML 1.2 does", () => {
  const yaml = `
      test: toto
      foo:
        bar: True
        baz: 1
        qux: ~
        on: yes
        float: 3.14
        quoted: "1"
        text: |
          two
          lines
      list: [a, -1, ".inf", null]
    `;
  assertEquals(parse(yaml), {
    test: "toto",
    foo: {
      bar: true,
      baz: 1,
      qux: null,
      on: "yes",
      float: 3.14,
      quoted: "1",
      text: "two\nlines\n",
    },
    list: ["a", -1, ".inf", null],
  });
});

Deno.test("parse() returns null for nothing but blanks and comments", () => {
  for (const nothing of ["", " \n\n ", "# just a comment\n # in this file", "\uFEFF"]) {
    assertEquals(parse(nothing), null);
  }
});

Deno.test("parse() reads dates and merge keys by default, and plain text with the core schema", () => {
  const yaml = "base: &base { a: 1 }\nmore:\n  <<: *base\n  b: 2\nday: 2020-01-02\n";
  assertEquals(parse(yaml), {
    base: { a: 1 },
    more: { a: 1, b: 2 },
    day: new Date("2020-01-02T00:00:00Z"),
  });
  assertEquals(parse("day: 2020-01-02", { schema: "core" }), { day: "2020-01-02" });
});

Deno.test("parse() keeps every scalar as it was written with the failsafe schema", () => {
  assertEquals(parse("a: 012\nb: true\nc: [1.0, 0x1F, 'q']", { schema: "failsafe" }), {
    a: "012",
    b: "true",
    c: ["1.0", "0x1F", "q"],
  });
});

Deno.test("parse() throws a SyntaxError that says line and column", () => {
  const table: [yaml: string, line: number | undefined][] = [
    ["a: 1\nb: 2\na: 3\n", 3],
    ["x:\n  a: 1\n  a: 2\n", 3],
    ["a: 1\n---\nb: 2\n", undefined],
    ["a: [1, 2\nb: 3\n", undefined],
    ['a: "never closed\n', undefined],
    ["a: *nowhere\n", 1],
    ["{a: 1, a: 2}", 1],
  ];
  for (const [yaml, line] of table) {
    const error = assertThrows(() => parse(yaml), SyntaxError);
    assertMatch(error.message, / at line \d+, column \d+/, yaml);
    if (line) assertMatch(error.message, new RegExp(` at line ${line}, column `), yaml);
  }
});

Deno.test("parse() lets the last of equal keys win when it may", () => {
  assertEquals(parse("a: 1\na: 2\n", { allowDuplicateKeys: true }), { a: 2 });
});

Deno.test("parse() makes __proto__ a key like another", () => {
  const tree = parse("__proto__: { admin: true }\n") as Record<string, unknown>;
  assert(Object.hasOwn(tree, "__proto__"));
  assertEquals(Object.getPrototypeOf(tree), Object.prototype);
  assertEquals(({} as Record<string, unknown>).admin, undefined);
});

Deno.test("stringify() writes block style that parse() reads back", () => {
  const data = {
    foo: { bar: true, test: ["a", "b", { a: false }] },
    text: "foobar",
    half: 0.5,
    none: null,
    empty: [],
  };
  assertEquals(
    stringify(data),
    `foo:
  bar: true
  test:
    - a
    - b
    - a: false
text: foobar
half: 0.5
none: null
empty: []
`,
  );
  assertEquals(parse(stringify(data)), data);
});

Deno.test("stringify() quotes what would be read as something else", () => {
  for (
    const text of ["yes", "true", "1", "", "a: b", "# no", "- x", "null", "two\nlines", " pad "]
  ) {
    assertEquals(parse(stringify({ text })), { text });
  }
  assertEquals(stringify("yes"), "'yes'\n");
});

Deno.test("stringify() throws a TypeError for what YAML cannot hold, and sorts when asked", () => {
  assertThrows(() => stringify(undefined), TypeError, "Cannot stringify undefined");
  assertThrows(() => stringify(() => {}), TypeError, "Cannot stringify function");
  assertEquals(stringify({ b: 1, a: 2 }, { sortKeys: true }), "a: 2\nb: 1\n");
});
