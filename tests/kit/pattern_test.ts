/** Patterns over tools: what `*` matches, where the dot divides, and how long it takes. @module */
import { assertEquals } from "@std/assert";
import { covers, matches, parseToolPattern } from "../../lib/kit/pattern.ts";

Deno.test("matches() takes * for any run of characters and everything else for itself", () => {
  const table: [pattern: string, text: string, expected: boolean][] = [
    ["*", "", true],
    ["*", "anything", true],
    ["", "", true],
    ["", "x", false],
    ["search", "search", true],
    ["search", "Search", false],
    ["delete_*", "delete_note", true],
    ["delete_*", "delete_", true],
    ["delete_*", "undelete_x", false],
    ["*_note", "read_note", true],
    ["*note*", "a note here", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["a**b", "ab", true],
    ["a.c", "abc", false],
    ["[ab]?", "a", false],
    ["(a+)+$", "(a+)+$", true],
    ["*aab", "aaab", true],
    ["*ab*ab", "ab", false],
    ["files/*", "files/read\nall", true],
  ];
  for (const [pattern, text, expected] of table) {
    assertEquals(matches(pattern, text), expected, `${pattern} over ${text}`);
  }
});

Deno.test("matches() takes no time for what would send a backtracking engine round in circles", () => {
  assertEquals(matches("*a".repeat(2_000) + "b", "a".repeat(100_000)), false);
  assertEquals(matches("*".repeat(100_000), "a".repeat(100_000)), true);
});

Deno.test("parseToolPattern() divides at the first dot, for an alias has none", () => {
  const table: [text: string, alias: string, tool: string][] = [
    ["notes", "notes", "*"],
    ["notes.search", "notes", "search"],
    ["notes.files.read", "notes", "files.read"],
    ["*.search", "*", "search"],
    ["*", "*", "*"],
    ["my-*.delete_*", "my-*", "delete_*"],
    ["notes.read note", "notes", "read note"],
  ];
  for (const [text, alias, tool] of table) {
    assertEquals(parseToolPattern(text), { alias, tool }, text);
  }
  for (const text of ["", ".", ".search", "notes.", "my notes.x"]) {
    assertEquals(parseToolPattern(text), undefined, text);
  }
});

Deno.test("covers() asks whether any pattern means the tool, by its raw name", () => {
  const patterns = ["notes", "tickets.close_*", "*.search", "broken."];
  const table: [alias: string, tool: string, expected: boolean][] = [
    ["notes", "anything", true],
    ["tickets", "close_ticket", true],
    ["tickets", "create_ticket", false],
    ["web", "search", true],
    ["web", "research", false],
    ["note", "x", false],
    ["__proto__", "constructor", false],
  ];
  for (const [alias, tool, expected] of table) {
    assertEquals(covers(patterns, alias, tool), expected);
  }
  assertEquals(covers([], "notes", "search"), false);
});
