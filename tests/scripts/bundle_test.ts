import assert from "node:assert/strict";
import { type Bundle, bundle, linked } from "../../scripts/bundle.ts";

Deno.test("linked() renames what files of the bundle import of each other, and nothing else", () => {
  const names = ["main.js", "call-A1.js", "chunk-B2.js"];
  const text = 'import{a}from"./chunk-B2.js";import"./chunk-B2.js";export{b}from"./chunk-B2.js";' +
    'await import("./call-A1.js");say("./other.js","call-A1.js");';
  assert.equal(
    linked(text, names),
    'import{a}from"./chunk-B2.mjs";import"./chunk-B2.mjs";export{b}from"./chunk-B2.mjs";' +
      'await import((0,"./call-A1.mjs"));say("./other.js","call-A1.js");',
  );
});

function textOf(bundle: Bundle, name: string): string {
  return new TextDecoder().decode(bundle.get(name));
}

/** What is loaded with this file, and not when it is its turn. */
function loadedWith(bundle: Bundle, name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, next] of textOf(bundle, name).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) {
    loadedWith(bundle, next!, seen);
  }
  return seen;
}

Deno.test("bundle() loads a command when it is its turn, and never Node's modules to begin with", async () => {
  const [made, again] = await Promise.all([bundle(), bundle()]);
  assert.deepEqual([...again.keys()], [...made.keys()], "the same source is the same bundle");
  for (const name of made.keys()) assert.match(name, /\.mjs$/);
  const first = loadedWith(made, "main.mjs");
  const call = loadedWith(made, [...made.keys()].find((name) => name.startsWith("call-"))!);
  const size = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + made.get(name)!.length, 0);
  assert(size(first) < 60_000, `${size(first)} bytes for --version`);
  assert(size(call) < 250_000, `${size(call)} bytes for a call`);
  assert(call.size < 25, `${call.size} files for a call`);
  assert(size(made.keys()) > 500_000, "and yet all of it is there");
  for (const name of made.keys()) {
    const text = textOf(made, name);
    assert.doesNotMatch(text, /from"node:|import"node:|createRequire/, name);
    // Deno reads at the start whatever is named literally.
    assert.doesNotMatch(text, /\bimport\("\.\//, name);
    for (const [, next] of text.matchAll(/"\.\/([\w-]+\.m?js)"/g)) {
      assert(made.has(next!), `${name} names ${next}`);
    }
  }
});
