/** The portable file, built once, in homes of its own where there is no Deno and no Node. @module */
import assert from "node:assert/strict";
import { join } from "node:path";
import { buildPortable } from "../../scripts/portable.ts";
import { ROOT } from "./paths.ts";
import { patient } from "./time.ts";

/** All that its head starts, and only at the first start; none of it is found in a PATH of ours by chance. */
const TOOLS = ["find", "gzip", "ls", "mkdir", "mktemp", "mv", "rm", "tail", "tar", "uname"];

/** Whoever has not come to an end after this long never will. */
const PATIENCE_MS = 60_000;

let built: Promise<string> | undefined;

/** Its path. */
export function portable(): Promise<string> {
  return built ??= build();
}

async function build(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "fusebox-portable-" });
  const path = join(folder, "fusebox");
  await buildPortable(path);
  await Deno.chmod(path, 0o555); // It is read, and no more.
  return path;
}

/** For the end of a test file. */
export async function removePortable(): Promise<void> {
  if (built) await Deno.remove(join(await built, ".."), { recursive: true });
  built = undefined;
}

/** The shell script at its beginning. */
export async function headOf(path: string): Promise<string> {
  const text = new TextDecoder("latin1").decode(await Deno.readFile(path));
  const end = "\nexit 126\n";
  return text.slice(0, text.indexOf(end) + end.length);
}

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** A home, and a PATH with nothing but what the head of the portable file needs. */
export class Bare implements AsyncDisposable {
  readonly home: string;

  private constructor(home: string) {
    this.home = home;
  }

  /** The spaces are on purpose. */
  static async make(): Promise<Bare> {
    const made = await Deno.makeTempDir({ prefix: "fusebox bare " });
    const bare = new Bare(await Deno.realPath(made));
    await Deno.mkdir(bare.path);
    for (const tool of TOOLS) await Deno.symlink(await found(tool), join(bare.path, tool));
    return bare;
  }

  get path(): string {
    return join(this.home, "tools");
  }

  /** Where it unpacks itself. */
  get programs(): string {
    const caches = Deno.build.os === "darwin" ? "Library/Caches" : ".cache";
    return join(this.home, caches, "fusebox", "program");
  }

  get env(): Record<string, string> {
    return { HOME: this.home, PATH: this.path };
  }

  start(
    command: string,
    args: readonly string[],
    { env = this.env, cwd = "/", stdin = "null" as "null" | "piped" } = {},
  ): Deno.ChildProcess {
    const launch = new Deno.Command(command, {
      args: [...args],
      clearEnv: true,
      env,
      cwd,
      stdin,
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.timeout(patient(PATIENCE_MS)),
    });
    // A process that another test forks in this very moment holds what was just written open for
    // writing, until it has become its own program: until then the system starts no such file.
    for (let tries = 1;; tries++) {
      try {
        return launch.spawn();
      } catch (error) {
        // Deno gives this one neither a class nor a code of its own.
        const isBusy = error instanceof Error && error.message.includes("Text file busy");
        if (!isBusy || tries === 500) throw error;
      }
    }
  }

  async run(
    command: string,
    args: readonly string[],
    { stdin, ...launch }: { env?: Record<string, string>; cwd?: string; stdin?: string } = {},
  ): Promise<Ended> {
    const child = this.start(command, args, {
      ...launch,
      stdin: stdin === undefined ? "null" : "piped",
    });
    if (stdin !== undefined) {
      const writer = child.stdin.getWriter();
      await writer.write(new TextEncoder().encode(stdin));
      await writer.close();
    }
    const { code, stdout, stderr } = await child.output();
    const text = new TextDecoder();
    return { code, out: text.decode(stdout), err: text.decode(stderr) };
  }

  /** The same command line from the source, in the same home. */
  async fromSource(args: readonly string[], stdin?: string): Promise<Ended> {
    const flags = ["run", "-A", "--quiet", join(ROOT, "main.ts")];
    const env = { ...this.env, DENO_DIR: await denoDir(), DENO_NO_UPDATE_CHECK: "1" };
    return await this.run(Deno.execPath(), [...flags, ...args], {
      env,
      ...(stdin !== undefined && { stdin }),
    });
  }

  /** What is unpacked, and what was left of unpacking. */
  async unpacked(): Promise<string[]> {
    return (await Array.fromAsync(Deno.readDir(this.programs), ({ name }) => name)).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.home, { recursive: true });
  }
}

async function found(tool: string): Promise<string> {
  for (const folder of ["/usr/bin", "/bin"]) {
    try {
      await Deno.stat(`${folder}/${tool}`);
      return `${folder}/${tool}`;
    } catch {
      // The other one, then.
    }
  }
  assert.fail(`there is no ${tool} in /usr/bin or /bin`);
}

/** Where packages are already: in a new HOME they would be downloaded again. */
export async function denoDir(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
