/** `main.ts` as a child process in a home of its own: the developer's configuration is never read. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "./paths.ts";
import { gone, GOODBYE_MS } from "./processes.ts";
import { patient } from "./time.ts";

export const POSIX = Deno.build.os !== "windows";

type Body = (t: Deno.TestContext) => Promise<void>;

/** A test that runs where it can, and elsewhere is skipped under a name that says why. */
export function testWhere(can: boolean, why: string, name: string, fn: Body): void {
  if (can) Deno.test(name, fn);
  else Deno.test({ name: `${name} (skipped: ${why})`, ignore: true, fn });
}

/** A test that needs `sh`, signals or process groups. */
export function posixTest(name: string, fn: Body): void {
  testWhere(POSIX, "Windows has none of this", name, fn);
}

const DENO = Deno.execPath();
const BINARY = Deno.env.get("FUSEBOX_BIN");
/** How a shell, or a configuration, starts fusebox; `FUSEBOX_BIN` has a compiled one tested. */
export const FUSEBOX: readonly string[] = BINARY
  ? [BINARY]
  : [DENO, "run", "-A", "--quiet", join(ROOT, "main.ts")];

/** The command line of a server that misbehaves on request. */
export function flaky(...faults: string[]): { command: string; args: string[] } {
  const file = join(ROOT, "servers", "flaky.ts");
  return { command: DENO, args: ["run", "-A", "--no-config", "--quiet", file, ...faults] };
}

/** A built-in server, as a configuration writes it. */
export function demo(name: "notes" | "tickets"): { command: string; args: string[] } {
  return { command: "fusebox", args: ["serve-demo", name] };
}

/** Whoever has not come to it after this long never will. */
const PATIENCE_MS = 20_000;
/** How many cases of a test run at once. */
const AT_ONCE = 6;

export interface Launch {
  /** A pipe that holds this text and ends, one that stays open, or none at all. Default "closed". */
  stdin?: { text: string } | "open" | "closed";
  env?: Readonly<Record<string, string>>;
  /** Given with `-c`: a path, or what such a file says. */
  config?: string | Readonly<Record<string, unknown>>;
  /** Default: the home. */
  cwd?: string;
  /** Killed after this long, so that a test that waits for its end fails. Default 20 s. */
  patienceMs?: number;
}

export interface Result {
  code: number;
  /** What ended it, if it did not leave by itself. */
  signal: Deno.Signal | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** An empty home, and all that runs in it. Disposing of it fails when something still does. */
export async function sandbox(): Promise<Sandbox> {
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "fusebox-e2e-" }));
  await shareCache(home);
  return new Sandbox(home);
}

export class Sandbox implements AsyncDisposable {
  readonly home: string;
  #files = 0;
  readonly #runs: Run[] = [];

  constructor(home: string) {
    this.home = home;
  }

  /** Writes a file below the home and returns its path. */
  async file(name: string, content: string | object): Promise<string> {
    const path = join(this.home, name);
    await Deno.mkdir(join(path, ".."), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    await Deno.writeTextFile(path, text);
    return path;
  }

  /** Starts `fusebox` with these arguments. */
  async start(args: readonly string[], launch: Launch = {}): Promise<Run> {
    const { config } = launch;
    const path = typeof config === "object"
      ? await this.file(`config-${++this.#files}.json`, config)
      : config;
    const flags = path === undefined ? [] : ["-c", path];
    return this.spawn([...FUSEBOX, ...flags, ...args], launch);
  }

  /** Runs `fusebox` to its end. */
  async fusebox(args: readonly string[], launch: Launch = {}): Promise<Result> {
    return await (await this.start(args, launch)).ended;
  }

  /** Starts any program, in a session of its own: it has no terminal, whoever runs the tests. */
  spawn([command, ...args]: readonly string[], launch: Launch = {}): Run {
    const run = new Run(
      new Deno.Command(command!, {
        args,
        cwd: launch.cwd ?? this.home,
        clearEnv: true,
        env: { ...this.env, ...launch.env },
        stdin: launch.stdin === undefined || launch.stdin === "closed" ? "null" : "piped",
        stdout: "piped",
        stderr: "piped",
        detached: POSIX,
      }).spawn(),
      launch,
    );
    this.#runs.push(run);
    return run;
  }

  /** Little, and nothing of the developer's. */
  get env(): Record<string, string> {
    const kept = POSIX
      ? ["PATH"]
      : ["PATH", "PATHEXT", "SYSTEMROOT", "COMSPEC", "TEMP", "TMP", "LOCALAPPDATA"];
    return {
      ...Object.fromEntries(kept.map((name) => [name, Deno.env.get(name) ?? ""])),
      HOME: this.home,
      USERPROFILE: this.home,
      SHELL: "/bin/sh",
      LANG: "C.UTF-8",
      DENO_NO_UPDATE_CHECK: "1",
    };
  }

  /** Every process that was started here and lives, however it hides: `HOME` is inherited by all. */
  async living(): Promise<number[]> {
    const mark = `HOME=${this.home}`;
    if (Deno.build.os === "linux") {
      const pids = [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter(Boolean);
      return pids.filter((pid) => readEnvironment(pid).includes(mark));
    }
    if (!POSIX) return [];
    const { stdout } = await new Deno.Command("ps", { args: ["-axEww", "-o", "pid=,command="] })
      .output();
    const lines = new TextDecoder().decode(stdout).split("\n");
    return lines.filter((line) => line.includes(mark)).map((line) => parseInt(line));
  }

  /** Resolves once nothing that was started here lives. @throws when that takes longer than a goodbye may */
  async empty(): Promise<void> {
    const began = performance.now();
    for (let living = await this.living(); living.length > 0; living = await this.living()) {
      const isLate = performance.now() - began > patient(GOODBYE_MS);
      assert(!isLate, `alive: ${living.map(nameOf).join("; ")}`);
      await gone(living);
    }
  }

  /** Ends whatever still lives, for a test that has found fault with it already. */
  async clear(): Promise<void> {
    for (const pid of await this.living()) kill(pid, "SIGKILL");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const run of this.#runs) await run[Symbol.asyncDispose]();
      await this.empty();
    } finally {
      await this.clear();
      await Deno.remove(this.home, { recursive: true });
    }
  }
}

type Stream = "stdout" | "stderr";

/** A process whose output is read as it comes. */
export class Run implements AsyncDisposable {
  readonly pid: number;
  stdout = "";
  stderr = "";
  readonly ended: Promise<Result>;
  readonly #child: Deno.ChildProcess;
  readonly #began = performance.now();
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array> | undefined;
  readonly #readers: Record<Stream, ReadableStreamDefaultReader<Uint8Array>>;
  readonly #patience: ReturnType<typeof setTimeout>;
  #over = false;
  #news = Promise.withResolvers<void>();

