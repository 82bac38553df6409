/** What happened in a run, counted and bounded, for whoever looks at it later or right now. @module */
import type { CallEvent, CallOutcome, ServerStatus } from "../registry/status.ts";
import { Account } from "./account.ts";

const CALLS_KEPT = 100;
const CHANGES_KEPT = 50;

export interface CallNote {
  /** Counts from 1. */
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
  alias: string;
  /** The raw name. */
  tool: string;
  ms: number;
  outcome: CallOutcome;
}

/**
 * A server came into another state, or into the same for another reason. What passes by itself is no
 * state in this sense: an attempt that comes to nothing changes nothing.
 */
export interface ChangeNote {
  id: number;
  at: number;
  alias: string;
  state: ServerStatus["state"];
  fuse: ServerStatus["fuse"]["state"];
  reason?: string;
  message?: string;
}

/** Tokens of all model requests so far. */
export interface Tokens {
  input: number;
  output: number;
  cachedInput: number;
  cacheWrite: number;
}

interface Standing {
  now: string;
  since: number;
  /** The last state that was none in passing, with its reason. */
  settled: string | undefined;
}

export class Ledger {
  /** Model requests that have begun. */
  requests = 0;
  /** Of the last model request: what a prompt cache looks at. */
  prefix: string | undefined;
  readonly tokens: Tokens = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 };
  /** How the run ended, once it has. */
  ending: string | undefined;
  /** Called whenever something is news; set by whoever passes it on. */
  onNews: () => void = () => {};
  readonly #accounts = new Map<string, Account>();
  readonly #calls: CallNote[] = [];
  readonly #changes: ChangeNote[] = [];
  readonly #standings = new Map<string, Standing>();
  #lastCall = 0;
  #lastChange = 0;

  account(alias: string): Account {
    const account = this.#accounts.get(alias) ?? new Account();
    this.#accounts.set(alias, account);
    return account;
  }

  called({ ref, at, ms, outcome }: CallEvent): void {
    this.account(ref.alias).add(outcome, ms);
    keep(this.#calls, CALLS_KEPT, { id: ++this.#lastCall, at, ...ref, ms, outcome });
    this.onNews();
  }

  /** A check whether a server is there: a point of its latency, and no call. */
  checked(alias: string, ms: number, answered: boolean): void {
    this.account(alias).point(ms, answered);
    this.onNews();
  }

  changed({ alias, state, fuse, reason }: ServerStatus, at: number): void {
    const now = `${state} ${fuse.state}`;
    const before = this.#standings.get(alias);
    const isOther = before?.now !== now;
    if (isOther && fuse.state === "open" && !before?.now.endsWith(" open")) {
      this.account(alias).opened++;
    }
    const isPassing = state === "attaching" || fuse.state === "half_open";
    const settled = isPassing ? before?.settled : `${now} ${reason?.code ?? ""}`;
    this.#standings.set(alias, { now, since: isOther ? at : before.since, settled });
    if (settled !== before?.settled) {
      keep(this.#changes, CHANGES_KEPT, {
        id: ++this.#lastChange,
        at,
        alias,
        state,
        fuse: fuse.state,
        ...(reason && state !== "online" && { reason: reason.code, message: reason.message }),
      });
    }
    this.onNews();
  }

  /** When the server came into the state it is in, in milliseconds since the epoch. */
  stateSince(alias: string): number | undefined {
    return this.#standings.get(alias)?.since;
  }

  asked(prefix: string): void {
    this.requests++;
    this.prefix = prefix;
    this.onNews();
  }

  spent(tokens: Tokens): void {
    for (const kind of ["input", "output", "cachedInput", "cacheWrite"] as const) {
      const count = tokens[kind]; // As the model API says: it may be anything that is a number.
      if (Number.isSafeInteger(count) && count > 0) this.tokens[kind] += count;
    }
    this.onNews();
  }

  /** The last calls behind this id, oldest first; none is older than the last hundred. */
  calls(after = 0): readonly CallNote[] {
    return this.#calls.slice(-CALLS_KEPT).filter(({ id }) => id > after);
  }

  /** The last changes of state behind this id, oldest first. */
  changes(after = 0): readonly ChangeNote[] {
    return this.#changes.slice(-CHANGES_KEPT).filter(({ id }) => id > after);
  }
}

/** Adds one; what is older than twice the last `most` goes, many at once, for that is cheaper. */
function keep<T>(list: T[], most: number, item: T): void {
  if (list.length >= 2 * most) list.splice(0, most);
  list.push(item);
}
