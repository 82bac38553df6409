/** The shape of the house, kept by a test: floors, the world's edge, short files, no barrels. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";
import { ROOT } from "./support/paths.ts";

/** Each line may import its own floor and those it names; each may name only lines above it. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "lib/std": [],
  "lib/kit": [],
  "lib/config": ["lib/std", "lib/kit"],
  "lib/protocol": ["lib/kit"],
  "lib/transport": ["lib/kit", "lib/protocol"],
  "lib/client": ["lib/kit", "lib/protocol", "lib/transport"],
  "lib/registry": ["lib/kit", "lib/config", "lib/protocol", "lib/transport", "lib/client"],
  "lib/models": ["lib/std", "lib/kit", "lib/config", "lib/protocol"],
  "lib/tools": ["lib/kit", "lib/protocol", "lib/registry", "lib/models"],
  "lib/agent": ["lib/kit", "lib/protocol", "lib/models", "lib/tools"],
  "lib/status": ["lib/kit", "lib/registry"],
  "servers": [],
  "lib/cli": [
    "lib/std",
    "lib/kit",
    "lib/config",
    "lib/protocol",
    "lib/transport",
    "lib/client",
    "lib/registry",
    "lib/models",
    "lib/tools",
    "lib/agent",
    "lib/status",
    "servers",
  ],
  "main.ts": ["lib/cli"],
};
/** Floors that are named for their types alone. */
const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  "lib/client": ["lib/transport"],
  "lib/registry": ["lib/transport"],
  "lib/models": ["lib/config"],
  "lib/tools": ["lib/models"],
  "lib/status": ["lib/registry"],
};
const MAY_NAME_DENO = [
  "main.ts",
  "lib/cli/world.ts",
  "lib/cli/disk.ts",
  "lib/cli/listener.ts",
  "lib/cli/log.ts",
  "lib/transport/process.ts",
  "servers/serve.ts",
  "servers/flaky.ts",
];
const MAX_LINES = 400;
const LONG_LINES = 250;

interface Import {
  specifier: string;
  typesOnly: boolean;
}

/** Comments go, strings stay: an import or a `Deno` in prose is none. */
function code(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}

function importsOf(text: string): Import[] {
  const found = code(text).matchAll(
    /(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|import\("([^"]+)"\)/g,
  );
  return [...found].map(([, type, named, dynamic]) => ({
    specifier: named ?? dynamic!,
    typesOnly: type !== undefined,
  }));
}

function floorOf(path: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((floor) => path === floor || path.startsWith(floor + "/"));
}

/** All that is wrong with a file at this path, with this text. */
function faults(path: string, text: string): string[] {
  const found: string[] = [];
  const floor = floorOf(path);
  if (!floor) return [`${path} is on no floor`];
  for (const { specifier, typesOnly } of importsOf(text)) {
    if (!specifier.startsWith(".")) {
      if (
        specifier.startsWith("jsr:") || specifier.startsWith("npm:") || specifier.startsWith("http")
      ) {
        found.push(`${path} names ${specifier}: only deno.json may`);
      }
      continue;
    }
    const target = join(dirname(path), specifier);
    if (path === "main.ts" && target === "deno.json") continue; // The version.
    const to = floorOf(target);
    const allowed = to !== undefined && (to === floor || MAY_IMPORT[floor]!.includes(to));
    if (!allowed) found.push(`${path} may not import ${target}`);
    else if (!typesOnly && TYPES_ONLY[floor]?.includes(to)) {
      found.push(`${path} may import only types of ${target}`);
    }
  }
  if (/\bDeno\s*\./.test(code(text)) && !MAY_NAME_DENO.includes(path)) {
    found.push(`${path} must be handed its world`);
  }
  if (/^export\s+(?:type\s+)?(?:\*|\{[^}]*\})\s+from/m.test(code(text))) {
    found.push(`${path} passes on what others export: import from the defining file`);
  }
  if (!/^\/\*\*[^\n]+@module \*\/\n/.test(text)) {
    found.push(`${path} does not say in its first line what it is for`);
  }
  const lines = text.split("\n").length;
  if (lines > MAX_LINES) found.push(`${path} has ${lines} lines, over ${MAX_LINES}`);
  return found;
}