  constructor(child: Deno.ChildProcess, { stdin, patienceMs = PATIENCE_MS }: Launch) {
    this.pid = child.pid;
    this.#child = child;
    this.#readers = { stdout: child.stdout.getReader(), stderr: child.stderr.getReader() };
    if (stdin !== undefined && stdin !== "closed") this.#stdin = child.stdin.getWriter();
    this.#patience = setTimeout(() => this.#end(), patient(patienceMs));
    this.ended = this.#follow();
    if (typeof stdin === "object") {
      this.write(stdin.text);
      this.endInput();
    }
  }

  /**
   * Resolves once the text has been printed behind the place `from`, with the place behind it.
   * @throws when the process ends without
   */
  async until(stream: Stream, text: string, from = 0): Promise<number> {
    while (true) {
      const at = this[stream].indexOf(text, from);
      if (at >= 0) return at + text.length;
      const { stdout, stderr } = this;
      assert(!this.#over, `It ended without "${text}" on ${stream}:\n${stdout}\n${stderr}`);
      await this.#news.promise;
    }
  }

  write(input: string | Uint8Array<ArrayBuffer>): void {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    // It may be gone before it has read all of this.
    this.#stdin!.write(bytes).catch(() => {});
  }

  endInput(): void {
    this.#stdin!.close().catch(() => {});
  }

  /** Closes our end of the pipe, as `head -1` does when it has seen enough. */
  async stopReading(stream: Stream): Promise<void> {
    await this.#readers[stream].cancel();
  }

  send(signal: Deno.Signal): void {
    kill(this.pid, signal);
  }

  async #follow(): Promise<Result> {
    const [status] = await Promise.all([
      this.#child.status.then((status) => ({ ...status, at: performance.now() })),
      this.#read("stdout"),
      this.#read("stderr"),
    ]);
    clearTimeout(this.#patience);
    this.#over = true;
    this.#tell();
    const { stdout, stderr } = this;
    const ms = Math.round(status.at - this.#began);
    return { code: status.code, signal: status.signal, stdout, stderr, ms };
  }

  async #read(stream: Stream): Promise<void> {
    const decoder = new TextDecoder();
    while (true) {
      const { value, done } = await this.#readers[stream].read();
      if (done) break;
      this[stream] += decoder.decode(value, { stream: true });
      this.#tell();
    }
  }

  /** What it leaves behind may hold the pipes: they are closed here too. */
  #end(): void {
    kill(this.pid, "SIGKILL");
    for (const reader of Object.values(this.#readers)) reader.cancel().catch(() => {});
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  /** Ends it if it has not ended; what it leaves behind is for {@linkcode Sandbox} to find. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#over) this.#end();
    await this.ended;
    await this.#stdin?.abort().catch(() => {});
  }
}

/** Asks again and again until there is no complaint left. @throws with the last one after `ms` */
export async function eventually(
  complaint: () => string | undefined | Promise<string | undefined>,
  ms = PATIENCE_MS,
): Promise<void> {
  const began = performance.now();
  while (true) {
    const left = await complaint();
    if (left === undefined) return;
    assert(performance.now() - began < patient(ms), left);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Each case in a sandbox of its own, some at once: they wait more than they work. */
export async function sideBySide<T>(
  cases: readonly T[],
  each: (box: Sandbox, one: T) => Promise<void>,
): Promise<void> {
  const queue = cases.values();
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, async () => {
    for (const one of queue) {
      await using box = await sandbox();
      await each(box, one);
    }
  }));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

/** Words that `sh` reads as they are. */
export function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
}

function kill(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch {
    // It left first.
  }
}

function readEnvironment(pid: number): string[] {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0");
  } catch {
    return []; // It left, or is somebody else's.
  }
}

function nameOf(pid: number): string {
  try {
    return `${pid} ${Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`;
  } catch {
    return String(pid);
  }
}

let cache: Promise<string> | undefined;

/** The home is new, but what Deno has downloaded and compiled is not fetched again for each test. */
async function shareCache(home: string): Promise<void> {
  if (!POSIX) return; // There it is found through LOCALAPPDATA.
  const above = join(home, ...Deno.build.os === "darwin" ? ["Library", "Caches"] : [".cache"]);
  await linkCache(above);
}

/** Makes this folder, with Deno's own cache in it. */
export async function linkCache(above: string): Promise<void> {
  cache ??= new Deno.Command(DENO, { args: ["info", "--json"] }).output()
    .then(({ stdout }) => JSON.parse(new TextDecoder().decode(stdout)).denoDir);
  await Deno.mkdir(above, { recursive: true });
  await Deno.symlink(await cache, join(above, "deno"));
}
