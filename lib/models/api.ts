/** A model behind an API: a wire format, a request with patience, and a stream that is watched. @module */
import type { Clock } from "../kit/clock.ts";
import { type AnswerOptions, streamed, understood, whole, wholeJson } from "./api/answer.ts";
import { Pictures } from "./api/pictures.ts";
import { type Delta, type Model, ModelError, type Turn, type TurnRequest } from "./model.ts";
import {
  type Fetch,
  jsonBody,
  type Outgoing,
  request as requestPatiently,
  type RequestOptions,
  send,
} from "./api/request.ts";
import { Retries, TryError } from "./api/retries.ts";
import { hidden, hider } from "./api/secret.ts";
import type { Format, WireRequest } from "./wire.ts";

/** An API and how to reach it. */
export interface ApiOptions {
  /** As the user writes it before the slash. */
  provider: string;
  format: Format;
  /** In front of the format's paths; may have a query of its own. */
  baseUrl: string;
  key?: string;
  /** The variable that holds the key: whoever has to mend it is told which. */
  keyFrom?: string;
  /** Sent beside the format's own, and instead of those with the same name. */
  headers?: Readonly<Record<string, string>>;
  fetch: Fetch;
  clock: Clock;
  /** 0 ≤ n < 1 */
  random: () => number;
  /** Told in one line of waits and of what is left out; a turn's own `note` goes first. */
  note?: (line: string) => void;
  /** Tries after the first. Default 4. */
  retries?: number;
  /** How long the headers may take. Default 10 minutes. */
  headersMs?: number;
  /** Silence after which an answer is given up; comments and pings are no silence. Default 2 minutes. */
  idleMs?: number;
}

export interface ApiModelOptions extends ApiOptions {
  /** The model's name at its provider. */
  model: string;
  stream: boolean;
}

/** Tools that an API may refuse before it is the request that is wrong. */
const REFUSED_TOOLS = 8;

/** What one try has come to. */
interface Try {
  wire?: WireRequest;
  /** The body of that. */
  body?: string;
  /** Text went out: a second try would tell it twice. */
  shown: boolean;
}

/** The model named `provider/model`. It keeps nothing of a conversation but which tools and pictures were refused. */
export function apiModel(options: ApiModelOptions): Model {
  const { provider, model, stream, format } = options;
  const cacheKey = `fusebox-${Math.floor(options.random() * 2 ** 48).toString(36)}`;
  const hide = hider(options.key, options.headers);
  const refused = new Set<string>();
  const told = new Set<string>();
  const pictures = new Pictures();

  async function* turn(request: TurnRequest): AsyncGenerator<Delta, Turn> {
    const { signal } = request;
    signal?.throwIfAborted();
    const note = (line: string) => (request.note ?? options.note)?.(hide(line));
    const posting = requestOptions({ ...options, note });
    const retries = new Retries(posting);
    while (true) {
      const tried: Try = { shown: false };
      try {
        const done = yield* attempt(request, tried, posting);
        pictures.take(request.messages);
        return done;
      } catch (error) {
        signal?.throwIfAborted();
        const failure = hidden(error, hide);
        const name = failure instanceof TryError && tried.wire?.tools[failure.tool ?? -1];
        if (name && !refused.has(name) && refused.size < REFUSED_TOOLS) {
          refused.add(name);
          note(`${name} is left out, for ${provider} refused it (${failure.message})`);
          continue;
        }
        if (tried.shown) throw failure;
        const out = pictures.blame(failure, request.messages, tried.body ?? "");
        if (out > 0) {
          const media = out === 1 ? "an image or sound" : `${out} images or sounds`;
          note(`${provider} refused the request; asking again without ${media} of results`);
        } else await retries.next(failure, signal);
      }
    }
  }

  async function* attempt(
    request: TurnRequest,
    tried: Try,
    posting: Asking,
  ): AsyncGenerator<Delta, Turn> {
    // Formats tell it with every request; people want to hear it once.
    const note = (line: string) => {
      if (!told.has(line)) posting.note?.(line);
      told.add(line);
    };
    const messages = pictures.allowed(request.messages);
    const wire = format.write({ ...request, messages, model, stream, cacheKey, refused, note });
    const body = jsonBody(wire.body);
    Object.assign(tried, { wire, body });
    const outgoing = outgoingTo(options, wire.path, wire.headers, body);
    using answer = await send(outgoing, posting, request.signal);
    const type = answer.response.headers.get("content-type")?.toLowerCase() ?? "";
    const isStream = type.includes("text/event-stream") || (stream && !/json|html/.test(type));
    const read = isStream ? streamed : whole;
    return yield* read(posting, answer, wire.reader, tried);
  }

  return { name: `${provider}/${model}`, turn };
}

/** The names of the models that a provider offers. @throws {ModelError}, or the signal's reason */
export async function modelNames(
  options: ApiOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { format: { models }, provider } = options;
  try {
    const outgoing = outgoingTo(options, models.path, models.headers ?? {});
    const asking = requestOptions(options);
    using answer = await requestPatiently(outgoing, asking, signal);
    const listed = await wholeJson(asking, answer);
    return understood(provider, () => models.read(listed));
  } catch (error) {
    signal?.throwIfAborted();
    throw hidden(error, hider(options.key, options.headers));
  }
}

type Asking = RequestOptions & AnswerOptions;

function requestOptions(options: ApiOptions): Asking {
  const { format, keyFrom } = options;
  return {
    ...options,
    explain(response) {
      const failure = format.explain(response);
      if (!failure.isKey || keyFrom === undefined) return failure;
      return { ...failure, hint: `Check ${keyFrom}, and that it belongs to this provider.` };
    },
  };
}

/** @throws {ModelError} when a header is none */
function outgoingTo(
  { provider, baseUrl, format, key, headers: own }: ApiOptions,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Outgoing {
  const [base = "", baseQuery] = baseUrl.split("?");
  const [rest = "", query] = path.split("?");
  const queries = [baseQuery, query].filter((part) => part).join("&");
  const url = base.replace(/\/+$/, "") + rest + (queries && `?${queries}`);
  const all = new Headers(body === undefined ? {} : { "content-type": "application/json" });
  const auth = key === undefined ? {} : format.auth(key);
  for (const [name, value] of Object.entries({ ...auth, ...headers, ...own })) {
    try {
      all.set(name, value);
    } catch {
      // The platform's own words repeat the value.
      throw new ModelError(`Cannot ask ${provider}: the header "${name}" can't be sent as it is`, {
        hint: "Keys and headers hold printable ASCII alone.",
      });
    }
  }
  return body === undefined ? { url, headers: all } : { url, headers: all, body };
}
