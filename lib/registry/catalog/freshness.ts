/** How long a list of tools may be believed, page by page. @module */

/** What a server said of one page of its list. */
export interface Page {
  /** How long the page is fresh from when it came; 0 is good as a menu, but stale. */
  ttlMs: number;
  /** `private`: for nobody but whoever fetched it. */
  scope: "public" | "private";
  /** How many tools it held. */
  tools: number;
}

/** A server that never wants to be asked again may be wrong; a day is long enough. */
export const MAX_TTL_MS = 24 * 60 * 60 * 1000;

/**
 * Reads `ttlMs` and `cacheScope` of a `tools/list` result. Servers of the older era say neither: their
 * list is stale at once, and nobody else's.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export function readPage(result: { ttlMs?: unknown; cacheScope?: unknown }, tools: number): Page {
  const scope = result.cacheScope === "public" ? "public" : "private";
  return { ttlMs: clampTtl(result.ttlMs), scope, tools };
}

export function clampTtl(raw: unknown): number {
  if (typeof raw !== "number" || !(raw > 0)) return 0;
  return Math.min(Math.floor(raw), MAX_TTL_MS);
}

/**
 * Whether the list needs no second look. Each page has its own time, but a list that is half of
 * yesterday fits nothing: with the first page that is stale, all of it is.
 */
export function isFresh(
  { fetchedAt, pages }: { fetchedAt: number; pages: readonly Page[] },
  now: number,
): boolean {
  const age = now - fetchedAt;
  // Clocks are set back: what came tomorrow is not to be trusted until then.
  return age >= 0 && pages.length > 0 && pages.every(({ ttlMs }) => age < clampTtl(ttlMs));
}

/** Whether an entry is for one identity alone; where nobody said, it is. */
export function isPrivate(pages: readonly Page[]): boolean {
  return pages.length === 0 || pages.some(({ scope }) => scope === "private");
}
