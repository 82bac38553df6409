/** A server that misbehaves on request: `flaky.ts FAULT[=ARG]… [--legacy|--modern|--dual]`, or `--list`. @module */
import { dialectFrom, type DialectOptions } from "./dialect.ts";
import { CALL } from "./faults/call.ts";
import { CHANGE } from "./faults/change.ts";
import { DEATH } from "./faults/death.ts";
import { type Box, type Fault, type Hooks, memoryBox } from "./faults/fault.ts";
import { FLOOD } from "./faults/flood.ts";
import { FRAMING } from "./faults/framing.ts";
import { healthy } from "./faults/healthy.ts";
import { HINTS } from "./faults/hints.ts";
import { LEAK } from "./faults/leak.ts";
import { LIST } from "./faults/list.ts";
import { PROCESS } from "./faults/process.ts";
import { RESULT } from "./faults/result.ts";
import { START } from "./faults/start.ts";
import { TOOLS } from "./faults/tools.ts";
import { type Handler, type Message, serveStdio, stdio } from "./serve.ts";
import { type Description, server } from "./server.ts";

/** Every fault by name. A new one is an entry in a file of `faults/`. */
export const FAULTS: ReadonlyMap<string, Fault> = new Map(
  [START, FRAMING, FLOOD, LIST, TOOLS, CHANGE, HINTS, RESULT, CALL, DEATH, PROCESS, LEAK]
    .flatMap(Object.entries<Fault>),
);

export interface FlakyOptions extends DialectOptions {
  /** The process it lives in; without one it is in memory, where faults of bytes do not show. */
  box?: Box;
}

/**
 * A new connection to a server with these faults, each `name` or `name=argument`.
 * @throws {Error} for an unknown fault, or an argument that is missing, surplus or malformed.
 */
export function flaky(faults: string[], options: FlakyOptions = {}): Handler {
  return rig(faults, options).handle;
}

function hooksOf(text: string, box: Box): Hooks {
  const [, name = "", , arg = ""] = /^([^=]*)(=(.*))?$/s.exec(text) ?? [];
  const fault = FAULTS.get(name);
  if (!fault) throw new Error(`Cannot be "${name}": no such fault, see --list`);
  if (arg !== "" && !fault.arg) throw new Error(`Cannot be "${text}": ${name} takes no argument`);
  if (arg === "" && fault.arg && !fault.arg.endsWith("?")) {
    throw new Error(`Cannot be "${text}": expected ${name}=${fault.arg}`);
  }
  try {
    return fault.hooks(arg, box);
  } catch (error) {
    throw new Error(`Cannot be "${text}": ${error instanceof Error ? error.message : error}`);
  }
}

function rig(faults: string[], options: FlakyOptions): { handle: Handler; hooks: Hooks[] } {
  const { box: outer = memoryBox(), ...dialect } = options;
  const received: Message[] = [];
  const children: number[] = [];
  const box: Box = {
    ...outer,
    spawn(script, stdio) {
      const pid = outer.spawn(script, stdio);
      children.push(pid);
      return pid;
    },
  };
  const hooks = faults.map((text) => hooksOf(text, box));
  const description: Description = {
    name: "flaky",
    version: "1.0.0",
    instructions: "A server for tests. It misbehaves where it was asked to.",
    tools: healthy(received, children, box),
    ...dialect,
  };
  for (const { setup } of hooks) setup?.(description);
  const faulty = hooks.reduceRight(
    (next, { handle }) => handle?.(next) ?? next,
    server(description),
  );
  // deno-lint-ignore require-await -- async, so that a fault which throws rejects instead
  const handle: Handler = async (message, out) => {
    received.push(message);
    return faulty(message, out);
  };
  return { handle, hooks };
}

/** Puts /dev/null in the place of every descriptor of our stdout: `Deno.stdout.close()` leaves some open. */
function closeStdout(): void {
  const libc = Deno.dlopen("libc.so.6", {
    open: { parameters: ["buffer", "i32"], result: "i32" },
    dup2: { parameters: ["i32", "i32"], result: "i32" },
  });
  const nowhere = libc.symbols.open(new TextEncoder().encode("/dev/null\0"), 2);
  const target = (fd: string) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return undefined; // The descriptor that lists the directory is gone by now.
    }
  };
  const stdout = target("1");
  for (const { name } of [...Deno.readDirSync("/proc/self/fd")]) {
    if (target(name) === stdout) libc.symbols.dup2(nowhere, Number(name));
  }
}

function writeFully(stream: { writeSync(bytes: Uint8Array): number }, text: string | Uint8Array) {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
}

function processBox(): Box {
  return {
    pid: Deno.pid,
    env: () => Deno.env.toObject(),
    print: (text) => writeFully(Deno.stdout, text),
    log: (text) => writeFully(Deno.stderr, text),
    exit: (code) => Deno.exit(code),
    ignoreSignals() {
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
        Deno.addSignalListener(signal, () => {});
      }
    },
    spawn(script, stdio) {
      const command = new Deno.Command("sh", {
        args: ["-c", script],
        stdin: "null",
        stdout: stdio,
        stderr: stdio,
      });
      const child = command.spawn();
      child.unref();
      return child.pid;
    },
    signal: (name) => Deno.kill(Deno.pid, name as Deno.Signal),
    closeStdout,
  };
}

async function main(args: string[], box: Box): Promise<void> {
  if (args.includes("--list")) {
    for (const [name, { arg, about }] of FAULTS) {
      const usage = !arg
        ? name
        : arg.endsWith("?")
        ? `${name}[=${arg.slice(0, -1)}]`
        : `${name}=${arg}`;
      box.print(`${usage.padEnd(24)} ${about}\n`);
    }
    return;
  }
  const isFlag = (arg: string) => arg.startsWith("--");
  let rigged: ReturnType<typeof rig>;
  try {
    const dialect = dialectFrom(args.filter(isFlag));
    rigged = rig(args.filter((arg) => !isFlag(arg)), { ...dialect, box });
  } catch (error) {
    box.log(`${error instanceof Error ? error.message : error}\n`);
    return box.exit(2);
  }
  const { handle, hooks } = rigged;
  for (const { start } of hooks) await start?.();
  await serveStdio(handle, hooks.reduceRight((next, { wire }) => wire?.(next) ?? next, stdio()));
  for (const { end } of hooks) await end?.();
}

if (import.meta.main) await main(Deno.args, processBox());
