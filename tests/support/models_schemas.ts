/** What the types of the official SDKs say to bodies of requests. @module */
import assert from "node:assert/strict";
import type { Body, Format } from "./models_formats.ts";
import { AJV, GENERATOR, onModelPackages, SDKS } from "./models_npm.ts";
import { ROOT } from "./paths.ts";

export interface Posted {
  format: Pick<Format, "schema">;
  body: Body;
}

/** What is wrong with each body, or null; the schemas are made anew, which takes some seconds. */
export async function sdkProblems(posted: readonly Posted[]): Promise<(string | null)[]> {
  const program = `${ROOT}tests/strangers/models_schemas.ts`;
  const child = new Deno.Command(Deno.execPath(), {
    args: onModelPackages(program, [GENERATOR, AJV, SDKS.anthropic, SDKS.openai, SDKS.genai]),
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const lines = posted.map(({ format: { schema }, body }) => JSON.stringify({ schema, body }));
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines.map((line) => line + "\n").join("")));
  await writer.close();
  const { success, stdout } = await child.output();
  assert(success, "the schemas could not be made");
  const problems = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(problems.length, posted.length);
  return problems;
}
