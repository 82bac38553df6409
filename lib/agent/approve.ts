/** Who may run a tool unasked: policy as data, and one pure decision. @module */
import { covers } from "../kit/pattern.ts";
import { toJson } from "../kit/json.ts";
import { printable, printableLine } from "../kit/printable.ts";
import type { Params } from "../protocol/types.ts";
import type { Target } from "../tools/tool.ts";

export interface Policy {
  /** `alias.tool` patterns that need no question. */
  allow: readonly string[];
  /** `alias.tool` patterns that are refused whatever else says yes. */
  deny: readonly string[];
  /** `--yes`: no questions. */
  yes: boolean;
}

export type Decision =
  | { kind: "run" }
  | { kind: "ask" }
  | { kind: "refuse"; why: string };

/** Deny beats all. Hints of a server decide nothing here: they are a stranger's word. */
export function decide(target: Target, policy: Policy, canAsk: boolean): Decision {
  const { alias, tool } = target.ref;
  const name = `${alias}.${tool}`;
  if (covers(policy.deny, alias, tool)) {
    return { kind: "refuse", why: `"${name}" is denied (deny: or --deny)` };
  }
  if (policy.yes || covers(policy.allow, alias, tool)) return { kind: "run" };
  if (canAsk) return { kind: "ask" };
  return {
    kind: "refuse",
    why: `"${name}" needs the user's approval and there is no terminal to ask on; ` +
      `--allow ${shellWord(name)} (or --yes for all tools) would let it run`,
  };
}

/** Quoted where a shell would take the name apart. */
function shellWord(text: string): string {
  const safe = printableLine(text, 100);
  return /^[\w.@%+=:,/-]+$/.test(safe) ? safe : `'${safe.replaceAll("'", `'\\''`)}'`;
}

/** What the user is asked before a tool runs. All of it is safe to print. */
export function question(target: Target, args: Params): string {
  const { alias, tool } = target.ref;
  const title = target.title ? ` (${printableLine(target.title, 60)})` : "";
  const shown = printable(toJson(args, 2));
  const lines = shown.split("\n");
  const cut = lines.length > 12
    ? [...lines.slice(0, 11), `… ${lines.length - 11} more lines`]
    : lines;
  return `Run ${printableLine(`${alias}.${tool}`, 100)}${title}?\n` +
    cut.map((line) => `  ${line.length > 160 ? line.slice(0, 159) + "…" : line}`).join("\n") +
    `\n[y] once  [a] always in this run  [n] no: `;
}

export type Answer = "once" | "always" | "no";

/** What was typed; anything but a clear yes is a no. */
export function readAnswer(line: string | undefined): Answer {
  const word = line?.trim().toLowerCase();
  if (word === "y" || word === "yes") return "once";
  return word === "a" || word === "always" ? "always" : "no";
}
