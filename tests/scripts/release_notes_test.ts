import assert from "node:assert/strict";
import { releaseNotes } from "../../scripts/release_notes.ts";

const CHANGELOG = `# Changelog

## Unreleased

## 1.2.0 (2027-01-31)

- Faster.
- ## is no heading here.

## 1.1.0 (2026-12-31)

- Smaller.

## 1.0.0
`;

Deno.test("releaseNotes() gives the section of the version that is released, and no more", () => {
  const wanted = "- Faster.\n- ## is no heading here.\n";
  assert.equal(releaseNotes("v1.2.0", "1.2.0", CHANGELOG), wanted);
  assert.equal(releaseNotes("v1.1.0", "1.1.0", CHANGELOG), "- Smaller.\n");
});

Deno.test("releaseNotes() refuses a tag that the program or its changelog knows nothing of", () => {
  const refused = (tag: string, version: string, why: RegExp) =>
    assert.throws(() => releaseNotes(tag, version, CHANGELOG), why);
  refused("v1.3.0", "1.2.0", /Cannot release v1\.3\.0: deno\.json says that this is 1\.2\.0/);
  refused("v1.2", "1.2", /CHANGELOG\.md has no section "## 1\.2"/);
  refused("v1.0.0", "1.0.0", /its section in CHANGELOG\.md is empty/);
  refused("", "1.2.0", /Cannot release : deno\.json says/);
});
