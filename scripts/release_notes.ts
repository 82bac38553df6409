/** `release_notes.ts TAG`: what CHANGELOG.md says about a version, for the page of its release. @module */
import config from "../deno.json" with { type: "json" };

/** @throws {Error} in a sentence, where the tag, the program and its changelog are not of one mind */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) {
    throw new Error(`Cannot release ${tag}: deno.json says that this is ${version}`);
  }
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.find((section) => section.split(/[\s(]/, 1)[0] === version);
  if (own === undefined) {
    throw new Error(`Cannot release ${tag}: CHANGELOG.md has no section "## ${version}"`);
  }
  const notes = own.slice(own.indexOf("\n")).trim();
  if (notes === "") throw new Error(`Cannot release ${tag}: its section in CHANGELOG.md is empty`);
  return `${notes}\n`;
}

if (import.meta.main) {
  const changelog = await Deno.readTextFile(new URL("../CHANGELOG.md", import.meta.url));
  try {
    const notes = releaseNotes(Deno.args[0] ?? "", config.version, changelog);
    await Deno.stdout.write(new TextEncoder().encode(notes));
  } catch (error) {
    // deno-lint-ignore no-console -- a task is read by people
    console.error((error as Error).message);
    Deno.exitCode = 1;
  }
}
