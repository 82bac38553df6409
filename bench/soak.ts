/** 100,000 calls over five servers of which one is killed every two seconds: what is healthy loses nothing, and nothing grows. @module */
import { realClock } from "../lib/cli/world.ts";
import type { Opener } from "../lib/client/handshake.ts";
import { TransportError } from "../lib/protocol/errors.ts";
import type { ToolResult } from "../lib/protocol/tools.ts";
import { stdioTransport } from "../lib/transport/stdio.ts";
import { registryOf } from "../tests/support/clients.ts";
import { held } from "../tests/support/heap.ts";
import { claim, print, verdict } from "./rounds.ts";

const SERVERS = 5;
/** Fewer for a look at it: then there is no growth to speak of. */
const CALLS = Number(Deno.args[0] ?? 100_000);
/** All that is allocated once has been by then. */
const WARM = 10_000;
/** So that it takes a minute and somebody is killed thirty times, however fast the machine is. */
const PER_SECOND = 1_600;
const KILL_MS = Math.min(2_000, CALLS / PER_SECOND * 1_000 / 6);
const TICK_MS = 5;
/** Whoever has no answer by then has been forgotten. */
const HUNG_MS = 20_000;
const MiB = 2 ** 20;

const FLAKY = new URL("../servers/flaky.ts", import.meta.url).pathname;

interface Victim {
  alias: string;
  /** Its processes that live. */
  groups: Set<number>;
  /** When it was killed last, and whether it has answered since. */
  killedAt: number;
  isWell: boolean;
  ends: Map<string, number>;
  /** Of calls that began when it was well and ended before it was killed: neither right nor allowed. */
  lost: number;
}

const servers = Array.from({ length: SERVERS }, (_, n): Victim => ({
  alias: `s${n}`,
  groups: new Set(),
  killedAt: -Infinity,
  isWell: true,
  ends: new Map(),
  lost: 0,
}));

const opener = ({ groups }: Victim): Opener => () =>
  stdioTransport({
    command: Deno.execPath(),
    args: ["run", "-A", "--no-config", "--quiet", FLAKY],
    env: { PATH: Deno.env.get("PATH") ?? "", HOME: Deno.env.get("HOME") ?? "" },
    clock: realClock,
    groups,
  });

await using registry = registryOf(
  Object.fromEntries(servers.map((server) => [server.alias, opener(server)])),
);
await registry.attachAll();
registry.keepAll();

let [begun, done, healthy, wrong, slowest, turn, kills] = [0, 0, 0, 0, 0, 0, 0];

/** One call, looked at from both ends: what happened to its server meanwhile decides what it may say. */
async function call(server: Victim, n: number): Promise<void> {
  const wasWell = server.isWell;
  const began = performance.now();
  const args = { n, text: "grüße 👋", of: server.alias };
  const result = await registry.call(`${server.alias}.echo`, args);
  const ended = performance.now();
  slowest = Math.max(slowest, ended - began);
  done++;
  const isHealthy = wasWell && server.killedAt < began;
  const end = endOf(result, args);
  server.ends.set(end, (server.ends.get(end) ?? 0) + 1);
  if (end === "wrong") wrong++;
  if (isHealthy) healthy++;
  if (isHealthy && end !== "ok") server.lost++;
  if (end === "ok" && began > server.killedAt) server.isWell = true;
}

function endOf(result: ToolResult, args: unknown): string {
  const { failure, structuredContent, isError } = result;
  if (failure instanceof TransportError) return failure.fault;
  const isRight = !isError && JSON.stringify(structuredContent) === JSON.stringify(args);
  return isRight ? "ok" : "wrong";
}

/** Whoever's turn it is; one that is not there just now is passed over. */
function kill(): void {
  const server = servers[turn++ % SERVERS]!;
  for (const pid of server.groups) {
    server.isWell = false;
    server.killedAt = performance.now();
    Deno.kill(pid, "SIGKILL");
    kills++;
  }
}

/** What the system holds of us, once it has had the chance to take back what nobody holds. */
async function resident(): Promise<number> {
  let least = Infinity;
  for (let sample = 0; sample < 10; sample++) {
    held();
    await new Promise((resolve) => setTimeout(resolve, 50));
    least = Math.min(least, Deno.memoryUsage().rss);
  }
  return least;
}

/** Calls up to this one, at an even pace, and waits for all of them. */
async function until(count: number): Promise<void> {
  const began = performance.now();
  const before = begun;
  const open = new Set<Promise<void>>();
  while (begun < count) {
    const due = before + (performance.now() - began) / 1_000 * PER_SECOND;
    for (; begun < Math.min(due, count); begun++) {
      const made = call(servers[begun % SERVERS]!, begun).finally(() => open.delete(made));
      open.add(made);
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, HUNG_MS);
  await Promise.race([Promise.all(open), late.promise]);
  clearTimeout(timer);
}

const killing = setInterval(kill, KILL_MS);
const began = performance.now();
await until(Math.min(WARM, CALLS));
const early = await resident();
await until(CALLS);
clearInterval(killing);
const seconds = (performance.now() - began) / 1_000;
const late = await resident();

print(`soak.ts: ${CALLS} calls over ${SERVERS} servers in ${seconds.toFixed(0)} s, ${kills} kills`);
const ends = [...new Set(servers.flatMap((server) => [...server.ends.keys()]))].sort();
const row = (cells: readonly (string | number)[]) =>
  print("  " + cells.map((cell) => String(cell).padStart(9)).join(" "));
row(["", ...ends, "starts"]);
for (const { alias, ends: own } of servers) {
  const { attaches } = registry.servers().find((it) => it.alias === alias)!;
  row([alias, ...ends.map((end) => own.get(end) ?? 0), attaches]);
}
print(`  the longest call took ${slowest.toFixed(0)} ms`);
claim("calls without an end", CALLS - done, { atMost: 0 });
claim("calls with a wrong answer", wrong, { atMost: 0 });
// Else there was nobody who could have lost anything.
claim("healthy calls / all", healthy / CALLS, { atLeast: CALLS > WARM ? 0.5 : 0.25 });
claim("healthy calls lost", servers.reduce((sum, { lost }) => sum + lost, 0), { atMost: 0 });
claim("kills", kills, { atLeast: 5 });
if (CALLS > WARM) {
  const [before, after] = [early, late].map((bytes) => (bytes / MiB).toFixed(1));
  print(`  resident memory ${before} MiB after the first ${WARM} calls, ${after} MiB at the end`);
  claim("memory at the end / after 10,000 calls", late / early, { atMost: 1.1 });
}
Deno.exitCode = verdict();
