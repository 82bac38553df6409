import assert from "node:assert/strict";
import { TransportError } from "../../lib/protocol/errors.ts";
import { client, PATIENCE } from "../support/clients.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { Log, opener, type Wire, WIRES } from "../support/wire.ts";

/** Meets a server with these faults, ends the connection, and tells what was said on the way. */
async function meet(wire: Wire, faults: string[]): Promise<{ dialect: string; said: string[] }> {
  const log = new Log();
  await using peer = await client(opener(wire, faults, { log }));
  assert.equal((await peer.callTool("echo", { a: 1 }, PATIENCE)).isError, false);
  const said = log.methods.filter((method) => /discover|initialize/.test(method));
  return { dialect: peer.hello.dialect.version, said };
}

const HANDSHAKE = ["server/discover", "initialize", "notifications/initialized"];

for (const wire of WIRES) {
  for (const code of [-32601, -32602, -32603, -32000, 0]) {
    Deno.test(`shakeHands() over ${wire} takes error ${code} for a legacy server, on the same process`, async () => {
      assert.deepEqual(await meet(wire, [`discover-error=${code}`]), {
        dialect: "2025-11-25",
        said: HANDSHAKE,
      });
    });
  }

  for (const code of [-32020, -32021]) {
    Deno.test(`shakeHands() over ${wire} never sends initialize after error ${code}`, async () => {
      assert.deepEqual(await meet(wire, [`discover-error=${code}`]), {
        dialect: "2026-07-28",
        said: ["server/discover"],
      });
    });
  }

  Deno.test(`shakeHands() over ${wire} asks again with a version that the server supports`, async () => {
    assert.deepEqual(await meet(wire, ["unsupported=2099-01-01,2026-07-28"]), {
      dialect: "2026-07-28",
      said: ["server/discover", "server/discover"],
    });
  });

  Deno.test(`shakeHands() over ${wire} sends initialize where only older versions are supported`, async () => {
    assert.deepEqual(await meet(wire, ["unsupported=2025-06-18,2025-11-25"]), {
      dialect: "2025-11-25",
      said: HANDSHAKE,
    });
  });

  for (const fault of ["unsupported=2099-01-01", "unsupported-bare"]) {
    Deno.test(`shakeHands() over ${wire} gives up on ${fault} with a clear reason`, async () => {
      const log = new Log();
      await assert.rejects(
        client(opener(wire, [fault], { log })),
        (error) =>
          error instanceof TransportError && error.fault === "version_mismatch" &&
          /it speaks protocol version .*fusebox speaks 2026-07-28/.test(error.message),
      );
      assert(!log.methods.includes("initialize"));
    });
  }

  Deno.test(`shakeHands() over ${wire} does not take a served tools/list for a modern server`, async () => {
    assert.equal((await meet(wire, ["no-handshake-needed"])).dialect, "2025-11-25");
  });

  Deno.test(`shakeHands() over ${wire} hedges a silent probe after three seconds, and goes legacy`, async () => {
    const log = new Log();
    const clock = new FakeClock();
    const meeting = client(opener(wire, ["mute-discover"], { log, clock }), clock);
    await log.until("server/discover");
    await clock.tick(2_999);
    assert(!log.methods.includes("initialize"));
    await clock.tick(1);
    await using peer = await meeting;
    assert.equal(peer.hello.dialect.era, "legacy");
    assert.equal((await peer.listTools()).tools.length, 6);
  });

  Deno.test(`shakeHands() over ${wire} gives a mute server up at the handshake limit`, async () => {
    const log = new Log();
    const clock = new FakeClock();
    const meeting = client(opener(wire, ["mute"], { log, clock }), clock);
    const ended = assert.rejects(
      meeting,
      (error) =>
        error instanceof TransportError && error.fault === "handshake_timeout" &&
        /within 30s .*servers\.peer\.limits\.handshake/.test(error.message),
    );
    await log.until("server/discover");
    await clock.tick(3_000);
    await log.until("initialize");
    await clock.tick(27_000);
    await ended;
  });
}

Deno.test("shakeHands() starts a server again that the probe killed, and goes legacy", async () => {
  assert.deepEqual(await meet("stdio", ["die-on-discover"]), {
    dialect: "2025-11-25",
    said: HANDSHAKE,
  });
});

Deno.test("shakeHands() tells how a server ended that dies at its start", async () => {
  const log = new Log();
  await assert.rejects(
    client(opener("stdio", ["exit-at-start=7"], { log })),
    (error) =>
      error instanceof TransportError && error.fault === "exited" &&
      /exit code 7/.test(error.message),
  );
});

// mcp-reality A 3.3.0: such a server answers the probe first and is legacy all the same.
for (const slow of [false, true]) {
  const when = slow ? "after the hedge" : "at once";
  Deno.test(`shakeHands() lets initialize decide when both are answered ${when}`, async () => {
    const log = new Log();
    const clock = new FakeClock();
    const held = Promise.withResolvers<void>();
    const { flaky } = await import("../../servers/flaky.ts");
    const { inMemory } = await import("../support/wire.ts");
    const handler = flaky(["discover-then-legacy"]);
    const open = () =>
      inMemory(async (message, out) => {
        if (slow && message.method === "server/discover") await held.promise;
        return await handler(message, out);
      }, log);
    const meeting = client(open, clock);
    if (slow) {
      await log.until("server/discover");
      await clock.tick(3_000);
      await log.until("initialize");
      held.resolve();
    }
    await using peer = await meeting;
    assert.equal(peer.hello.dialect.era, slow ? "legacy" : "modern");
  });
}

