import assert from "node:assert/strict";
import { exactText, someText } from "../../lib/kit/encoding.ts";

const utf8 = new TextEncoder();
const utf16 = (text: string, swap = false) => {
  const units = Uint16Array.from(`\uFEFF${text}`, (unit) => unit.charCodeAt(0));
  const bytes = new Uint8Array(units.buffer);
  return swap ? Uint8Array.from(bytes, (_, at) => bytes[at ^ 1]!) : bytes;
};

const CASES: [
  what: string,
  bytes: Uint8Array,
  exact: string | undefined,
  some: string | undefined,
][] = [
  ["UTF-8", utf8.encode("grüße 漢"), "grüße 漢", "grüße 漢"],
  ["UTF-8 with its mark", utf8.encode("\uFEFFa"), "a", "a"],
  ["UTF-16", utf16("grüße\r\n"), "grüße\r\n", "grüße\r\n"],
  ["UTF-16 the other way round", utf16("grüße", true), "grüße", "grüße"],
  ["nothing", new Uint8Array(), "", ""],
  ["names with zeros between them", utf8.encode("a\0b\0"), "a\0b\0", "a\0b\0"],
  ["a stray byte", Uint8Array.of(0x61, 0xfc, 0x62), undefined, "a\uFFFDb"],
  [
    "what only begins like UTF-16",
    Uint8Array.of(0xff, 0xfe, 0x61, 0x62),
    undefined,
    "\uFFFD\uFFFDab",
  ],
  ["half of UTF-16", utf16("ab").subarray(0, 5), undefined, undefined],
  ["an image", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13), undefined, undefined],
];

for (const [what, bytes, exact, some] of CASES) {
  Deno.test(`exactText() and someText() know ${what}`, () => {
    assert.deepEqual([exactText(bytes), someText(bytes)], [exact, some]);
  });
}
