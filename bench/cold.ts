/** A whole `fusebox call` from nothing, beside a bare client and another command line. @module */
import { claim, medians, print, table, verdict } from "./rounds.ts";

const here = (path: string) => new URL(path, import.meta.url).pathname;
const DENO = Deno.execPath();
const SERVER = ["run", "-A", "--no-config", "--quiet", here("./echo.ts")];
const MCPORTER = "npm:mcporter@0.12.3";

const folder = await Deno.makeTempDir();
const config = `${folder}/config.json`;
await Deno.writeTextFile(
  config,
  JSON.stringify({ mcpServers: { e: { command: DENO, args: SERVER } } }),
);

const COMMANDS = {
  "bare client": ["run", "-A", "--no-config", "--quiet", here("./bare.ts"), ...SERVER],
  "fusebox call": [
    "run",
    "-A",
    "--quiet",
    here("../main.ts"),
    "call",
    "e.echo",
    "text=hello",
    "-c",
    config,
  ],
  "mcporter call": [
    "run",
    "-A",
    "--no-config",
    "--quiet",
    MCPORTER,
    "--config",
    config,
    "call",
    "e.echo",
    "text=hello",
  ],
};

async function run(name: keyof typeof COMMANDS): Promise<void> {
  const { code, stdout, stderr } = await new Deno.Command(DENO, {
    args: COMMANDS[name],
    cwd: folder,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (code !== 0 || !text.includes("hello")) {
    throw new Error(`${name} ended with ${code}: ${text}${new TextDecoder().decode(stderr)}`);
  }
}

/** Peak resident memory of a command in MiB, by the system's own count; undefined where it has none. */
async function peak(name: keyof typeof COMMANDS): Promise<number | undefined> {
  const script = "import resource, subprocess, sys\n" +
    "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n" +
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
  try {
    const { stdout } = await new Deno.Command("python3", {
      args: ["-c", script, DENO, ...COMMANDS[name]],
      cwd: folder,
    }).output();
    return Number(new TextDecoder().decode(stdout)) / 1024;
  } catch {
    return undefined;
  }
}

print("cold.ts: one call of a tiny server, from nothing");
const names = Object.keys(COMMANDS) as (keyof typeof COMMANDS)[];
const times = await medians(
  Object.fromEntries(names.map((name) => [name, () => run(name)])) as Record<
    keyof typeof COMMANDS,
    () => Promise<void>
  >,
);
table(times);
claim("fusebox / bare client", times["fusebox call"] / times["bare client"], { atMost: 1.8 });
claim("mcporter / fusebox", times["mcporter call"] / times["fusebox call"], { atLeast: 2.5 });
for (const name of names) {
  const memory = await peak(name);
  if (memory === undefined) continue;
  if (name === "fusebox call") claim("peak resident memory, MiB", memory, { atMost: 70 });
  else print(`         peak resident memory of ${name}, MiB: ${memory.toFixed(1)}`);
}
await Deno.remove(folder, { recursive: true });
Deno.exitCode = verdict();
