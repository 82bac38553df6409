/** Packages of npm that the tests of models need, each at one version. @module */
import { fetchPackages } from "./npm.ts";
import { ROOT } from "./paths.ts";

/** A model server that speaks all formats. */
export const AIMOCK = "npm:@copilotkit/aimock@1.43.0";

/** Whose types say what may be sent. */
export const SDKS = {
  anthropic: "npm:@anthropic-ai/sdk@1.14.0",
  openai: "npm:openai@7.59.0",
  genai: "npm:@google/genai@3.3.0",
} as const;

/** Who makes schemas of types, and who checks them. */
export const GENERATOR = "npm:ts-json-schema-generator@2.10.0";
export const AJV = "npm:ajv@8.20.0";
/** The generator takes any from 5.9 on. */
const TYPESCRIPT = "npm:typescript@5.9.3";

/** Keeps them and all they need at the versions that were looked at. */
const LOCK = `${ROOT}tests/strangers/models_npm.lock`;
const FLAGS = ["--quiet", "--no-config", "--node-modules-dir=none", `--lock=${LOCK}`];

/** Fetches all of them, where they are not in the cache; `UPDATE_DOCS=1` writes the lock anew. */
export async function fetchedModelPackages(): Promise<void> {
  const frozen = Deno.env.get("UPDATE_DOCS") === "1" ? [] : ["--frozen"];
  const packages = [AIMOCK, ...Object.values(SDKS), GENERATOR, AJV, TYPESCRIPT];
  await fetchPackages([...FLAGS, ...frozen], packages);
}

/** The arguments of `deno` for a program on these packages, none of which it fetches. */
export function onModelPackages(main: string, args: readonly string[]): string[] {
  return ["run", "-A", ...FLAGS, "--frozen", "--cached-only", main, ...args];
}
