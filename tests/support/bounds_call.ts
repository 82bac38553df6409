/** Bounds on what crosses the wire, and on what comes of a call. @module */
import assert from "node:assert/strict";
import { SERIES_MAX } from "../../lib/agent/merge.ts";
import type { Client } from "../../lib/client/client.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import { STDIO_CONCURRENCY } from "../../lib/config/config.ts";
import { ERROR_DATA_MAX, ERROR_MESSAGE_MAX } from "../../lib/protocol/codec.ts";
import { ProtocolError, TransportError } from "../../lib/protocol/errors.ts";
import { MAX_STEPS } from "../../lib/protocol/schema/meter.ts";
import { MAX_DEPTH, MAX_SUBSCHEMAS } from "../../lib/protocol/schema/plan.ts";
import { MAX_PROBLEMS, MAX_TEXT } from "../../lib/protocol/schema/run.ts";
import { PARTS_MAX, type Progress, PROGRESS_MAX } from "../../lib/protocol/tools.ts";
import {
  LINE_CAP,
  pipeTransport,
  QUEUE_CAP,
  STDERR_LINE_CAP,
  STDERR_LINES,
} from "../../lib/transport/stdio.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { amount, type Answers, type Bound, KiB, MiB, named, stranger } from "./bounds.ts";
import { client, LIMITS, PATIENCE, registryOf } from "./clients.ts";
import { FakeClock } from "./clock.ts";
import type { Json } from "./mutate.ts";
import { type Pipes, pipes } from "./pipes.ts";
import { nested } from "./wild.ts";
import { inMemory } from "./wire.ts";

const x = (count: number) => "x".repeat(count);
const utf8 = (text: string) => new TextEncoder().encode(text);

/** A server that writes bytes, met; and how it writes them. */
async function bytewise(): Promise<
  { peer: Client; out: Pipes; asked: Json[]; transport: Transport } & AsyncDisposable
> {
  const clock = new FakeClock();
  const asked: Json[] = [];
  const out = pipes((line) => {
    const message = JSON.parse(line);
    if (message.method === "tools/call") asked.push(message);
    if (message.method !== "server/discover") return;
    out.say(utf8(`{"id":${message.id},"result":{"supportedVersions":["2026-07-28"]}}\n`));
  });
  const transport = pipeTransport(out.peer, { clock });
  const peer = await client(() => transport, clock);
  const dispose = () => peer[Symbol.asyncDispose]();
  return { peer, out, asked, transport, [Symbol.asyncDispose]: dispose };
}

/** Resolves once so many calls have arrived. */
async function arrived(asked: readonly Json[], count: number): Promise<void> {
  while (asked.length < count) await new Promise((resolve) => setTimeout(resolve, 0));
}

