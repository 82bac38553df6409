import assert from "node:assert/strict";
import type { Client } from "../../lib/client/client.ts";
import type { Clock } from "../../lib/kit/clock.ts";
import { memoryTransport } from "../../lib/transport/memory.ts";
import { stdioTransport } from "../../lib/transport/stdio.ts";
import type { Transport } from "../../lib/transport/transport.ts";
import { flaky } from "../../servers/flaky.ts";
import { client, LIMITS, PATIENCE } from "../support/clients.ts";
import { FakeClock } from "../support/clock.ts";
import { ROOT } from "../support/paths.ts";
import { fetched, newPlace } from "../support/strangers.ts";
import { ear, officialProblems, ownProblems } from "../support/strangers_frames.ts";
import { type Era, type Frame, Log, opener, WIRES } from "../support/wire.ts";

Deno.test.beforeAll(fetched);

/** Far more than any of it takes. */
const timeout = 120_000;

/** The eras that are reached. */
const ERAS = ["modern", "legacy"] as const;

interface Dialogue {
  title: string;
  fault: string;
  era: typeof ERAS[number];
  /** What the server is asked to be, where the fault does not decide it. */
  asked?: Era;
  /** What we say in it, in this order, from the first word. */
  said: string[];
  talk(peer: Client, log: Log, clock: FakeClock): Promise<unknown>;
}

const echo = (peer: Client) => peer.callTool("echo", { a: 1 }, PATIENCE);
const MODERN = ["server/discover"];
const LEGACY = ["server/discover", "initialize", "notifications/initialized"];

const EITHER = ERAS.flatMap((era): Dialogue[] => {
  const hello = era === "modern" ? MODERN : LEGACY;
  const common = { era, asked: era };
  return [
    {
      ...common,
      title: "three pages",
      fault: "pages=3",
      said: [...hello, ...Array(3).fill("tools/list")],
      talk: (peer) => peer.listTools(),
    },
    {
      ...common,
      title: "a list that begins again",
      fault: "cursor-expires",
      said: [...hello, ...Array(6).fill("tools/list")],
      talk: (peer) => peer.listTools(),
    },
    {
      ...common,
      title: "a server that pings and asks for roots",
      fault: "server-ping",
      said: [...hello, "tools/call", ...era === "legacy" ? ["(reply)", "(reply)"] : []],
      talk: echo,
    },
    {
      ...common,
      title: "a call that the caller gives up",
      fault: "hang",
      said: [...hello, "tools/call", "notifications/cancelled", "tools/call"],
      async talk(peer, log) {
        const leave = new AbortController();
        const call = peer.callTool("hang", {}, { ...PATIENCE, signal: leave.signal });
        await log.until("tools/call");
        leave.abort(new Error("not wanted any more"));
        await assert.rejects(call, /not wanted any more/);
        await echo(peer);
      },
    },
    {
      ...common,
      title: "a call that runs into its limit",
      fault: "hang",
      said: [...hello, "tools/call", "notifications/cancelled"],
      async talk(peer, log, clock) {
        const call = assert.rejects(peer.callTool("hang", {}, PATIENCE), /no sign of life/);
        await log.until("tools/call");
        await clock.tick(PATIENCE.idle.ms);
        await call;
      },
    },
    {
      ...common,
      title: "a call that is given up after a report of progress",
      fault: "endless-progress=1",
      said: [...hello, "tools/call", "notifications/cancelled"],
      async talk(peer) {
        const leave = new AbortController();
        const onProgress = () => leave.abort(new Error("seen enough"));
        const options = { ...PATIENCE, signal: leave.signal, onProgress };
        await assert.rejects(peer.callTool("endless", {}, options), /seen enough/);
      },
    },
  ];
});

