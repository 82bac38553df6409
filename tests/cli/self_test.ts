import assert from "node:assert/strict";
import { BUNDLE_FLAGS, PERMISSIONS, selfCommand } from "../../lib/cli/self.ts";

const DENO = "/opt/deno";

Deno.test("selfCommand() has Deno run the source where it was started from its source", () => {
  const entry = "file:///home/a/fusebox/main.ts";
  assert.deepEqual(selfCommand({ executable: DENO, standalone: false, entry }, ["demo"]), {
    command: DENO,
    args: ["run", "-A", "--quiet", entry, "demo"],
  });
});

Deno.test("selfCommand() has Deno run the bundle of the portable file as its head does", () => {
  const entry = "file:///home/a/.cache/fusebox/program/0/main.mjs";
  const { command, args } = selfCommand({ executable: DENO, standalone: false, entry }, ["demo"]);
  assert.equal(command, DENO);
  assert.deepEqual(args, [...BUNDLE_FLAGS, entry, "demo"]);
  // What lies in the folders above the cache is none of our business.
  for (const flag of ["--no-config", "--no-lock", "--no-npm"]) assert(args.includes(flag), flag);
  assert(PERMISSIONS.every((flag) => args.includes(flag)));
});

Deno.test("selfCommand() is the program alone where it was compiled", () => {
  const entry = "file:///tmp/deno-compile-fusebox/main.ts";
  const command = "/usr/local/bin/fusebox";
  assert.deepEqual(selfCommand({ executable: command, standalone: true, entry }, ["demo"]), {
    command,
    args: ["demo"],
  });
});