export const WIRE: readonly Bound[] = [
  {
    what: "a line on stdout",
    limit: MiB(LINE_CAP),
    beyond: "the call that it answers fails: `garbled`",
    async proof() {
      await using server = await bytewise();
      const { peer, out, asked } = server;
      const [large, small] = [
        peer.callTool("large", {}, PATIENCE),
        peer.callTool("small", {}, PATIENCE),
      ];
      await arrived(asked, 2);
      out.say(utf8(`{"id":${asked[0].id},"result":{"content":[{"type":"text","text":"`));
      for (let size = 0; size <= LINE_CAP; size += 2 ** 20) out.say(utf8(x(2 ** 20)));
      out.say(utf8(`"}]}}\n{"id":${asked[1].id},"result":{"content":[]}}\n`));
      await assert.rejects(large, (error) => {
        assert(error instanceof TransportError && error.fault === "garbled");
        assert.match(error.message, /one line of 33\.0 MiB, over the cap of 32\.0 MiB/);
        return true;
      });
      assert.deepEqual(await small, { content: [], isError: false });
    },
  },
  {
    what: "what the server leaves unread of what we write",
    limit: MiB(QUEUE_CAP),
    beyond: "the call fails: `closed`",
    async proof() {
      const clock = new FakeClock();
      const hearing = pipes(() => {});
      // It reads nothing at all.
      const stdin = new WritableStream<Uint8Array>({ write: () => new Promise(() => {}) });
      const transport = pipeTransport({ ...hearing.peer, stdin }, { clock });
      const call = (id: number, size: number) =>
        transport.exchange({ jsonrpc: "2.0", id, method: "x", params: { x: x(size) } });
      const waiting = [call(1, 10), call(2, QUEUE_CAP - 1_000)].map((it) => it.catch(() => {}));
      await new Promise((resolve) => setTimeout(resolve, 0));
      waiting.push(call(3, QUEUE_CAP - 1_000).catch(() => {}));
      await assert.rejects(call(4, 2_000), /it does not read its input/);
      hearing.leave(0);
      await Promise.all(waiting);
    },
  },
  {
    what: "a line on stderr",
    limit: KiB(STDERR_LINE_CAP),
    beyond: "its beginning is kept",
    async proof() {
      await using server = await bytewise();
      server.out.complain(utf8(`${x(STDERR_LINE_CAP)}\n${x(STDERR_LINE_CAP + 1)}\n`));
      server.out.complain(utf8(`${"y".repeat(10_000_000)}\nlast\n`));
      while (server.transport.tail().length < 4) await new Promise((go) => setTimeout(go, 0));
      const lengths = server.transport.tail().map(({ length }) => length);
      assert.deepEqual(lengths, [STDERR_LINE_CAP, 1_026, 1_026, 4]);
    },
  },
  {
    what: "lines of stderr that are kept",
    limit: String(STDERR_LINES),
    beyond: "the oldest go",
    async proof() {
      await using server = await bytewise();
      for (let n = 1; n <= 100_000; n++) server.out.complain(utf8(`line ${n}\n`));
      server.out.complain(utf8("last\n"));
      while (server.transport.tail().at(-1) !== "last") {
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
      assert.equal(server.transport.tail().length, STDERR_LINES);
    },
  },
];

/** What one call of a tool that is listed so comes to. */
async function called(answers: Answers) {
  await using registry = registryOf({ big: stranger(answers), healthy: stranger({}) });
  await registry.attachAll();
  const result = await registry.call("big.one", {});
  assert.equal((await registry.call("healthy.one", {})).isError, false);
  return result;
}

/** The error that one call ends with. */
async function refusal(error: Json): Promise<ProtocolError> {
  const { failure } = await called({ "tools/call": () => error });
  assert(failure instanceof ProtocolError);
  return failure;
}

export const CALL: readonly Bound[] = [
  {
    what: "silence of a call",
    limit: `${LIMITS.idleMs / 1_000} s`,
    beyond: "the call fails: `call_timeout`",
    key: "limits.idle",
    proof: () => timesOut("idle", LIMITS.idleMs, () => {}),
  },
  {
    what: "all of a call, whatever it reports",
    limit: `${LIMITS.capMs / 60_000} min`,
    beyond: "the call fails: `call_timeout`",
    key: "limits.cap",
    proof: () =>
      timesOut("cap", LIMITS.capMs, (id, out) =>
        out.say(utf8(
          `{"method":"notifications/progress","params":{"progressToken":${id},"progress":1}}\n`,
        ))),
  },
  {
    what: "calls of one server under way at once",
    limit: String(STDIO_CONCURRENCY),
    beyond: "they wait for their turn",
    key: "limits.concurrency",
    proof: () => waitingFor({}, STDIO_CONCURRENCY),
  },
  {
    what: "calls of all servers under way at once",
    limit: String(LIMITS.overall),
    beyond: "they wait for their turn; each server may always have one",
    key: "limits.overall",
    // The server that has no limit of its own has what the others leave.
    proof: () => waitingFor({ concurrency: 1_000 }, LIMITS.overall),
  },
  {
    what: "parts of a result",
    limit: amount(PARTS_MAX),
    beyond: "left out, with a note",
    async proof() {
      const part = { type: "text", text: "x" };
      const most = await called({
        "tools/call": () => ({ content: new Array(PARTS_MAX).fill(part) }),
      });
      assert.deepEqual([most.content.length, most.notes], [PARTS_MAX, undefined]);
      const { content, notes, isError } = await called({
        "tools/call": () => ({ content: [null, ...new Array(100_000).fill(part)] }),
      });
      assert.deepEqual([content.length, isError], [PARTS_MAX - 1, false]);
      assert.deepEqual(notes, [
        "1 malformed content parts left out",
        "99001 of 100001 content parts left out, for a result may have 1000",
      ]);
    },
  },
  {
    what: "the message of an error",
    limit: `${amount(ERROR_MESSAGE_MAX)} characters`,
    beyond: "cut",
    async proof() {
      const most = await refusal({ code: -32000, message: x(ERROR_MESSAGE_MAX) });
      assert.equal(most.message, x(ERROR_MESSAGE_MAX));
      const { message } = await refusal({ code: -32000, message: x(1_000_000) });
      assert.equal(message, `${x(ERROR_MESSAGE_MAX)}…`);
    },
  },
  {
    what: "the data of an error",
    limit: `${KiB(ERROR_DATA_MAX)} of JSON`,
    beyond: "left out",
    async proof() {
      const data = { a: x(ERROR_DATA_MAX - 100) };
      assert.deepEqual((await refusal({ code: 1, message: "no", data })).data, data);
      const larger = await refusal({ code: 1, message: "no", data: { a: x(ERROR_DATA_MAX) } });
      assert.deepEqual([larger.message, larger.data], ["no", undefined]);
    },
  },
  {
    what: "the message of a progress report",
    limit: `${amount(PROGRESS_MAX)} characters`,
    beyond: "cut",
    async proof() {
      await using server = await bytewise();
      const { peer, out, asked } = server;
      const reports: Progress[] = [];
      const onProgress = (report: Progress) => void reports.push(report);
      const call = peer.callTool("one", {}, { ...PATIENCE, onProgress });
      await arrived(asked, 1);
      const { id } = asked[0];
      const report = (rest: string) =>
        `{"method":"notifications/progress","params":{"progressToken":${id},${rest}}}\n`;
      out.say(utf8(report(`"progress":1,"message":"${x(1_000_000)}"`)));
      out.say(utf8(report(`"progress":1e999`) + report(`"progress":2,"total":1e999`)));
      out.say(utf8(`{"id":${id},"result":{}}\n`));
      await call;
      assert.deepEqual(reports, [{ progress: 1, message: x(PROGRESS_MAX) }, { progress: 2 }]);
    },
  },
  {
    what: "progress reports that wait to be shown, of one call",
    limit: String(SERIES_MAX),
    beyond: "the newest takes the place of the one before it",
    // tests/agent/merge_test.ts has more to say of it.
    async proof() {
      const { merge } = await import("../../lib/agent/merge.ts");
      const flood = (emit: (event: number, series?: unknown) => void) => {
        for (let n = 1; n <= 100_000; n++) emit(n, "one");
        return Promise.resolve();
      };
      const shown = await Array.fromAsync(merge([flood]));
      assert.deepEqual([shown.length, shown.at(-1)], [SERIES_MAX, 100_000]);
    },
  },
  {
    what: "what a check of a result finds wrong with it",
    limit: `${MAX_PROBLEMS}, of each ${MAX_TEXT} characters`,
    beyond: "left out",
    async proof() {
      const items = { type: "array", items: { type: "string" } };
      const { notes, structuredContent } = await called({
        "tools/list": () => ({ tools: [named("one", { outputSchema: items })] }),
        "tools/call": () => ({ structuredContent: new Array(100_000).fill(0) }),
      });
      assert.equal((structuredContent as unknown[]).length, 100_000);
      assert.equal(notes?.length, 1);
      assert.equal(notes[0]!.split(";").length, MAX_PROBLEMS);
    },
  },
  {
    what: "a schema that results are checked against",
    limit: `${amount(MAX_SUBSCHEMAS)} subschemas, ${MAX_DEPTH} levels`,
    beyond: "the result is not checked, with a note",
    async proof() {
      const wide = Array.from({ length: MAX_SUBSCHEMAS }, () => ({}));
      const deep = nested(MAX_DEPTH + 1, (inner) => ({ not: inner }));
      for (const [outputSchema, why] of [[{ anyOf: wide }, /subschemas/], [deep, /levels deep/]]) {
        const { notes } = await called({
          "tools/list": () => ({ tools: [named("one", { outputSchema })] }),
          "tools/call": () => ({ structuredContent: {} }),
        });
        assert.match(notes!.join(), /^structuredContent was not checked: the schema /);
        assert.match(notes!.join(), why as RegExp);
      }
    },
  },
  {
    what: "steps of a check against a schema",
    limit: amount(MAX_STEPS),
    beyond: "the result is not checked, with a note",
    async proof() {
      const no = { required: ["x"] };
      const fan = { anyOf: [...Array.from({ length: 300 }, () => no), {}] };
      const { notes, isError } = await called({
        "tools/list": () => ({ tools: [named("one", { outputSchema: { items: fan } })] }),
        "tools/call": () => ({ structuredContent: Array.from({ length: 20_000 }, () => ({})) }),
      });
      assert.equal(isError, false);
      assert.deepEqual(notes, [
        "structuredContent was not checked: the check takes too many steps",
      ]);
    },
  },
];

/** Of a hundred calls, so many arrive; a healthy server is called beside them. */
async function waitingFor(own: { concurrency?: number }, most: number): Promise<void> {
  let inside = 0;
  const answer = Promise.withResolvers<void>();
  const busy: Opener = () =>
    inMemory(async ({ id, method }) => {
      const result = method === "tools/list"
        ? { tools: [named("one")] }
        : { supportedVersions: ["2026-07-28"], content: [] };
      if (method === "tools/call") {
        inside++;
        await answer.promise;
      }
      return id === undefined ? undefined : { jsonrpc: "2.0", id, result };
    });
  await using registry = registryOf({ busy, healthy: stranger({}) }, {}, own);
  await registry.attachAll();
  const calls = Array.from({ length: 100 }, () => registry.call("busy.one", {}));
  assert.equal((await registry.call("healthy.one", {})).isError, false);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(inside, most);
  answer.resolve();
  for (const { isError } of await Promise.all(calls)) assert.equal(isError, false);
  assert.equal(inside, 100);
}

/** A call whose server does this every second fails at this limit, and says how it is raised. */
async function timesOut(
  which: "idle" | "cap",
  ms: number,
  sign: (id: number, out: Pipes) => void,
): Promise<void> {
  const clock = new FakeClock();
  const asked: Json[] = [];
  const out = pipes((line) => {
    const message = JSON.parse(line);
    if (message.method === "tools/call") asked.push(message);
    const result = message.method === "server/discover"
      ? { supportedVersions: ["2026-07-28"] }
      : message.method === "tools/list"
      ? { tools: [named("one")] }
      : undefined;
    if (result) out.say(utf8(JSON.stringify({ id: message.id, result }) + "\n"));
  });
  const open = () => pipeTransport(out.peer, { clock });
  await using registry = registryOf({ big: open }, { clock });
  await registry.attachAll();
  let ended = false;
  const call = registry.call("big.one", {});
  call.then(() => ended = true);
  await arrived(asked, 1);
  for (let at = 0; at < ms; at += 10_000) {
    assert(!ended, `it ends after ${at} of ${ms} ms`);
    sign(asked[0].id, out);
    await new Promise((resolve) => setTimeout(resolve, 0));
    await clock.tick(10_000);
  }
  const { failure } = await call;
  assert(failure instanceof TransportError && failure.fault === "call_timeout");
  assert.match(failure.message, new RegExp(`servers\\.big\\.limits\\.${which} raises this limit`));
}
