/** The compiled program holds all that main.ts reaches, and nothing else. @module */
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { compileArgs, missingBase, outputOf, TARGETS, targetsOf } from "../../scripts/compile.ts";
import { pathOf } from "../../scripts/portable.ts";
import { partsOf } from "../../scripts/parts.ts";
import { testWhere } from "../support/cli.ts";
import { ROOT } from "../support/paths.ts";

/** Deno itself: no base that would run the program, but one that it can be appended to. */
const BASE = Deno.execPath();

interface Compiled {
  /** Paths of files and, with `/*` at the end, of folders that the report does not open. */
  embedded: string[];
  /** What was appended to the base. */
  bytes: string;
}

async function compiled(): Promise<Compiled> {
  const folder = await Deno.makeTempDir();
  try {
    const output = join(folder, "fusebox");
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: compileArgs(Deno.build.target, output),
      cwd: ROOT,
      env: { DENORT_BIN: BASE },
    }).output();
    const report = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    assert.equal(code, 0, report);
    const bytes = await Deno.readFile(output);
    const appended = bytes.subarray((await Deno.stat(BASE)).size);
    // Whoever runs the tests may force colours.
    return {
      embedded: pathsOf(stripVTControlCharacters(report)),
      bytes: new TextDecoder("latin1").decode(appended),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The tree that Deno draws, as paths. */
function pathsOf(report: string): string[] {
  const trail: string[] = [];
  const paths: string[] = [];
  for (const line of report.split("\n")) {
    const [, indent, branch, name] = /^((?:│ | {2})*)[├└]─([─┬]) (\S+)/.exec(line) ?? [];
    if (indent === undefined) continue;
    trail.length = indent.length / 2;
    trail.push(name!);
    if (branch === "─") paths.push(trail.join("/"));
  }
  return paths;
}

testWhere(
  Deno.build.os === "linux",
  "elsewhere a program is not simply appended",
  "a compiled fusebox embeds what main.ts reaches: no tests, no dev dependencies, no server that misbehaves",
  async () => {
    const { files, packages } = await partsOf();
    assert(files.length > 200 && files.includes("servers/notes.ts"), String(files.length));
    const { embedded, bytes } = await compiled();
    assert(embedded.length > 20, embedded.join("\n"));

    const shows = (path: string) =>
      embedded.some((each) =>
        each === path || (each.endsWith("/*") && path.startsWith(each.slice(0, -1)))
      );
    assert.deepEqual(files.filter((path) => !shows(path)), [], "left out");

    const NPM = /^\.deno_compile_node_modules\/[^/]+\/(.+?)(?:\/\d[^/]*)?\/\*$/;
    const modules = embedded.filter((path) => NPM.test(path)).map((path) => NPM.exec(path)![1]!);
    assert.deepEqual(modules.sort(), packages.map(({ name }) => name));

    const rest = embedded.filter((path) => !NPM.test(path));
    const needed = (path: string) =>
      path.endsWith("/*")
        ? files.some((file) => file.startsWith(path.slice(0, -1)))
        : files.includes(path);
    assert.deepEqual(rest.filter((path) => !needed(path)), [], "not needed");
    // What a folder that the report does not open holds stands in the program by name.
    for (const path of files) assert(bytes.includes(`"${path.split("/").at(-1)}"`), path);
    for (const name of ["flaky.ts", "fault.ts", "assert.ts", "args_test.ts", "cold.ts"]) {
      assert(!bytes.includes(`"${name}"`), name);
    }
  },
);

Deno.test("compileArgs() names every permission, and neither -A nor --allow-all", () => {
  const args = compileArgs("x86_64-pc-windows-msvc", outputOf("x86_64-pc-windows-msvc"));
  assert(args.includes("--allow-run") && args.includes("--allow-net"));
  assert(!args.some((arg) => arg === "-A" || arg === "--allow-all"));
  assert(args.includes("--output=dist/fusebox-x86_64-pc-windows-msvc.exe"));
});

Deno.test("targetsOf() gives this system's, those that are named, or all five, and guesses at nothing", () => {
  assert.deepEqual(targetsOf([]), [Deno.build.target]);
  assert.deepEqual(targetsOf(["--target", "all"]), TARGETS);
  const two = TARGETS.slice(1, 3);
  assert.deepEqual(targetsOf(two.map((target) => `--target=${target}`)), two);
  assert.equal(TARGETS.length, 5);
  assert.throws(
    () => targetsOf(["--target", "x86_64-unknown-linux-musl"]),
    /Cannot compile for .*-musl: there are/,
  );
});

Deno.test("compile and portable refuse what they do not know, and build nothing else instead", () => {
  for (const odd of ["aarch64-apple-darwin", "--targets=all", "-t"]) {
    assert.throws(() => targetsOf([odd]), /Cannot compile with \S+: there is --target TARGET/);
  }
  assert.throws(() => pathOf(["--help"]), /Cannot build with --help: there is the name/);
  assert.throws(() => pathOf(["a", "b"]), /Cannot build with b: there is the name/);
  assert.equal(pathOf(["/a/b"]), resolve("/a/b"));
});

Deno.test("missingBase() names deno task portable when Deno's base can't be downloaded, and nothing else", () => {
  const said = "Caused by:\n    0: Setting up base binary.\n    1: error sending request";
  assert.match(
    missingBase("aarch64-apple-darwin", said)!,
    /can't be downloaded; deno task portable/,
  );
  assert.equal(missingBase("aarch64-apple-darwin", "TS2345 [ERROR]: no such type"), undefined);
});
