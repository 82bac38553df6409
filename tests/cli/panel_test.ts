/** Where the status page may be shown, and to whom. */
import assert from "node:assert/strict";
import { statusSettings } from "../../lib/cli/panel.ts";
import { UsageError } from "../../lib/kit/usage.ts";

const TOKEN = "0123456789abcdef";

Deno.test("statusSettings() is this machine alone, on a port that is always the same", () => {
  assert.deepEqual(statusSettings({}, {}), { host: "127.0.0.1", port: 3873 });
  assert.deepEqual(statusSettings({ statusPort: 0 }, { FUSEBOX_STATUS_TOKEN: "" }), {
    host: "127.0.0.1",
    port: 0,
  });
});

Deno.test("statusSettings() shows nothing to others without a token", () => {
  for (const statusHost of ["0.0.0.0", "::", "10.0.0.7", "box.lan", "localhost.lan"]) {
    assert.throws(() => statusSettings({ statusHost }, {}), (error) => {
      assert(error instanceof UsageError);
      assert.match(error.message, /others would see it, and there is no token$/);
      assert.match(error.hint!, /FUSEBOX_STATUS_TOKEN/);
      return true;
    });
    const settings = statusSettings({ statusHost }, { FUSEBOX_STATUS_TOKEN: TOKEN });
    assert.equal(settings.token, TOKEN);
  }
  for (const statusHost of ["localhost", "::1", "[::1]", "127.0.0.2"]) {
    assert.equal(statusSettings({ statusHost }, {}).host, statusHost);
  }
});

Deno.test("statusSettings() refuses a token that could be guessed, or that no header carries", () => {
  for (const token of ["secret", "x".repeat(15), `${TOKEN} ${TOKEN}`, `${TOKEN}ü`, `${TOKEN}\n`]) {
    assert.throws(() => statusSettings({}, { FUSEBOX_STATUS_TOKEN: token }), (error) => {
      assert(error instanceof UsageError);
      assert(!error.message.includes(token) && !error.hint!.includes(token), "it is not repeated");
      return true;
    });
  }
});

Deno.test("statusSettings() refuses what is no host", () => {
  for (
    const statusHost of [
      "http://x",
      "a b",
      "x/y",
      "x@y",
      "127.0.0.1:80",
      "box.lan:80",
      "[::1]:80",
      "",
    ]
  ) {
    assert.throws(() => statusSettings({ statusHost }, {}), /not a host$/);
  }
});
