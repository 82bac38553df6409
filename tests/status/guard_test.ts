/** Who may look at the status page, and what everybody else is told. */
import assert from "node:assert/strict";
import { isLoopback, refusal, type Rules } from "../../lib/status/guard.ts";
import { Stage } from "../support/status_stage.ts";

const PATHS = [
  "/",
  "/status",
  "/status.schema.json",
  "/tools",
  "/events",
  "/health/live",
  "/health/ready",
  "/metrics",
  "/nothing",
];
const TOKEN = "0123456789abcdef";

function status(headers: HeadersInit, rules: Rules = { host: "127.0.0.1" }): number | undefined {
  const request = new Request("http://127.0.0.1/status", { headers });
  return refusal(request, rules)?.status;
}

Deno.test("nothing but looking is possible, anywhere: 405", async () => {
  const stage = new Stage();
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    for (const path of PATHS) {
      const answer = await stage.get(path, {}, method);
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(answer.headers.get("allow"), "GET, HEAD");
    }
  }
});

Deno.test("a host that is not ours is refused on every path: DNS rebinding finds nobody", async () => {
  const stage = new Stage();
  for (
    const host of ["evil.example", "127.0.0.1.evil.example:3873", "localhost.evil.example", ""]
  ) {
    for (const path of PATHS) assert.equal((await stage.get(path, { host })).status, 403, host);
  }
  for (const host of ["127.0.0.1:3873", "localhost:3873", "LOCALHOST", "[::1]:3873", "127.9.9.9"]) {
    assert.equal((await stage.get("/status", { host })).status, 200, host);
  }
});

Deno.test("refusal() knows the host that it was bound to, and addresses when bound to the network", () => {
  const loopback = { host: "127.0.0.1" };
  assert.equal(status({ host: "10.0.0.7:3873" }, loopback), 403, "it does not listen there");
  const named = { host: "box.lan" };
  assert.equal(status({ host: "box.lan:3873" }, named), undefined);
  assert.equal(status({ host: "other.lan" }, named), 403);
  const all = { host: "0.0.0.0" };
  assert.equal(status({ host: "10.0.0.7:3873" }, all), undefined);
  assert.equal(status({ host: "[fe80::1]:3873" }, all), undefined);
  assert.equal(status({ host: "evil.example:3873" }, all), 403);
  assert.equal(status({ host: "::1" }, { host: "::1" }), undefined, "as old clients write it");
});

Deno.test("a page of another origin is refused, whatever its browser says of it", async () => {
  const stage = new Stage();
  for (const origin of ["http://evil.example", "http://127.0.0.1:5173", "null", "", "file://"]) {
    for (const path of PATHS) assert.equal((await stage.get(path, { origin })).status, 403, origin);
  }
  assert.equal((await stage.get("/status", { origin: "http://127.0.0.1:3873" })).status, 200);
  for (const site of ["same-origin", "none"]) {
    const own = { "sec-fetch-site": site, "sec-fetch-mode": "cors" };
    assert.equal((await stage.get("/status", own)).status, 200, site);
  }
  for (const site of ["cross-site", "same-site"]) {
    const no_cors = { "sec-fetch-site": site, "sec-fetch-mode": "no-cors" };
    assert.equal((await stage.get("/status", no_cors)).status, 403, site);
    const link = { "sec-fetch-site": site, "sec-fetch-mode": "navigate" };
    assert.equal((await stage.get("/", link)).status, 200, "a link may lead here");
  }
});

Deno.test("no answer allows another origin to read it", async () => {
  const stage = new Stage();
  for (const path of PATHS) {
    const { headers, body } = await stage.get(path);
    await body?.cancel();
    assert.equal(headers.get("access-control-allow-origin"), null, path);
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin", path);
    assert.equal(headers.get("x-frame-options"), "DENY", path);
    assert.equal(headers.get("cache-control"), "no-store", path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
    assert.match(headers.get("content-security-policy")!, /default-src 'none'/, path);
  }
});

Deno.test("with a token, whoever does not know it is shown nothing: 401", async () => {
  const stage = new Stage({ token: TOKEN });
  const wrong = [
    "",
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    // As long as the token: its first sign is another, its last, each of them.
    `Bearer ~${TOKEN.slice(1)}`,
    `Bearer ${TOKEN.slice(0, -1)}~`,
    `Bearer ${"~".repeat(TOKEN.length)}`,
    "Bearer",
  ];
  for (const path of PATHS) {
    for (const authorization of wrong) {
      const answer = await stage.get(path, { authorization });
      assert.equal(answer.status, 401, `${path} ${authorization}`);
      assert.match(answer.headers.get("www-authenticate")!, /^Bearer/);
      await answer.body?.cancel();
    }
    const inAddress = await stage.get(`${path}?token=${TOKEN}`);
    assert.equal(inAddress.status, 401, "an address is written down in too many places");
    await inAddress.body?.cancel();
  }
  const right = await stage.get("/status", { authorization: `bearer ${TOKEN}` });
  assert.equal(right.status, 200);
});

Deno.test("the page that asks for the token holds nothing of the run", async () => {
  const open = await (await new Stage().get("/")).text();
  const asking = await (await new Stage({ token: TOKEN }).get("/")).text();
  assert.equal(asking, open);
  assert(!asking.includes("script:test"));
});

Deno.test("isLoopback() takes nobody else's address for ours", () => {
  for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "::1", "[::1]", "LocalHost"]) {
    assert(isLoopback(host), host);
  }
  for (
    const host of ["0.0.0.0", "::", "10.0.0.1", "localhost.evil", "128.0.0.1", "127.0.0.1.x", ""]
  ) {
    assert(!isLoopback(host), host);
  }
});
