/** The command line, read once and typed. @module */
import { parseArgs } from "@std/cli/parse-args";
import type { Mode } from "../config/config.ts";
import { distance, nearest } from "../kit/near.ts";
import { UsageError } from "../kit/usage.ts";
import { checkStatus, readPort, withPort } from "./status_flags.ts";
import { flagOf, withSwitches } from "./switches.ts";
import { needsValue, readCount, readMode, readTimeout, split } from "./flag_values.ts";

export const COMMANDS = [
  "ask",
  "tools",
  "call",
  "servers",
  "status",
  "models",
  "search",
  "catalog",
  "approvals",
  "trust",
  "pins",
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
  mode?: Mode;
  /** Tokens of one turn, and of the whole run. */
  maxTokens?: number;
  budgetTokens?: number;
  /** Files: a system prompt, the schema of the answer, what goes with the prompt. */
  system?: string;
  schema?: string;
  attach: readonly string[];
  /** A file that tells all that crossed and was decided. */
  trace?: string;
  /** A folder for the media of results. */
  saveMedia?: string;
  /** False with `--no-stream`: the model's answer comes in one piece. */
  stream: boolean;
  allow: readonly string[];
  deny: readonly string[];
  /** The port of `--status[=PORT]`: 0 is any that is free; undefined where it was not given. */
  statusPort?: number;
  statusHost?: string;
  yes: boolean;
  /** Whatever is not as it was pinned ends the run. */
  frozenPins: boolean;
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
  "frozen-pins",
  "lazy",
  "forward",
  "json",
  "jsonl",
  "quiet",
  "verbose",
  "version",
  "help",
] as const;
/** Those that are on unless they are switched off. */
const NEGATABLE = ["stdin", "stream"] as const;
const SWITCHES = [...BOOLEANS, ...NEGATABLE.flatMap((name) => [`no-${name}`, name])];
const STRINGS = [
  "config",
  "server",
  "only",
  "model",
  "max-steps",
  "timeout",
  "mode",
  "max-tokens",
  "budget-tokens",
  "system",
  "schema",
  "trace",
  "save-media",
  "attach",
  "allow",
  "deny",
  "status",
  "status-host",
  "_",
] as const;
const LISTS = ["config", "server", "only", "allow", "deny", "attach"] as const;
const SINGLES = [
  "model",
  "max-steps",
  "timeout",
  "mode",
  "max-tokens",
  "budget-tokens",
  "system",
  "schema",
  "trace",
  "save-media",
  "status-host",
] as const;
const ALIASES = { c: "config", m: "model", q: "quiet", v: "verbose", h: "help" } as const;

/**
 * @throws {UsageError} for a flag that is unknown or lacks its value, and for what looks like a
 * mistyped command
 */
export function readArgs(argv: readonly string[]): Args {
  const { args, passed } = splitServeDemo(asFlag(argv));
  const parsed = parseArgs(withSwitches(withPort(args), SWITCHES, ALIASES), {
    boolean: [...BOOLEANS, ...NEGATABLE],
    negatable: NEGATABLE,
    default: { stdin: true, stream: true },
    string: STRINGS,
    collect: LISTS,
    alias: { config: "c", model: "m", quiet: "q", verbose: "v", help: "h" },
    unknown: (arg, key) => key === undefined ? true : unknownFlag(arg, key, args),
  });
  const words = [...parsed._.map(String), ...passed];
  const command = readCommand(words);
  checkStatus(command ?? "ask", parsed.status, parsed["status-host"]);
  const only = split(parsed.only);
  const { model, system, schema, trace, "save-media": saveMedia } = parsed;
  const { "status-host": statusHost } = parsed;
  const mode = readMode(parsed.mode, parsed.lazy, parsed.forward);
  for (const flag of SINGLES) needsValue(flag, parsed[flag]);
  for (const flag of LISTS) for (const value of parsed[flag]) needsValue(flag, value);
  if (parsed.json && parsed.jsonl) {
    throw new UsageError("Cannot print --json and --jsonl at once", { hint: "Choose one" });
  }
  return {
    command: wordless(command ?? "ask", words.slice(1)),
    words: command ? words.slice(1) : words,
    config: parsed.config,
    server: parsed.server,
    ...(only.length > 0 && { only }),
    ...(model !== undefined && { model }),
    ...(mode && { mode }),
    ...readCount("maxSteps", "max-steps", parsed["max-steps"], 10_000, "The default is 20"),
    ...readCount("maxTokens", "max-tokens", parsed["max-tokens"], 10_000_000),
    ...readCount("budgetTokens", "budget-tokens", parsed["budget-tokens"], 1_000_000_000),
    ...(system !== undefined && { system }),
    ...(schema !== undefined && { schema }),
    ...(trace !== undefined && { trace }),
    attach: parsed.attach,
    ...(saveMedia !== undefined && { saveMedia }),
    stream: parsed.stream,
    ...(parsed.timeout !== undefined && { timeoutMs: readTimeout(parsed.timeout) }),
    ...(parsed.status !== undefined && { statusPort: readPort(parsed.status) }),
    ...(statusHost !== undefined && { statusHost }),
    allow: split(parsed.allow),
    deny: split(parsed.deny),
    yes: parsed.yes,
    frozenPins: parsed["frozen-pins"],
    stdin: parsed.stdin,
    json: parsed.json,
    jsonl: parsed.jsonl,
    quiet: parsed.quiet,
    verbose: parsed.verbose,
    version: parsed.version,
    help: parsed.help,
  };
}

/** People try `help`, `help COMMAND` and `version` as commands, too. */
function asFlag(argv: readonly string[]): readonly string[] {
  const [first, second, ...more] = argv;
  const isOfCommand = first === "help" && COMMANDS.some((name) => name === second);
  if (more.length > 0 || (second !== undefined && !isOfCommand)) return argv;
  if (first !== "help" && first !== "version") return argv;
  return second === undefined ? [`--${first}`] : [second, "--help"];
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

/** Commands that take no words: one given is a mistake that would go unnoticed. */
function wordless(command: Command, words: readonly string[]): Command {
  if (!["servers", "status", "selftest", "demo"].includes(command) || words.length === 0) {
    return command;
  }
  throw new UsageError(`Cannot run "fusebox ${command} ${words[0]}": ${command} takes no words`, {
    hint: ["servers", "status"].includes(command)
      ? "--only ALIAS chooses servers"
      : "fusebox --help lists what does",
  });
}

function unknownFlag(arg: string, key: string, args: readonly string[]): never {
  const before = args[args.indexOf(arg) - 1] ?? "";
  const flag = before.replace(/^-([a-z])$/, (_, letter) => `--${flagOf(letter, ALIASES)}`);
  if (STRINGS.some((name) => `--${name}` === flag)) {
    throw new UsageError(`Cannot read ${flag} ${arg}: a value, and no flag, belongs there`, {
      hint: `A value that begins with a dash stands behind "=": ${flag}=${arg}`,
    });
  }
  const known = [...SWITCHES, ...STRINGS.filter((name) => name !== "_")];
  const short = flagOf(key, ALIASES);
  const near = short ? [short] : nearest(key, known, 1);
  throw new UsageError(`Cannot read "${arg}": no such flag`, {
    hint: near.length > 0
      ? `Did you mean --${near[0]}?`
      : `fusebox --help lists them; a prompt that begins with a dash stands behind --`,
  });
}
