/** What the program is made of: the files and packages that main.ts reaches, and nothing that tests do. @module */
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../", import.meta.url));

export interface Package {
  name: string;
  version: string;
  /** Where it is on this disk. */
  folder: string;
}

export interface Parts {
  /** Below the root, with `/`; sorted. */
  files: readonly string[];
  /** Sorted by name. */
  packages: readonly Package[];
}

interface Info {
  modules: { kind?: string; specifier: string; npmPackage?: string; error?: string }[];
  npmPackages: Record<
    string,
    { name: string; version: string; localPath: string; dependencies: string[] }
  >;
}

/** @throws {Error} when something of it can't be found */
export async function partsOf(entry = "main.ts"): Promise<Parts> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const { modules, npmPackages }: Info = JSON.parse(new TextDecoder().decode(stdout));
  const broken = modules.find(({ error }) => error !== undefined);
  if (broken) throw new Error(broken.error);
  const own = new URL("../", import.meta.url).href;
  const files = modules.map(({ specifier }) => specifier)
    .filter((url) => url.startsWith(own))
    .map((url) => decodeURIComponent(url.slice(own.length)));
  const reached = new Set<string>();
  const reach = (id: string): void => {
    if (reached.has(id)) return;
    reached.add(id);
    npmPackages[id]!.dependencies.forEach(reach);
  };
  for (const { npmPackage } of modules) if (npmPackage) reach(npmPackage);
  const packages = [...reached].sort().map((id) => npmPackages[id]!).map((each) => ({
    name: each.name,
    version: each.version,
    folder: each.localPath,
  }));
  return { files: files.sort(), packages };
}
