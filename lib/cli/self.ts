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

export interface Program {
  /** Deno, or the compiled program itself. */
  executable: string;
  standalone: boolean;
  /** The URL of its main file. */
  entry: string;
}

/** The command line that starts the program with these arguments. */
export function selfCommand(
  { executable, standalone, entry }: Program,
  args: readonly string[],
): { command: string; args: readonly string[] } {
  if (standalone) return { command: executable, args };
  // The source is TypeScript; what was bundled is not.
  const flags = entry.endsWith(".mjs") ? BUNDLE_FLAGS : ["run", "-A", "--quiet"];
  return { command: executable, args: [...flags, entry, ...args] };
}
