/** A folder for one test, and what is in it. @module */
import { join } from "node:path";

/** An empty one, gone when the work is done. */
export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fusebox-test-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Who may do what with it. */
export async function modeOf(path: string): Promise<number> {
  return (await Deno.stat(path)).mode! & 0o777;
}

/** Every file below, by its path from there. */
export async function files(folder: string, below = ""): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(folder, below)));
  const all = entries.map(({ name, isDirectory }) => {
    const path = below ? `${below}/${name}` : name;
    return isDirectory ? files(folder, path) : [path];
  });
  return (await Promise.all(all)).flat().sort();
}
