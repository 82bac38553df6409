/** One story over every transport in both dialects. A new transport is one line in `support/wire.ts`. */
import assert from "node:assert/strict";
import { ProtocolError, TransportError } from "../lib/protocol/errors.ts";
import { isObject } from "../lib/protocol/codec.ts";
import type { ToolResult } from "../lib/protocol/tools.ts";
import { client, PATIENCE, registryOf } from "./support/clients.ts";
import { FakeClock } from "./support/clock.ts";
import { gone } from "./support/processes.ts";
import { GARBAGE, shell, wild } from "./support/wild.ts";
import { ERAS, type Frame, frameProblems, Log, opener, WIRES } from "./support/wire.ts";

function textOf(result: ToolResult): string {
  return result.content.map((part) => String(part.text)).join("");
}

/** A call that takes longer than it may is a bug of the test, not a wait. */
const call = (signal?: AbortSignal) => ({ ...PATIENCE, ...(signal && { signal }) });

const isRequest = (frame: Frame) => frame.method !== undefined && frame.id !== undefined;
const garbled = (error: unknown) => error instanceof TransportError && error.fault === "garbled";

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

    story("a reply may have both members, the one that is not meant being null", async () => {
      await using peer = await client(wild(wire, "old-style", { era }));
      assert.equal(peer.hello.dialect.era, era);
      assert.equal((await peer.listTools()).tools.length, 1);
      assert.deepEqual((await peer.callTool("echo", { n: 1 }, call())).structuredContent, { n: 1 });
      await assert.rejects(peer.callTool("none", {}, call()), ProtocolError);
    });

    story("an absent resultType is complete", async () => {
      await using peer = await client(opener(wire, ["no-result-type"], { era }));
      assert.equal((await peer.callTool("echo", { a: 1 }, call())).isError, false);
    });

    story("every frame of a whole session keeps the rules of its era", async () => {
      const log = new Log();
      const faults = ["pages=3", "hang", "server-ping"];
      await using peer = await client(opener(wire, faults, { era, log }));
      await peer.listTools();
      await Promise.all([peer.callTool("echo", {}, call()), peer.callTool("fail", {}, call())]);
      const leave = new AbortController();
      const hanging = assert.rejects(peer.callTool("hang", {}, call(leave.signal)));
      await log.until("tools/call", 3);
      leave.abort(new Error("two\nlines"));
      await hanging;
      const requests = log.sent.filter(isRequest);
      assert.deepEqual(
        requests.map(({ method }) => method).filter((method) => method.startsWith("tools/")),
        ["tools/list", "tools/list", "tools/list", "tools/call", "tools/call", "tools/call"],
      );
      assert.equal(new Set(requests.map(({ id }) => id)).size, requests.length);
      const greeted = log.methods.indexOf("initialize");
      for (const [at, frame] of log.sent.entries()) {
        const spoken = at > greeted && greeted >= 0 ? "legacy" : "modern";
        assert.deepEqual(frameProblems(frame, spoken, greeted >= 0), []);
      }
      if (era === "legacy") return;
      for (const { params: { _meta } } of requests) {
        for (const key of ["protocolVersion", "clientCapabilities"]) {
          assert(`io.modelcontextprotocol/${key}` in _meta, key);
        }
      }
      assert(log.sent.every(({ method }) => method !== undefined), "nothing was answered");
    });

    story("a list is read to its end through empty, null and blank cursors", async () => {
      for (const fault of ["empty-cursor", "empty-page", "null-cursor"]) {
        await using peer = await client(opener(wire, [fault], { era }));
        const { tools, problems } = await peer.listTools();
        assert(tools.length >= 6, `${fault}: ${tools.length} tools`);
        assert.deepEqual(problems, [], fault);
      }
    });

    story("a cursor that repeats ends a list, and what was read stays", async () => {
      const log = new Log();
      await using peer = await client(opener(wire, ["same-cursor"], { era, log }));
      const { tools, problems } = await peer.listTools();
      assert.equal(tools.length, 7);
      assert.match(problems.join(), /repeats a cursor after page 2/);
      assert.equal(log.methods.filter((method) => method === "tools/list").length, 2);

      const swings = new Log();
      await using other = await client(wild(wire, "pendulum", { era, log: swings }));
      const list = await other.listTools();
      assert.deepEqual(list.tools.map(({ name }) => name), ["one", "two"]);
      assert.match(list.problems.join(), /repeats a cursor/);
      assert(swings.methods.filter((method) => method === "tools/list").length <= 4);
    });

    story("a cursor that is refused at page 3 starts the list again, without twins", async () => {
      const log = new Log();
      await using peer = await client(opener(wire, ["cursor-expires"], { era, log }));
      const { tools, heldBack, problems } = await peer.listTools();
      const names = tools.map(({ name }) => name);
      assert.deepEqual(names.slice(-2), ["tool_2", "tool_3"]);
      assert.equal(new Set(names).size, names.length);
      assert.deepEqual([heldBack, problems], [[], []]);
      const lists = log.sent.filter(({ method }) => method === "tools/list");
      assert.deepEqual(lists.map(({ params }) => params.cursor), [
        ...[undefined, "2", "3"],
        ...[undefined, "2", "3"],
      ]);
    });

    story("silence ends a call at its cap where that comes first, and is cancelled", async () => {
      const log = new Log();
      const clock = new FakeClock();
      await using peer = await client(opener(wire, ["hang"], { era, log, clock }), clock);
      const ended = assert.rejects(
        peer.callTool("hang", {}, {
          idle: { ms: 2_500, key: "limits.idle" },
          cap: { ms: 500, key: "limits.cap" },
        }),
        /no end after 500ms \(limits\.cap raises/,
      );
      await log.until("tools/call");
      await clock.tick(499);
      assert(!log.methods.includes("notifications/cancelled"));
      await clock.tick(1);
      await ended;
      await log.until("notifications/cancelled");
      const { id } = log.sent.find(({ method }) => method === "tools/call");
      assert.equal(log.sent.at(-1).params.requestId, id);
    });

    story("an answer that comes after its call was given up is nobody's, twice", async () => {
      const log = new Log();
      const clock = new FakeClock();
      await using peer = await client(wild(wire, "late", { era, log, clock }), clock);
      const ended = assert.rejects(peer.callTool("late", {}, call()), /no sign of life/);
      await log.until("tools/call");
      await clock.tick(60_000);
      await ended;
      const { structuredContent } = await peer.callTool("echo", { n: 1 }, call());
      assert.deepEqual(structuredContent, { n: 1 });
      assert.equal(log.received.filter((line) => line.includes("too late")).length, 2);
      assert.equal((await peer.listTools()).tools.length, 2);
    });

    story("answers come through noise, odd encodings, split characters and odd ids", async () => {
      const faults = ["banner", "crlf", "blank-lines", "noise", "invalid-utf8", "drip"];
      const ids = ["string-ids", "unknown-ids", "duplicate-replies"];
      await using peer = await client(opener(wire, [...faults, ...ids], { era }));
      const words = ["grüße", "漢字", "👋🏽", "\u2028", "\ufeffmark", "\0"];
      const results = await Promise.all(
        words.map((word) => peer.callTool("echo", { word }, call())),
      );
      assert.deepEqual(
        results.map(({ structuredContent }) => structuredContent),
        words.map((word) => ({ word })),
      );
    });

    story("50 MB in one line fail at most their own call", async () => {
      await using peer = await client(opener(wire, ["huge-line=50000000"], { era }));
      const huge = peer.callTool("huge", {}, call());
      const others = [1, 2, 3].map((n) => peer.callTool("echo", { n }, call()));
      // In memory there are no lines, and so no cap.
      if (wire === "memory") assert.equal(textOf(await huge).length, 50_000_000);
      else {
        await assert.rejects(
          huge,
          (error) => garbled(error) && /47\.7 MiB, over the cap of 32\.0 MiB/.test(String(error)),
        );
      }
      for (const [n, other] of others.entries()) {
        assert.deepEqual((await other).structuredContent, { n: n + 1 });
      }
      assert.equal((await peer.callTool("echo", {}, call())).isError, false);
    });

    story("lone surrogates cross in both directions", async () => {
      await using peer = await client(opener(wire, [], { era }));
      const args = { "\ud800": ["\udc00", "a\ud83d", "\ude00\ud83d", "😀"] };
      const result = await peer.callTool("echo", args, call());
      assert.deepEqual(result.structuredContent, args);
      assert.deepEqual(JSON.parse(textOf(result)), args);
    });

    story("100,000 small lines come in order, and the answer behind them", async () => {
      const count = 100_000;
      await using peer = await client(wild(wire, "talkative", { era }));
      let last = 0;
      let disorder = 0;
      const result = await peer.callTool("talk", { count }, {
        ...PATIENCE,
        onProgress: ({ progress }) => {
          if (progress !== last + 1) disorder++;
          last = progress;
        },
      });
      assert.deepEqual([textOf(result), last, disorder], ["said all", count, 0]);
    });

    story(
      "a server's calls before the handshake are answered behind initialize, or not at all",
      async () => {
        const log = new Log();
        await using peer = await client(wild(wire, "curious", { era, log }));
        assert.deepEqual((await peer.callTool("echo", { n: 1 }, call())).structuredContent, {
          n: 1,
        });
        const replied = log.methods.indexOf("(reply)");
        if (era === "modern") assert.equal(replied, -1);
        else if (replied >= 0) assert(replied > log.methods.indexOf("initialize"));
      },
    );

    story("structured content may be any JSON value, and its schema's word is kept", async () => {
      let fetched = 0;
      await using site = Deno.serve({ port: 0, onListen() {} }, () => {
        fetched++;
        return Response.json({});
      });
      const arg = `http://127.0.0.1:${site.addr.port}/schema.json`;
      await using registry = registryOf({ a: wild(wire, "results", { era, arg }) });
      await registry.attachAll();
      const valid: Record<string, unknown> = {
        array: [1, "two", null],
        scalar: 7,
        text: "word",
        no: false,
        null: null,
        plain: { any: "thing" },
        "draft-07": ["one", 1],
      };
      for (const [name, value] of Object.entries(valid)) {
        const { structuredContent, notes, isError } = await registry.call(`a.${name}`, {});
        assert.deepEqual([structuredContent, notes, isError], [value, undefined, false], name);
      }
      const flagged: Record<string, RegExp> = {
        mismatch: /does not match .*: count: expected an integer, got a string/,
        "array-mismatch": /does not match .*: expected an object, got an array/,
        "null-mismatch": /does not match .*: expected an object, got null/,
        "draft-07-mismatch": /does not match .*: \[2\]/,
        dialect: /was not checked: its \$schema is "https:\/\/example\.com\/my-own"/,
        remote: /was not checked: \$ref ".*" leads outside .*nothing is fetched/,
        "remote-deep": /was not checked: \$ref ".*" leads outside .*nothing is fetched/,
        loop: /was not checked: .*leads back to itself/,
      };
      for (const [name, note] of Object.entries(flagged)) {
        const { structuredContent, notes, isError, failure } = await registry.call(`a.${name}`, {});
        assert.deepEqual([isError, failure, notes?.length], [false, undefined, 1], name);
        assert.match(notes![0]!, note);
        assert.notEqual(structuredContent, undefined, name);
      }
      assert.equal(fetched, 0);
    });

    story("schemas and values 10,000 levels deep cost one note, and no server", async () => {
      await using registry = registryOf({ a: wild(wire, "deep", { era }) });
      await registry.attachAll();
      assert.equal(registry.servers()[0]?.state, "online", registry.servers()[0]?.reason?.message);
      const schema = await registry.call("a.deep-schema", {});
      assert.match(schema.notes!.join(), /was not checked: .*nested more than 200 levels deep/);
      const value = await registry.call("a.deep-value", {});
      assert.match(value.notes!.join(), /was not checked: the value is nested too deeply/);
      assert.equal((await registry.call("a.echo", {})).isError, false);
    });

    story(
      "tools named alike over two servers of one name each have a name of their own",
      async () => {
        const of = (arg: string) => wild(wire, "alike", { era, arg });
        await using registry = registryOf({ left: of("left"), right: of("right") });
        await using mirrored = registryOf({ right: of("right"), left: of("left") });
        await Promise.all([registry.attachAll(), mirrored.attachAll()]);
        assert.deepEqual(registry.servers().map(({ server }) => server?.name), ["wild", "wild"]);
        const names = [...registry.table.entries.keys()];
        assert.deepEqual(names, [...mirrored.table.entries.keys()]);
        assert.equal(names.length, 6);
        for (const alias of ["left", "right"]) {
          for (const tool of ["search", "Search", "SEARCH"]) {
            const name = `mcp__${alias}__${tool}`;
            assert(names.includes(name), name);
            for (const by of [name, `${alias}.${tool}`]) {
              assert.equal(textOf(await registry.call(by, {})), `${tool} of ${alias}`);
            }
          }
        }
      },
    );

    story("results of every shape come through", async () => {
      await using peer = await client(opener(wire, ["odd-content"], { era }));
      const { content, notes } = await peer.callTool("odd", {}, call());
      assert(content.length >= 4);
      assert.match(notes!.join(), /malformed/);
    });
  }

  Deno.test(`${wire}: an unknown resultType fails that call alone`, async () => {
    await using peer = await client(opener(wire, ["odd-result-type"], { era: "modern" }));
    await assert.rejects(peer.callTool("echo", {}, call()), garbled);
    assert.equal((await peer.listTools()).tools.length, 6);
    await using other = await client(wild(wire, "result-type", { era: "modern" }));
    for (const as of ["", "Complete", "input_required", null, 7, ["complete"]]) {
      await assert.rejects(other.callTool("echo", { as }, call()), garbled, JSON.stringify(as));
    }
    assert.equal((await other.callTool("echo", { as: "complete" }, call())).isError, false);
  });

  Deno.test(`${wire}: an answer to the probe that is no answer leads to initialize`, async () => {
    for (const [index, garbage] of GARBAGE.entries()) {
      const log = new Log();
      await using peer = await client(wild(wire, "garbage", { log, arg: String(index) }));
      const shown = JSON.stringify(garbage);
      assert.equal(peer.hello.dialect.version, "2025-11-25", shown);
      assert.deepEqual(log.methods, [
        "server/discover",
        "initialize",
        "notifications/initialized",
      ], shown);
      assert.equal((await peer.callTool("echo", {}, call())).isError, false, shown);
    }
  });

  Deno.test(`${wire}: a server that the probe kills is started again and greeted`, async () => {
    const log = new Log();
    await using peer = await client(opener(wire, ["die-on-discover"], { log }));
    assert.equal(peer.hello.dialect.era, "legacy");
    assert.deepEqual(log.methods.slice(0, 2), ["server/discover", "initialize"]);
  });
}

