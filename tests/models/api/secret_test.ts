import assert from "node:assert/strict";
import { ModelError } from "../../../lib/models/model.ts";
import { TryError } from "../../../lib/models/api/retries.ts";
import { hidden, hider } from "../../../lib/models/api/secret.ts";

Deno.test("hider() takes out the key and what headers hold of one, and nothing else", () => {
  const hide = hider("sk-secret", {
    "authorization": "Bearer tok-1234",
    "api-key": "azure-key",
    "x-team": "red team",
    "x-key": "abc",
  });
  assert.equal(
    hide("sk-secret, Bearer tok-1234, tok-1234, azure-key, red team, abc"),
    "[key], [key], [key], [key], red team, abc",
  );
  assert.equal(hider(undefined)("text"), "text");
});

Deno.test("hidden() keeps what an error is, and drops a cause that may tell", () => {
  const hide = hider("sk-secret");
  const cause = new Error("sk-secret");
  const error = new ModelError("bad sk-secret", { status: 401, hint: "not sk-secret", cause });
  const clean = hidden(error, hide);
  assert(clean instanceof ModelError);
  assert.deepEqual([clean.message, clean.hint, clean.status, clean.cause], [
    ...["bad [key]", "not [key]", 401],
    undefined,
  ]);
  const failure = { message: "bad sk-secret", retryable: true, retryAfterMs: 5, tool: 2 };
  const tried = hidden(new TryError("failed", failure, { status: 429, retries: 1 }), hide);
  assert(tried instanceof TryError);
  const { brief, retryable, retryAfterMs, tool, retries } = tried;
  assert.deepEqual([brief, retryable, retryAfterMs, tool, retries], ["failed", true, 5, 2, 1]);

  const harmless = new ModelError("bad");
  assert.equal(hidden(harmless, hide), harmless);
  assert.equal(hidden(cause, hide), cause);
});
