/** Where the user's own configuration may be, and which files a project may bring. @module */

/** Read only by `-c` or when trusted, because they start processes and come with somebody's repository. */
export const PROJECT_FILES: readonly string[] = [
  "fusebox.yaml",
  "fusebox.yml",
  "fusebox.json",
  ".mcp.json",
];

const NAMES = ["config.yaml", "config.yml", "config.json", "config.jsonc"];

/** Paths of the user's file, most wanted first: of those that exist only the first is read. */
export function candidates(
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const windows = platform === "windows";
  const home = (windows && env.USERPROFILE) || env.HOME;
  const roots = [
    absolute(env.XDG_CONFIG_HOME, windows),
    windows && env.APPDATA,
    home && join(windows, home, ".config"),
    platform === "darwin" && home && join(windows, home, "Library", "Application Support"),
  ].filter((root) => typeof root === "string" && root !== "") as string[];
  return [...new Set(roots)]
    .flatMap((root) => NAMES.map((name) => join(windows, root, "fusebox", name)));
}

/** The XDG specification has relative paths ignored. */
function absolute(path: string | undefined, windows: boolean): string | undefined {
  if (!path) return undefined;
  return /^[\\/]/.test(path) || (windows && /^[A-Za-z]:[\\/]/.test(path)) ? path : undefined;
}

function join(windows: boolean, root: string, ...names: string[]): string {
  return [root.replace(/[\\/]+$/, ""), ...names].join(windows ? "\\" : "/");
}
