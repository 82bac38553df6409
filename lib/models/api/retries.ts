/** Patience with a model API: whether to try again, and how long to wait before. @module */
import type { Clock } from "../../kit/clock.ts";
import { formatDuration } from "../../kit/duration.ts";
import { ModelError } from "../model.ts";
import type { Failure } from "../wire.ts";

export interface RetryOptions {
  /** As the user knows it, for messages. */
  provider: string;
  clock: Clock;
  /** 0 ≤ n < 1 */
  random: () => number;
  /** Told in one line when there is a wait. */
  note?: (line: string) => void;
  /** Tries after the first. Default 4: about seven seconds of patience. */
  retries?: number;
}

/** A try that failed, with what decides about the next one. */
export class TryError extends ModelError {
  /** What happened, to follow the provider's name: `is overloaded (529)`. */
  readonly brief: string;
  readonly retryAfterMs: number | undefined;
  /** Index of the tool that the API refused. */
  readonly tool: number | undefined;
  /** Tries after the first at the most, where that is less than for others. */
  readonly retries: number | undefined;
  constructor(
    brief: string,
    { message, hint, retryable, retryAfterMs, tool }: Failure,
    { status = 0, cause, retries }: { status?: number; cause?: unknown; retries?: number } = {},
  ) {
    super(message, { status, retryable, cause, ...(hint !== undefined && { hint }) });
    this.brief = brief;
    this.retryAfterMs = retryAfterMs;
    this.tool = tool;
    this.retries = retries;
  }
}

const RETRIES = 4;
/** A longer wait is the user's decision. */
const LONGEST_WAIT_MS = 60_000;

/** How often one turn may still be tried, and how long to wait before it is. */
export class Retries {
  readonly #options: RetryOptions;
  #made = 0;
  /** Something went wrong that is worth all the patience. */
  #isLong = false;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Returns when it is time for the next try. @throws `error` when there is to be none; the signal's reason */
  async next(error: unknown, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { provider, clock, random, note, retries = RETRIES } = this.#options;
    if (!(error instanceof ModelError) || !error.retryable) throw error;
    const few = error instanceof TryError ? error.retries : undefined;
    this.#isLong ||= few === undefined;
    const most = this.#isLong ? retries : Math.min(retries, few!);
    const tries = this.#made + 1;
    if (tries > most) {
      throw tries === 1 ? error : because(error, `${error.message} (tried ${tries} times)`);
    }
    const asked = error instanceof TryError ? error.retryAfterMs : undefined;
    if (asked !== undefined && asked > LONGEST_WAIT_MS) {
      const [long, longest] = [wholeSeconds(asked), wholeSeconds(LONGEST_WAIT_MS)];
      const message = `${error.message}; ${provider} asks to wait ${long}, and we wait ${longest}`;
      throw because(error, message, `Try again in ${long}.`);
    }
    const ms = asked ?? backOffMs(this.#made, random());
    this.#made++;
    const brief = error instanceof TryError ? error.brief : briefly(error.status);
    note?.(`${provider} ${brief}; trying again in ${(ms / 1_000).toFixed(1)}s`);
    await pause(clock, ms, signal);
  }
}

/** Before the retry after `made` others: 0.5 s, 1 s, 2 s, … 8 s, less up to a quarter. */
export function backOffMs(made: number, random: number): number {
  return Math.min(500 * 2 ** made, 8_000) * (1 - random / 4);
}

/** What the headers ask for. A time that is past, zero or no time at all asks for nothing. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && Number(exact) > 0) return Number(exact);
  const after = headers.get("retry-after");
  if (after === null) return undefined;
  const ms = Number.isNaN(Number(after)) ? Date.parse(after) - now : Number(after) * 1_000;
  return ms > 0 && ms < Infinity ? ms : undefined;
}

/** Statuses that say "not now" rather than "not like this". */
export function isPassing(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** What such a status means, to follow the provider's name. */
export function briefly(status: number): string {
  if (status === 0) return "failed in mid-answer";
  if (status === 429) return "is limiting us (429)";
  if (status === 503 || status === 529) return `is overloaded (${status})`;
  return `failed (${status})`;
}

async function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const leave = () => over.reject(signal!.reason);
  const cancel = clock.after(ms, over.resolve);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    await over.promise;
  } finally {
    cancel();
    signal?.removeEventListener("abort", leave);
  }
}

function because(error: ModelError, message: string, hint = error.hint): ModelError {
  const { status, retryable } = error;
  return new ModelError(message, { status, retryable, cause: error, ...(hint && { hint }) });
}

function wholeSeconds(ms: number): string {
  return formatDuration(Math.ceil(ms / 1_000) * 1_000);
}
