/** One story over every transport in both dialects. A new transport is one line in `support/wire.ts`. */
import assert from "node:assert/strict";
import { ProtocolError, TransportError } from "../lib/protocol/errors.ts";
import { isObject } from "../lib/protocol/codec.ts";
import type { ToolResult } from "../lib/protocol/tools.ts";
import { client, PATIENCE } from "./support/clients.ts";
import { FakeClock } from "./support/clock.ts";
import { ERAS, Log, opener, WIRES } from "./support/wire.ts";

function textOf(result: ToolResult): string {
  return result.content.map((part) => String(part.text)).join("");
}

/** A call that takes longer than it may is a bug of the test, not a wait. */
const call = (signal?: AbortSignal) => ({ ...PATIENCE, ...(signal && { signal }) });

for (const wire of WIRES) {
  for (const era of ERAS) {
    const story = (sentence: string, body: () => Promise<void>) =>
      Deno.test(`${wire}, ${era}: ${sentence}`, body);

    story("a server is met in its own dialect, lists its tools and answers", async () => {
      await using peer = await client(opener(wire, [], { era }));
      assert.equal(peer.hello.dialect.era, era);
      assert.equal(peer.hello.dialect.version, era === "modern" ? "2026-07-28" : "2025-11-25");
      const { tools, heldBack, problems } = await peer.listTools();
      assert.deepEqual(tools.map(({ name }) => name), [
        "echo",
        "slow",
        "env",
        "received",
        "fail",
        "pid",
      ]);
      assert.deepEqual([heldBack, problems], [[], []]);
      const result = await peer.callTool("echo", { word: "grüße 👋" }, call());
      assert.deepEqual(result.structuredContent, { word: "grüße 👋" });
    });

    story("a tool's no is a value, a peer's no is a ProtocolError", async () => {
      await using peer = await client(opener(wire, [], { era }));
      assert.equal((await peer.callTool("fail", {}, call())).isError, true);
      await assert.rejects(
        peer.callTool("no_such_tool", {}, call()),
        (error) => error instanceof ProtocolError && error.code === -32602,
      );
    });

    story("arguments called __proto__ arrive at the server", async () => {
      await using peer = await client(opener(wire, [], { era }));
      const args = JSON.parse('{"__proto__": 1, "constructor": 2}');
      const { structuredContent } = await peer.callTool("echo", args, call());
      assert.equal(JSON.stringify(structuredContent), '{"__proto__":1,"constructor":2}');
    });

    story(
      "an aborted call rejects with the caller's reason and is cancelled on the wire",
      async () => {
        const log = new Log();
        await using peer = await client(opener(wire, ["hang"], { era, log }));
        const leave = new AbortController();
        const hanging = peer.callTool("hang", {}, call(leave.signal));
        await log.until("tools/call");
        const reason = new Error("enough");
        leave.abort(reason);
        await assert.rejects(hanging, reason);
        const id = log.sent.find(({ method }) => method === "tools/call").id;
        await log.until("notifications/cancelled");
        assert.deepEqual(log.sent.at(-1).params, { requestId: id, reason: "enough" });
        assert.equal(textOf(await peer.callTool("echo", {}, call())), "{}");
      },
    );

    story("a call that was aborted before it began sends nothing", async () => {
      const log = new Log();
      await using peer = await client(opener(wire, [], { era, log }));
      const before = log.sent.length;
      const reason = new Error("never");
      await assert.rejects(peer.callTool("echo", {}, call(AbortSignal.abort(reason))), reason);
      assert.equal(log.sent.length, before);
    });

    story(
      "silence ends a call at the idle limit, with a name for the limit, and is cancelled",
      async () => {
        const log = new Log();
        const clock = new FakeClock();
        await using peer = await client(opener(wire, ["hang"], { era, log, clock }), clock);
        const hanging = peer.callTool("hang", {}, call());
        await log.until("tools/call");
        const ended = assert.rejects(
          hanging,
          (error) =>
            error instanceof TransportError && error.fault === "call_timeout" &&
            /no sign of life for 1m \(limits\.idle raises/.test(error.message),
        );
        await clock.tick(60_000);
        await ended;
        await log.until("notifications/cancelled");
      },
    );

    story("progress keeps a call alive, and the cap ends it all the same", async () => {
      const log = new Log();
      const clock = new FakeClock();
      await using peer = await client(
        opener(wire, ["endless-progress=1"], { era, log, clock }),
        clock,
      );
      let reports = 0;
      let next = Promise.withResolvers<void>();
      const endless = peer.callTool("endless", {}, {
        idle: { ms: 1_000, key: "limits.idle" },
        cap: { ms: 5_000, key: "limits.cap" },
        onProgress: () => {
          reports++;
          next.resolve();
        },
      });
      const ended = assert.rejects(endless, /no end after 5s \(limits\.cap raises/);
      for (let second = 0; second < 5; second++) {
        next = Promise.withResolvers();
        await next.promise;
        await clock.tick(999);
      }
      next = Promise.withResolvers();
      await next.promise;
      await clock.tick(5);
      await ended;
      assert(reports >= 5);
      await log.until("notifications/cancelled");
      assert(isObject(log.sent.find(({ method }) => method === "tools/call").params._meta));
    });

    story("calls side by side each get their own answer", async () => {
      await using peer = await client(opener(wire, [], { era }));
      const numbers = Array.from({ length: 200 }, (_, n) => n);
      const results = await Promise.all(numbers.map((n) => peer.callTool("echo", { n }, call())));
      assert.deepEqual(
        results.map(({ structuredContent }) => structuredContent),
        numbers.map((n) => ({ n })),
      );
    });

    story("a peer that is detached fails what waits and what comes", async () => {
      const log = new Log();
      const peer = await client(opener(wire, ["hang"], { era, log }));
      const hanging = peer.callTool("hang", {}, call());
      const ended = assert.rejects(hanging, /it was detached/);
      await log.until("tools/call");
      await peer[Symbol.asyncDispose]();
      await ended;
      await assert.rejects(peer.callTool("echo", {}, call()), /it was detached/);
      assert.equal((await peer.closed).fault, "closed");
    });

    story(
      "a server's calls are answered in the legacy dialect, id 0 too, and never in the modern one",
      async () => {
        const log = new Log();
        await using peer = await client(opener(wire, ["server-ping"], { era, log }));
        await peer.callTool("echo", {}, call());
        const replies = log.sent.filter(({ method }) => method === undefined);
        if (era === "modern") return assert.deepEqual(replies, []);
        assert.deepEqual(replies[0], { jsonrpc: "2.0", id: 0, result: {} });
        assert.equal(replies[1].id, "r1");
        assert.equal(replies[1].error.code, -32601);
      },
    );

    for (const fault of ["string-ids", "unknown-ids", "duplicate-replies"]) {
      story(`answers come through ${fault}`, async () => {
        await using peer = await client(opener(wire, [fault], { era }));
        const results = await Promise.all(
          [1, 2, 3].map((n) => peer.callTool("echo", { n }, call())),
        );
        assert.deepEqual(
          results.map(({ structuredContent }) => structuredContent),
          [1, 2, 3].map((n) => ({ n })),
        );
      });
    }

    story("an absent resultType is complete", async () => {
      await using peer = await client(opener(wire, ["no-result-type"], { era }));
      assert.equal((await peer.callTool("echo", { a: 1 }, call())).isError, false);
    });

    story("results of every shape come through", async () => {
      await using peer = await client(opener(wire, ["odd-content"], { era }));
      const { content, notes } = await peer.callTool("odd", {}, call());
      assert(content.length >= 4);
      assert.match(notes!.join(), /malformed/);
    });
  }

  Deno.test(`${wire}: an unknown resultType fails that call alone`, async () => {
    await using peer = await client(opener(wire, ["odd-result-type"], { era: "modern" }));
    await assert.rejects(
      peer.callTool("echo", {}, call()),
      (error) => error instanceof TransportError && error.fault === "garbled",
    );
    assert.equal((await peer.listTools()).tools.length, 6);
  });
}
