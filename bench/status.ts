/** What it costs a run that somebody looks at it: calls per second with the status page open, and without any. @module */
import { realClock } from "../lib/cli/world.ts";
import type { RegistryOptions } from "../lib/registry/registry_options.ts";
import { statusApp } from "../lib/status/app.ts";
import { Ledger } from "../lib/status/ledger.ts";
import { BROWSER, openBrowser } from "../tests/support/browser.ts";
import { registryOf } from "../tests/support/clients.ts";
import { stdioTransport } from "../lib/transport/stdio.ts";
import { claim, median, print, table, timed, verdict } from "./rounds.ts";

const CALLS = 20_000;
/** As many as a server is given by default. */
const AT_ONCE = 16;
/** Each takes longer than what lies between two news, and noise of other processes evens out. */
const ROUNDS = 21;
const ECHO = new URL("./echo.ts", import.meta.url).pathname;
const ARGS = { text: "hello", n: 1 };

const house = (options: Partial<RegistryOptions> = {}) =>
  registryOf({
    a: () =>
      stdioTransport({
        command: Deno.execPath(),
        args: ["run", "-A", "--no-config", "--quiet", ECHO],
        env: Deno.env.toObject(),
        clock: realClock,
      }),
  }, options);

await using alone = house();
const ledger = new Ledger();
await using watched = house({
  onChange: (status) => ledger.changed(status, realClock.now()),
  onCall: (event) => ledger.called(event),
});
await Promise.all([alone.attachAll(), watched.attachAll()]);
const facts = { id: "bench", version: "0", startedAt: Date.now(), mode: "full" } as const;
const app = statusApp({
  clock: realClock,
  ledger,
  host: "127.0.0.1",
  view: {
    now: () => Date.now(),
    servers: () => watched.servers(),
    table: () => watched.table,
    heldBack: () => watched.heldBack(),
    origin: () => undefined,
    facts: () => facts,
    redact: (text) => text,
  },
});
const listener = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) => app.fetch(request),
);
const url = `http://127.0.0.1:${listener.addr.port}`;

/** Opens the page, and returns what closes it. Where there is no browser, somebody reads its events. */
async function look(): Promise<() => Promise<void>> {
  if (BROWSER) {
    const browser = await openBrowser();
    const { page } = await browser.visit();
    await page.goto(url);
    await page.locator("#link", { hasText: "Live" }).waitFor();
    return browser.close;
  }
  const reader = new Deno.Command(Deno.execPath(), {
    args: ["eval", `for await (const _ of (await fetch("${url}/events")).body);`],
  }).spawn();
  return async () => void await reader.status;
}

const close = await look();
const calls = async (registry: typeof alone) => {
  const worker = async () => {
    for (let n = 0; n < CALLS / AT_ONCE; n++) await registry.call("mcp__a__echo", ARGS);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
};

const who = BROWSER ? "the page open in Chromium" : "somebody reading the events";
print(`status.ts: ${CALLS} calls, ${AT_ONCE} at a time, with ${who}`);
const times = await timed({ without: () => calls(alone), watched: () => calls(watched) }, ROUNDS);
table({ without: median(times.without), watched: median(times.watched) });
print(`  ${Math.round(CALLS / median(times.watched) * 1_000)} calls a second while somebody looks`);
const ratios = times.without.map((without, round) => without / times.watched[round]!);
claim("watched / without, calls per second, round by round", median(ratios), { atLeast: 0.95 });

app.end();
await close();
await listener.shutdown();
Deno.exitCode = verdict();
