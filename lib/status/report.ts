/** The state of a run as one JSON object: what `/status` says, and `/events` begins with. @module */
import type { ServerStatus } from "../registry/status.ts";
import { type Inventory, NO_TOOLS, type ToolCounts } from "./inventory.ts";
import type { CallNote, ChangeNote, Ledger, Tokens } from "./ledger.ts";
import type { Point } from "./account.ts";
import { readiness } from "./readiness.ts";
import { said } from "./said.ts";
import type { Facts, StatusView } from "./view.ts";

/** The format. It grows by keys; what changes its meaning changes this number. */
export const FORMAT = 1;

/** Times are ISO 8601. */
export interface ServerRow {
  alias: string;
  description?: string;
  required: boolean;
  state: ServerStatus["state"];
  /** Why it is not to be had, or was not the last time: a code, a line, since when, last words. */
  reason?: string;
  message?: string;
  since?: string;
  stderr?: readonly string[];
  /** When it came into the state it is in, its fuse's included. */
  stateSince?: string;
  fuse: {
    state: ServerStatus["fuse"]["state"];
    since?: string;
    trialAt?: string;
    trips: number;
    /** How often it opened in this run. */
    opened: number;
  };
  dialect?: { era: "modern" | "legacy"; version: string };
  server?: { name?: string; version?: string };
  pid?: number;
  origin?: string;
  tools: ToolCounts;
  source?: "live" | "recalled";
  /** When its tools were listed, in this run or an earlier one. */
  listedAt?: string;
  problems: readonly string[];
  attaches: number;
  attachMs?: number;
  calls: { total: number; outcomes: Readonly<Record<string, number>> };
  latency: { p50?: number; p95?: number; last: readonly Point[] };
}

export interface RunRow {
  id: string;
  mode: Facts["mode"];
  model?: string;
  startedAt: string;
  /** Model requests begun. */
  requests: number;
  tokens: Tokens;
  /** A digest of system prompt and tools of the last model request. */
  prefix?: string;
  /** How it ended; absent while it goes on. */
  ending?: string;
}

export interface CallRow extends Omit<CallNote, "at"> {
  at: string;
}

export interface ChangeRow extends Omit<ChangeNote, "at"> {
  at: string;
}

export interface StatusReport {
  format: typeof FORMAT;
  fusebox: string;
  at: string;
  ready: boolean;
  run: RunRow & { uptimeMs: number };
  servers: readonly (ServerRow & { cacheAgeMs?: number })[];
  /** Of the table of tools: another number whenever it is another table. */
  tools: number;
  /** The last hundred calls of tools, and the last fifty changes of state, oldest first: no attempts. */
  calls: readonly CallRow[];
  changes: readonly ChangeRow[];
}

/** Where all that is shown comes from. */
export interface Sources {
  view: StatusView;
  ledger: Ledger;
  inventory: Inventory;
}

const NAME_MAX = 200;
const MESSAGE_MAX = 500;
const LINE_MAX = 300;
const LINES = 20;
const PROBLEMS = 20;

export function statusReport(sources: Sources): StatusReport {
  const { view, ledger, inventory } = sources;
  const now = view.now();
  const { version, startedAt } = view.facts();
  return {
    format: FORMAT,
    fusebox: version,
    at: iso(now),
    ready: readiness(view.servers()).ready,
    run: { ...runRow(sources), uptimeMs: Math.max(0, now - startedAt) },
    servers: serverRows(sources).map((row) => ({
      ...row,
      ...(row.listedAt !== undefined &&
        { cacheAgeMs: Math.max(0, now - Date.parse(row.listedAt)) }),
    })),
    tools: inventory.stock().revision,
    calls: ledger.calls().map((call) => callRow(call, view)),
    changes: ledger.changes().map((change) => changeRow(change, view)),
  };
}

/** Nothing in it is another one only because time has passed. */
export function runRow({ view, ledger }: Sources): RunRow {
  const { id, mode, model, startedAt } = view.facts();
  return {
    id,
    mode,
    ...(model !== undefined && { model: said(model, NAME_MAX, view) }),
    startedAt: iso(startedAt),
    requests: ledger.requests,
    tokens: { ...ledger.tokens },
    ...(ledger.prefix !== undefined && { prefix: ledger.prefix }),
    ...(ledger.ending !== undefined && { ending: ledger.ending }),
  };
}

/** The same promise, for each server. */
export function serverRows({ view, ledger, inventory }: Sources): ServerRow[] {
  const { counts } = inventory.stock();
  return view.servers().map((status) => {
    const { alias } = status;
    const { outcomes, total, opened, latency } = ledger.account(alias);
    const { points, ...quantiles } = latency;
    const origin = view.origin(alias);
    const stateSince = ledger.stateSince(alias);
    return {
      ...knownOf(status, view),
      ...(stateSince !== undefined && { stateSince: iso(stateSince) }),
      fuse: fuseRow(status, opened),
      ...(origin !== undefined && { origin }),
      tools: counts.get(alias) ?? NO_TOOLS,
      calls: { total, outcomes: Object.fromEntries(outcomes) },
      latency: { ...quantiles, last: points },
    };
  });
}

export function callRow({ at, tool, ...call }: CallNote, view: StatusView): CallRow {
  return { ...call, at: iso(at), tool: said(tool, NAME_MAX, view) };
}

export function changeRow({ at, message, ...change }: ChangeNote, view: StatusView): ChangeRow {
  return {
    ...change,
    at: iso(at),
    ...(message !== undefined && { message: said(message, MESSAGE_MAX, view) }),
  };
}

type Known = Omit<ServerRow, "stateSince" | "fuse" | "origin" | "tools" | "calls" | "latency">;

/** What the registry knows of it, without a secret and safe to print. */
function knownOf(status: ServerStatus, view: StatusView): Known {
  const { alias, description, required, state, reason, dialect, server, pid, source } = status;
  const { listedAt, problems, attaches, attachMs } = status;
  const say = (text: string, max = LINE_MAX) => said(text, max, view);
  const { name, version } = server ?? {};
  return {
    alias,
    ...(description !== undefined && { description: say(description) }),
    required,
    state,
    ...(reason && {
      reason: reason.code,
      message: say(reason.message, MESSAGE_MAX),
      since: iso(reason.since),
      stderr: reason.tail.slice(-LINES).map((line) => say(line)),
    }),
    ...(dialect && { dialect: { era: dialect.era, version: dialect.version } }),
    ...(server && {
      server: {
        ...(name !== undefined && { name: say(name) }),
        ...(version !== undefined && { version: say(version) }),
      },
    }),
    ...(pid !== undefined && { pid }),
    ...(source && { source }),
    ...(listedAt !== undefined && { listedAt: iso(listedAt) }),
    problems: problems.slice(0, PROBLEMS).map((problem) => say(problem)),
    attaches,
    ...(attachMs !== undefined && { attachMs }),
  };
}

function fuseRow({ fuse }: ServerStatus, opened: number): ServerRow["fuse"] {
  const { state, since, trialAt, trips } = fuse;
  return {
    state,
    ...(since !== undefined && { since: iso(since) }),
    ...(trialAt !== undefined && { trialAt: iso(trialAt) }),
    trips,
    opened,
  };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
