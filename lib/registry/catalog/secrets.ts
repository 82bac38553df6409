/** What must not come to lie on a disk, even where a server says it back. @module */
import type { Start } from "./start.ts";

const NAMES_A_SECRET =
  /key|token|secret|passw|pwd|auth|credential|private|session|cookie|signature/i;
/** Letters and digits without a break: nobody wrote that by hand. */
const LOOKS_RANDOM = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=.~-]{20,}$/;
/** Shorter ones would be found in half of all words. */
const SHORTEST = 8;
const HIDDEN = "[hidden]";

/** The values in a start that are secrets by their name or by their look. */
export function secretsOf(start: Start): readonly string[] {
  const found = new Set<string>();
  const add = (value: string) => {
    if (value.length >= SHORTEST) found.add(value);
  };
  const look = (name: string, value: string) => {
    const isPath = /^(?:[./~]|[A-Za-z]:\\)/.test(value);
    if (NAMES_A_SECRET.test(name) || (!isPath && LOOKS_RANDOM.test(value))) add(value);
    lookInUrl(value);
  };
  const lookInUrl = (value: string) => {
    if (!value.includes("://") || !URL.canParse(value)) return;
    const { password, searchParams } = new URL(value);
    add(password);
    for (const [name, each] of searchParams) {
      if (NAMES_A_SECRET.test(name) || LOOKS_RANDOM.test(each)) add(each);
    }
  };
  if (start.kind === "stdio") {
    for (const [name, value] of Object.entries(start.env)) look(name, value);
    start.args.forEach((arg, at) => {
      const [, name, value] = /^-{1,2}([\w-]+)=(.*)$/s.exec(arg) ?? [];
      if (name !== undefined) look(name, value!);
      else look(/^--?[\w-]+$/.exec(start.args[at - 1] ?? "")?.[0] ?? "", arg);
    });
  } else {
    lookInUrl(start.url);
    for (const [name, value] of Object.entries(start.headers)) {
      look(name, value);
      look(name, value.replace(/^\S+\s+/, "")); // `Bearer …`
    }
  }
  // The longest first: one may hold another.
  return [...found].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** A replacer for `JSON.stringify` under which no text holds one of these; undefined when there is none. */
export function hiding(
  secrets: readonly string[],
): ((key: string, value: unknown) => unknown) | undefined {
  if (secrets.length === 0) return undefined;
  return (_, value) =>
    typeof value === "string"
      ? secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), value)
      : value;
}
