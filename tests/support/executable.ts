/** Programs that a test writes and starts. @module */
import assert from "node:assert/strict";

/**
 * Writes a program that can be started at once, and returns its path. Another process writes it: what we
 * wrote ourselves the system calls busy for as long as a process that any test forks in that moment
 * has it open too.
 */
export async function executable(path: string, text: string): Promise<string> {
  const child = new Deno.Command("sh", {
    args: ["-c", 'cat >"$0" && chmod 755 "$0"', path],
    stdin: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  assert((await child.status).success, `${path} was not written`);
  return path;
}
