/** Every kind of record that a trace may hold, as data: docs/trace.md says the same in words. @module */

export const FORMAT = "fusebox-trace";
export const VERSION = 1;

/** Fields by kind, each with its type; with a "?" it may be absent. */
export const KINDS = {
  header: {
    format: "string",
    version: "integer",
    fusebox: "string",
    startedAt: "string",
    platform: "string",
    command: "string",
    files: "array",
    aliases: "array",
    model: "string?",
    mode: "string",
  },
  process: {
    server: "string",
    process: "integer",
    pid: "integer",
    command: "string",
    args: "array",
    cwd: "string?",
    env: "array",
  },
  sent: { server: "string", process: "integer", line: "string", length: "integer?" },
  received: { server: "string", process: "integer", line: "string", length: "integer?" },
  noise: { server: "string", process: "integer", of: "integer" },
  oversized: {
    server: "string",
    process: "integer",
    bytes: "integer",
    head: "string",
  },
  stderr: { server: "string", process: "integer", line: "string", length: "integer?" },
  ended: { server: "string", process: "integer", code: "integer", signal: "string?" },
  server: {
    server: "string",
    state: "string",
    reason: "object?",
    fuse: "object",
    dialect: "string?",
    peer: "object?",
    instructions: "string?",
    tools: "integer",
    source: "string?",
    heldBack: "array?",
    problems: "array?",
    attachMs: "number?",
    attaches: "integer",
  },
  run: {
    model: "string",
    mode: "string",
    prompt: "string",
    system: "string?",
    maxSteps: "integer?",
    maxTokens: "integer?",
    budgetTokens: "integer?",
  },
  request: {
    step: "integer",
    model: "string",
    messages: "integer",
    tools: "integer",
    bytes: "integer",
    sha256: "string",
  },
  http: { request: "integer", method: "string", url: "string", bytes: "integer" },
  http_ended: { request: "integer", status: "integer?", failure: "string?", ms: "number" },
  turn: {
    step: "integer",
    text: "string",
    uses: "array",
    stop: "string",
    usage: "object?",
    ms: "number",
  },
  turn_failed: { step: "integer", message: "string", status: "integer?", ms: "number" },
  use: {
    use: "string",
    name: "string",
    args: "object",
    unreadable: "string?",
    server: "string?",
    tool: "string?",
  },
  asked: { question: "string" },
  answered: { text: "string?" },
  approval: {
    use: "string",
    server: "string",
    tool: "string",
    ok: "boolean",
    by: "string?",
    why: "string?",
  },
  call: { server: "string", tool: "string", outcome: "string", ms: "number" },
  result: {
    use: "string",
    name: "string",
    server: "string?",
    tool: "string?",
    isError: "boolean",
    failure: "string?",
    content: "array",
    structuredContent: "any?",
    notes: "array?",
    ms: "number",
  },
  outcome: { ending: "string", why: "string?", steps: "integer", usage: "object?" },
  note: { text: "string" },
  dropped: { count: "integer" },
  truncated: { bytes: "integer" },
  end: { exit: "integer", message: "string?" },
} as const;

export type Kind = keyof typeof KINDS;

interface Types {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  object: object;
  array: readonly unknown[];
  any: unknown;
}

type TypeOf<T> = T extends `${infer Name}?` ? TypeOf<Name>
  : T extends keyof Types ? Types[T]
  : never;
type Optional<D> = { [F in keyof D as D[F] extends `${string}?` ? F : never]?: TypeOf<D[F]> };
type Required<D> = { [F in keyof D as D[F] extends `${string}?` ? never : F]: TypeOf<D[F]> };

/** What a record of this kind says. `seq`, `at` and `kind` come before it. */
export type Fields<K extends Kind> = Required<typeof KINDS[K]> & Optional<typeof KINDS[K]>;
