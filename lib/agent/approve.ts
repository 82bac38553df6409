/** Who may run a tool unasked: policy as data, and pure decisions. @module */
import { covers } from "../kit/pattern.ts";
import { printableLine } from "../kit/printable.ts";
import type { Target } from "../tools/tool.ts";
import { isHarmless } from "./hints.ts";

export interface Policy {
  /** `alias.tool` patterns that need no question. */
  allow: readonly string[];
  /** `alias.tool` patterns that are refused whatever else says yes. */
  deny: readonly string[];
  /** `--yes`: no questions. */
  yes: boolean;
  /** Aliases of servers that the user trusts: their hints may spare a question. */
  trusted: readonly string[];
}

export type Decision =
  | { kind: "run"; by: "allow" | "yes" | "hint" }
  | { kind: "ask" }
  | { kind: "refuse"; why: string };

/**
 * Deny beats all. Then what the user wrote, as it is written, whatever the server says of the tool;
 * and only a server that is trusted may say that it need not be asked. `ask` where nothing of it holds.
 */
export function decide({ ref, annotations }: Target, policy: Policy): Decision {
  const { alias, tool } = ref;
  if (covers(policy.deny, alias, tool)) {
    return { kind: "refuse", why: `"${alias}.${tool}" is denied (deny: or --deny)` };
  }
  if (covers(policy.allow, alias, tool)) return { kind: "run", by: "allow" };
  if (policy.yes) return { kind: "run", by: "yes" };
  const isSpared = policy.trusted.includes(alias) && isHarmless(annotations);
  return isSpared ? { kind: "run", by: "hint" } : { kind: "ask" };
}

/** To which questions about this very server "always" was said before. */
export interface Remembered {
  /** About this tool, by its exact name. */
  tool: boolean;
  /** About whatever the server has. */
  server: boolean;
}

/**
 * Whether an earlier "always" spares the question. Who said it about the server had not seen all its
 * tools: one that calls itself destructive is asked about by its own name, once. So a hint adds a
 * question; none spares one, and a server that says nothing gains what it had without hints.
 */
export function holds({ tool, server }: Remembered, { annotations }: Target): boolean {
  return tool || (server && annotations?.destructiveHint !== true);
}

/** What the model is told where nobody can be asked, with the flag that would let it run. */
export function unasked({ ref: { alias, tool } }: Target): string {
  const name = `${alias}.${tool}`;
  // As a pattern, a name with a star in it would mean others, too.
  const flag = tool.includes("*")
    ? "only --yes, for all tools, would let it run: no pattern means it alone"
    : `--allow ${shellWord(name)} (or --yes for all tools) would let it run`;
  return `"${name}" needs the user's approval and there is no terminal to ask on; ${flag}`;
}

/** Quoted where a shell would take the name apart. */
export function shellWord(text: string): string {
  const safe = printableLine(text, 100);
  return /^[\w.@%+=:,/-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}

export type Answer = "once" | "tool" | "server" | "no";

const ANSWERS = new Map<string, Answer>([
  ["y", "once"],
  ["yes", "once"],
  ["once", "once"],
  ["a", "tool"],
  ["always", "tool"],
  ["tool", "tool"],
  ["s", "server"],
  ["server", "server"],
]);

/** What was typed; anything but a clear yes is a no. */
export function readAnswer(line: string | undefined): Answer {
  return ANSWERS.get(line?.trim().toLowerCase() ?? "") ?? "no";
}
