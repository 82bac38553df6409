/** Patterns of ECMA-262, run by RE2: the same answers, or none. @module */
import { assertEquals, assertThrows } from "@std/assert";
import { linearPattern, PatternFault } from "../../../lib/protocol/schema/pattern.ts";

const TEXTS = [
  ...["", "a", "A", "b", "ab", "abc", "aab", "0", "42", "2026-01-02", "_", "-", ".", "a.b", "a-b"],
  ...[" ", "\t", "\n", "\r", "\v", "\f", "\b", "\0", "\u2028", "\u00a0", "\ufeff", "a\n", "\na"],
  ...[
    "é",
    "Ω",
    "ß",
    "ſ",
    "😀",
    "😀b",
    "a😀",
    "\ud83d",
    "{",
    "}",
    "a{2}",
    "/",
    "\\",
    "[",
    "]",
    "^",
    "$",
  ],
];

Deno.test("linearPattern() finds what ECMA-262 finds", () => {
  for (
    const source of [
      ...[
        "",
        "a",
        "^a",
        "b$",
        "^a$",
        "a|b",
        "^(a|b)+$",
        "(?:ab)+",
        "(?<name>a)b",
        "^a{2}b$",
        "a{1,}?b",
      ],
      ...[".", "^.$", "\\d", "\\D", "\\w", "\\W", "\\s", "^\\S$", "\\bb", "a\\B"],
      ...[
        "[a-c]",
        "[^a-c]",
        "[]",
        "[^]",
        "[\\d-]",
        "[\\w.\\-]",
        "[^\\s]",
        "^[\\S]b",
        "[\\b]",
        "[\\^\\]]",
      ],
      ...["\\t", "\\n", "\\v", "\\f", "\\r", "\\0", "\\cJ", "\\x41", "\\u0041", "\\u{1F600}"],
      ...[
        "\\ud83d\\ude00",
        "^[\\ud83d\\ude00]",
        "\\/",
        "\\.",
        "\\\\",
        "\\{",
        "a\\{2\\}",
        "[/]",
        "\\$",
      ],
      ...["\\p{L}", "^\\P{L}$", "\\p{Lu}", "\\p{Letter}", "\\p{Script=Greek}", "[\\p{L}\\d]"],
      "^\\d{4}-(0[1-9]|1[0-2])-\\d{2}$",
      "^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$",
    ]
  ) {
    const [ours, native] = [linearPattern(source), new RegExp(source, "u")];
    for (const text of TEXTS) {
      assertEquals(ours.test(text), native.test(text), JSON.stringify([source, text]));
    }
  }
});

Deno.test("linearPattern() is kind to escapes and braces that only the flag u forbids", () => {
  const cases: [source: string, text: string, found: boolean][] = [
    ["^a\\-b$", "a-b", true],
    ["^\\_\\@\\#$", "_@#", true],
    ["^[\\w-.]+$", "a-b.c", true],
    ["^[\\w-.]+$", "a+b", false],
    ["^{a}$", "{a}", true],
  ];
  for (const [source, text, found] of cases) {
    assertEquals(linearPattern(source).test(text), found, source);
    assertEquals(new RegExp(source).test(text), found, source);
  }
});

Deno.test("linearPattern() refuses what it could not run in linear time or might misread", () => {
  for (
    const source of [
      ...["(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(a)\\1", "(?<n>a)\\k<n>"],
      ...[
        "\\A",
        "a\\Z",
        "\\h",
        "\\Qa\\E",
        "(?i)a",
        "(?P<n>a)",
        "(?>a)",
        "[[:alpha:]]",
        "[a&&[b]]",
        "a{,3}",
      ],
      ...[
        "(",
        ")",
        "[",
        "]",
        "\\",
        "*",
        "a**",
        "^*",
        "a{2}{3}",
        "[b-a]",
        "a{3,2}",
        "\\u00",
        "\\p{No_Such}",
      ],
      ...[
        "a{1001}",
        "(?:a{100}){100}",
        "(?:(?:a{30}){30}){30}",
        "a".repeat(6_000),
        "(".repeat(2_000),
      ],
    ]
  ) assertThrows(() => linearPattern(source), PatternFault, undefined, source.slice(0, 20));
});
