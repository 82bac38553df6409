/** What a configuration is, once it has been read, merged and checked. @module */

/** Limits in milliseconds, and in UTF-16 units of text. A server's own override those of the file, and those the defaults. */
export interface Limits {
  /** How long a run waits for its servers before it starts with whoever is ready. */
  startMs: number;
  /** Silence after which `initialize` is sent beside an unanswered `server/discover`. */
  probeMs: number;
  handshakeMs: number;
  listMs: number;
  /** Silence after which a call is given up; progress resets it. */
  idleMs: number;
  /** The absolute end of a call; nothing resets it. */
  capMs: number;
  /** Calls of one server under way at once. Default 16 over stdio, 32 over HTTP. */
  concurrency?: number;
  /** Calls of all servers under way at once; each may always have one. At the top alone. */
  overall: number;
  /** Text of one result that the model is told. */
  resultChars: number;
  /** Text of all results of one turn together: one for all servers. */
  resultsChars: number;
  /** Of the description of a tool. */
  descriptionChars: number;
}

export const STDIO_CONCURRENCY = 16;
export const HTTP_CONCURRENCY = 32;

/** When a server is left alone, and for how long. */
export interface FusePolicy {
  /** Failures in a row, with no answer between them, that open its fuse. */
  failures: number;
  /** Exits of its process within `windowMs` that open it, whatever it answered between them. */
  exits: number;
  windowMs: number;
  /** How long it stays open the first time; doubled by each trial that fails, up to `capMs`. */
  backoffMs: number;
  capMs: number;
  /** How long it has to go without a failure after a trial until all is forgotten. */
  stableMs: number;
}

export const DEFAULT_FUSE: FusePolicy = {
  failures: 3,
  exits: 5,
  windowMs: 60_000,
  backoffMs: 5_000,
  capMs: 300_000,
  stableMs: 30_000,
};

export const DEFAULT_LIMITS: Limits = {
  startMs: 15_000,
  probeMs: 3_000,
  handshakeMs: 30_000,
  listMs: 30_000,
  idleMs: 60_000,
  capMs: 600_000,
  overall: 64,
  resultChars: 50_000,
  resultsChars: 150_000,
  descriptionChars: 4_000,
};

/** How to reach a server. Strings may hold `${VAR}`: they are resolved when it is attached. */
export type Reach =
  | {
    kind: "stdio";
    command: string;
    args: readonly string[];
    env: Readonly<Record<string, string>>;
    cwd?: string;
    /** Hands the server the whole environment instead of the allow-list. */
    inheritEnv: boolean;
  }
  | { kind: "http"; url: string; headers: Readonly<Record<string, string>> };

/** Limits of the tools whose raw name matches `pattern`. */
export interface ToolLimits {
  pattern: string;
  idleMs?: number;
  capMs?: number;
  resultChars?: number;
}

export interface ServerConfig {
  /** `^[a-z0-9]+(?:[-_][a-z0-9]+)*$`, at most 20 characters, unique over all files. */
  alias: string;
  /** Where it was written: the file, for messages. */
  file: string;
  /** Why it can never be attached, to follow a colon: offline for `config`, and the others are not. */
  problem?: string;
  reach: Reach;
  description?: string;
  /** In lazy and forward mode: how long it may rest without a call before it is detached. */
  restMs?: number;
  /** It is never detached for resting: it keeps a state of its own. */
  keepAlive?: boolean;
  /** Its failure ends the run with exit code 4. */
  required: boolean;
  trusted: boolean;
  /** False: what it offers may change by itself. Default true. */
  pins?: boolean;
  disabled: boolean;
  /** Patterns over raw tool names, `*` matches any run of characters. */
  tools: {
    allow: readonly string[];
    deny: readonly string[];
    limits: readonly ToolLimits[];
  };
  limits: Limits;
  /** Default {@linkcode DEFAULT_FUSE}. */
  fuse?: FusePolicy;
}

/** What differs from how the model's provider is reached by default. */
export interface ApiSettings {
  baseUrl?: string;
  /** The variable that holds the key. */
  keyEnv?: string;
  /** Of the API, for those that have versions. */
  version?: string;
}

export const DEFAULT_REST_MS = 60_000;

export const DEFAULT_FORWARD_ABOVE = 5;

export const MODES = ["auto", "full", "lazy", "forward"] as const;
export type Mode = typeof MODES[number];

export interface Config {
  model?: string;
  /** What the model is shown, and when servers run. Default "auto". */
  mode?: Mode;
  /** Mode auto goes forward above this share of the model's window, in percent. Default 5. */
  forwardAbove?: number;
  api?: ApiSettings;
  servers: readonly ServerConfig[];
  /** `alias.tool` patterns: calls that need no question. */
  allow: readonly string[];
  /** `alias.tool` patterns: tools that are hidden and refused. */
  deny: readonly string[];
  limits: Limits;
  /** Of servers that have none of their own. */
  fuse?: FusePolicy;
  /** What was read differently from how it was written, told once on stderr. */
  notes: readonly string[];
}
