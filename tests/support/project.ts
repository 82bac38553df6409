/** A folder that brings a configuration along, and who is asked about it. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { demo, flaky, type Launch, type Result, type Sandbox } from "./cli.ts";
import { type Terminal, terminal } from "./pty.ts";

export const ASKS = "[y] use it once  [t] trust it as it is  [n] no: ";
export const TRUSTS = "Trust it as it is? [y] yes  [n] no: ";
export const NAMES = ["fusebox.yaml", "fusebox.yml", "fusebox.json", ".mcp.json"];
export const MINE = { servers: { mine: demo("tickets") } };

/** A project whose server leaves a mark where it was started, and answers. */
export async function project(
  box: Sandbox,
  name = ".mcp.json",
  folder = "project",
): Promise<string> {
  const { command, args } = flaky();
  const script = `touch '${box.home}/started'; exec "$0" "$@"`;
  const theirs = { command: "sh", args: ["-c", script, command, ...args] };
  const key = name === ".mcp.json" ? "mcpServers" : "servers";
  return await box.file(`${folder}/${name}`, { [key]: { theirs } });
}

export async function wasStarted(box: Sandbox): Promise<boolean> {
  const mark = join(box.home, "started");
  const is = await Deno.stat(mark).then(() => true, () => false);
  if (is) await Deno.remove(mark);
  return is;
}

export const there = (box: Sandbox, more: Launch = {}): Launch => ({
  cwd: join(box.home, "project"),
  ...more,
});

/** A command in the folder of the project, on a terminal. */
export async function person(box: Sandbox, ...args: string[]): Promise<Terminal> {
  return await terminal(box, args, { cwd: join(box.home, "project") });
}

export async function answers(
  box: Sandbox,
  question: string,
  key: string,
  ...args: string[]
): Promise<{ code: number; screen: string }> {
  await using asked = await person(box, ...args);
  await asked.expect(question);
  asked.type(key);
  const { code } = await asked.leaves();
  return { code, screen: asked.screen };
}

export async function servers(box: Sandbox, more: Launch = {}): Promise<string[]> {
  const { code, stdout, stderr } = await box.fusebox(["servers", "--json"], there(box, more));
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).servers.map(({ alias }: { alias: string }) => alias);
}

export const trust = (box: Sandbox, ...args: string[]): Promise<Result> =>
  box.fusebox(["trust", ...args], there(box));
