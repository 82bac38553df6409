/** Who watches a run: all hear the same, nobody is waited for, and nothing piles up. */
import assert from "node:assert/strict";
import type { News } from "../../lib/status/news.ts";
import { FakeClock, settle } from "../support/clock.ts";
import { server, Stage, tool } from "../support/status_stage.ts";

interface Event {
  name: string;
  // deno-lint-ignore no-explicit-any -- the wire is untyped
  data: any;
}

/** Somebody who reads all that comes, as it comes. */
class Watcher implements AsyncDisposable {
  readonly events: Event[] = [];
  bytes = 0;
  comments = 0;
  /** Settles when the stream ends, with what it fails with. */
  readonly over: Promise<unknown>;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
    this.over = this.#read().catch((error) => error);
  }

  /** The news in order, without what came at first. */
  get news(): News[] {
    return this.events.filter(({ name }) => name === "news").map(({ data }) => data);
  }

  async #read(): Promise<undefined> {
    const decoder = new TextDecoder();
    for (let rest = "";;) {
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.bytes += value.length;
      const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        if (name) this.events.push({ name, data: JSON.parse(data!) });
        else if (block.startsWith(":")) this.comments++;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}

async function house(): Promise<{ clock: FakeClock; stage: Stage; watch(): Promise<Watcher> }> {
  const clock = new FakeClock(1_000_000);
  const stage = new Stage({ clock });
  await stage.put(server("a", { tools: [tool("t")] }), server("b"));
  return {
    clock,
    stage,
    async watch() {
      const { body, headers } = await stage.get("/events");
      assert.match(headers.get("content-type")!, /^text\/event-stream/);
      const watcher = new Watcher(body!);
      await settle();
      return watcher;
    },
  };
}

Deno.test("/events begins with the whole state, the same as /status", async () => {
  const { stage, watch } = await house();
  await using watcher = await watch();
  assert.deepEqual(watcher.events, [
    { name: "snapshot", data: await (await stage.get("/status")).json() },
  ]);
});

Deno.test("/events tells of one change of state with that one server, soon", async () => {
  const { clock, stage, watch } = await house();
  await using watcher = await watch();
  await stage.put(server("b", { state: "offline" }));
  await clock.tick(100);
  assert.equal(watcher.news.length, 1);
  const [{ servers, changes, calls, run }] = watcher.news as [News];
  assert.deepEqual(servers!.map(({ alias, state }) => [alias, state]), [["b", "offline"]]);
  assert.deepEqual(changes!.map(({ alias }) => alias), ["b"]);
  assert.equal(calls, undefined);
  assert.equal(run, undefined);
});

Deno.test("/events gathers a flood of calls: few events, and a count of what was left out", async () => {
  const { clock, stage, watch } = await house();
  await using watcher = await watch();
  for (let n = 0; n < 50_000; n++) stage.call("a", `tool-${n}`, n % 7);
  assert.equal(watcher.events.length, 1, "nothing is written in the midst of calls");
  await clock.tick(100);
  assert.equal(watcher.news.length, 1);
  const [{ calls, left, servers }] = watcher.news as [News];
  assert.equal(calls!.length, 20);
  assert.equal(calls!.at(-1)!.tool, "tool-49999");
  assert.equal(left, 49_980);
  assert.equal(servers![0]!.calls.total, 50_000);
  assert(watcher.bytes < 40_000, `${watcher.bytes} bytes`);
});

Deno.test("/events tells of a flood a few times a second, and of what comes alone at once", async () => {
  const { clock, stage, watch } = await house();
  await using watcher = await watch();
  for (let ms = 0; ms < 3_000; ms += 10) {
    stage.call("a", "often");
    await clock.tick(10);
  }
  assert(watcher.news.length >= 8 && watcher.news.length <= 12, `${watcher.news.length} news`);
  await clock.tick(5_000);
  const before = watcher.news.length;
  stage.call("a", "alone");
  await clock.tick(100);
  assert.equal(watcher.news.length, before + 1);
});

Deno.test("/events says nothing when nothing happens, but that it is there", async () => {
  const { clock, watch } = await house();
  await using watcher = await watch();
  await clock.tick(14_900);
  assert.equal(watcher.events.length, 1);
  assert.equal(watcher.comments, 0);
  await clock.tick(1_100);
  assert.equal(watcher.events.length, 1, "that time passes is no news");
  assert.equal(watcher.comments, 1);
});

Deno.test("/events finds what changed without a word", async () => {
  const { clock, stage, watch } = await house();
  await using watcher = await watch();
  stage.ledger.onNews = () => {};
  await stage.put(server("a", { tools: [tool("t"), tool("more")] }));
  await clock.tick(1_000);
  const [{ servers, tools }] = watcher.news as [News];
  assert.equal(servers![0]!.tools.listed, 2);
  assert.equal(typeof tools, "number");
});

Deno.test("all who watch hear the same, and each begins with a state of its own", async () => {
  const { clock, stage, watch } = await house();
  await using early = await watch();
  stage.call("a", "first");
  await clock.tick(100);
  await using late = await watch();
  assert.equal(late.events[0]!.data.calls.length, 1, "what happened before is in the snapshot");
  stage.call("a", "second");
  await clock.tick(300);
  assert.deepEqual(late.news, [early.news[1]]);
});

Deno.test("who comes again after nobody watched is told nothing twice", async () => {
  const { clock, stage, watch } = await house();
  await using _ = await watch();
  await _[Symbol.asyncDispose]();
  stage.call("a", "meanwhile");
  await clock.tick(60_000);
  assert.equal(clock.sleepers, 0, "nothing is done while nobody watches");
  await using again = await watch();
  await clock.tick(2_000);
  assert.deepEqual(again.news, []);
  assert.equal(again.events[0]!.data.calls.length, 1);
});

Deno.test("who does not read is let go, and holds up nobody", async () => {
  const { clock, stage, watch } = await house();
  await using reading = await watch();
  const { body } = await stage.get("/events"); // Of whom nobody ever reads.
  assert.match(await (await stage.get("/metrics")).text(), /fusebox_status_watchers 2\n/);
  let rounds = 0;
  for (; rounds < 5_000; rounds++) {
    for (let n = 0; n < 50; n++) stage.call("a", `tool-${n}`);
    await clock.tick(300);
    if (/fusebox_status_watchers 1\n/.test(await (await stage.get("/metrics")).text())) break;
  }
  assert(rounds > 10, "a moment of not reading is no reason");
  assert(rounds < 1_000, "it was never let go");
  await assert.rejects(
    body!.getReader().read(),
    /does not read/,
    "what waited for it is let go too",
  );
  assert(reading.news.length >= rounds);
});

Deno.test("more than 64 at once are asked to come later", async () => {
  const { stage, watch } = await house();
  await using stack = new AsyncDisposableStack();
  for (let n = 0; n < 64; n++) stack.use(await watch());
  const answer = await stage.get("/events");
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get("retry-after"), "10");
});

Deno.test("end() tells how it stood and how it ended, and lets all go", async () => {
  const { clock, stage, watch } = await house();
  const watcher = await watch();
  stage.call("a", "last");
  stage.ledger.ending = "answered";
  stage.app.end();
  assert.equal(await watcher.over, undefined);
  const { name, data } = watcher.events.at(-1)!;
  assert.equal(name, "end");
  assert.equal(data.run.ending, "answered");
  assert.equal(data.calls.at(-1).tool, "last", "what was not told yet is in it");
  assert.equal(clock.sleepers, 0);
  assert.equal((await stage.get("/events")).status, 503);
  stage.app.end();
});
