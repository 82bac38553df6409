/** Whose pins they are: the same server after an upgrade, another one with another command. */
import assert from "node:assert/strict";
import type { Reach } from "../../../lib/config/config.ts";
import { pinKey } from "../../../lib/registry/pins/identity.ts";

const stdio = (more: Partial<Reach & { kind: "stdio" }> = {}): Reach => ({
  kind: "stdio",
  command: "npx",
  args: ["-y", "@scope/server"],
  env: { TOKEN: "${TOKEN}" },
  inheritEnv: false,
  ...more,
});
const http = (url: string, headers = {}): Reach => ({ kind: "http", url, headers });

const key = (reach: Reach, folder = "/a", alias = "s") => pinKey(alias, reach, folder);

Deno.test("pinKey() is the same with another token, in another folder", async () => {
  const own = await key(stdio());
  assert.match(own, /^s\.[0-9a-f]{24}$/);
  assert.equal(await key(stdio({ env: { TOKEN: "tok-999999" } })), own);
  assert.equal(await key(stdio(), "/b"), own);
  const web = await key(http("https://x.example/mcp", { Authorization: "Bearer one" }));
  assert.equal(
    await key(http("https://x.example/mcp", { authorization: "Bearer two" }), "/b"),
    web,
  );
});

Deno.test("pinKey() is another with another alias, command, argument, folder, variable or url", async () => {
  const keys = await Promise.all([
    key(stdio()),
    key(stdio(), "/a", "t"),
    key(stdio({ command: "bunx" })),
    key(stdio({ args: ["-y", "@scope/other"] })),
    key(stdio({ cwd: "/srv" })),
    key(stdio({ env: { TOKEN: "", MORE: "" } })),
    key(http("https://x.example/mcp")),
    key(http("https://y.example/mcp")),
    key(http("https://x.example/mcp", { "X-Key": "1" })),
  ]);
  assert.equal(new Set(keys).size, keys.length);
});

for (
  const [word, depends] of [
    ["./server", true],
    ["../x/server", true],
    [".", true],
    ["dist/index.js", true],
    ["main.py", true],
    ["/opt/main.py", false],
    ["~/main.py", false],
    ["@scope/server", false],
    ["ghcr.io/owner/image:1", false],
    ["--flag=a.js", false],
    ["https://x.example/a.js", false],
    ["npm:thing.js", false],
  ] as const
) {
  Deno.test(`pinKey() of a command line with ${word} ${depends ? "depends" : "does not depend"} on the folder`, async () => {
    for (const reach of [stdio({ args: [word] }), stdio({ command: word })]) {
      assert.equal(await key(reach, "/a") !== await key(reach, "/b"), depends);
    }
    const placed = stdio({ args: [word], cwd: "/srv" });
    assert.equal(await key(placed, "/a"), await key(placed, "/b"));
  });
}
