/** What nine servers that nobody needs cost: processes, memory and time, attached at start or not at all. @module */
import { flaky, type Sandbox, sandbox } from "../tests/support/cli.ts";
import { claim, medians, print, table, verdict } from "./rounds.ts";

const SERVERS = 10;
const ROUNDS = 5;

const ten = Object.fromEntries(Array.from({ length: SERVERS }, (_, n) => [`s${n}`, flaky()]));
const config = { servers: ten };

interface Use {
  name: string;
  args: Record<string, unknown>;
}

let scripts = 0;
/** Arguments of a run in which the model asks for these, a turn each. */
async function asking(box: Sandbox, mode: string, ...uses: Use[]): Promise<string[]> {
  const lines = [...uses.map((use) => ({ uses: [use] })), { text: "done" }];
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const path = await box.file(`script-${++scripts}.jsonl`, text);
  return ["go", "--mode", mode, "-m", `script:${path}`, "--yes", "--jsonl"];
}

/** From nothing to the moment in which the model is asked for the first time. */
async function untilAsked(box: Sandbox, mode: string): Promise<void> {
  const run = await box.start(await asking(box, mode), { config });
  await run.until("stdout", '"type":"step"');
  ended.push(run.ended);
}
const ended: Promise<unknown>[] = [];

/** Proportional set size in MiB: what several processes share is counted once. */
async function memory(pids: readonly number[]): Promise<number> {
  const sizes = await Promise.all(pids.map(async (pid) => {
    const text = await Deno.readTextFile(`/proc/${pid}/smaps_rollup`).catch(() => "");
    return Number(/^Pss: +(\d+)/m.exec(text)?.[1] ?? 0);
  }));
  return sizes.reduce((a, b) => a + b, 0) / 1024;
}

/** What lives while one server works on a call. */
async function busy(box: Sandbox, mode: string): Promise<{ processes: number; mib: number }> {
  const slow = { name: "mcp__s3__slow", args: { ms: 60_000, every: 20 } };
  const run = await box.start(await asking(box, mode, slow), { config });
  await run.until("stdout", '"type":"progress"');
  const living = await box.living();
  const mib = await memory(living);
  run.send("SIGTERM");
  await run.ended;
  return { processes: living.length, mib };
}

/** Milliseconds of tool uses up to the first answer of a server that may be known. */
async function firstUse(box: Sandbox, faults: readonly string[], warm: boolean): Promise<number> {
  const own = { servers: { a: flaky(...faults) } };
  if (!warm) await box.fusebox(["catalog", "clear"], { config: own });
  const call = { name: "mcp__a__echo", args: { n: 1 } };
  const uses = warm ? [call] : [{ name: "attach_server", args: { server: "a" } }, call];
  const { stdout, stderr } = await box.fusebox(await asking(box, "lazy", ...uses), { config: own });
  const events = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const results = events.filter(({ type }) => type === "result");
  if (results.length < uses.length || results.some(({ result }) => result.isError)) {
    throw new Error(`${stdout}\n${stderr}`);
  }
  return results.reduce((sum, { ms }) => sum + ms, 0);
}

const median = (all: number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;

await using box = await sandbox();
await box.fusebox(["catalog", "refresh"], { config });

print(`lazy.ts: ${SERVERS} servers configured, from nothing to the first model request`);
const times = await medians({
  full: () => untilAsked(box, "full"),
  lazy: () => untilAsked(box, "lazy"),
  forward: () => untilAsked(box, "forward"),
}, ROUNDS);
await Promise.all(ended);
table(times);
claim("lazy / full", times.lazy / times.full, { atMost: 1 });

print(`lazy.ts: ${SERVERS} servers configured, one at work (ours among the processes)`);
const full = await busy(box, "full");
const lazy = await busy(box, "lazy");
for (const [mode, { processes, mib }] of Object.entries({ full, lazy })) {
  print(`  ${mode}  ${String(processes).padStart(9)} processes  ${mib.toFixed(0).padStart(5)} MiB`);
}
claim("processes, lazy", lazy.processes, { atMost: 2 });
if (full.mib > 0) claim("memory, lazy / full", lazy.mib / full.mib, { atMost: 0.5 });

print("lazy.ts: the first use of a server: never seen, and known from an earlier run");
for (const faults of [[], ["mute-discover"]]) {
  const what = faults.length > 0 ? "mute on the probe" : "healthy";
  const [cold, warm]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    cold.push(await firstUse(box, faults, false));
    warm.push(await firstUse(box, faults, true));
  }
  table({ [`${what}, cold`]: median(cold), [`${what}, warm`]: median(warm) });
  if (faults.length === 0) continue;
  claim("warm / cold, mute on the probe", median(warm) / median(cold), { atMost: 0.2 });
}
Deno.exitCode = verdict();
