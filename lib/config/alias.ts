/** The user's local name of a server: what it may look like, and how others become one. @module */

/** So that `mcp__<alias>__<tool>` leaves room for a tool, and has no `__` but those two. */
export const LONGEST_ALIAS = 20;

/** `^[a-z0-9]+(?:[-_][a-z0-9]+)*$`, at most 20 characters. */
export function isAlias(name: string): boolean {
  return name.length <= LONGEST_ALIAS && /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/.test(name);
}

/** The alias most like `name` (`My GitHub` → `my-github`); empty when it has no letter to keep. */
export function slug(name: string, longest = LONGEST_ALIAS): string {
  return name.slice(0, 200)
    .normalize("NFKD").replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, (run) => run === "_" ? "_" : "-")
    .replace(/^[-_]+/, "")
    .slice(0, longest)
    .replace(/[-_]+$/, "");
}

/** `wanted`, or with `-2`, `-3` … behind it the first that is not taken. */
export function uniqueAlias(wanted: string, taken: { has(alias: string): boolean }): string {
  for (let n = 1;; n++) {
    const suffix = n === 1 ? "" : `-${n}`;
    const alias = slug(wanted, LONGEST_ALIAS - suffix.length) + suffix;
    if (!taken.has(alias)) return alias;
  }
}
