/** Spans of time as people write them: `30s`, `1m30s`, `500ms`. @module */

const UNITS = [["h", 3_600_000], ["m", 60_000], ["s", 1_000], ["ms", 1]] as const;

/** The longest span that is a limit and not a mistake: a day. */
export const LONGEST_MS = 86_400_000;

const SHAPE =
  /^(?:(\d+(?:\.\d+)?)h)?\s*(?:(\d+(?:\.\d+)?)m(?!s))?\s*(?:(\d+(?:\.\d+)?)s)?\s*(?:(\d+(?:\.\d+)?)ms)?$/;

/**
 * Milliseconds, more than 0 and at most a day, or undefined for anything else. A number without a
 * unit is refused, because half the world means seconds by it and the other half milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > 40) return undefined;
  const parts = SHAPE.exec(text.trim().toLowerCase())?.slice(1);
  if (!parts?.some((part) => part !== undefined)) return undefined;
  const ms = Math.round(UNITS.reduce((sum, [, unit], i) => sum + Number(parts[i] ?? 0) * unit, 0));
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}

/** The shortest way to write it that {@linkcode parseDuration} reads back: `90000` is `1m30s`. */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.round(ms));
  if (left < 1_000) return `${left}ms`;
  let text = "";
  for (const [name, unit] of UNITS.slice(0, 2)) {
    if (left < unit) continue;
    text += Math.floor(left / unit) + name;
    left %= unit;
  }
  return left > 0 ? `${text}${left / 1_000}s` : text;
}

/** For people: to a tenth of a second below ten, to a second above, and never nothing. */
export function roughly(ms: number): string {
  const unit = ms < 10_000 ? 100 : 1_000;
  return formatDuration(Math.max(unit, Math.ceil(ms / unit) * unit));
}

/** What to write instead of something that {@linkcode parseDuration} does not read. */
export function durationHint(text: string): string {
  if (/^\d+(\.\d+)?$/.test(text.trim()) && Number(text) > 0) {
    const seconds = parseDuration(`${text.trim()}s`);
    return seconds === undefined
      ? "Write the unit, and at most 24h"
      : `Write the unit: "${text.trim()}s", or "${text.trim()}ms" for milliseconds`;
  }
  return 'Write something like "500ms", "30s", "1m30s" or "2h": more than 0, at most 24h';
}