function* sources(folder: string): Generator<string> {
  for (const entry of Deno.readDirSync(ROOT + folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* sources(path);
    else if (path.endsWith(".ts")) yield path;
  }
}

const FILES = [...sources("lib"), ...sources("servers"), "main.ts"];

Deno.test("floors only name floors above them in the table, so no cycle is possible", () => {
  const seen: string[] = [];
  for (const [floor, below] of Object.entries(MAY_IMPORT)) {
    for (const name of below) assert(seen.includes(name), `${floor} names ${name}`);
    seen.push(floor);
  }
});

Deno.test("every file keeps to its floor, its length and its edge", () => {
  const found = FILES.flatMap((path) => faults(path, Deno.readTextFileSync(ROOT + path)));
  assert.deepEqual(found, []);
});

Deno.test("files over 250 lines are few, and named", () => {
  const long = FILES.filter((path) =>
    Deno.readTextFileSync(ROOT + path).split("\n").length > LONG_LINES
  );
  const named = Deno.readTextFileSync(ROOT + "ARCHITECTURE.md");
  for (const path of long) {
    assert(named.includes(path), `ARCHITECTURE.md does not say why ${path} is long`);
  }
});

Deno.test("files inside a floor import each other in no circle", () => {
  const edges = new Map(FILES.map((path) => {
    const own = importsOf(Deno.readTextFileSync(ROOT + path))
      .filter(({ specifier, typesOnly }) => specifier.startsWith(".") && !typesOnly)
      .map(({ specifier }) => join(dirname(path), specifier));
    return [path, own];
  }));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]) => {
    assert(!trail.includes(path), `a circle: ${[...trail, path].join(" → ")}`);
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of FILES) visit(path, []);
});

Deno.test("this test fails on what it forbids", () => {
  const caption = "/** A file. @module */\n";
  const planted: [string, string, RegExp][] = [
    ["lib/kit/x.ts", 'import { y } from "../registry/names.ts";', /may not import lib\/registry/],
    ["lib/agent/x.ts", 'await import("../client/client.ts");', /may not import lib\/client/],
    ["lib/tools/x.ts", 'import { z } from "../models/model.ts";', /only types of lib\/models/],
    ["servers/x.ts", 'import { y } from "../lib/kit/json.ts";', /may not import lib\/kit/],
    ["lib/registry/x.ts", "Deno.exit(1);", /must be handed its world/],
    ["lib/kit/index.ts", 'export * from "./clock.ts";', /import from the defining file/],
    ["lib/kit/index.ts", 'export { a } from "./clock.ts";', /import from the defining file/],
    ["lib/config/x.ts", 'import { parse } from "npm:yaml";', /only deno\.json may/],
    ["lib/kit/x.ts", "x();\n".repeat(400), /has \d+ lines/],
    ["elsewhere/x.ts", "", /is on no floor/],
  ];
  for (const [path, text, fault] of planted) {
    assert.match(faults(path, caption + text).join("\n"), fault, text);
  }
  assert.match(faults("lib/kit/x.ts", "const a = 1;").join(), /first line/);
  assert.deepEqual(faults("lib/kit/x.ts", caption + "// Deno.exit is not called\n"), []);
});

Deno.test("ARCHITECTURE.md and the README name only files that there are", () => {
  for (const document of ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"]) {
    const text = Deno.readTextFileSync(ROOT + document);
    for (
      const [, path] of text.matchAll(/`((?:lib|servers|tests|bench|scripts|docs)\/[\w./-]*)`/g)
    ) {
      try {
        Deno.statSync(ROOT + path);
      } catch {
        assert.fail(`${document} names ${path}, and there is no such file`);
      }
    }
  }
});
