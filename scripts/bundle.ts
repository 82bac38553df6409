/** The program as a few minified files of plain JavaScript, each loaded when it is its turn. @module */
import { cp } from "node:fs/promises";
import { dirname, relative } from "node:path/posix";
import { partsOf, ROOT } from "./parts.ts";

/** Their names, with the bytes; `main.mjs` is the entry. */
export type Bundle = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/**
 * What a call of one tool loads. The bundler puts together what the same deferred files reach: so all
 * of these reach it, and it is a few files, not a few dozen. That is a tenth of the time of a call.
 */
const TOGETHER = [
  "lib/cli/commands/call.ts",
  "lib/cli/memory.ts",
  "lib/cli/pinning.ts",
  "lib/config/load.ts",
];
/** A server needs nothing of a client. */
const APART = ["lib/cli/commands/serve_demo.ts"];

/** @throws {Error} with what the bundler said */
export async function bundle(): Promise<Bundle> {
  const folder = await Deno.makeTempDir();
  try {
    const source = `${folder}/source`;
    const output = `${folder}/output`;
    await copyInto(source);
    await bundleInto(output, source);
    const names = (await Array.fromAsync(Deno.readDir(output), ({ name }) => name)).sort();
    const files = await Promise.all(names.map(async (name) => {
      const text = await Deno.readTextFile(`${output}/${name}`);
      return [renamed(name), new TextEncoder().encode(linked(text, names))] as const;
    }));
    return new Map(files);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function copyInto(folder: string): Promise<void> {
  for (const name of ["main.ts", "lib", "servers", "deno.json", "deno.lock"]) {
    await cp(ROOT + name, `${folder}/${name}`, { recursive: true });
  }
  const { deferred } = await partsOf();
  for (const path of deferred) {
    if (TOGETHER.includes(path) || APART.includes(path)) continue;
    const imports = TOGETHER.map((other) => `import "${pathFrom(path, other)}";\n`).join("");
    await Deno.writeTextFile(`${folder}/${path}`, imports, { append: true });
  }
}

function pathFrom(file: string, other: string): string {
  const path = relative(dirname(file), other);
  return path.startsWith(".") ? path : `./${path}`;
}

async function bundleInto(output: string, source: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--minify",
      "--code-splitting",
      // For Deno itself a bundle begins with `node:module`, which takes as long to load as all of ours.
      "--platform=browser",
      `--outdir=${output}`,
      "main.ts",
    ],
    cwd: source,
    stdout: "null",
  }).output();
  if (!success) throw new Error(`Cannot bundle: ${new TextDecoder().decode(stderr)}`);
}

/** What no `package.json` above it can take for CommonJS. */
function renamed(name: string): string {
  return name.replace(/\.js$/, ".mjs");
}

/**
 * The same with its imports renamed. Deno reads at the start what `import("…")` names literally; the
 * comma keeps it from that.
 */
export function linked(text: string, names: readonly string[]): string {
  return names.reduce((text, name) => {
    const path = `"./${renamed(name)}"`;
    return text.replaceAll(`import("./${name}")`, `import((0,${path}))`)
      .replaceAll(`from"./${name}"`, `from${path}`)
      .replaceAll(`import"./${name}"`, `import${path}`);
  }, text);
}
