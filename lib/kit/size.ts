/** Amounts of text and bytes as people write and read them: `50k`, `50,000`, `3.7 MB`. @module */

export const LEAST_SIZE = 1_000;
const MOST_SIZE = 100_000_000;

/** A number of characters: `50000`, `50k`, `1.5m`; undefined for what is none, too small or too large. */
export function parseSize(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)\s*([km]?)$/i.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  const size = Number(digits) * (unit === "" ? 1 : unit.toLowerCase() === "k" ? 1e3 : 1e6);
  const isOne = Number.isInteger(size) && size >= LEAST_SIZE && size <= MOST_SIZE;
  return isOne ? size : undefined;
}

/** `5000000` is `5,000,000`. */
export function withCommas(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `3 bytes`, `12 kB`, `3.7 MB`, `1 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} byte${bytes === 1 ? "" : "s"}`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`;
  const [unit, name] = bytes < 999_500_000 ? [1e6, "MB"] : [1e9, "GB"];
  return `${(bytes / unit).toFixed(1).replace(/\.0$/, "")} ${name}`;
}
