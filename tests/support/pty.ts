/** `fusebox` on a terminal: what a person would see, and what they would type. @module */
import assert from "node:assert/strict";
import {
  FUSEBOX,
  type Launch,
  POSIX,
  quoted,
  type Result,
  type Run,
  type Sandbox,
  testWhere,
} from "./cli.ts";

/** A program that runs a shell command on a pseudo-terminal of its own and leaves with its exit code. */
type Opener = (command: string) => readonly string[];

const PYTHON = `import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["/bin/sh", "-c", sys.argv[1]])))`;

function found(command: string, args: readonly string[], wanted: string): boolean {
  try {
    const { stdout } = new Deno.Command(command, { args: [...args], stdin: "null" }).outputSync();
    return new TextDecoder().decode(stdout).includes(wanted);
  } catch {
    return false;
  }
}

// The script of macOS takes other flags, and has its input from a terminal alone.
const OPENER: Opener | undefined = !POSIX
  ? undefined
  : found("script", ["--version"], "util-linux")
  ? (command) => ["script", "-qfec", command, "/dev/null"]
  : found("python3", ["-c", "import os, pty; print(os.waitstatus_to_exitcode)"], "waitstatus")
  ? (command) => ["python3", "-c", PYTHON, command]
  : undefined;

/** A test that needs a terminal. */
export function terminalTest(name: string, fn: () => Promise<void>): void {
  const why = POSIX ? "neither util-linux script nor python3 is here" : "no pseudo-terminals";
  testWhere(OPENER !== undefined, why, name, fn);
}

/** Steers a terminal or hides in it, but for what we send ourselves: colours, and a line that turns. */
export const STEERING =
  // deno-lint-ignore no-control-regex -- what a terminal is steered by
  /\x1b(?!\[\d*m|\[K|\[\?7[lh])|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;

export interface TerminalLaunch extends Omit<Launch, "stdin"> {
  /** What stands around the command in the shell: `(fusebox) => "echo hi | " + fusebox`. */
  shell?: (fusebox: string) => string;
}

/** Starts `fusebox` with stdin, stdout and stderr on a terminal, wherever `shell` does not redirect them. */
export async function terminal(
  box: Sandbox,
  args: readonly string[],
  launch: TerminalLaunch = {},
): Promise<Terminal> {
  const { shell = (fusebox: string) => `exec ${fusebox}`, config, env, ...rest } = launch;
  const path = typeof config === "object" ? await box.file("terminal.json", config) : config;
  const flags = path === undefined ? [] : ["-c", path];
  const command = shell(quoted([...FUSEBOX, ...flags, ...args]));
  const run = box.spawn(OPENER!(command), {
    ...rest,
    env: { TERM: "xterm-256color", ...env },
    stdin: "open",
  });
  return new Terminal(run);
}

export class Terminal implements AsyncDisposable {
  readonly #run: Run;
  /** What was seen so far is not found twice. */
  #seen = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  /** All that came, escape sequences included. */
  get raw(): string {
    return this.#run.stdout;
  }

  /** What a person sees now, line by line. */
  get screen(): string {
    return shown(this.raw);
  }

  /** Resolves once this text has come, behind all that was expected before. */
  async expect(text: string): Promise<void> {
    this.#seen = await this.#run.until("stdout", text, this.#seen);
  }

  /** Presses these keys; `"\x03"` is Ctrl-C. */
  type(keys: string): void {
    this.#run.write(keys);
  }

  /** Closes the window. */
  close(): void {
    this.#run.send("SIGKILL");
  }

  /** Resolves with the exit code once it has left by itself. */
  async leaves(): Promise<Result> {
    const result = await this.#run.ended;
    assert.equal(result.signal, null);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run[Symbol.asyncDispose]();
  }
}

/**
 * What is left on a terminal of endless width once this was written to it. What a terminal obeys and
 * we do not know stays visible.
 */
export function shown(raw: string): string {
  const rows: string[][] = [[]];
  let column = 0;
  // deno-lint-ignore no-control-regex -- a terminal is steered by control characters
  for (const [token] of raw.matchAll(/\x1b\[[\d;]*m|\x1b\[\?7[lh]|\x1b\[K|[^]/gu)) {
    const row = rows.at(-1)!;
    if (token === "\r") column = 0;
    else if (token === "\n") rows.push([]);
    else if (token === "\x1b[K") row.length = Math.min(row.length, column);
    else if (!token.startsWith("\x1b[")) {
      while (row.length < column) row.push(" ");
      row[column++] = token;
    }
  }
  return rows.map((row) => row.join("")).join("\n");
}
