/** How this very program is started: from its source, from the portable file, or compiled. @module */

/**
 * Everything that it may do, by name: it starts the servers that a person configured, which may do
 * all that the person may. Deno opens the terminal device and /proc/self/status only to a program
 * that has all of these, so the last three, which nothing else needs, are among them.
 */
export const PERMISSIONS: readonly string[] = [
  "--allow-run",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-net",
  "--allow-sys",
  "--allow-ffi",
  "--allow-import",
];

/** How the portable file has Deno run its bundle, whatever lies in the folders above it. */
export const BUNDLE_FLAGS: readonly string[] = [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  "--no-lock",
  "--no-npm",
  "--no-remote",
  "--node-modules-dir=none",
  ...PERMISSIONS,
];

type Env = Readonly<Record<string, string>>;

/** Where Deno keeps what it compiled, and where somebody else's Deno is told to. */
const CACHE = "DENO_DIR";
const THEIRS = "FUSEBOX_DENO_DIR";
/** Whether Deno looks for newer versions of itself. */
const CHECK = "DENO_NO_UPDATE_CHECK";
/** What the head sets it to where nobody has set it. */
const OURS = "fusebox";

export interface Program {
  /** Deno, or the compiled program itself. */
  executable: string;
  standalone: boolean;
  /** The URL of its main file. */
  entry: string;
  /** What of the environment is its own: {@linkcode partEnvironment}. */
  own: Env;
}

export interface Start {
  command: string;
  args: readonly string[];
  /** Besides the environment of whoever starts it. */
  env: Env;
}

/** The source is TypeScript; what was bundled is not. */
function isBundle(entry: string): boolean {
  return entry.endsWith(".mjs");
}

/**
 * The environment as it was before the head of the portable file gave Deno a cache of its own, and
 * what it is to be for the program alone: servers that run on Deno have nothing to do with it.
 */
export function partEnvironment(entry: string, env: Env): { theirs: Env; own: Env } {
  if (!isBundle(entry)) return { theirs: env, own: {} };
  const { [CACHE]: cache, [THEIRS]: before, [CHECK]: check, ...rest } = env;
  return {
    theirs: {
      ...rest,
      ...(before !== undefined && { [CACHE]: before }),
      ...(check !== undefined && check !== OURS && { [CHECK]: check }),
    },
    own: {
      ...(cache !== undefined && { [CACHE]: cache }),
      ...(before !== undefined && { [THEIRS]: before }),
      ...(check !== undefined && { [CHECK]: check }),
    },
  };
}

/** How the program is started with these arguments. */
export function selfCommand(program: Program, args: readonly string[]): Start {
  const { executable, standalone, entry, own } = program;
  if (standalone) return { command: executable, args, env: {} };
  if (!isBundle(entry)) {
    return { command: executable, args: ["run", "-A", "--quiet", entry, ...args], env: own };
  }
  // As the head names it: a folder in an address might pass for a secret.
  const path = decodeURIComponent(new URL(entry).pathname);
  return { command: executable, args: [...BUNDLE_FLAGS, path, ...args], env: own };
}
