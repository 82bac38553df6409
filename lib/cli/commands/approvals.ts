/** `fusebox approvals`: which questions are answered with "always", and the way back. @module */
import { nearest } from "../../kit/near.ts";
import { printableLine, visible } from "../../kit/printable.ts";
import { UsageError } from "../../kit/usage.ts";
import { type Approval, Approvals } from "../approvals.ts";
import type { Args } from "../args.ts";
import { EXIT } from "../failure.ts";
import { writeJson } from "../hiding.ts";
import { columns, count, Screen } from "../screen.ts";
import { needState } from "../state.ts";
import type { World } from "../world.ts";

/** Needs no configuration, and starts nothing. */
export async function approvalsCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const [action = "list", ...names] = args.words;
  const isKnown = ["list", "revoke", "clear"].includes(action);
  if (!isKnown || (action === "revoke") !== names.length > 0) {
    const why = !isKnown ? "no such action" : names[0] ? `${action} takes no words` : "of whom?";
    throw new UsageError(`Cannot run "fusebox approvals ${args.words.join(" ")}": ${why}`, {
      hint: "fusebox approvals [list], revoke ALIAS or ALIAS.TOOL, or clear",
    });
  }
  const what = action === "list" ? "list the approvals" : "take back approvals";
  const approvals = new Approvals(await needState(what, world), (line) => screen.warn(line));
  if (action === "clear") {
    await approvals.clear();
    screen.say("No approvals are left: every question is asked again");
  } else if (action === "revoke") await revoke(names, approvals, screen);
  else await list(await approvals.list(), args, world, screen);
  await screen.flush();
  return EXIT.ok;
}

/** All are looked for before any is taken back: a typo in the second leaves the first as it was. */
async function revoke(
  names: readonly string[],
  approvals: Approvals,
  screen: Screen,
): Promise<void> {
  const all = await approvals.list();
  const found = names.flatMap((name) => find(name, all));
  for (const approval of new Set(found)) {
    await approvals.forget(approval);
    screen.say(`Taken back: ${nameOf(approval)}`);
  }
}

/** `alias.tool` by the exact name of the tool, for one may be called "*"; `alias` for all it has. */
function find(name: string, all: readonly Approval[]): Approval[] {
  const dot = name.indexOf(".");
  const [alias, tool] = dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)];
  const found = all.filter((it) => it.alias === alias && (dot < 0 || it.tool === tool));
  if (found.length > 0) return found;
  const known = all.flatMap((it) => [it.alias, ...it.tool === undefined ? [] : [nameOf(it)]]);
  const [near] = nearest(name, known, 1);
  throw new UsageError(`Cannot take back "${name}": no approval of this name`, {
    hint: near !== undefined
      ? `Did you mean ${near}? Names are exact, no patterns`
      : "fusebox approvals lists them; names are exact, no patterns",
  });
}

function nameOf({ alias, tool }: Approval): string {
  return tool === undefined ? `${alias} (all its tools)` : visible(`${alias}.${tool}`, 100);
}

async function list(
  all: readonly Approval[],
  args: Args,
  world: World,
  screen: Screen,
): Promise<void> {
  if (args.json || args.jsonl) {
    const shown = all.map(({ alias, tool, start, file, at }) => ({
      alias,
      ...(tool !== undefined && { tool }),
      start,
      file,
      since: new Date(at).toISOString(),
    }));
    return await writeJson({ approvals: shown }, args, world);
  }
  const rows = all.map(({ alias, tool, start, file, at }) => [
    alias,
    tool === undefined ? "(all)" : visible(tool, 60),
    new Date(at).toISOString().slice(0, 10),
    printableLine(`${start}, ${file}`, 120),
  ]);
  await world.out.write(columns([["ALIAS", "TOOL", "SINCE", "SERVER"], ...rows]));
  screen.say(`${count(rows.length, "approval")}, each for the server it was given to`, "dim");
}
