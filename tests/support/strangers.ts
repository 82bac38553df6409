/** Servers that we did not write, from npm, each at one version, and how each is started under Deno. @module */
import type { Params } from "../../lib/protocol/types.ts";
import type { Program } from "../strangers/raw.ts";
import { fetchPackages } from "./npm.ts";
import { ROOT } from "./paths.ts";

export interface Stranger {
  alias: string;
  /** What it is called in docs/strangers.md. */
  title: string;
  /** The package that makes it a stranger: an npm specifier. */
  from: string;
  /** What follows the flags of `deno run`, and what is added to its environment. */
  start(place: Place): { args: string[]; env?: Record<string, string> };
  /** What mcp-reality.md A says it speaks. */
  era: "modern" | "legacy";
  version: string;
  good: { tool: string; args(place: Place): Params; says: RegExp };
  bad: { tool: string; args: Params };
}

/** What a stranger may touch: a folder of its own, and a service that is on this machine. */
export interface Place extends AsyncDisposable {
  readonly folder: string;
  /** Answers like the search of context7, so that its tools need no network. */
  readonly api: string;
}

const THOUGHT = { thought: "Who is there?", thoughtNumber: 1, totalThoughts: 2 };
const ZOD = "npm:zod@4.6.7";
const FASTMCP = "npm:fastmcp@4.20.16";
const SDK = "npm:@modelcontextprotocol/server@2.4.0";
const SUM = { tool: "add", args: () => ({ a: 2, b: 3 }), says: /^5$/ };
const NO_SUM = { tool: "add", args: { a: "two" } };
/** The official schemas, against which our frames are held. */
export const CORE = "npm:@modelcontextprotocol/core@2.4.0";

export const STRANGERS: readonly Stranger[] = [
  {
    alias: "everything",
    title: "@modelcontextprotocol/server-everything",
    from: "npm:@modelcontextprotocol/server-everything@2026.8.31",
    start: () => ({ args: [] }),
    era: "legacy",
    version: "2025-11-25",
    good: { tool: "get-sum", args: () => ({ a: 2, b: 3 }), says: /2 and 3 is 5/ },
    bad: { tool: "get-sum", args: { a: "two" } },
  },
  {
    alias: "filesystem",
    title: "@modelcontextprotocol/server-filesystem",
    from: "npm:@modelcontextprotocol/server-filesystem@2026.8.31",
    start: ({ folder }) => ({ args: [folder] }),
    era: "legacy",
    version: "2025-11-25",
    good: {
      tool: "read_text_file",
      args: ({ folder }) => ({ path: `${folder}/hello.txt` }),
      says: /^grüße 👋$/,
    },
    bad: { tool: "read_text_file", args: { path: 7 } },
  },
  {
    alias: "memory",
    title: "@modelcontextprotocol/server-memory",
    from: "npm:@modelcontextprotocol/server-memory@2026.8.31",
    start: ({ folder }) => ({ args: [], env: { MEMORY_FILE_PATH: `${folder}/memory.jsonl` } }),
    era: "legacy",
    version: "2025-11-25",
    good: {
      tool: "create_entities",
      args: () => ({ entities: [{ name: "fuse", entityType: "part", observations: ["blows"] }] }),
      says: /"fuse"/,
    },
    bad: { tool: "create_entities", args: { entities: "none" } },
  },
  {
    alias: "sequential-thinking",
    title: "@modelcontextprotocol/server-sequential-thinking",
    from: "npm:@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    start: () => ({ args: [] }),
    era: "legacy",
    version: "2025-11-25",
    good: {
      tool: "sequentialthinking",
      args: () => ({ ...THOUGHT, nextThoughtNeeded: true }),
      says: /"totalThoughts": 2/,
    },
    bad: { tool: "sequentialthinking", args: { thought: 1 } },
  },
  {
    alias: "fastmcp",
    title: "fastmcp",
    from: FASTMCP,
    start: () => ({ args: [FASTMCP, ZOD] }),
    era: "legacy",
    version: "2025-11-25",
    good: SUM,
    bad: NO_SUM,
  },
  {
    alias: "serve",
    title: "@modelcontextprotocol/server, `serveStdio(f)`",
    from: SDK,
    start: () => ({ args: [SDK, "serve"] }),
    era: "modern",
    version: "2026-07-28",
    good: SUM,
    bad: NO_SUM,
  },
  {
    alias: "reject-legacy",
    title: '@modelcontextprotocol/server, `serveStdio(f, { legacy: "reject" })`',
    from: SDK,
    start: () => ({ args: [SDK, "reject-legacy"] }),
    era: "modern",
    version: "2026-07-28",
    good: SUM,
    bad: NO_SUM,
  },
  {
    alias: "hand-wired",
    title: "@modelcontextprotocol/server, `server.connect(transport)`",
    from: SDK,
    start: () => ({ args: [SDK, "hand-wired"] }),
    era: "legacy",
    version: "2025-11-25",
    good: SUM,
    bad: NO_SUM,
  },
  {
    alias: "context7",
    title: "@upstash/context7-mcp",
    from: "npm:@upstash/context7-mcp@4.1.1",
    start: ({ api }) => ({ args: [], env: { CONTEXT7_API_URL: api } }),
    era: "modern",
    version: "2026-07-28",
    good: {
      tool: "resolve-library-id",
      args: () => ({ query: "fuses", libraryName: "fusebox" }),
      says: /library ID: \/acme\/fusebox/,
    },
    bad: { tool: "resolve-library-id", args: { libraryName: 7 } },
  },
];

