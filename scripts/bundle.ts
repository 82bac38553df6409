/** The program as a few minified files of plain JavaScript, each loaded when it is its turn. @module */
import { ROOT } from "./parts.ts";

/** Their names, with the bytes; `main.mjs` is the entry. */
export type Bundle = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

/** @throws {Error} with what the bundler said */
export async function bundle(): Promise<Bundle> {
  const folder = await Deno.makeTempDir();
  try {
    await bundleInto(folder);
    const names = (await Array.fromAsync(Deno.readDir(folder), ({ name }) => name)).sort();
    const files = await Promise.all(names.map(async (name) => {
      const text = await Deno.readTextFile(`${folder}/${name}`);
      return [renamed(name), new TextEncoder().encode(linked(text, names))] as const;
    }));
    return new Map(files);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function bundleInto(folder: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--minify",
      "--code-splitting",
      // For Deno itself a bundle begins with `node:module`, which takes as long to load as all of ours.
      "--platform=browser",
      `--outdir=${folder}`,
      "main.ts",
    ],
    cwd: ROOT,
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
