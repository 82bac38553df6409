/** Strangers who write whatever comes into their heads: seeded, so that what fails fails again. @module */
import assert from "node:assert/strict";
import type { Client } from "../lib/client/client.ts";
import { ERROR_MESSAGE_MAX } from "../lib/protocol/codec.ts";
import { ProtocolError, TransportError } from "../lib/protocol/errors.ts";
import { NAME_MAX, type ToolResult } from "../lib/protocol/tools.ts";
import { PATIENCE } from "./support/clients.ts";
import { held } from "./support/heap.ts";
import type { Json } from "./support/mutate.ts";
import { Session } from "./support/session.ts";

/** Of all that is spoilt, this much in one sitting. `FUZZ_FRAMES=…` has more or less of it. */
const FRAMES = Number(Deno.env.get("FUZZ_FRAMES") ?? 20_000);
const SITTING = FRAMES / 4;
/** One session alone: the one that a failure names. */
const SEED = Deno.env.get("FUZZ_SEED");
const MiB = 2 ** 20;

const LEFT = new Error("the user left");
/** How often each end came: a fuzzer that gets nowhere finds nothing. */
const ends = new Map<string, number>();

/** What may come out of a client, and nothing else. */
function look(ended: PromiseSettledResult<unknown>): void {
  const end = ended.status === "fulfilled" ? "ok" : endOf(ended.reason);
  ends.set(end, (ends.get(end) ?? 0) + 1);
}

function endOf(reason: unknown): string {
  if (reason === LEFT) return "left";
  if (reason instanceof TransportError) return reason.fault;
  if (!(reason instanceof ProtocolError)) throw reason;
  assert.equal(typeof reason.code, "number");
  assert(reason.message.length <= ERROR_MESSAGE_MAX + 1);
  return "refusal";
}

function lookAtResult(result: ToolResult): void {
  for (const part of result.content) assert.equal(typeof part.type, "string");
  assert.equal(typeof result.isError, "boolean");
  for (const note of result.notes ?? []) assert(note.length < 500, note);
}

async function lookAtList(peer: Client): Promise<void> {
  const { tools, heldBack, problems } = await peer.listTools();
  for (const { name, inputSchema } of tools) {
    assert(typeof name === "string" && name !== "" && name.length <= NAME_MAX);
    assert.equal(inputSchema.type, "object");
  }
  assert.equal(new Set(tools.map(({ name }) => name)).size, tools.length);
  for (const { why } of heldBack) assert(why.length < 500, why);
  for (const problem of problems) assert(problem.length < 500, problem);
}

/** Some work at once, while the server writes what it should not. */
async function spoiltRound(session: Session, peer: Client): Promise<void> {
  const { mutator } = session;
  session.spoils = 1 + mutator.below(3);
  const work: Promise<void>[] = [];
  if (mutator.odds(3)) work.push(lookAtList(peer));
  for (let n = 1 + mutator.below(4); n > 0; n--) {
    const leaving = mutator.odds(4) ? new AbortController() : undefined;
    const call = peer.callTool("search", { n }, {
      ...PATIENCE,
      signal: leaving?.signal ?? session.life.signal,
      onProgress: ({ progress, message }) => {
        assert.equal(typeof progress, "number");
        assert(message === undefined || typeof message === "string");
      },
    });
    work.push(call.then(lookAtResult));
    leaving?.abort(LEFT);
  }
  for (let n = mutator.below(8); n > 0; n--) session.stray();
  for (const ended of await session.ends(work)) look(ended);
}

async function honestRound(session: Session, peer: Client, round: number): Promise<void> {
  session.reform();
  const name = `healthy ${round}`;
  const result = await session.soon(peer.callTool(name, {}, PATIENCE));
  assert.deepEqual(result, { content: [{ type: "text", text: name }], isError: false });
}

