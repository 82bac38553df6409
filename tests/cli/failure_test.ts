import assert from "node:assert/strict";
import { describe, exitOf } from "../../lib/cli/failure.ts";
import { ReaderLeft, UserLeft } from "../../lib/cli/world.ts";
import { UsageError } from "../../lib/kit/usage.ts";
import { ModelError } from "../../lib/models/model.ts";
import { ProtocolError, TransportError } from "../../lib/protocol/errors.ts";

Deno.test("describe() gives each kind of failure its exit code and its words", () => {
  const cases: [unknown, number, RegExp][] = [
    [new ReaderLeft(), 0, /^$/],
    [new UserLeft("SIGINT", 130), 130, /^$/],
    [new UsageError("Cannot x", { hint: "Do y" }), 2, /^fusebox: Cannot x\n {2}Do y\n$/],
    [new ProtocolError(-32601, "no"), 3, /^fusebox: no\n$/],
    [new TransportError("exited", "gone"), 4, /^fusebox: gone\n$/],
    [new TransportError("denied", "no"), 7, /no/],
    [new ModelError("overloaded", { hint: "Wait" }), 5, /overloaded\n {2}Wait/],
    [new TypeError("x is undefined"), 70, /a bug in fusebox.*\n.*x is undefined/],
    ["a string", 70, /a string/],
  ];
  for (const [error, exit, text] of cases) {
    const failure = describe(error);
    assert.equal(failure.exit, exit);
    assert.match(failure.text, text);
  }
});

Deno.test("describe() prints every issue with its place, and nothing that steers a terminal", () => {
  const issues = [
    {
      file: "a.yaml",
      path: "servers.x",
      line: 3,
      message: "Unknown key \u001b[31m",
      hint: "Did you mean y?",
    },
    { file: "b.json", path: "", message: "Empty" },
  ];
  const { text } = describe(new UsageError("Cannot use it", { issues }));
  assert.match(text, /a\.yaml:3: servers\.x: Unknown key/);
  assert.match(text, /Did you mean y\?/);
  assert.match(text, /b\.json: Empty/);
  assert(!text.includes("\u001b"));
});

Deno.test("exitOf() tells a refusal, silence and policy apart", () => {
  assert.equal(exitOf(new ProtocolError(1, "")), 3);
  assert.equal(exitOf(new TransportError("call_timeout", "")), 4);
  assert.equal(exitOf(new TransportError("denied", "")), 7);
});
