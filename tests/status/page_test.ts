/** The page is whole in itself, and its policy lets in nothing but its own bytes. */
import assert from "node:assert/strict";
import { Stage } from "../support/status_stage.ts";

const answer = await new Stage().get("/");
const html = await answer.text();
const policy = new Map(
  answer.headers.get("content-security-policy")!.split("; ").map((directive) => {
    const [name, ...sources] = directive.split(" ");
    return [name!, sources.join(" ")];
  }),
);
const script = /<script>([\s\S]*)<\/script>/.exec(html)![1]!;
const style = /<style>([\s\S]*?)<\/style>/.exec(html)![1]!;

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `'sha256-${new Uint8Array(digest).toBase64()}'`;
}

Deno.test("the policy lets in exactly the page's own script and style", async () => {
  assert.equal(html.split("<script").length, 2, "one script");
  assert.equal(html.split("<style").length, 2, "one style");
  assert.equal(policy.get("default-src"), "'none'");
  assert.equal(policy.get("script-src"), await hash(script));
  assert.equal(policy.get("style-src"), await hash(style));
  assert.equal(policy.get("connect-src"), "'self'");
  assert.equal(policy.get("base-uri"), "'none'");
  assert.equal(policy.get("form-action"), "'none'");
  assert.equal(policy.get("frame-ancestors"), "'none'");
  assert.equal(policy.get("require-trusted-types-for"), "'script'");
  assert(![...policy.values()].join(" ").includes("unsafe"));
});

Deno.test("the page needs nothing but itself", () => {
  const markup = html.replace(script, "").replace(style, "");
  assert.doesNotMatch(markup, /\son\w+=/i, "no handler in the markup");
  assert.doesNotMatch(markup, /\sstyle=/i, "no style in the markup");
  for (const [, url] of markup.matchAll(/(?:src|href)="([^"]*)"/g)) {
    assert.match(url!, /^(?:#|data:image\/svg\+xml,)/, url);
  }
  assert.doesNotMatch(style, /url\(|@import/);
  // The namespaces of SVG are names, and no addresses.
  const named = (html.match(/https?:\/\/[^"')%\s]*/g) ?? []).filter((url) =>
    url !== "http://www.w3.org/2000/svg"
  );
  assert.deepEqual(named, []);
  assert(html.length < 100_000, `${html.length} characters`);
});

Deno.test("the script makes no markup of text, and no code", () => {
  assert.doesNotMatch(script, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser/);
  assert.doesNotMatch(script, /\beval\b|new Function|setTimeout\("|import\(/);
  assert.doesNotMatch(script, /<\/script/i);
  new Function(script); // It parses.
});

Deno.test("the script names only elements that there are", () => {
  const ids = new Set([...html.matchAll(/\sid="([\w-]+)"/g)].map(([, id]) => id));
  const named = new Set([...script.matchAll(/\$\("([\w-]+)"\)/g)].map(([, id]) => id));
  assert(named.size > 15);
  assert.deepEqual([...named].filter((id) => !ids.has(id)), []);
  for (const [, id] of html.matchAll(/(?:aria-labelledby|for|href)="#?([a-z-]+)"/g)) {
    assert(ids.has(id), id);
  }
});
