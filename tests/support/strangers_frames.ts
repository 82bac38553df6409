/** All that we say to strangers, kept as it crossed, and held against the official schemas and our own rules. @module */
import assert from "node:assert/strict";
import { CORE, onNpm, type Place } from "./strangers.ts";
import { ROOT } from "./paths.ts";
import { type Frame, frameProblems } from "./wire.ts";

/** One connection: the lines of each side, each with the newline it had. */
export interface Crossed {
  sent: string[];
  received: string[];
}

/** A new connection's ear. */
export function ear(): Crossed & { onFrame(direction: "sent" | "received", line: string): void } {
  const crossed: Crossed = { sent: [], received: [] };
  return { ...crossed, onFrame: (direction, line) => void crossed[direction].push(line) };
}

/**
 * Our own rules, for the era that was reached: official schemas let a missing `_meta` pass.
 * @returns what is wrong, a line each
 */
export function ownProblems({ sent }: Crossed, era: "modern" | "legacy"): string[] {
  const found: string[] = [];
  const ids = new Set<unknown>();
  let initialized = false;
  for (const line of sent) {
    const wrong = (why: string) => void found.push(`${why}: ${line.trim()}`);
    if (!/^[^\n\r]+\n$/.test(line)) wrong("not one line");
    const frame: Frame = JSON.parse(line);
    if (frame.method === "initialize") initialized = true;
    const opening = ["initialize", "server/discover"].includes(frame.method);
    found.push(...frameProblems(frame, opening ? "unknown" : era, initialized));
    if (frame.method === undefined) continue;
    if (frame.method === "notifications/cancelled" && !ids.has(frame.params.requestId)) {
      wrong("cancels what was never asked");
    }
    if (frame.id === undefined) continue;
    if (ids.has(frame.id)) wrong("an id for the second time");
    ids.add(frame.id);
  }
  return found;
}

/** What the schemas of the official package say to these frames; every one must be looked at. */
export async function officialProblems(lines: readonly string[], place: Place): Promise<string[]> {
  const { command, args, env, cwd } = onNpm(`${ROOT}tests/strangers/schemas.ts`, [CORE], place);
  const child = new Deno.Command(command, {
    args: [...args],
    env: { ...env },
    cwd,
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines.join("")));
  await writer.close();
  const { success, stdout } = await child.output();
  assert(success, "the official schemas could not be asked");
  const { looked, problems } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(looked, lines.length);
  return problems;
}
