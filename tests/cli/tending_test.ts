/** Servers that nobody calls are looked after: asked at intervals, given up when they are silent, met again. */
import assert from "node:assert/strict";
import { tend } from "../../lib/cli/tending.ts";
import { DEFAULT_FUSE, DEFAULT_LIMITS } from "../../lib/config/config.ts";
import type { Opener } from "../../lib/client/handshake.ts";
import { TransportError } from "../../lib/protocol/errors.ts";
import type { Registry } from "../../lib/registry/registry.ts";
import { eventually } from "../support/cli.ts";
import { FakeClock } from "../support/clock.ts";
import { registryOf } from "../support/clients.ts";
import { type Era, inMemory, Log } from "../support/wire.ts";
import { flaky } from "../../servers/flaky.ts";

const EVERY_MS = 15_000;

/** Looks after these servers; the time between two looks is one thing, the time of servers another. */
class Watch implements AsyncDisposable {
  readonly rounds = new FakeClock();
  readonly clock = new FakeClock(1_000_000);
  /** Whether each look was answered, by alias. */
  readonly checks: [alias: string, answered: boolean][] = [];
  readonly registry: Registry;
  readonly #leaving = new AbortController();
  readonly #over: Promise<unknown>;

  constructor(openers: Record<string, Opener>) {
    this.registry = registryOf(openers, { clock: this.clock, random: () => 0.5 });
    this.#over = tend(this.registry, {
      clock: this.rounds,
      everyMs: EVERY_MS,
      signal: this.#leaving.signal,
      onCheck: (alias, _, answered) => this.checks.push([alias, answered]),
    }).catch((error) => error);
  }

  /** Resolves once so many servers wait for the next look. */
  async rest(count = 1): Promise<void> {
    await eventually(() => {
      const { sleepers } = this.rounds;
      return sleepers === count ? undefined : `${sleepers} at rest, not ${count}`;
    });
  }

  async reaches(alias: string, wanted: string): Promise<void> {
    await eventually(() => {
      const { state, fuse } = this.registry.servers().find((it) => it.alias === alias)!;
      const now = `${state}, ${fuse.state}`;
      return now === wanted ? undefined : `${alias} is ${now}, not ${wanted}`;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort("left");
    assert.equal(await this.#over, "left");
    assert.equal(this.rounds.sleepers, 0);
    await this.registry[Symbol.asyncDispose]();
    assert.equal(this.clock.sleepers, 0);
  }
}

/** A server that answers unless it is mute. */
class Moody {
  readonly log = new Log();
  isMute = false;
  opened = 0;
  constructor(readonly era: Era) {}
  readonly open: Opener = () => {
    this.opened++;
    const handle = flaky([], { dialect: this.era });
    const answer: typeof handle = (message, out) =>
      this.isMute ? Promise.resolve(undefined) : handle(message, out);
    return inMemory(answer, this.log);
  };
}

for (const [era, method] of [["modern", "server/discover"], ["legacy", "ping"]] as const) {
  Deno.test(`tend() asks a ${era} server for a sign of life at intervals, by ${method}`, async () => {
    const server = new Moody(era);
    await using watch = new Watch({ a: server.open });
    const asked = () => server.log.methods.filter((it) => it === method).length;
    await watch.rest();
    await watch.reaches("a", "online, closed");
    const before = asked();
    for (let round = 1; round <= 3; round++) {
      await watch.rounds.tick(EVERY_MS - 1);
      assert.equal(asked(), before + round - 1);
      await watch.rounds.tick(1);
      await watch.rest();
      assert.equal(asked(), before + round);
    }
    assert.deepEqual(watch.checks, [["a", true], ["a", true], ["a", true]]);
  });
}

Deno.test("tend() takes a refusal for the sign of life that it is", async () => {
  const handle = flaky([], { dialect: "legacy" });
  const error = { code: -32601, message: "never heard of it" };
  const open = () =>
    inMemory((message, out) =>
      message.method === "ping"
        ? Promise.resolve({ jsonrpc: "2.0", id: message.id, error })
        : handle(message, out)
    );
  await using watch = new Watch({ a: open });
  await watch.rest();
  await watch.rounds.tick(EVERY_MS);
  await watch.rest();
  assert.deepEqual(watch.checks, [["a", true]]);
  await watch.reaches("a", "online, closed");
});

Deno.test("tend() gives up who is silent, by its fuse, which meets it again", async () => {
  const server = new Moody("modern");
  await using watch = new Watch({ a: server.open });
  await watch.rest();
  server.isMute = true;
  for (let n = 0; n < DEFAULT_FUSE.failures; n++) {
    await watch.rounds.tick(EVERY_MS);
    await watch.rest(0);
    await watch.clock.tick(DEFAULT_LIMITS.handshakeMs);
    await watch.rest();
  }
  assert.deepEqual(watch.checks, [["a", false], ["a", false], ["a", false]]);
  await watch.reaches("a", "offline, open");
  await watch.rounds.tick(EVERY_MS);
  await watch.rest();
  assert.equal(watch.checks.length, 3, "who is not there is not asked");
  server.isMute = false;
  await watch.clock.tick(DEFAULT_FUSE.backoffMs);
  await watch.reaches("a", "online, probation");
  assert.equal(server.opened, 2);
  await watch.clock.tick(DEFAULT_FUSE.stableMs);
  await watch.reaches("a", "online, closed");
});

Deno.test("tend() leaves alone what can't be started as it stands, and looks after the others", async () => {
  let tries = 0;
  const missing = () => {
    tries++;
    throw new TransportError("spawn_not_found", "no such command");
  };
  await using watch = new Watch({ missing, b: new Moody("modern").open });
  for (let round = 0; round < 5; round++) {
    await watch.rest(2);
    await watch.rounds.tick(EVERY_MS);
  }
  await watch.rest(2);
  await watch.clock.tick(600_000);
  assert.equal(tries, 1);
  assert.deepEqual(watch.checks, Array(5).fill(["b", true]));
});

Deno.test("tend() over nobody goes on until the user leaves", async () => {
  await using watch = new Watch({});
  await watch.rounds.tick(60_000);
  assert.deepEqual(watch.checks, []);
});
