/** Runs one command in a home of its own, bounded, and tells what is left of it. Linux alone: it reads /proc. @module */

export interface Ran {
  /** As a shell sees it; undefined for one that had to be killed. */
  code?: number;
  out: string;
  err: string;
  ms: number;
}

export interface Wishes {
  env?: Record<string, string>;
  /** After so long it is killed, with all that it has started. */
  limitMs?: number;
  /** When to send SIGINT to its process group, as a terminal does for Ctrl-C. */
  interrupt?: () => Promise<void>;
}

const LIMIT_MS = 60_000;

export function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A folder that is home and working directory of whatever runs here; HOME marks its processes. */
export class Stage implements AsyncDisposable {
  readonly #node: string;
  #runs = 0;

  private constructor(readonly folder: string, node: string) {
    this.#node = node;
  }

  static async open(node: string): Promise<Stage> {
    return new Stage(await Deno.makeTempDir({ prefix: "compare-" }), node);
  }

  async write(name: string, content: unknown): Promise<string> {
    const path = `${this.folder}/${name}`;
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 1);
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, text);
    return path;
  }

  /** A leading `node` is the pinned one, a leading `deno` this one. */
  async run(
    argv: readonly string[],
    { env, limitMs = LIMIT_MS, interrupt }: Wishes = {},
  ): Promise<Ran> {
    const [program, ...args] = argv as [string, ...string[]];
    const path = { node: this.#node, deno: Deno.execPath() }[program] ?? program;
    const began = performance.now();
    const streams = `${this.folder}/run-${++this.#runs}`;
    // A session of its own, so that a signal to its group is no signal to us; files in place of
    // pipes, so that what outlives it keeps nobody waiting.
    const child = new Deno.Command("setsid", {
      args: ["sh", "-c", 'exec "$@" >"$0.out" 2>"$0.err"', streams, path, ...args],
      cwd: this.folder,
      clearEnv: true,
      env: {
        HOME: this.folder,
        PATH: `${dirOf(this.#node)}:${dirOf(Deno.execPath())}:/usr/bin:/bin`,
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
        NO_COLOR: "1",
        LANG: "C.UTF-8",
        ...env,
      },
      stdin: "null",
    }).spawn();
    let killed = false;
    const timer = setTimeout(() => {
      killed = true;
      void this.sweep();
    }, limitMs);
    void interrupt?.().then(() => signal("INT", `-${child.pid}`));
    const { code } = await child.status;
    clearTimeout(timer);
    const ran: Ran = {
      out: await Deno.readTextFile(`${streams}.out`),
      err: await Deno.readTextFile(`${streams}.err`),
      ms: performance.now() - began,
    };
    if (!killed) ran.code = code;
    return ran;
  }

  /** The command lines of all that runs in this home, by pid. */
  async living(): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for await (const { name } of Deno.readDir("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const environ = await Deno.readTextFile(`/proc/${name}/environ`);
        if (!environ.split("\0").includes(`HOME=${this.folder}`)) continue;
        const line = await Deno.readTextFile(`/proc/${name}/cmdline`);
        if (line !== "") found.set(Number(name), line.replaceAll("\0", " ").trim());
      } catch { /* Gone by now, or another's. */ }
    }
    return found;
  }

  /** Kills all that runs in this home, also what starts meanwhile. */
  async sweep(): Promise<void> {
    for (let round = 0; round < 20; round++) {
      const pids = [...(await this.living()).keys()];
      if (pids.length === 0) return;
      await signal("KILL", ...pids.map(String));
      await rest(50);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sweep();
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function signal(name: string, ...targets: string[]): Promise<void> {
  await new Deno.Command("kill", { args: [`-${name}`, "--", ...targets], stderr: "null" }).output();
}

const dirOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
