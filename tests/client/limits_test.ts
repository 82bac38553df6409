/** Limits of a call: what is a sign of life, what is none, and how a limit that passed is told. @module */
import assert from "node:assert/strict";
import { TransportError } from "../../lib/protocol/errors.ts";
import type { Progress } from "../../lib/protocol/tools.ts";
import { flaky } from "../../servers/flaky.ts";
import type { Message, Out } from "../../servers/serve.ts";
import { client } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { inMemory, Log } from "../support/wire.ts";

const IDLE = { ms: 2_000, key: "limits.idle" };
const CAP = { ms: 10_000, key: "limits.cap" };

/** A client whose calls of `wait` are answered when the test says so, and a clock that it moves. */
async function waiting() {
  const clock = new FakeClock();
  const log = new Log();
  const handler = flaky([]);
  const calls: { token: unknown; out: Out; answer: () => void }[] = [];
  const peer = await client(() =>
    inMemory((message: Message, out) => {
      if (message.params?.name !== "wait") return handler(message, out);
      const { id, params } = message;
      const reply = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } };
      const answer = () => out!(reply);
      calls.push({ token: params._meta.progressToken, out: out!, answer });
      return Promise.resolve(undefined);
    }, log), clock);
  const heard: Progress[] = [];
  const wait = () =>
    peer.callTool("wait", {}, { idle: IDLE, cap: CAP, onProgress: (it) => heard.push(it) });
  return { peer, clock, log, calls, heard, wait };
}

const progress = (params: Message) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params,
});
const timedOut = (why: RegExp) => (error: unknown) =>
  error instanceof TransportError && error.fault === "call_timeout" && why.test(error.message);

Deno.test("callTool() sends a token, and lives on reports for longer than it may be idle", async () => {
  const { peer, clock, calls, heard, wait } = await waiting();
  await using _ = peer;
  const calling = wait();
  await settle();
  const { token, out, answer } = calls[0]!;
  assert(typeof token === "number" || typeof token === "string");
  for (let second = 1; second <= 5; second++) {
    await clock.tick(1_000);
    out(progress({ progressToken: token, progress: second, total: 5, message: "…" }));
  }
  await clock.tick(1_000);
  answer();
  assert.equal((await calling).isError, false);
  assert.deepEqual(heard.map((it) => it.progress), [1, 2, 3, 4, 5]);
});

Deno.test("callTool() lives on reports with the token as a string, or with nothing readable in them", async () => {
  const { peer, clock, calls, heard, wait } = await waiting();
  await using _ = peer;
  const calling = wait();
  await settle();
  const { token, out, answer } = calls[0]!;
  for (const odd of [{}, { progress: "half" }, { progress: null }, { total: 5 }, { message: 7 }]) {
    await clock.tick(1_500);
    out(progress({ progressToken: String(token), ...odd }));
  }
  await clock.tick(1_500);
  answer();
  assert.equal((await calling).isError, false);
  assert.deepEqual(heard, []);
});

Deno.test("callTool() takes no report of another call, no log line and no ping for a sign of life", async () => {
  const { peer, clock, calls, wait } = await waiting();
  await using _ = peer;
  const [quiet, busy] = [wait(), wait()];
  await settle();
  const second = calls[1];
  const ended = assert.rejects(quiet, timedOut(/no sign of life for 2s/));
  await clock.tick(1_500);
  for (const progressToken of [second!.token, 99, "99", null, { a: 1 }]) {
    second!.out(progress({ progressToken, progress: 1 }));
  }
  second!.out({ jsonrpc: "2.0", method: "notifications/message", params: { data: "busy" } });
  second!.out({ jsonrpc: "2.0", id: 0, method: "ping" });
  await clock.tick(500);
  await ended;
  second!.answer();
  assert.equal((await busy).isError, false);
});

Deno.test("callTool() ends at the cap under a storm of reports, once, and cancels once", async () => {
  const { peer, clock, log, calls, wait } = await waiting();
  await using _ = peer;
  const ended = assert.rejects(
    wait(),
    timedOut(/no end after 10s \(limits\.cap raises this limit\)/),
  );
  await settle();
  const { token, out } = calls[0]!;
  for (let tenth = 1; tenth <= 110; tenth++) {
    for (let n = 0; n < 50; n++) out(progress({ progressToken: token, progress: tenth + n / 50 }));
    await clock.tick(100);
  }
  await ended;
  const cancelled = log.sent.filter(({ method }) => method === "notifications/cancelled");
  const { id } = log.sent.find(({ method }) => method === "tools/call");
  assert.deepEqual(cancelled.map(({ params }) => params.requestId), [id]);
  assert.equal(clock.sleepers, 0);
});

Deno.test("callTool() takes an answer of the last moment, and cancels nothing", async () => {
  const { peer, clock, log, calls, wait } = await waiting();
  await using _ = peer;
  const calling = wait();
  await settle();
  await clock.tick(1_999);
  calls[0]!.answer();
  assert.equal((await calling).isError, false);
  await clock.tick(60_000);
  assert(!log.methods.includes("notifications/cancelled"));
  assert.equal(clock.sleepers, 0);
});
