/** What people, the model and JSON hear of servers that go and come back. */
import assert from "node:assert/strict";
import { reasonLine } from "../../lib/cli/screen.ts";
import { Outages } from "../../lib/cli/outages.ts";
import { stateLines } from "../../lib/cli/watching.ts";
import type { Reason, ServerStatus } from "../../lib/registry/status.ts";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const REASON: Reason = { code: "exited", message: 'Lost "a": exit code 1', since: NOW, tail: [] };
const WELL: ServerStatus["fuse"] = { state: "closed", failures: 0, trips: 0 };
const OPEN: ServerStatus["fuse"] = {
  state: "open",
  failures: 0,
  since: NOW,
  trialAt: NOW + 4_900,
  trips: 1,
};

function status(
  state: ServerStatus["state"],
  fuse: ServerStatus["fuse"] = WELL,
  reason = REASON,
): ServerStatus {
  return {
    alias: "a",
    required: false,
    state,
    fuse,
    ...(state === "offline" && { reason }),
    tools: [],
    heldBack: [],
    problems: [],
    attaches: 1,
  };
}

const failures = (n: number): ServerStatus["fuse"] => ({ ...WELL, failures: n });

function lines(outages: Outages, ...all: ServerStatus[]): string[] {
  return all.flatMap((it) => outages.take(it)?.line ?? []);
}

Deno.test("take() has one line for each change of state, and none for attempts", () => {
  const outages = new Outages(() => NOW);
  const heard = lines(
    outages,
    status("attaching"),
    status("online"),
    status("offline", failures(1)),
    status("attaching", failures(1)),
    status("online", failures(1)), // A handshake: that proves nothing.
    status("offline", failures(2)),
    status("attaching", failures(2)),
    status("offline", OPEN),
    status("attaching", { ...OPEN, state: "half_open" }),
    status("offline", { ...OPEN, trips: 2 }),
    status("attaching", { ...OPEN, state: "half_open" }),
    status("online", { ...OPEN, state: "probation" }),
    status("online", WELL),
    status("online", WELL),
  );
  assert.deepEqual(heard, [
    'Lost "a": exit code 1',
    'a: left alone, its fuse is open; next trial in 4.9s (servers.a.fuse): Lost "a": exit code 1',
    "a: back online",
  ]);
  assert.deepEqual(outages.all.map(({ state, reason, at }) => [state, reason, at]), [
    ["offline", "exited", "2026-11-30T12:00:00.000Z"],
    ["open", "exited", "2026-11-30T12:00:00.000Z"],
    ["back", undefined, "2026-11-30T12:00:00.000Z"],
  ]);
});

Deno.test("take() says nothing of a server that is disabled, or that was never ill", () => {
  const outages = new Outages(() => NOW);
  const disabled = status("offline", WELL, { ...REASON, code: "disabled" });
  assert.deepEqual(
    lines(outages, disabled, status("attaching"), status("online"), status("idle")),
    [],
  );
});

Deno.test("take() says when a server that was late at the start has joined, or failed after all", () => {
  const joined = new Outages(() => NOW);
  joined.late(status("attaching"), "a: not ready");
  assert.deepEqual(lines(joined, status("online")), ["a: online"]);
  const failed = new Outages(() => NOW);
  failed.late(status("attaching"), "a: not ready");
  assert.deepEqual(lines(failed, status("offline", failures(1))), ['Lost "a": exit code 1']);
});

Deno.test("news() tells the model each change once", () => {
  const outages = new Outages(() => NOW);
  lines(outages, status("offline", failures(1)));
  assert.match(outages.news().join(), /^"a" is offline: Lost "a": exit code 1; a call to it tries/);
  assert.deepEqual(outages.news(), []);
  lines(outages, status("offline", OPEN), status("online", WELL));
  assert.deepEqual(outages.news().map((line) => line.split(" ").slice(0, 3).join(" ")), [
    '"a" fails again',
    '"a" can be',
  ]);
});

Deno.test("stateLines() says once why somebody fails time and again, and anew when it is another reason", () => {
  const lineOf = stateLines();
  const other = { ...REASON, message: 'Cannot attach "a": it was silent' };
  assert.deepEqual(
    [status("offline"), status("attaching"), status("offline"), status("offline", WELL, other)]
      .map(lineOf),
    [REASON.message, "a: attaching", "a: offline as before", other.message],
  );
});

Deno.test("reasonLine() has the last words of who ended, or was waited for in vain", () => {
  const tail = ["Starting", "Log in at the\u202e address"];
  const shown = (code: Reason["code"]) => reasonLine({ ...REASON, code, message: "No", tail });
  for (const code of ["exited", "closed", "handshake_timeout", "list_timeout"] as const) {
    assert.equal(shown(code), "No; it last said: Log in at the address", code);
  }
  // Whoever answered has said why; chatter would only hide it.
  for (const code of ["spawn_denied", "config", "fuse_open", "refused"] as const) {
    assert.equal(shown(code), "No", code);
  }
});
