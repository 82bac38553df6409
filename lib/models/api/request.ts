/** One request to a model API, over a fetch: an answer, or an error that knows what may be done. @module */
import { type Clock, within } from "../../kit/clock.ts";
import { formatDuration } from "../../kit/duration.ts";
import { bodyText } from "../../kit/sse.ts";
import {
  briefly,
  isPassing,
  Retries,
  retryAfterMs,
  type RetryOptions,
  TryError,
} from "./retries.ts";
import type { ErrorResponse, Failure } from "../wire.ts";

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

/** A POST with a body, a GET without one. */
export interface Outgoing {
  url: string;
  headers: Headers;
  body?: string;
}

export interface RequestOptions extends RetryOptions {
  fetch: Fetch;
  explain: (response: ErrorResponse) => Failure;
  /** How long the headers may take. Default 10 minutes: without a stream they come with the answer. */
  headersMs?: number;
}

/** An answer whose body is still to come. Disposing lets go of the caller's signal. */
export interface Answered extends Disposable {
  response: Response;
  body: ReadableStream<Uint8Array>;
  /** Aborted when the caller leaves, or by {@linkcode Answered.abort}. */
  signal: AbortSignal;
  abort(reason: unknown): void;
}

/** Mostly it is the wrong address, or a server that was never started: that is told soon. */
const UNREACHED_RETRIES = 2;
const HEADERS_MS = 600_000;
/** Of an error's body: enough for any sentence, and no stranger keeps us longer. */
const ERROR_BYTES = 256 * 1024;
const ERROR_BODY_MS = 10_000;

/** One try. @throws {TryError}, or the signal's reason */
export async function send(
  outgoing: Outgoing,
  options: RequestOptions,
  signal?: AbortSignal,
): Promise<Answered> {
  signal?.throwIfAborted();
  const { clock, provider, headersMs = HEADERS_MS } = options;
  const worker = new AbortController();
  const abort = (reason: unknown) => worker.abort(reason);
  const leave = () => abort(signal!.reason);
  const release = () => signal?.removeEventListener("abort", leave);
  signal?.addEventListener("abort", leave, { once: true });
  try {
    const response = await within(
      clock,
      headersMs,
      (late) => {
        late.addEventListener("abort", () => abort(late.reason), { once: true });
        return reach(outgoing, options, worker.signal);
      },
      () => silent(provider, headersMs),
      signal,
    );
    if (!response.ok) throw await refusal(response, outgoing, options, worker.signal);
    if (!response.body) throw empty(provider, response.status);
    return {
      response,
      body: response.body,
      signal: worker.signal,
      abort,
      [Symbol.dispose]: release,
    };
  } catch (error) {
    release();
    signal?.throwIfAborted();
    throw error;
  }
}

/** Tries until there is an answer or no sense in going on. @throws {ModelError}, or the signal's reason */
export async function request(
  outgoing: Outgoing,
  options: RequestOptions,
  signal?: AbortSignal,
): Promise<Answered> {
  const retries = new Retries(options);
  while (true) {
    try {
      return await send(outgoing, options, signal);
    } catch (error) {
      await retries.next(error, signal);
    }
  }
}

/** JSON as the APIs read it: half a surrogate pair is refused as an escape, too. */
export function jsonBody(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\ud[89a-f]/.test(text)) return text;
  // An escaped backslash is passed over as a pair, so that a `\ud800` in prose stays as it is.
  return text.replace(/\\(?:(ud[89a-f][\da-f]{2})|.)/g, (all, half) => half ? "\ufffd" : all);
}

async function reach(
  { url, headers, body }: Outgoing,
  { fetch, provider }: RequestOptions,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const init = { headers, signal, redirect: "manual" } as const;
    const response = await fetch(
      url,
      body === undefined ? init : { ...init, method: "POST", body },
    );
    // It came after we had given up.
    if (signal.aborted) void response.body?.cancel().catch(() => {});
    return response;
  } catch (cause) {
    signal.throwIfAborted();
    const { host } = new URL(url);
    const message = `Cannot reach ${provider} at ${host}: ${lastWords(cause)}`;
    const hint = "Is the address right, the network up, and a server of your own running?";
    const failure = { message, hint, retryable: true };
    throw new TryError("can't be reached", failure, { cause, retries: UNREACHED_RETRIES });
  }
}

/** The innermost reason: the platform puts the URL and its own layers before it. */
function lastWords(cause: unknown): string {
  let error = cause;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  const message = error instanceof Error ? error.message : String(error);
  return message.split(": ").at(-1)!.replace(/ \(os error \d+\)/, "");
}

function silent(provider: string, ms: number): TryError {
  const brief = `did not answer within ${formatDuration(ms)}`;
  return new TryError(brief, {
    message: `Cannot get an answer: ${provider} ${brief}`,
    retryable: true,
  });
}

function empty(provider: string, status: number): TryError {
  const message = `Cannot read the answer of ${provider}: it is empty (${status})`;
  return new TryError("answered nothing", { message, retryable: true }, { status });
}

async function refusal(
  response: Response,
  { url }: Outgoing,
  options: RequestOptions,
  signal: AbortSignal,
): Promise<TryError> {
  const { provider, clock, explain } = options;
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    void response.body?.cancel().catch(() => {});
    return moved(provider, url, status, headers.get("location"));
  }
  const failure = explain({
    status,
    headers,
    body: parsed(await errorText(response, clock, signal)),
  });
  const said = headers.get("x-should-retry");
  // The API's header decides, but for what its format knows to be final, such as a spent quota.
  const retryable = said !== "false" &&
    (failure.retryable || (said === "true" && !isPassing(status)));
  const asked = retryAfterMs(headers, clock.now()) ?? failure.retryAfterMs;
  return new TryError(
    briefly(status),
    { ...failure, retryable, ...(asked !== undefined && { retryAfterMs: asked }) },
    { status },
  );
}

/** Followed by nobody: a redirected key is a key given away. */
function moved(provider: string, url: string, status: number, location: string | null): TryError {
  const to = location === null ? null : URL.parse(location, url);
  return new TryError(`has moved (${status})`, {
    message: `Cannot reach ${provider} at ${new URL(url).host}: it sends us elsewhere (${status}${
      to ? `, to ${to.origin}${to.pathname}` : ""
    })`,
    hint: "Set the base URL to where the API is.",
    retryable: false,
  }, { status });
}

/** What came of an error's body; it may be long, or slow, or break off. */
async function errorText(response: Response, clock: Clock, signal: AbortSignal): Promise<string> {
  if (!response.body) return "";
  const { body, headers } = response;
  const slow = new Error("slow");
  const text = await within(
    clock,
    ERROR_BODY_MS,
    (late) => bodyText(body, ERROR_BYTES, { signal: late }),
    () => slow,
    signal,
  ).catch(() => "");
  signal.throwIfAborted();
  const isPage = headers.get("content-type")?.includes("text/html") || /^\s*</.test(text);
  return isPage ? /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim() ?? "" : text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