/** A server goes, in the midst of work or before it. */
async function leave(session: Session, peer: Client): Promise<void> {
  const work = [peer.callTool("search", {}, PATIENCE), peer.listTools()];
  if (session.mutator.odds(2)) session.leave();
  else setTimeout(() => session.leave(), 0);
  for (const ended of await session.ends(work)) look(ended);
  assert.equal((await peer.closed).fault, "exited");
  await assert.rejects(peer.callTool("healthy", {}, PATIENCE), TransportError);
}

interface Played {
  frames: number;
  peer: WeakRef<object>;
  /** Bytes that the client came to hold between the middle of its life and the end of it. */
  grown: number;
}

/** A life of one client: met, spoken to, and left. @param frames how many lines are to be spoilt */
async function play(seed: number, frames = 0): Promise<Played> {
  await using session = new Session(seed);
  const { mutator } = session;
  const bugs: unknown[] = [];
  const catching = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    bugs.push(event.reason);
  };
  addEventListener("unhandledrejection", catching);
  try {
    // Of most, the beginning is honest: they would not come to the rest.
    session.spoils = frames === 0 && mutator.odds(3) ? 1 : 0;
    let met: Client | undefined;
    const [meeting] = await session.ends([session.connect().then((peer) => met = peer)]);
    if (!met) {
      look(meeting!);
      assert(session.frames > 0, "an honest server is met");
      return { frames: session.frames, peer: new WeakRef(session), grown: 0 };
    }
    await using peer = met;
    let middle: number | undefined;
    for (let left = 1 + mutator.below(4); left > 0 || session.frames < frames; left--) {
      await spoiltRound(session, peer);
      await honestRound(session, peer, left);
      if (session.frames > frames / 2) middle ??= frames && held();
    }
    const grown = frames && held() - middle!;
    if (mutator.odds(4)) await leave(session, peer);
    assert.deepEqual(bugs, []);
    return { frames: session.frames, peer: new WeakRef(peer), grown };
  } catch (error) {
    const [why] = [...bugs, error];
    const told = why instanceof Error ? why.stack : String(why);
    throw new Error(`FUZZ_SEED=${seed} (${session.kind}): ${told}\n${session.trail}`);
  } finally {
    removeEventListener("unhandledrejection", catching);
  }
}

Deno.test(`the client gets over ${FRAMES} spoilt frames: no crash, no hang, no leak`, async (t) => {
  if (SEED !== undefined) return void await play(Number(SEED));
  let [frames, seed, most, slowest] = [0, 0, 0, 0];

  await t.step("one client, who hears a quarter of them", async () => {
    const played = await play(++seed, SITTING);
    frames += played.frames;
    assert(played.grown < MiB, `${played.grown} bytes are kept of what was read`);
  });

  await t.step("many clients, who hear the rest", async () => {
    const peers: WeakRef<object>[] = [];
    const before = held();
    while (frames < FRAMES) {
      const began = performance.now();
      const played = await play(++seed);
      slowest = Math.max(slowest, performance.now() - began);
      frames += played.frames;
      peers.push(played.peer);
      if (seed % 50 === 0) most = Math.max(most, Deno.memoryUsage().heapUsed);
    }
    const grown = held() - before;
    const alive = peers.filter((peer) => peer.deref() !== undefined).length;
    assert(grown < 4 * MiB, `${grown} bytes are kept of what was read`);
    assert(alive <= 1, `${alive} of ${peers.length} clients are still held`);
    assert(most < 512 * MiB, `${most} bytes were in use`);
    // It is about twenty milliseconds; what explodes takes minutes.
    assert(slowest < 10_000, `one session took ${slowest} ms`);
    assert.equal(({} as Json).polluted, undefined);
  });

  await t.step("and they saw something of the world", () => {
    const least: Record<string, number> = {
      ...{ ok: 0.05, refusal: 0.01, garbled: 0.005, call_timeout: 0.05, left: 0.01 },
      ...{ list_timeout: 0.001, version_mismatch: 0.0003, handshake_timeout: 0.001, exited: 0.001 },
    };
    for (const [end, share] of Object.entries(least)) {
      const times = ends.get(end) ?? 0;
      assert(times >= share * FRAMES, `only ${times} times ${end}: ${[...ends]}`);
    }
  });
});
