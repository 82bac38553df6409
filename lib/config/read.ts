/** The text of a configuration file to a tree, in whichever of its two languages it is written. @module */
import { parseJson } from "./json.ts";
import type { Reading } from "./tree.ts";

export interface SourceFile {
  path: string;
  text: string;
}

/** `parseYaml` of `yaml.ts`: handed in, since its library takes longer to load than all of us. */
export type YamlReader = (path: string, text: string) => Reading;

/** Whether a file of this name can be read without a {@linkcode YamlReader}. */
export function isJsonPath(path: string): boolean {
  return /\.jsonc?$/i.test(path);
}

/**
 * By extension JSON (`.json`, `.jsonc`) or YAML (`.yaml`, `.yml`); otherwise what it looks like.
 * A file of blanks and comments has no tree and no issues.
 */
export function readTree({ path, text }: SourceFile, parseYaml: YamlReader): Reading {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (isJsonPath(path)) return parseJson(path, clean);
  switch (/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase()) {
    case "yaml":
    case "yml":
      return parseYaml(path, clean);
    case "toml":
      return {
        issues: [{
          file: path,
          path: "",
          message: "Cannot read TOML",
          hint: "Write the configuration as YAML or JSON",
        }],
      };
  }
  const reading = /^\s*(?:[{[]|\/[/*])/.test(clean) ? parseJson(path, clean) : undefined;
  if (reading?.tree) return reading;
  const yaml = parseYaml(path, clean);
  return reading && !yaml.tree ? reading : yaml;
}
