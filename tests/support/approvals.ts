/** Runs that want tools, and the person who is asked about them. @module */
import { demo, flaky, type Sandbox } from "./cli.ts";
import { type Terminal, terminal } from "./pty.ts";

export const CONFIG = { servers: { flaky: flaky("odd-names"), notes: demo("notes") } };
export const ASKS = "[y] once  [a] always this tool  [s] always this server  [n] no: ";

export type Turn = { text?: string; uses?: { name: string; args: object }[] };

/** One turn that uses echo with each of these. */
export function uses(...args: object[]): Turn {
  return { uses: args.map((args) => ({ name: "mcp__flaky__echo", args })) };
}

/** The flags for a model that takes these turns, then answers "Done.". */
export async function model(box: Sandbox, ...turns: Turn[]): Promise<string[]> {
  const file = await box.file("turns.yaml", [...turns, { text: "Done." }]);
  return ["-m", `script:${file}`];
}

/** Which uses of echo ran, by the arguments that came back: in the order in which they ended. */
export function ran(screen: string): string[] {
  return [...screen.matchAll(/^← flaky\.echo (\{.*\}) \(\d+ ms\)$/gm)].map(([, args]) => args!);
}

export function denied(screen: string): number {
  return screen.split("✗ flaky.echo Not run: ").length - 1;
}

/** How often somebody was asked. */
export function asked(screen: string): number {
  return screen.split(ASKS).length - 1;
}

export async function start(
  box: Sandbox,
  args: string[],
  env = {},
  config: Record<string, unknown> = CONFIG,
): Promise<Terminal> {
  return await terminal(box, ["Go", ...args], { config, env });
}

/** Answers one question after the other with these keys, and has the run end. Returns what was seen. */
export async function answering(
  person: Terminal,
  ...answers: string[]
): Promise<{ code: number; screen: string }> {
  for (const answer of answers) {
    await person.expect(ASKS);
    person.type(`${answer}\n`);
  }
  const { code } = await person.leaves();
  return { code, screen: person.screen };
}
