import assert from "node:assert/strict";
import { beginning, excerpt, shares } from "../../lib/kit/excerpt.ts";

Deno.test("excerpt() gives beginning and end, and no more than there is room for", () => {
  const text = "a".repeat(700) + "-".repeat(9_000) + "z".repeat(300);
  assert.deepEqual(excerpt(text, 1_000), {
    head: "a".repeat(700),
    tail: "z".repeat(300),
    tailAt: 9_700,
  });
});

Deno.test("excerpt() keeps lines whole where that costs little, and cuts a long one", () => {
  const lines = Array.from({ length: 1_000 }, (_, n) => `line ${n}\n`).join("");
  const { head, tail, tailAt } = excerpt(lines, 1_000);
  assert(head.startsWith("line 0\n") && head.endsWith("\n"));
  assert.match(tail, /^line \d+\n[^]*line 999\n$/);
  assert.equal(lines.slice(tailAt), tail);
  assert(head.length > 630 && tail.length > 270 && head.length + tail.length <= 1_000);
  const long = excerpt("short\n" + "x".repeat(5_000) + "\nend", 100);
  assert.deepEqual([long.head.length, long.tail.length], [70, 30]);
});

Deno.test("excerpt() begins its tail with the line that just fits", () => {
  const text = "a".repeat(200) + "\n" + "b".repeat(10) + "\n" + "c".repeat(18) + "\n";
  assert.equal(excerpt(text, 100).tail, `${"b".repeat(10)}\n${"c".repeat(18)}\n`);
});

Deno.test("excerpt() never leaves half a character, at any length", () => {
  const text = "x" + "👋".repeat(500);
  for (let max = 0; max < 60; max++) {
    const { head, tail, tailAt } = excerpt(text, max);
    assert(head.isWellFormed() && tail.isWellFormed(), String(max));
    assert(head.length + tail.length <= max);
    assert.equal(text.slice(0, head.length) + text.slice(head.length, tailAt) + tail, text);
  }
});

Deno.test("beginning() is the text where that fits, else whole lines of it", () => {
  assert.equal(beginning("ab\ncd", 5), "ab\ncd");
  const text = "x".repeat(95) + "\n" + "y".repeat(50);
  assert.equal(beginning(text, 100), "x".repeat(95) + "\n");
  assert.equal(beginning("👋👋", 3), "👋");
});

Deno.test("shares() gives small wants whole, and the rest alike", () => {
  assert.deepEqual(shares([10, 100, 1_000], 500), [10, 100, 390]);
  assert.deepEqual(shares([1_000, 1_000, 10], 500), [245, 245, 10]);
  assert.deepEqual(shares([5, 5], 100), [5, 5]);
  assert.deepEqual(shares([], 100), []);
  assert.deepEqual(shares([7, 7, 7], 0), [0, 0, 0]);
});

Deno.test("shares() never gives more than there is, nor more than was wanted", () => {
  let seed = 7;
  const next = (most: number) => (seed = (seed * 48271) % 2147483647) % most;
  for (let n = 0; n < 500; n++) {
    const wants = Array.from({ length: next(8) }, () => next(1_000));
    const total = next(3_000);
    const given = shares(wants, total);
    const sum = given.reduce((a, b) => a + b, 0);
    assert(sum <= total && given.every((share, at) => share <= wants[at]!));
    const wanted = wants.reduce((a, b) => a + b, 0);
    assert(sum >= Math.min(wanted, total) - wants.length, "what is left is less than one each");
  }
});
