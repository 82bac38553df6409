import assert from "node:assert/strict";
import { formatBytes, parseSize, withCommas } from "../../lib/kit/size.ts";

Deno.test("parseSize() reads numbers of characters as people write them", () => {
  for (
    const [text, size] of [["50000", 50_000], ["50k", 50_000], [" 1.5M ", 1_500_000], [
      "2 k",
      2_000,
    ]]
  ) {
    assert.equal(parseSize(String(text)), size);
  }
});

Deno.test("parseSize() reads nothing else", () => {
  for (
    const text of ["", "k", "999", "-5k", "5kb", "1e6", "50,000", "1.0005k", "200m", "∞", "0x99999"]
  ) {
    assert.equal(parseSize(text), undefined, text);
  }
});

Deno.test("withCommas() and formatBytes() write amounts for people", () => {
  assert.deepEqual([0, 999, 1_000, 1_234_567].map(withCommas), ["0", "999", "1,000", "1,234,567"]);
  assert.deepEqual([1, 999, 12_345, 999_499, 999_500, 3_700_000, 1_000_000_000].map(formatBytes), [
    "1 byte",
    "999 bytes",
    "12 kB",
    "999 kB",
    "1 MB",
    "3.7 MB",
    "1 GB",
  ]);
});
