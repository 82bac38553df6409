/** What may be an alias, and what becomes of a name that may not. @module */
import { assert, assertEquals } from "@std/assert";
import { isAlias, slug, uniqueAlias } from "../../lib/config/alias.ts";

Deno.test("isAlias() takes what leaves mcp__<alias>__<tool> readable in one way", () => {
  for (const name of ["a", "notes", "my-notes", "my_notes", "a1-b2_c3", "0", "a".repeat(20)]) {
    assert(isAlias(name), name);
  }
  const bad = [
    "",
    "Notes",
    "a__b",
    "a--b",
    "a-_b",
    "-a",
    "a-",
    "_a",
    "a.b",
    "a b",
    "é",
    "a".repeat(21),
  ];
  for (const name of bad) assert(!isAlias(name), name);
});

Deno.test("slug() makes an alias, or nothing, of any name", () => {
  const names = [
    "My GitHub",
    "a__b",
    "__x__",
    "É",
    "日本",
    "",
    "-",
    "a".repeat(300),
    "\u0000\uD800",
    "x_-_y",
  ];
  names.push("twenty-characters-no-", "İstanbul", "ﬁle", "a".repeat(19) + "-b");
  for (const name of names) {
    const made = slug(name);
    assert(made === "" || isAlias(made), `${name} → ${made}`);
    assertEquals(slug(made), made);
  }
});

Deno.test("uniqueAlias() finds the first number that is free and keeps within the length", () => {
  assertEquals(uniqueAlias("foo", new Set()), "foo");
  assertEquals(uniqueAlias("foo", new Set(["foo", "foo-3"])), "foo-2");
  const taken = new Set<string>();
  for (let i = 0; i < 120; i++) {
    const alias = uniqueAlias("a-long-alias-of-twenty", taken);
    assert(isAlias(alias) && !taken.has(alias));
    taken.add(alias);
  }
});
