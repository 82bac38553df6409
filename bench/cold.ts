/** A whole `fusebox call` from nothing, by the portable file, beside a bare client and two other command lines. @module */
import { buildPortable } from "../scripts/portable.ts";
import { linkCache } from "../tests/support/cli.ts";
import { claim, median, medians, print, table, timed, verdict } from "./rounds.ts";

const here = (path: string) => new URL(path, import.meta.url).pathname;
const DENO = Deno.execPath();
const SERVER = ["run", "-A", "--no-config", "--quiet", here("./echo.ts")];
const MCPORTER = "npm:mcporter@0.12.3";
const MCPC = "0.2.6";

const folder = await Deno.makeTempDir();
const config = `${folder}/config.json`;
await Deno.writeTextFile(
  config,
  JSON.stringify({ mcpServers: { e: { command: DENO, args: SERVER } } }),
);
// A home of its own, with Deno's cache in it: mcpc keeps its sessions there.
await linkCache(`${folder}/.cache`);

/** mcpc under Deno: it wants to be installed, and starts a bridge of its own by the name `node`. */
async function installMcpc(): Promise<string[]> {
  const dependencies = { "@apify/mcpc": MCPC };
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ dependencies }));
  const { success, stderr } = await new Deno.Command(DENO, {
    args: ["install", "--quiet"],
    cwd: folder,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  await Deno.mkdir(`${folder}/bin`);
  const node = `#!/bin/sh\nexec "${DENO}" run -A --quiet "$@"\n`;
  await Deno.writeTextFile(`${folder}/bin/node`, node, { mode: 0o755 });
  return [DENO, "run", "-A", "--quiet", `${folder}/node_modules/@apify/mcpc/bin/mcpc`];
}

const portable = `${folder}/fusebox`;
await buildPortable(portable);
const mcpc = await installMcpc();

const CALL = ["call", "e.echo", "text=hello", "-c", config];
const COMMANDS = {
  "bare client": [DENO, "run", "-A", "--no-config", "--quiet", here("./bare.ts"), ...SERVER],
  "fusebox call": [portable, ...CALL],
  "fusebox call, from source": [DENO, "run", "-A", "--quiet", here("../main.ts"), ...CALL],
  "mcporter call": [
    ...[DENO, "run", "-A", "--no-config", "--quiet", MCPORTER],
    ...["--config", config, "call", "e.echo", "text=hello"],
  ],
  "mcpc call, session open": [...mcpc, "@open", "tools-call", "echo", "text:=hello"],
};
type Name = keyof typeof COMMANDS;

async function run([command, ...args]: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command!, {
    args,
    cwd: folder,
    env: {
      NO_COLOR: "1",
      HOME: folder,
      PATH: `${folder}/bin:/usr/bin:/bin`,
      DENO_NO_UPDATE_CHECK: "1",
    },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (code === 0) return text;
  throw new Error(
    `${args.join(" ")} ended with ${code}: ${text}${new TextDecoder().decode(stderr)}`,
  );
}

async function call(name: Name): Promise<void> {
  const text = await run(COMMANDS[name]);
  if (!text.includes("hello")) throw new Error(`${name} said ${text}`);
}

const connect = (session: string) => run([...mcpc, "connect", `${config}:e`, session]);
const close = (session: string) => run([...mcpc, "close", session]);

/** mcpc has no call without a session: from nothing it is three commands. */
async function connectCallClose(): Promise<void> {
  await connect("@once");
  const text = await run([...mcpc, "@once", "tools-call", "echo", "text:=hello"]);
  if (!text.includes("hello")) throw new Error(`mcpc said ${text}`);
  await close("@once");
}

/** Peak resident memory of a command in MiB, by the system's own count; undefined where it has none. */
async function peak(name: Name): Promise<number | undefined> {
  const script = "import resource, subprocess, sys\n" +
    "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n" +
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
  try {
    const { stdout } = await new Deno.Command("python3", {
      args: ["-c", script, ...COMMANDS[name]],
      cwd: folder,
      env: { HOME: folder },
    }).output();
    return Number(new TextDecoder().decode(stdout)) / 1024;
  } catch {
    return undefined;
  }
}

const CLOSE_ROUNDS = 31;

print("cold.ts: one call of a tiny server, from nothing");
await connect("@open");
try {
  const names = Object.keys(COMMANDS) as Name[];
  const contestants = Object.fromEntries(names.map((name) => [name, () => call(name)]));
  const times = await medians({
    ...contestants as Record<Name, () => Promise<void>>,
    "mcpc connect, call, close": connectCallClose,
  });
  table(times);
  const ours = times["fusebox call"];
  // These two are close: they race by themselves, for longer, and are compared round by round.
  const race = await timed({
    "bare client": () => call("bare client"),
    "fusebox call": () => call("fusebox call"),
  }, CLOSE_ROUNDS);
  const ratios = race["fusebox call"].map((ms, round) => ms / race["bare client"][round]!);
  claim("fusebox / bare client, round by round", median(ratios), { atMost: 1.5 });
  claim("mcporter / fusebox", times["mcporter call"] / ours, { atLeast: 2.5 });
  claim("mcpc / fusebox", times["mcpc connect, call, close"] / ours, { atLeast: 2.5 });
  const source = times["fusebox call, from source"] / times["bare client"];
  claim("fusebox from source / bare client", source, { atMost: 2 });
  for (const name of names) {
    const memory = await peak(name);
    if (memory === undefined) continue;
    if (name === "fusebox call") claim("peak resident memory, MiB", memory, { atMost: 60 });
    else print(`         peak resident memory of ${name}, MiB: ${memory.toFixed(1)}`);
  }
} finally {
  await close("@open");
  await Deno.remove(folder, { recursive: true });
}
Deno.exitCode = verdict();
