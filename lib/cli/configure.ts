/** Which configuration holds: files, environment, flags, and what holds without any. @module */
import type { Config, ServerConfig } from "../config/config.ts";
import { DEFAULT_LIMITS } from "../config/config.ts";
import { candidates, PROJECT_FILES } from "../config/find.ts";
import type { SourceFile } from "../config/read.ts";
import { parseServerFlag } from "../config/server_flag.ts";
import { configuredSecrets } from "../config/secrets.ts";
import { UsageError } from "../kit/usage.ts";
import type { Args } from "./args.ts";
import { BUILT_IN } from "./household.ts";
import { load } from "./sources.ts";
import type { Found, World } from "./world.ts";

const NO_CONFIG: Config = {
  servers: [],
  allow: [],
  deny: [],
  limits: DEFAULT_LIMITS,
  notes: [],
};

/**
 * Reads the `-c` files, else `$FUSEBOX_CONFIG`, else the user's own file and that of the project where
 * it is approved, and adds `--server`s.
 * Where nothing is configured at all, the two built-in servers stand in, and a note says so.
 * @throws {UsageError} with all that is wrong, at once
 */
export async function configure(args: Args, world: World): Promise<Config> {
  const config = await read(args, world);
  world.secrets.add(configuredSecrets(config.servers, world.env));
  world.trace?.configured(config, args);
  return config;
}

async function read(args: Args, world: World): Promise<Config> {
  const files = await readFiles(args, world);
  const config = files.length > 0 ? await load(files, world) : NO_CONFIG;
  const adHoc: ServerConfig[] = [];
  for (const text of args.server) {
    const taken = [...config.servers, ...adHoc].map(({ alias, file }) => [alias, file] as const);
    const server = parseServerFlag(text, new Map(taken), config.limits);
    adHoc.push(config.fuse ? { ...server, fuse: config.fuse } : server);
  }
  const servers = [...config.servers, ...adHoc];
  if (servers.length > 0) return { ...config, servers };
  if (files.length > 0) {
    const note = `No servers are configured in ${files.map(({ path }) => path).join(", ")}`;
    return { ...config, servers, notes: [...config.notes, note] };
  }
  const note =
    "No servers are configured: using the built-in notes and tickets (-c FILE names yours)";
  return { ...config, servers: BUILT_IN, notes: [...config.notes, note] };
}

async function readFiles(args: Args, world: World): Promise<SourceFile[]> {
  const own = world.env.FUSEBOX_CONFIG;
  const named = args.config.length > 0 ? args.config : own ? [own] : undefined;
  const files = [];
  for (const path of named ?? candidates(world.platform, world.env)) {
    const text = await readFile(path, world);
    if (text !== undefined) files.push({ path, text });
    else if (named) {
      throw new UsageError(`Cannot read the configuration ${path}: no such file`, {
        hint: args.config.length > 0
          ? "Paths are taken from the current folder"
          : "The variable FUSEBOX_CONFIG names it",
      });
    }
    if (!named && text !== undefined) break; // The first of the user's own that is there.
  }
  const project = named ? undefined : await readProject(files[0]?.path, args, world);
  return project ? [...files, project] : files;
}

/** The file that a project may bring, where it is approved. */
async function readProject(
  own: string | undefined,
  args: Args,
  world: World,
): Promise<SourceFile | undefined> {
  const there = await findProject(world.folder, world);
  if (!there) return undefined;
  // Somebody keeps their own file in a folder like any other, and links to it.
  if (own !== undefined && (await world.look(own))?.path === there.found.path) return undefined;
  const { approvedProject } = await import("./project.ts");
  return await approvedProject(there.name, there.found, args, world);
}

/** The first of {@linkcode PROJECT_FILES} that says anything: the others are not looked at. */
export async function findProject(
  folder: string,
  world: World,
): Promise<{ name: string; found: Found } | undefined> {
  const looks = PROJECT_FILES.map((name) => ({
    name,
    look: world.look(`${folder}/${name}`).catch(() => undefined),
  }));
  for (const { name, look } of looks) {
    const found = await look;
    // What holds nothing asks for nothing. Devices and pipes are no files, and may never end.
    if (found?.isFile && found.size > 0) return { name, found };
  }
  return undefined;
}

async function readFile(path: string, world: World): Promise<string | undefined> {
  try {
    return await world.readFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot read the configuration ${path}: ${why}`);
  }
}
