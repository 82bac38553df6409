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
  /** Those of the files that are loaded when it is their turn. */
  deferred: readonly string[];
  /** Sorted by name. */
  packages: readonly Package[];
}

interface Module {
  specifier: string;
  npmPackage?: string;
  error?: string;
  dependencies?: { code?: { specifier: string }; isDynamic?: boolean }[];
}

interface Info {
  modules: Module[];
  /** What a specifier of ours turned into. */
  redirects: Record<string, string>;
  npmPackages: Record<
    string,
    { name: string; version: string; localPath: string; dependencies: string[] }
  >;
}

/** What runs, that is: a file of types alone is no part. @throws {Error} when something can't be found */
export async function partsOf(entry = "main.ts"): Promise<Parts> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", entry],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const info: Info = JSON.parse(new TextDecoder().decode(stdout));
  const modules = new Map(info.modules.map((module) => [module.specifier, module]));
  const root = new URL("../", import.meta.url).href;
  const reached = new Set<string>();
  const deferred = new Set<string>();
  const packages = new Set<string>();
  const add = (id: string): void => {
    if (packages.has(id)) return;
    packages.add(id);
    info.npmPackages[id]!.dependencies.forEach(add);
  };
  const reach = (specifier: string): void => {
    if (reached.has(specifier)) return;
    reached.add(specifier);
    const { error, npmPackage, dependencies = [] } = modules.get(
      info.redirects[specifier] ?? specifier,
    ) ?? {};
    if (error !== undefined) throw new Error(error);
    if (npmPackage !== undefined) add(npmPackage);
    for (const { code, isDynamic } of dependencies) {
      if (!code) continue;
      if (isDynamic) deferred.add(code.specifier);
      reach(code.specifier);
    }
  };
  reach(root + entry);
  const ours = (urls: Iterable<string>) =>
    [...urls].filter((url) => url.startsWith(root))
      .map((url) => decodeURIComponent(url.slice(root.length))).sort();
  return {
    files: ours(reached),
    deferred: ours(deferred),
    packages: [...packages].sort().map((id) => info.npmPackages[id]!).map(
      ({ name, version, localPath }) => ({ name, version, folder: localPath }),
    ),
  };
}