/** Our own scripts around a package, where the package is no program. */
const SCRIPTS: Readonly<Record<string, string>> = { [FASTMCP]: "fastmcp.ts", [SDK]: "official.ts" };

/** Keeps the packages and all they need at the versions that were looked at; no business of ours. */
const LOCK = `${ROOT}tests/strangers/strangers.lock`;
const FLAGS = ["--quiet", "--no-config", "--node-modules-dir=none"];
export const UPDATE = Deno.env.get("UPDATE_DOCS") === "1";

/** A program on packages of npm, none of which it fetches: see {@linkcode fetched}. */
export function onNpm(main: string, args: readonly string[], place: Place): Program {
  return {
    command: Deno.execPath(),
    args: ["run", "-A", ...FLAGS, `--lock=${LOCK}`, "--frozen", "--cached-only", main, ...args],
    env: ourEnv(),
    cwd: place.folder,
  };
}

export function programOf({ from, start }: Stranger, place: Place): Program {
  const script = SCRIPTS[from];
  const { args, env } = start(place);
  const program = onNpm(script ? `${ROOT}tests/strangers/servers/${script}` : from, args, place);
  return { ...program, env: { ...program.env, ...env } };
}

/** What Deno needs to find its cache, and nothing else. */
function ourEnv(): Record<string, string> {
  const seen = ["PATH", "HOME", "DENO_DIR", "XDG_CACHE_HOME"].map((name) =>
    [name, Deno.env.get(name)] as const
  );
  return {
    ...Object.fromEntries(seen.filter((entry): entry is [string, string] => !!entry[1])),
    DENO_NO_UPDATE_CHECK: "1",
  };
}

/** Fetches all packages, where they are not in the cache. */
export async function fetched(): Promise<void> {
  const packages = new Set([...STRANGERS.map(({ from }) => from), ZOD, CORE]);
  // Deno fetches what a lock names one after the other: with the first line, 5 s instead of 40.
  await fetchPackages([...FLAGS, "--no-lock"], packages);
  await fetchPackages([...FLAGS, ...UPDATE ? [] : ["--frozen"], `--lock=${LOCK}`], packages);
}

export async function newPlace(): Promise<Place> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "fusebox-strangers-" }));
  await Deno.writeTextFile(`${folder}/hello.txt`, "grüße 👋");
  const results = [{ id: "/acme/fusebox", title: "fusebox", description: "Fuses", trustScore: 9 }];
  const service = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => Response.json({ results }),
  );
  return {
    folder,
    api: `http://127.0.0.1:${service.addr.port}`,
    async [Symbol.asyncDispose]() {
      await service.shutdown();
      await Deno.remove(folder, { recursive: true });
    },
  };
}
