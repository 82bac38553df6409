import assert from "node:assert/strict";
import { BUNDLE_FLAGS, partEnvironment, PERMISSIONS, selfCommand } from "../../lib/cli/self.ts";

const DENO = "/opt/deno";

Deno.test("selfCommand() has Deno run the source where it was started from its source", () => {
  const entry = "file:///home/a/fusebox/main.ts";
  assert.deepEqual(selfCommand({ executable: DENO, standalone: false, entry, own: {} }, ["demo"]), {
    command: DENO,
    args: ["run", "-A", "--quiet", entry, "demo"],
    env: {},
  });
});

Deno.test("selfCommand() has Deno run the bundle of the portable file as its head does", () => {
  const entry = "file:///home/an%20a/.cache/fusebox/program/0/main.mjs";
  const own = { DENO_DIR: "/home/a/.cache/fusebox/program/0/.deno" };
  const program = { executable: DENO, standalone: false, entry, own };
  const { command, args, env } = selfCommand(program, ["demo"]);
  assert.equal(env, own);
  assert.equal(command, DENO);
  const path = "/home/an a/.cache/fusebox/program/0/main.mjs";
  assert.deepEqual(args, [...BUNDLE_FLAGS, path, "demo"]);
  // What lies in the folders above the cache is none of our business.
  for (const flag of ["--no-config", "--no-lock", "--no-npm"]) assert(args.includes(flag), flag);
  assert(PERMISSIONS.every((flag) => args.includes(flag)));
});

Deno.test("selfCommand() is the program alone where it was compiled", () => {
  const entry = "file:///tmp/deno-compile-fusebox/main.ts";
  const command = "/usr/local/bin/fusebox";
  assert.deepEqual(
    selfCommand({ executable: command, standalone: true, entry, own: {} }, ["demo"]),
    {
      command,
      args: ["demo"],
      env: {},
    },
  );
});

Deno.test("partEnvironment() keeps the cache of the bundle from servers, and gives them the one that was", () => {
  const bundle = "file:///home/a/.cache/fusebox/program/0/main.mjs";
  const env = { HOME: "/home/a", DENO_DIR: "/ours" };
  assert.deepEqual(partEnvironment(bundle, env), {
    theirs: { HOME: "/home/a" },
    own: { DENO_DIR: "/ours" },
  });
  assert.deepEqual(partEnvironment(bundle, { ...env, FUSEBOX_DENO_DIR: "/theirs" }), {
    theirs: { HOME: "/home/a", DENO_DIR: "/theirs" },
    own: { DENO_DIR: "/ours", FUSEBOX_DENO_DIR: "/theirs" },
  });
  const check = "DENO_NO_UPDATE_CHECK";
  assert.deepEqual(partEnvironment(bundle, { [check]: "fusebox" }), {
    theirs: {},
    own: { [check]: "fusebox" },
  });
  assert.deepEqual(partEnvironment(bundle, { [check]: "1" }), {
    theirs: { [check]: "1" },
    own: { [check]: "1" },
  });
  assert.deepEqual(partEnvironment("file:///home/a/fusebox/main.ts", env), {
    theirs: env,
    own: {},
  });
});
