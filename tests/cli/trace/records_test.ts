import assert from "node:assert/strict";
import { FORMAT, KINDS, VERSION } from "../../../lib/cli/trace/records.ts";
import { ROOT } from "../../support/paths.ts";

const DOCUMENT = Deno.readTextFileSync(ROOT + "docs/trace.md");

/** The kinds and fields of docs/trace.md, with their types. */
function documented(): Record<string, Record<string, string>> {
  const [, ...sections] = DOCUMENT.split(/^### /m);
  return Object.fromEntries(sections.map((section) => {
    const kind = /^`(\w+)`: /.exec(section)?.[1];
    const rows = section.matchAll(/^\| `(\w+)` *\| (\S+) *\|/gm);
    return [kind, Object.fromEntries([...rows].map(([, field, type]) => [field, type]))];
  }));
}

Deno.test("docs/trace.md describes every kind of record and every field, in the order of the code", () => {
  assert.deepEqual(documented(), KINDS);
  assert.deepEqual(
    Object.entries(documented()).map(([kind, fields]) => [kind, Object.keys(fields)]),
    Object.entries(KINDS).map(([kind, fields]) => [kind, Object.keys(fields)]),
  );
});

Deno.test("docs/trace.md names the format and its version", () => {
  assert(DOCUMENT.includes(`\`${FORMAT}\``));
  assert(DOCUMENT.includes(`Of this format: ${VERSION}.`));
});
