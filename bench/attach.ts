/** What it costs to attach thirty servers, beside the slowest one's own start and thirty bare spawns. @module */
import { realClock } from "../lib/cli/world.ts";
import { stdioTransport } from "../lib/transport/stdio.ts";
import type { Opener } from "../lib/client/handshake.ts";
import { registryOf } from "../tests/support/clients.ts";
import { claim, medians, print, table, verdict } from "./rounds.ts";

const SERVERS = 30;
const SLOWEST_MS = 1_000;
const ECHO = new URL("./echo.ts", import.meta.url).pathname;
const args = (delay: number) => ["run", "-A", "--no-config", "--quiet", ECHO, String(delay)];

const opener = (delay: number): Opener => () =>
  stdioTransport({
    command: Deno.execPath(),
    args: args(delay),
    env: Deno.env.toObject(),
    clock: realClock,
  });

/** Attaches the servers and says how long it took; putting them away is not measured. */
async function attach(openers: Readonly<Record<string, Opener>>): Promise<void> {
  const registry = registryOf(openers);
  await registry.attachAll();
  const offline = registry.servers().filter(({ state }) => state !== "online");
  if (offline.length > 0) {
    throw new Error(`offline: ${offline.map(({ alias }) => alias).join(", ")}`);
  }
  goodbyes.push(registry[Symbol.asyncDispose]());
}
const goodbyes: PromiseLike<void>[] = [];

/** The floor for thirty processes: started, and heard of once each, eight at a time as we do it. */
async function spawnAll(): Promise<void> {
  let left = SERVERS;
  const worker = async () => {
    while (left-- > 0) {
      const child = new Deno.Command(Deno.execPath(), {
        args: args(0),
        stdin: "piped",
        stdout: "null",
        stderr: "null",
      }).spawn();
      await child.stdin.close();
      await child.status;
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

const many = Object.fromEntries(
  Array.from({ length: SERVERS }, (_, n) => [`s${n}`, opener(n === SERVERS - 1 ? SLOWEST_MS : 0)]),
);

print(`attach.ts: ${SERVERS} servers, the last of them ${SLOWEST_MS} ms slow to start`);
const times = await medians({
  "all thirty": () => attach(many),
  "the slowest alone": () => attach({ slow: opener(SLOWEST_MS) }),
  "thirty bare spawns": spawnAll,
});
await Promise.all(goodbyes);
table(times);
const wanted = 1.5 * times["the slowest alone"] + times["thirty bare spawns"];
claim("all / (1.5 × slowest + thirty spawns)", times["all thirty"] / wanted, { atMost: 1 });
Deno.exitCode = verdict();
