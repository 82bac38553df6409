/** Files of a configuration, made into one, and no secret of theirs in what is wrong with them. @module */
import type { Config } from "../config/config.ts";
import { isJsonPath, type SourceFile } from "../config/read.ts";
import { secretsIn } from "../config/secrets.ts";
import type { World } from "./world.ts";

/**
 * Loads what reads configurations only where there is one, and YAML only where it is YAML.
 * @throws {UsageError} with all that is wrong in it; what it quotes will not show their secrets
 */
export async function load(files: readonly SourceFile[], world: World): Promise<Config> {
  const { loadConfig } = await import("../config/load.ts");
  const isJson = files.every(({ path }) => isJsonPath(path));
  const parse = isJson ? parseNoYaml : (await import("../config/yaml.ts")).parseYaml;
  try {
    return loadConfig(files, parse);
  } catch (error) {
    for (const { text } of files) world.secrets.add(secretsIn(text));
    throw error;
  }
}

function parseNoYaml(path: string): never {
  throw new TypeError(`${path} is JSON by its name`);
}
