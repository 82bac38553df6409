/** Reads the answer of a model API: a stream that is watched, or one piece of JSON. @module */
import type { Clock } from "../../kit/clock.ts";
import { formatDuration } from "../../kit/duration.ts";
import { bodyText, OversizedEvent, sseEvents } from "../../kit/sse.ts";
import { type Delta, ModelError, type Turn } from "../model.ts";
import type { Answered } from "./request.ts";
import { briefly, TryError } from "./retries.ts";
import { type Watch, watch } from "./watch.ts";
import type { ErrorResponse, Failure, Reader } from "../wire.ts";

export interface AnswerOptions {
  /** As the user knows it, for messages. */
  provider: string;
  clock: Clock;
  explain: (response: ErrorResponse) => Failure;
  /** Silence after which an answer is given up; comments and pings are no silence. Default 2 minutes. */
  idleMs?: number;
}

/** What has come of an answer so far. */
export interface Shown {
  /** Text went out: a second try would tell it twice. */
  shown: boolean;
}

const IDLE_MS = 120_000;
const ANSWER_BYTES = 64 * 1024 * 1024;

/** Yields what comes and returns the turn. @throws {ModelError}, or the reason of whoever left */
export async function* streamed(
  options: AnswerOptions,
  answer: Answered,
  reader: Reader,
  tried: Shown,
): AsyncGenerator<Delta, Turn> {
  const { provider } = options;
  const { body, signal } = answer;
  const { watch, late } = watching(options, answer);
  let broke: ModelError | undefined;
  try {
    for await (const event of sseEvents(body, { signal, onLife: watch.alive })) {
      signal.throwIfAborted();
      if (event.data === "") continue;
      if (event.unended && jsonIn(event.data) === undefined) break;
      for (const delta of understood(provider, () => reader.take(event))) {
        tried.shown ||= delta.type === "text" && delta.text !== "";
        watch.rest();
        yield delta;
        watch.wake();
      }
      // Some servers leave the line open behind it.
      if (event.data === "[DONE]") break;
    }
  } catch (error) {
    if (signal.aborted && signal.reason !== late) throw signal.reason;
    if (error instanceof ModelError && error !== late) throw error;
    broke = error === late ? late : broken(provider, error);
  } finally {
    watch.stop();
  }
  try {
    // Also when the line broke or went dead: the turn may have been over by then.
    return understood(provider, () => reader.end());
  } catch (error) {
    throw broke ?? error;
  }
}

/** An answer that comes in one piece, told as one. @throws {ModelError}, or the reason of whoever left */
export async function* whole(
  options: AnswerOptions,
  answer: Answered,
  reader: Reader,
  tried: Shown,
): AsyncGenerator<Delta, Turn> {
  const parsed = await wholeJson(options, answer);
  const said: Delta[] = [];
  const turn = understood(
    options.provider,
    () => reader.whole(parsed, (delta) => said.push(delta)),
  );
  for (const delta of said) if (delta.type === "reasoning") yield delta;
  if (turn.text !== "") {
    tried.shown = true;
    yield { type: "text", text: turn.text };
  }
  return turn;
}

/** @throws {ModelError} also for an error that came with a status of success */
export async function wholeJson(options: AnswerOptions, answer: Answered): Promise<unknown> {
  const { provider, explain } = options;
  const { body, signal, response } = answer;
  const { watch, late } = watching(options, answer);
  let text: string;
  try {
    text = await bodyText(body, ANSWER_BYTES, { signal, onLife: watch.alive });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error === late ? late : broken(provider, error);
  } finally {
    watch.stop();
  }
  const parsed = jsonIn(text);
  if (parsed === undefined) throw unreadable(provider, text);
  const error = errorIn(parsed, response);
  if (error) {
    const brief = error.status >= 400 ? briefly(error.status) : "answered with an error";
    throw new TryError(brief, explain(error), error);
  }
  return parsed;
}

function watching(
  { provider, clock, idleMs = IDLE_MS }: AnswerOptions,
  answer: Answered,
): { watch: Watch; late: TryError } {
  const late = new TryError("fell silent", {
    message: `Cannot read the answer of ${provider}: nothing came for ${formatDuration(idleMs)}`,
    retryable: true,
  });
  return { watch: watch(clock, idleMs, () => answer.abort(late)), late };
}

/** A stranger's JSON may have any shape: what a reader trips over is the API's failure, not a bug of ours. */
export function understood<T>(provider: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ModelError) throw cause;
    const message = `Cannot read the answer of ${provider}: it is not what its API promises`;
    // Bytes don't go wrong on the way: the next try would be paid for and fail alike.
    throw new ModelError(message, { cause });
  }
}

function broken(provider: string, cause: unknown): TryError {
  const isOversized = cause instanceof OversizedEvent;
  const why = isOversized ? cause.message : "the connection broke in the middle of it";
  const message = `Cannot read the answer of ${provider}: ${why}`;
  return new TryError("broke off in mid-answer", { message, retryable: !isOversized }, { cause });
}

function unreadable(provider: string, text: string): TryError {
  const isPage = /^\s*</.test(text);
  const what = isPage ? "it is a web page" : text.trim() === "" ? "it is empty" : "it is not JSON";
  return new TryError("answered with nonsense", {
    message: `Cannot read the answer of ${provider}: ${what}`,
    retryable: !isPage,
    ...(isPage && { hint: "Is the base URL that of the API?" }),
  });
}

/** The error in a body that came with a status of success, as gateways send it. */
function errorIn(body: unknown, { headers, status }: Response): ErrorResponse | undefined {
  if (typeof body !== "object" || body === null || !("error" in body)) return undefined;
  const { error } = body;
  if (typeof error === "string") return error === "" ? undefined : { status, headers, body };
  if (typeof error !== "object" || error === null || Object.keys(error).length === 0) {
    return undefined;
  }
  const code = "code" in error ? Number(error.code) : NaN;
  return { status: code >= 400 && code < 600 ? code : status, headers, body };
}

/** Undefined for what is no JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
