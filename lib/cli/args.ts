/** The command line, read once and typed. @module */
import { parseArgs } from "@std/cli/parse-args";
import { durationHint, parseDuration } from "../kit/duration.ts";
import { distance, nearest } from "../kit/near.ts";
import { UsageError } from "../kit/usage.ts";

export const COMMANDS = [
  "ask",
  "tools",
  "call",
  "servers",
  "selftest",
  "demo",
  "serve-demo",
] as const;
export type Command = typeof COMMANDS[number];

export interface Args {
  command: Command;
  /** What follows the command, as written. */
  words: readonly string[];
  /** What was given with `-c`, in order. */
  config: readonly string[];
  /** Ad hoc servers, `[alias=]COMMAND`. */
  server: readonly string[];
  /** Aliases of `--only`; undefined means all. */
  only?: readonly string[];
  model?: string;
  maxSteps?: number;
  timeoutMs?: number;
  allow: readonly string[];
  deny: readonly string[];
  yes: boolean;
  /** False with `--no-stdin`. */
  stdin: boolean;
  json: boolean;
  jsonl: boolean;
  quiet: boolean;
  verbose: boolean;
  version: boolean;
  help: boolean;
}

const BOOLEANS = [
  "yes",
  "no-stdin",
  "json",
  "jsonl",
  "quiet",
  "verbose",
  "version",
  "help",
] as const;
const STRINGS = [
  "config",
  "server",
  "only",
  "model",
  "max-steps",
  "timeout",
  "allow",
  "deny",
  "_",
] as const;
const ALIASES = { c: "config", m: "model", q: "quiet", v: "verbose", h: "help" } as const;

/**
 * @throws {UsageError} for a flag that is unknown or lacks its value, and for what looks like a
 * mistyped command
 */
export function readArgs(argv: readonly string[]): Args {
  const { args, passed } = splitServeDemo(argv);
  const parsed = parseArgs(args, {
    boolean: BOOLEANS,
    string: STRINGS,
    collect: ["config", "server", "only", "allow", "deny"],
    alias: { config: "c", model: "m", quiet: "q", verbose: "v", help: "h" },
    unknown: (arg, key) => key === undefined ? true : unknownFlag(arg, key),
  });
  const words = [...parsed._.map(String), ...passed];
  const command = readCommand(words);
  const only = split(parsed.only);
  const { model } = parsed;
  for (const flag of ["model", "max-steps", "timeout"] as const) needsValue(flag, parsed[flag]);
  for (const flag of ["config", "server", "only", "allow", "deny"] as const) {
    for (const value of parsed[flag]) needsValue(flag, value);
  }
  if (parsed.json && parsed.jsonl) {
    throw new UsageError("Cannot print --json and --jsonl at once", { hint: "Choose one" });
  }
  return {
    command: command ?? "ask",
    words: command ? words.slice(1) : words,
    config: parsed.config,
    server: parsed.server,
    ...(only.length > 0 && { only }),
    ...(model !== undefined && { model }),
    ...(parsed["max-steps"] !== undefined && { maxSteps: readCount(parsed["max-steps"]) }),
    ...(parsed.timeout !== undefined && { timeoutMs: readTimeout(parsed.timeout) }),
    allow: split(parsed.allow),
    deny: split(parsed.deny),
    yes: parsed.yes,
    stdin: !parsed["no-stdin"],
    json: parsed.json,
    jsonl: parsed.jsonl,
    quiet: parsed.quiet,
    verbose: parsed.verbose,
    version: parsed.version,
    help: parsed.help,
  };
}

/** A built-in server reads its own flags: whatever follows its name is not ours. */
function splitServeDemo(
  argv: readonly string[],
): { args: readonly string[]; passed: readonly string[] } {
  if (argv[0] !== "serve-demo") return { args: argv, passed: [] };
  return { args: argv.slice(0, 2), passed: argv.slice(2) };
}

function readCommand([first = ""]: readonly string[]): Command | undefined {
  const command = COMMANDS.find((name) => name === first);
  if (command || /\s/.test(first)) return command;
  // A prompt of one word is rare, a mistyped command is not.
  const near = COMMANDS.find((name) =>
    first[0] === name[0] && distance(first, name, first.length > 4 ? 2 : 1) !== undefined
  );
  if (!near) return undefined;
  throw new UsageError(`Cannot run "${first}": no such command`, {
    hint: `Did you mean "fusebox ${near}"? To use it as a prompt: fusebox ask "${first} …"`,
  });
}

function unknownFlag(arg: string, key: string): never {
  const known = [...BOOLEANS, ...STRINGS.filter((name) => name !== "_")];
  const short = (ALIASES as Record<string, string>)[key];
  const near = short ? [short] : nearest(key, known, 1);
  throw new UsageError(`Cannot read "${arg}": no such flag`, {
    hint: near.length > 0 ? `Did you mean --${near[0]}?` : "fusebox --help lists them",
  });
}

function needsValue(flag: string, value: string | undefined): void {
  if (value === "") {
    throw new UsageError(`Cannot read --${flag}: it needs a value`, {
      hint: "fusebox --help shows which",
    });
  }
}

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 10_000) return count;
  throw new UsageError(`Cannot read --max-steps ${text}: not a whole number from 1 to 10000`, {
    hint: "The default is 20",
  });
}

function readTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`Cannot read --timeout ${text}: not a duration`, {
    hint: durationHint(text),
  });
}

/** Lists may be given as `a,b` and as a flag given twice. */
function split(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(",")).map((item) => item.trim()).filter((item) =>
    item
  );
}

export const HELP = `fusebox: an MCP client and agent loop in one binary

  fusebox [ask] [PROMPT…]     answer; stdin is the prompt, or its context
  fusebox tools [ALIAS]       what the model would see
  fusebox call NAME [ARGS]    one tool: alias.tool, then JSON, key=value or -
  fusebox servers             one row per server: state, tools, dialect, reason
  fusebox selftest            nine checks over the two built-in servers
  fusebox demo                a whole run over them, offline, narrated
  fusebox serve-demo NAME     one of them on stdio: notes, tickets

  -c, --config FILE     configuration          --allow PATTERN   run unasked
      --server COMMAND  [alias=]COMMAND or URL --deny PATTERN    hide and refuse
      --only ALIAS,…    these servers alone    --yes             ask nothing
  -m, --model NAME      offline, script:FILE   --no-stdin        do not read it
      --max-steps N     model requests (20)    --json, --jsonl   for machines
      --timeout TIME    silence of a call (60s)    -q, --quiet   less on stderr
      --version   -h, --help                       -v, --verbose more on stderr

Exit codes: 0 answered, 1 the tool said no, 2 wrong usage, 3 the server refused,
4 nobody answered, 5 the model failed, 6 no full answer, 7 denied, 130 Ctrl-C.
Configuration, patterns, JSON output: README.md
`;
