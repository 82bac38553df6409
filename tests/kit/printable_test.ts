import assert from "node:assert/strict";
import {
  cut,
  escaped,
  printable,
  printableLine,
  PrintableStream,
} from "../../lib/kit/printable.ts";

const CASES: [what: string, text: string, shown: string][] = [
  ["colours", "\u001b[1;31mred\u001b[0m", "red"],
  ["a title", "a\u001b]0;owned\u0007b", "ab"],
  ["a hyperlink", "\u001b]8;;https://evil\u001b\\text\u001b]8;;\u001b\\", "text"],
  ["a device string", "a\u001bPq#0\u001b\\b", "ab"],
  ["a clear screen", "\u001b[2J\u001b[Hx\u001bc", "x"],
  ["a C1 introducer", "\u009b31mx", "31mx"],
  ["a title without an end", "a\u001b]0;b and more", "a0;b and more"],
  ["a title that would end on another line", "a\u001b]b\nc\nd\u0007e", "ab\nc\nde"],
  ["a title longer than any", `a\u001b]${"b".repeat(5_000)}\u0007c`, `a${"b".repeat(5_000)}c`],
  ["half a sequence", "a\u001b[", "a"],
  ["a carriage return", "safe\rEVIL", "safe\nEVIL"],
  ["CRLF", "a\r\nb", "a\nb"],
  ["backspaces", "abc\b\b\bxyz", "abcxyz"],
  ["bidi overrides", "a\u202etxt.exe\u202c", "atxt.exe"],
  ["bidi isolates", "\u2066a\u2069", "a"],
  ["zero-width characters", "a\u200bb\u200dc\u2060d\ufeffe", "abcde"],
  ["tag characters", "a\u{e0041}\u{e0042}b", "ab"],
  ["variation selectors", "a\ufe0f\u{e0100}b", "ab"],
  ["what is shown as nothing", "a\u034fb\u00adc\u3164d\u{1bca0}e", "abcde"],
  ["signs that are seen", "\u0600\u06dd", "\u0600\u06dd"],
  ["line separators", "a\u2028b\u2029c", "abc"],
  ["a lone surrogate", "a\ud800b", "a\ufffdb"],
  ["newlines and tabs", "a\n\tb", "a\n\tb"],
  ["letters of the world", "grüße 漢字 עברית 👋 e\u0301", "grüße 漢字 עברית 👋 e\u0301"],
];

for (const [what, text, shown] of CASES) {
  Deno.test(`printable() deals with ${what}`, () => assert.equal(printable(text), shown));
}

Deno.test("printable() leaves nothing that could steer a terminal, whatever it is given", () => {
  const parts = [
    "\u001b",
    "[",
    "]",
    "0",
    ";",
    "m",
    "\u0007",
    "\\",
    "P",
    "\u009b",
    "x",
    "\u202e",
    "\r",
  ];
  let seed = 1;
  const next = () => seed = (seed * 48271) % 2147483647;
  for (let n = 0; n < 5_000; n++) {
    const text = Array.from({ length: 12 }, () => parts[next() % parts.length]).join("");
    assert.doesNotMatch(
      printable(text),
      // deno-lint-ignore no-control-regex -- looking for what must not be there
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/,
      JSON.stringify(text),
    );
  }
});

Deno.test("printableLine() is one line, cut to size with an ellipsis", () => {
  assert.equal(printableLine("a\n  b\tc  "), "a b c");
  assert.equal(printableLine("x".repeat(50), 10), "x".repeat(9) + "…");
});

Deno.test("printableLine() leaves alone what just fits", () => {
  assert.equal(printableLine("12345", 5), "12345");
  assert.equal(printableLine("123456", 5), "1234…");
});

Deno.test("cut() never leaves half a character", () => {
  assert.equal(cut("a👋b", 2), "a");
  assert.equal(cut("a👋b", 3), "a👋");
  assert.equal(cut("ab", 5), "ab");
});

for (const size of [1, 2, 3, 7]) {
  Deno.test(`PrintableStream gives what printable() gives, in pieces of ${size}`, () => {
    for (const [what, text, shown] of CASES) {
      const stream = new PrintableStream();
      let out = "";
      for (let at = 0; at < text.length; at += size) out += stream.push(text.slice(at, at + size));
      assert.equal(out + stream.end(), shown, what);
    }
  });
}

Deno.test("PrintableStream gives up on a sequence that never ends", () => {
  const stream = new PrintableStream();
  let out = "";
  for (let n = 0; n < 200; n++) out += stream.push(n === 0 ? "\u001b]0;" : "x".repeat(100));
  assert.equal(out, `0;${"x".repeat(19_900)}`, "it is not kept until the end");
  assert.equal(stream.end(), "");
  assert.equal(stream.push("after") + stream.end(), "after");
});

Deno.test("escaped() shows what hides by its code units, and all else as it is", () => {
  assert.equal(escaped("a\tb\u0007\u009f\u{e0041}é\n"), "a\tb\\u0007\\u009f\\udb40\\udc41é\n");
});
