/** Who does not want the status page does not load it: a cold start pays for what is used alone. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";
import { ROOT } from "../support/paths.ts";

/** All that is loaded when this file is: what it imports at its top, and what that does. */
function loaded(path: string, all = new Set<string>()): Set<string> {
  if (all.has(path)) return all;
  all.add(path);
  const text = Deno.readTextFileSync(ROOT + path);
  for (const [, type, specifier] of text.matchAll(/^import\s+(type\s)?[^"]*"([^"]+)"/gm)) {
    if (type) continue;
    if (specifier!.startsWith(".")) loaded(join(dirname(path), specifier!), all);
    else all.add(specifier!);
  }
  return all;
}

Deno.test("only fusebox status loads the status page at its start", () => {
  const commands = [...Deno.readDirSync(ROOT + "lib/cli/commands")].map(({ name }) => name);
  assert(commands.length > 8);
  for (const name of commands) {
    const files = [...loaded(`lib/cli/commands/${name}`)];
    const found = files.filter((it) => it === "hono" || it.startsWith("lib/status/"));
    if (name === "status.ts") assert(found.includes("hono"));
    else assert.deepEqual(found, [], name);
  }
});