Deno.test("shakeHands() goes modern when a hedged initialize is refused or stays unanswered", async () => {
  const { server } = await import("../../servers/server.ts");
  const { inMemory } = await import("../support/wire.ts");
  for (const mute of [false, true]) {
    const log = new Log();
    const clock = new FakeClock();
    const awake = Promise.withResolvers<void>();
    const handler = server({ name: "modern", version: "1", tools: [] });
    const open = () =>
      inMemory(async (message, out) => {
        await awake.promise;
        if (mute && message.method === "initialize") return undefined;
        return await handler(message, out);
      }, log);
    const meeting = client(open, clock);
    await log.until("server/discover");
    await clock.tick(3_000);
    await log.until("initialize");
    awake.resolve();
    await settle();
    if (mute) await clock.tick(3_000);
    await using peer = await meeting;
    assert.equal(peer.hello.dialect.era, "modern");
  }
});

Deno.test("shakeHands() does not start a second process for a caller who has left", async () => {
  const { shakeHands } = await import("../../lib/client/handshake.ts");
  const leave = new AbortController();
  let starts = 0;
  const inner = opener("stdio", ["die-on-discover"]);
  const open = () => {
    starts++;
    leave.abort(new Error("gone"));
    return inner();
  };
  await assert.rejects(
    shakeHands(open, {
      clock: new FakeClock(),
      client: { name: "t", version: "0" },
      probeMs: 3_000,
      signal: leave.signal,
    }),
    /gone/,
  );
  assert.equal(starts, 1);
});

Deno.test("shakeHands() asks again with the version that a slow server names, also behind the hedge", async () => {
  const { flaky } = await import("../../servers/flaky.ts");
  const { inMemory } = await import("../support/wire.ts");
  const log = new Log();
  const clock = new FakeClock();
  const awake = Promise.withResolvers<void>();
  // As a modern server behind a cold npx: it knows no initialize, and refuses the first version.
  const handler = flaky(["unsupported=2099-01-01,2026-07-28"]);
  const open = () =>
    inMemory(async (message, out) => {
      await awake.promise;
      return await handler(message, out);
    }, log);
  const meeting = client(open, clock);
  await log.until("server/discover");
  await clock.tick(3_000);
  await log.until("initialize");
  awake.resolve();
  await settle();
  await clock.tick(3_000);
  await using peer = await meeting;
  assert.equal(peer.hello.dialect.version, "2026-07-28");
  assert.deepEqual(log.methods, ["server/discover", "initialize", "server/discover"]);
});

Deno.test("shakeHands() does not ask for ever when each version it names is refused", async () => {
  for (const supported of [["2026-07-28"], ["2026-07-28", 7, null], "2026-07-28", [], [7]]) {
    const { inMemory } = await import("../support/wire.ts");
    const log = new Log();
    const error = { code: -32022, message: "no", data: { supported } };
    const open = () =>
      inMemory(({ id }) => Promise.resolve(id === undefined ? undefined : { id, error }), log);
    await assert.rejects(
      client(open),
      (error) => error instanceof TransportError && error.fault === "version_mismatch",
    );
    assert(log.methods.length <= 2 && !log.methods.includes("initialize"), log.methods.join());
  }
});

for (const era of ["modern", "legacy"] as const) {
  Deno.test(`shakeHands() declares nothing to a ${era} server that it can't serve`, async () => {
    const log = new Log();
    await using _ = await client(opener("memory", [], { log, era }));
    const declared = log.sent.map(({ params }) =>
      params?.capabilities ?? params?._meta?.["io.modelcontextprotocol/clientCapabilities"]
    );
    assert.deepEqual(declared[0], {});
    assert.deepEqual(declared.filter((it) => it !== undefined && JSON.stringify(it) !== "{}"), []);
  });
}

Deno.test("a legacy server that calls for roots, sampling or elicitation is told that there is none", async () => {
  const { inMemory } = await import("../support/wire.ts");
  const { flaky } = await import("../../servers/flaky.ts");
  const log = new Log();
  const handler = flaky([], { dialect: "legacy" });
  const methods = ["roots/list", "sampling/createMessage", "elicitation/create", "no/such"];
  const open = () =>
    inMemory((message, out) => {
      if (message.method === "tools/call") {
        for (const [id, method] of methods.entries()) out?.({ jsonrpc: "2.0", id, method });
      }
      return handler(message, out);
    }, log);
  await using peer = await client(open);
  assert.equal((await peer.callTool("echo", {}, PATIENCE)).isError, false);
  const replies = log.sent.filter(({ method }) => method === undefined);
  assert.deepEqual(
    replies.map(({ id, error }) => [id, error.code]),
    methods.map((_, id) => [id, -32601]),
  );
});

Deno.test("shakeHands() tells an answer to initialize that is none from a refusal", async () => {
  for (const wire of WIRES) {
    await assert.rejects(
      client(opener(wire, ["no-object=initialize"], { era: "legacy" })),
      (error) =>
        error instanceof TransportError && error.fault === "garbled" &&
        /^the answer is a result that is no object$/.test(error.message),
    );
  }
});