const DIALOGUES: readonly Dialogue[] = [
  ...EITHER,
  {
    title: "a probe that is made again in a supported version",
    fault: "unsupported=2099-01-01,2026-07-28",
    era: "modern",
    said: ["server/discover", "server/discover", "tools/call"],
    talk: echo,
  },
  {
    title: "a server that names only older versions",
    fault: "unsupported=2025-06-18,2025-11-25",
    era: "legacy",
    said: [...LEGACY, "tools/call"],
    talk: echo,
  },
  {
    title: "a server that will not introduce itself",
    fault: "discover-error=-32020",
    era: "modern",
    said: [...MODERN, "tools/call"],
    talk: echo,
  },
  {
    title: "a server that fails at the probe",
    fault: "discover-error=-32603",
    era: "legacy",
    said: [...LEGACY, "tools/call"],
    talk: echo,
  },
  {
    title: "a probe that stays unanswered",
    fault: "mute-discover",
    era: "legacy",
    said: [...LEGACY, "tools/call"],
    talk: echo,
  },
];

/** What is said in this dialogue, a line each, once it kept to our own rules. */
async function hold(wire: typeof WIRES[number], dialogue: Dialogue): Promise<string[]> {
  const { fault, era, asked, said, talk } = dialogue;
  const heard = ear();
  const log = new Log();
  const clock = new FakeClock();
  const onFrame: typeof heard.onFrame = (direction, line) => {
    heard.onFrame(direction, line);
    log.note(direction, line);
  };
  const meeting = client(
    wire === "stdio"
      ? () => overStdio(fault, asked, clock, onFrame)
      : () => inMemory(fault, asked, onFrame),
    clock,
  );
  if (fault === "mute-discover") {
    await log.until("server/discover");
    await clock.tick(LIMITS.probeMs);
  }
  {
    await using peer = await meeting;
    assert.equal(peer.hello.dialect.era, era);
    await talk(peer, log, clock);
  }
  assert.deepEqual(log.methods, said);
  assert.deepEqual(ownProblems(heard, era), []);
  return heard.sent;
}

type OnFrame = ReturnType<typeof ear>["onFrame"];

function overStdio(fault: string, era: Era | undefined, clock: Clock, onFrame: OnFrame): Transport {
  return stdioTransport({
    command: Deno.execPath(),
    args: [
      ...["run", "-A", "--no-config", "--quiet", "servers/flaky.ts", fault],
      ...era ? [`--${era}`] : [],
    ],
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: Deno.env.get("HOME") ?? "" },
    cwd: ROOT,
    clock,
    onFrame,
  });
}

function inMemory(fault: string, era: Era | undefined, onFrame: OnFrame): Transport {
  const handle = flaky([fault], era ? { dialect: era } : {});
  return memoryTransport((message, out) => {
    onFrame("sent", JSON.stringify(message) + "\n");
    return handle(message, out);
  });
}

function lineOf(frame: Frame): string {
  return JSON.stringify(frame) + "\n";
}

for (const wire of WIRES) {
  Deno.test(`every frame over ${wire} passes the official schemas and our own rules`, {
    timeout,
  }, async (t) => {
    const lines: string[] = [];
    for (const dialogue of DIALOGUES) {
      await t.step(`${dialogue.era}: ${dialogue.title}`, async () => {
        lines.push(...await hold(wire, dialogue));
      });
    }
    await using place = await newPlace();
    assert.deepEqual(await officialProblems(lines, place), []);
  });
}

Deno.test("a server that the probe killed is met again in frames that pass", {
  timeout,
}, async () => {
  const log = new Log();
  {
    await using peer = await client(opener("stdio", ["die-on-discover"], { log }));
    await echo(peer);
  }
  const [probe, ...others] = log.sent.map(lineOf);
  assert.deepEqual(ownProblems({ sent: [probe!], received: [] }, "modern"), []);
  assert.deepEqual(ownProblems({ sent: others, received: [] }, "legacy"), []);
  await using place = await newPlace();
  assert.deepEqual(await officialProblems([probe!, ...others], place), []);
});

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "t", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", _meta: META } };

