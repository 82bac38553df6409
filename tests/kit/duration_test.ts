/** Spans of time, read and written. @module */
import { assertEquals, assertMatch } from "@std/assert";
import { durationHint, formatDuration, parseDuration, roughly } from "../../lib/kit/duration.ts";

Deno.test("parseDuration() reads what people write", () => {
  const table: [text: string, ms: number][] = [
    ["500ms", 500],
    ["30s", 30_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["1m30s", 90_000],
    ["1h2m3s4ms", 3_723_004],
    ["1.5s", 1_500],
    ["0.5m", 30_000],
    [" 1m 30s ", 90_000],
    ["30S", 30_000],
    ["90m", 5_400_000],
    ["24h", 86_400_000],
    ["1ms", 1],
    ["007s", 7_000],
  ];
  for (const [text, ms] of table) assertEquals(parseDuration(text), ms, text);
});

Deno.test("parseDuration() refuses what has no unit, no size or no sense", () => {
  const nonsense = ["", " ", "30", "0s", "0ms", "0.4ms", "-5s", "+5s", "5d", "s", "ms", "1s1m"];
  nonsense.push("1m1m", "24h1ms", "1e3s", "1,5s", "5sec", "٣s", "Infinitys", "1h".repeat(100));
  nonsense.push("1 m", "1. s", "9".repeat(39) + "s");
  for (const text of nonsense) assertEquals(parseDuration(text), undefined, text);
});

Deno.test("formatDuration() writes what parseDuration() reads back", () => {
  const table: [ms: number, text: string][] = [
    [1, "1ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [1_234, "1.234s"],
    [60_000, "1m"],
    [61_500, "1m1.5s"],
    [90_000, "1m30s"],
    [600_000, "10m"],
    [3_600_001, "1h0.001s"],
    [86_400_000, "24h"],
  ];
  for (const [ms, text] of table) {
    assertEquals(formatDuration(ms), text);
    assertEquals(parseDuration(text), ms, text);
  }
  assertEquals([formatDuration(0), formatDuration(-3), formatDuration(12.6)], [
    "0ms",
    "0ms",
    "13ms",
  ]);
});

Deno.test("durationHint() offers the unit for a bare number, and examples for the rest", () => {
  assertMatch(durationHint("30"), /"30s", or "30ms"/);
  assertMatch(durationHint("600000"), /unit, and at most 24h/);
  assertMatch(durationHint("soon"), /"1m30s"/);
});

Deno.test("roughly() is short to read, and never nothing", () => {
  const shown = [0, 40, 1_010, 9_999, 10_000, 10_001, 61_000].map(roughly);
  assertEquals(shown, ["100ms", "100ms", "1.1s", "10s", "10s", "11s", "1m1s"]);
});
