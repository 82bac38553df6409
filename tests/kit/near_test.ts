/** What nearest() takes for a slip of the hand, and what it does not. @module */
import { assert, assertEquals } from "@std/assert";
import { distance, nearest } from "../../lib/kit/near.ts";

const KEYS = ["command", "args", "env", "cwd", "url", "headers", "tools", "limits", "disabled"];

Deno.test("nearest() finds the name that was meant", () => {
  const table: [word: string, candidates: string[], expected: string[]][] = [
    ["comand", KEYS, ["command"]],
    ["comamnd", KEYS, ["command"]],
    ["ulr", KEYS, ["url"]],
    ["tool", KEYS, ["tools"]],
    ["COMMAND", KEYS, ["command"]],
    ["disable", KEYS, ["disabled"]],
    ["header", KEYS, ["headers"]],
    ["zebra", KEYS, []],
    ["x", KEYS, []],
    ["", KEYS, []],
    ["lazzy", ["lazy", "forward"], ["lazy"]],
    ["readNote", ["read_note", "add_note"], ["read_note"]],
    ["search", ["mcp__notes__search", "mcp__tickets__search", "mcp__notes__add_note"], [
      "mcp__notes__search",
      "mcp__tickets__search",
    ]],
    ["mcp__notes__serch", ["mcp__notes__search", "mcp__weather__today"], ["mcp__notes__search"]],
    ["create", ["create_ticket", "close_ticket", "recreate"], ["create_ticket"]],
    ["naïve", ["naive", "native"], ["naive"]],
  ];
  for (const [word, candidates, expected] of table) {
    assertEquals(nearest(word, candidates), expected, word);
  }
});

Deno.test("nearest() gives the same answer in every order, nothing twice, and no more than asked", () => {
  const names = ["note_b", "note_a", "note_c", "note_d"];
  assertEquals(nearest("note_x", names), ["note_a", "note_b", "note_c"]);
  assertEquals(nearest("note_x", [...names, ...names].reverse()), ["note_a", "note_b", "note_c"]);
  assertEquals(nearest("note_x", names, 1), ["note_a"]);
});

Deno.test("nearest() never offers the word itself", () => {
  assertEquals(nearest("args", KEYS), []);
});

Deno.test("nearest() takes names of Object.prototype for names", () => {
  assertEquals(nearest("constructo", ["constructor", "__proto__"]), ["constructor"]);
  assertEquals(nearest("__prto__", ["constructor", "__proto__"]), ["__proto__"]);
});

Deno.test("nearest() stays quick for long words and thousands of candidates", () => {
  const many = Array.from({ length: 5_000 }, (_, i) => `mcp__server${i % 10}__tool_number_${i}`);
  assert(nearest("mcp__server3__tool_numbr_4003", many).includes("mcp__server3__tool_number_4003"));
  nearest("a".repeat(1_000_000), [...many, "a".repeat(2_000_000)]);
  nearest("-".repeat(1_000_000), many);
});

Deno.test("distance() counts a swap of neighbours as one, and gives up beyond the limit", () => {
  const table: [a: string, b: string, most: number, expected: number | undefined][] = [
    ["", "", 0, 0],
    ["ab", "ba", 1, 1],
    ["abc", "acb", 1, 1],
    ["kitten", "sitting", 3, 3],
    ["kitten", "sitting", 2, undefined],
    ["abc", "", 3, 3],
    ["abcd", "abdc", 1, 1],
    ["xabcdef", "xbacdfe", 2, 2],
  ];
  for (const [a, b, most, expected] of table) {
    assertEquals(distance(a, b, most), expected, `${a} ${b}`);
    assertEquals(distance(b, a, most), expected, `${b} ${a}`);
  }
});