Deno.test("the official schemas find what is wrong with a frame", { timeout }, async () => {
  const wrong: Record<string, Frame> = {
    "an id that is null": { ...CALL, id: null },
    "an id that is no integer": { ...CALL, id: 1.5 },
    "no jsonrpc": { ...CALL, jsonrpc: undefined },
    "a field too many": { ...CALL, extra: 1 },
    "a call of no tool": { ...CALL, params: { _meta: META } },
    "a method of no client": { ...CALL, method: "tools/run" },
    "a client without a version": {
      ...CALL,
      params: {
        name: "a",
        _meta: { ...META, "io.modelcontextprotocol/clientInfo": { name: "t" } },
      },
    },
    "a page by number": { ...CALL, method: "tools/list", params: { cursor: 2, _meta: META } },
    "an answer that is none": { jsonrpc: "2.0", id: 0, result: { roots: 1 } },
    "an error without a code": { jsonrpc: "2.0", id: 0, error: { message: "no" } },
  };
  await using place = await newPlace();
  for (const [title, frame] of Object.entries(wrong)) {
    const found = await officialProblems([lineOf(CALL), lineOf(frame)], place);
    assert(found.length > 0, `${title} was let pass`);
    assert(found.every((problem) => problem.endsWith(JSON.stringify(frame))), title);
  }
});

Deno.test("our own rules find what the official schemas let pass", { timeout }, async () => {
  const list = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: META["io.modelcontextprotocol/clientInfo"],
    },
  };
  const bare = Object.fromEntries(Object.entries(META).slice(0, 1));
  const passed: Record<string, { era: "modern" | "legacy"; sent: Frame[] }> = {
    "no _meta": { era: "modern", sent: [list] },
    "half of _meta": { era: "modern", sent: [{ ...list, params: { _meta: bare } }] },
    "no _meta after a hedged initialize": { era: "modern", sent: [initialize, list] },
    "a response to a modern server": {
      era: "modern",
      sent: [initialize, { jsonrpc: "2.0", id: 0, result: {} }],
    },
    "an envelope for a legacy server": {
      era: "legacy",
      sent: [initialize, { ...list, params: { _meta: META } }],
    },
    "an id used twice": { era: "legacy", sent: [initialize, { ...list, id: 1 }] },
    "an id that is text": { era: "modern", sent: [{ ...CALL, id: "1" }] },
    "a cancellation of nothing": {
      era: "modern",
      sent: [{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 9 } }],
    },
  };
  await using place = await newPlace();
  const all = Object.values(passed).flatMap(({ sent }) => sent).map(lineOf);
  assert.deepEqual(await officialProblems(all, place), []);
  for (const [title, { era, sent }] of Object.entries(passed)) {
    const found = ownProblems({ sent: sent.map(lineOf), received: [] }, era);
    assert(found.length > 0, `${title} was let pass`);
  }
  const split = JSON.stringify(CALL).replace(",", ",\n") + "\n";
  assert(ownProblems({ sent: [split], received: [] }, "modern").length > 0);
  assert.deepEqual(ownProblems({ sent: [lineOf(CALL)], received: [] }, "modern"), []);
});

Deno.test("every frame that the suite sends passes the official schemas", async () => {
  await using place = await newPlace();
  const file = await Deno.makeTempFile();
  try {
    const suite = ["contract_test.ts", "client", "registry/registry_test.ts", "transport"];
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", ...suite.map((path) => `tests/${path}`)],
      cwd: ROOT,
      env: { FUSEBOX_TEST_FRAMES: file, NO_COLOR: "1" },
      stderr: "inherit",
    }).output();
    assert(success, new TextDecoder().decode(stdout));
    const frames = (await Deno.readTextFile(file)).split(/(?<=\n)/);
    assert(frames.length > 1_000, `only ${frames.length} frames`);
    assert.deepEqual(await officialProblems(frames, place), []);
  } finally {
    await Deno.remove(file);
  }
});
