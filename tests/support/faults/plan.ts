/** What the model asks for in a run over faulty servers and a healthy one: turns of a script. @module */
import type { Mode, Row, Use } from "./row.ts";

/** Who is asked for what, side by side. */
export type Turn = readonly { alias: string; use: Use }[];

export const HEALTHY = "notes";
export const ANSWER = "That is all.";
export const ECHO: Use = { tool: "echo", args: { n: 1 } };
const PID: Use = { tool: "pid", args: {} };

/** The turns of calls: the healthy server has its own in each, and the same note is in all its answers. */
export function plan(company: ReadonlyMap<string, Row>): Turn[] {
  const rows = [...company].map(([alias, row]) => ({ alias, ...row }));
  const rounds = Math.max(...rows.map(({ again = [] }) => again.length));
  const first = rows.map(({ alias, use = ECHO }) => ({ alias, use }));
  const turns: Turn[] = [first];
  for (let round = 0; round < rounds; round++) {
    turns.push(rows.flatMap(({ alias, use = ECHO, again = [], between }) => [
      ...round < again.length ? [{ alias, use }] : [],
      ...round < again.length && between ? [{ alias, use: between }] : [],
    ]));
  }
  turns.push(rows.map(({ alias, then = PID }) => ({ alias, use: then })));
  return turns.map((turn, n) => [
    ...turn,
    { alias: HEALTHY, use: { tool: "search", args: { query: "Lisbon", limit: n + 1 } } },
  ]);
}

/** The plan as a script, in the words that each mode has for it. */
export function scriptOf(turns: readonly Turn[], mode: Mode): object[] {
  const aliases = turns[0]!.map(({ alias }) => alias);
  const attaching = aliases.map((alias) =>
    mode === "lazy"
      ? { name: "attach_server", args: { server: alias } }
      : { name: "mcp", args: { action: "describe", name: alias } }
  );
  const calling = ({ alias, use: { tool, args } }: Turn[number]) =>
    mode === "forward"
      ? { name: "mcp", args: { action: "call", name: `${alias}.${tool}`, args } }
      : { name: `mcp__${alias}__${tool}`, args };
  return [
    ...mode === "full" ? [] : [{ uses: attaching }],
    ...turns.map((turn) => ({ uses: turn.map(calling) })),
    { text: ANSWER },
  ];
}
