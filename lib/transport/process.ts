/** A child process and all that it starts: one group, watched from start to end. @module */
import { type Clock, unlessSilent } from "../kit/clock.ts";
import { TransportError } from "../protocol/errors.ts";

/** How long each step of a goodbye may take. */
export interface Grace {
  /** From the end of its stdin to SIGTERM. */
  eofMs: number;
  /** From SIGTERM to SIGKILL. */
  termMs: number;
}

export interface ProcessOptions {
  command: string;
  args: readonly string[];
  /** All of it: nothing is inherited. */
  env: Readonly<Record<string, string>>;
  cwd?: string;
  clock: Clock;
  grace?: Grace;
  /** Live process groups, kept by whoever must end them should we crash. */
  groups?: Set<number>;
}

export type Child = Deno.ChildProcess;
export type Ending = Deno.CommandStatus;

const WINDOWS = Deno.build.os === "windows";
const GRACE: Grace = { eofMs: 500, termMs: 500 };

/**
 * Starts the command in a process group of its own, so that its children can be ended with it.
 * @throws {TransportError} `spawn_not_found`, `spawn_denied`; `exited` where there is no room just now
 */
export function startProcess(options: ProcessOptions): Child {
  const { command, args, env, cwd } = options;
  try {
    const child = new Deno.Command(command, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      ...(cwd !== undefined && { cwd }),
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      detached: !WINDOWS,
    }).spawn();
    options.groups?.add(child.pid);
    return child;
  } catch (cause) {
    throw spawnFailure(cause, command, cwd);
  }
}

/** What the system has too little of just now: that passes, and nobody need change anything. */
const SHORTAGES: readonly unknown[] = ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"];

/** What a system error that kept a command from being started means. */
export function spawnFailure(
  cause: unknown,
  command: string,
  cwd: string | undefined,
): TransportError {
  const missing = (why: string) => new TransportError("spawn_not_found", why, { cause });
  // Not every system says the same of a folder that is none.
  if (cwd !== undefined && !isFolder(cwd)) return missing(`no such folder "${cwd}"`);
  if (cause instanceof Deno.errors.NotFound) {
    // The file may be there and its interpreter not: the system says the same for both.
    return missing(
      exists(command)
        ? `"${command}" names an interpreter that is not there`
        : `no such command "${command}"${adviceOn(command)}`,
    );
  }
  const detail = cause instanceof Error
    ? cause.message.replace(/^Failed to spawn '.*?': /, "")
    : "";
  if (cause instanceof Error && "code" in cause && SHORTAGES.includes(cause.code)) {
    return new TransportError("exited", `"${command}" can't be run just now: ${detail}`, { cause });
  }
  return new TransportError("spawn_denied", `"${command}" can't be run: ${detail}`, { cause });
}

/** What was meant for a shell, which there is none of. */
function adviceOn(command: string): string {
  const [, name] = /\$([A-Za-z_]\w*)|%(\w+)%/.exec(command)?.filter((it) => it !== undefined) ?? [];
  if (name !== undefined) return ` (write the variable as \${${name}})`;
  return /\S\s+\S/.test(command) ? " (write its arguments under args)" : "";
}

function exists(path: string): boolean {
  if (!/[/\\]/.test(path)) return false;
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Sends a signal to the child and to all in its group; a group that is gone is no error. */
export function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    Deno.kill(WINDOWS ? pid : -pid, signal);
  } catch {
    // It left first.
  }
}

/**
 * Waits for the child, whose stdin has ended, and makes it leave when it does not: SIGTERM, then
 * SIGKILL, to the whole group. Grandchildren that outlive it are ended too. Takes the two steps of
 * grace at most, and does not fail.
 */
export async function endProcess(child: Child, options: ProcessOptions): Promise<void> {
  const { clock, grace = GRACE } = options;
  const left = child.status.then(() => true);
  const leftWithin = (ms: number) => unlessSilent(clock, ms, left);
  if (!await leftWithin(grace.eofMs)) {
    signalGroup(child.pid, "SIGTERM");
    await leftWithin(grace.termMs);
  }
  // Also after a quiet goodbye: what the child started and left behind is in its group still.
  signalGroup(child.pid, "SIGKILL");
  await left;
  options.groups?.delete(child.pid);
}