for (const era of ERAS) {
  Deno.test({
    name: `stdio, ${era}: a stubborn server with a family and a flood on stderr is gone in time`,
    ignore: Deno.build.os === "windows", // No process groups.
    fn: async () => {
      const clock = new FakeClock();
      const faults = ["deaf", "deaf-grandchild", "grandchild=quiet", "stderr-flood=500000", "hang"];
      const log = new Log();
      const peer = await client(opener("stdio", faults, { era, clock, log }), clock);
      const { structuredContent } = await peer.callTool("pid", {}, call());
      const { pid, children } = structuredContent as { pid: number; children: number[] };
      assert.equal(children.length, 2);
      const ended = assert.rejects(peer.callTool("hang", {}, call()), /it was detached/);
      await log.until("tools/call", 2);
      const leaving = peer[Symbol.asyncDispose]();
      // The end of its stdin, SIGTERM, SIGKILL.
      await clock.tick(1_000);
      await Promise.all([leaving, ended]);
      await gone([pid, ...children]);
    },
  });

  Deno.test({
    name: `stdio, ${era}: 100 MB of calls to a server that reads none of them end in time`,
    ignore: Deno.build.os === "windows", // No sh.
    fn: async () => {
      const clock = new FakeClock();
      const peer = await client(shell("exec sleep 1000", { era, clock, watched: false }), clock);
      const megabyte = "x".repeat(1 << 20);
      const before = Deno.memoryUsage().external;
      const fates: string[] = [];
      const calls: Promise<unknown>[] = [];
      for (let round = 0; round < 10; round++) {
        for (let n = 0; n < 10; n++) {
          const calling = peer.callTool("deaf", { megabyte }, call());
          calls.push(calling.then(
            () => fates.push("answered"),
            (error) => fates.push(error.fault),
          ));
        }
        await new Promise((resolve) => setTimeout(resolve, 0)); // One write for each round.
      }
      const refused = fates.length;
      assert(refused >= 20 && fates.every((fate) => fate === "closed"), `${refused} were refused`);
      assert(Deno.memoryUsage().external - before < 200 << 20, "what is not read is not kept");
      await clock.tick(60_000);
      await Promise.all(calls);
      assert.deepEqual(new Set(fates), new Set(["closed", "call_timeout"]));
      const leaving = peer[Symbol.asyncDispose]();
      await clock.tick(1_000);
      await leaving;
    },
  });
}
