import assert from "node:assert/strict";
import { DATE_WORDS, isoDay, todayIn } from "../../../lib/models/offline/dates.ts";

Deno.test("isoDay() counts relative days from the today it is given", () => {
  // A Monday.
  const today = "2026-11-30";
  const days: Record<string, string> = {
    today: "2026-11-30",
    tomorrow: "2026-12-01",
    "the day after tomorrow": "2026-12-02",
    yesterday: "2026-11-29",
    friday: "2026-12-04",
    "next Friday": "2026-12-04",
    "this friday": "2026-12-04",
    monday: "2026-12-07",
    "last friday": "2026-11-27",
    "friday next week": "2026-12-11",
    "next week": "2026-12-07",
    "next month": "2026-12-30",
    "in 2 weeks": "2026-12-14",
    "in a week": "2026-12-07",
    "in three months": "2027-02-28",
    "10 days from now": "2026-12-10",
    "end of the week": "2026-12-04",
    "end of month": "2026-11-30",
    "the end of the year": "2026-12-31",
    "December 4": "2026-12-04",
    "4th of december": "2026-12-04",
    "Jan 2": "2027-01-02",
    明天: "2026-12-01",
    下周五: "2026-12-11",
    本周五: "2026-12-04",
  };
  for (const [said, day] of Object.entries(days)) assert.equal(isoDay(said, today), day, said);
});

Deno.test("isoDay() needs no today for a day that is complete, and knows no day that is none", () => {
  assert.equal(isoDay("Dec 4, 2026"), "2026-12-04");
  assert.equal(isoDay("2026/1/5"), "2026-01-05");
  assert.equal(isoDay("2026-12-04T10:00:00Z"), "2026-12-04");
  for (
    const said of ["2026-02-30", "2026-13-01", "soon", "", "friday", "December 4", "in many days"]
  ) {
    assert.equal(isoDay(said), undefined, said);
  }
  assert.equal(isoDay("February 30", "2026-11-30"), undefined);
});

Deno.test("todayIn() finds the day that a text calls today, not another", () => {
  assert.equal(todayIn("a date like 2026-12-04. Today is 2026-11-30 (Monday)."), "2026-11-30");
  assert.equal(todayIn("Current date: 2026-01-02"), "2026-01-02");
  assert.equal(todayIn("due 2026-12-04"), undefined);
});

Deno.test("DATE_WORDS finds days in a sentence and leaves other words alone", () => {
  const found = (text: string) => text.match(DATE_WORDS) ?? [];
  assert.deepEqual(found("due next friday, or in 2 weeks"), ["next friday", "in 2 weeks"]);
  assert.deepEqual(found("you may march on the second"), []);
  assert.deepEqual(found("ship it on May 5th, 2027"), ["May 5th, 2027"]);
});
