/** Days as people write them, and what they are once somebody says which day it is. @module */

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS =
  "january february march april may june july august september october november december"
    .split(" ");
const DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const COUNT = "(?:\\d{1,3}|an?|one|two|three|four|five|six|seven|ten)";

/** Days in words. The model has no clock, so it passes them on and learns from the answer. */
export const DATE_WORDS = new RegExp(
  [
    "(?<![\\w-])(?:the )?day after tomorrow(?![\\w-])",
    "(?<![\\w-])(?:today|tonight|tomorrow|yesterday)(?![\\w-])",
    `(?<![\\w-])(?:(?:next|this|coming|last) )?${DAY}(?: (?:next )?week)?(?![\\w-])`,
    "(?<![\\w-])(?:next|this|last) (?:week|month|year)(?![\\w-])",
    "(?<![\\w-])(?:the )?end of (?:the |this |next )?(?:week|month|year)(?![\\w-])",
    `(?<![\\w-])in ${COUNT} (?:day|week|month)s?(?![\\w-])`,
    `(?<![\\w-])${COUNT} (?:day|week|month)s? from (?:now|today)(?![\\w-])`,
    `(?<![\\w-])${MONTH} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?(?![\\w-])`,
    `(?<![\\w-])\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}(?:,? \\d{4})?(?![\\w-])`,
    "(?<![\\w-])\\d{4}/\\d{1,2}/\\d{1,2}(?![\\w-])",
    "今天|明天|后天|(?:下周|下星期|本周|这周)[一二三四五六日天]",
  ].join("|"),
  "gi",
);

const NUMBERS: Record<string, number> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  ten: 10,
};

/** The ISO day that a text tells us is today. */
export function todayIn(text: string): string | undefined {
  return /\b(?:today|now|current(?: date)?)\b[^.;\n]{0,24}?\b(\d{4}-\d{2}-\d{2})/i.exec(text)?.[1];
}

/**
 * A day in words as YYYY-MM-DD, counted from `today` where it is relative. A weekday is the first one
 * after today, with or without "next". Undefined when the text is no day we know, or needs a today.
 */
export function isoDay(text: string, today?: string): string | undefined {
  const said = text.trim().toLowerCase().replace(/\s+/g, " ").replace(/^(?:the|on|by) /, "");
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})/.exec(said);
  if (iso) return valid(+iso[1]!, +iso[2]!, +iso[3]!);
  const named = new RegExp(`^(${MONTH}) (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?$`).exec(said);
  const dayFirst = new RegExp(`^(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${MONTH})(?:,? (\\d{4}))?$`)
    .exec(said);
  if (named || dayFirst) {
    const [month, day, year] = named
      ? [named[1]!, named[2]!, named[3]]
      : [dayFirst![2]!, dayFirst![1]!, dayFirst![3]];
    const at = MONTHS.findIndex((name) => name.startsWith(month.slice(0, 3))) + 1;
    if (year) return valid(+year, at, +day);
    if (!today) return undefined;
    const same = valid(+today.slice(0, 4), at, +day);
    return same && same < today ? valid(+today.slice(0, 4) + 1, at, +day) : same;
  }
  return today && relative(said, today);
}

function relative(said: string, today: string): string | undefined {
  const [year, month, date] = today.split("-").map(Number) as [number, number, number];
  const plus = (days: number) => format(new Date(Date.UTC(year, month - 1, date + days)));
  const months = (count: number) => {
    const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
    return format(new Date(Date.UTC(year, month - 1 + count, Math.min(date, last))));
  };
  const weekday = new Date(Date.UTC(year, month - 1, date)).getUTCDay();
  if (/^(?:today|tonight|今天)$/.test(said)) return today;
  if (/^(?:tomorrow|明天)$/.test(said)) return plus(1);
  if (/^(?:day after tomorrow|后天)$/.test(said)) return plus(2);
  if (said === "yesterday") return plus(-1);
  if (said === "next week") return plus(7);
  if (said === "next month") return months(1);
  if (/^end of (?:the |this )?month$/.test(said)) return format(new Date(Date.UTC(year, month, 0)));
  if (/^end of (?:the |this )?year$/.test(said)) return `${year}-12-31`;
  if (/^end of (?:the |this )?week$/.test(said)) return plus((5 - weekday + 7) % 7);
  const count = /^(?:in )?(\w+) (day|week|month)s?(?: from (?:now|today))?$/.exec(said);
  if (count) {
    const many = NUMBERS[count[1]!] ?? Number(count[1]);
    if (!Number.isInteger(many)) return undefined;
    return count[2] === "month" ? months(many) : plus(many * (count[2] === "week" ? 7 : 1));
  }
  const chinese = /^(下|本|这)(?:周|星期)([一二三四五六日天])$/.exec(said);
  if (chinese) {
    const at = "一二三四五六日".indexOf(chinese[2]!.replace("天", "日"));
    return plus(at - (weekday + 6) % 7 + (chinese[1] === "下" ? 7 : 0));
  }
  const wanted = DAYS.indexOf(/(?:^|\s)(\w+day)(?:\s|$)/.exec(said)?.[1] ?? "");
  if (wanted === -1) return undefined;
  if (said.startsWith("last ")) return plus(-((weekday - wanted + 7) % 7 || 7));
  const ahead = (wanted - weekday + 7) % 7 || 7;
  return plus(ahead + (/\w+day next week$/.test(said) && ahead < 7 - ((weekday + 6) % 7) ? 7 : 0));
}

function valid(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? format(date) : undefined;
}

function format(date: Date): string {
  return date.toISOString().slice(0, 10);
}
