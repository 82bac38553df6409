/** What a wire format is: pure translations between our messages and those of a model API. @module */
import type { Params } from "../protocol/types.ts";
import type { Delta, Turn, TurnRequest } from "./model.ts";

/** A turn as one model of one provider is asked for it. */
export interface FormatRequest extends TurnRequest {
  /** The model's name at its provider. */
  model: string;
  stream: boolean;
  /** Stays the same over the turns of a run, for APIs that route by it. */
  cacheKey: string;
  /** Names of tools that the API refused: not sent again. */
  refused: ReadonlySet<string>;
}

/** What goes over the wire, and who reads what comes back. */
export interface WireRequest {
  /** Behind the base URL, with its leading slash. */
  path: string;
  headers: Record<string, string>;
  body: Params;
  /** The public names in the order of the body's tools: an API names what it refuses by index. */
  tools: readonly string[];
  reader: Reader;
}

/** One server-sent event; `name` is "message" where the stream named none. */
export interface StreamEvent {
  name: string;
  data: string;
}

/** Assembles one turn. */
export interface Reader {
  /** @throws {ModelError} for an event that says that something failed */
  take(event: StreamEvent): readonly Delta[];
  /** @throws {ModelError} when the stream ended before the turn did: half an answer is none */
  end(): Turn;
  /**
   * A response that was not streamed, parsed; `tell` is given what it says, piece by piece.
   * @throws {ModelError} when it holds no turn
   */
  whole(body: unknown, tell?: (delta: Delta) => void): Turn;
}

/** An error response, understood. */
export interface Failure {
  /** One sentence: what the API would not do, then why. */
  message: string;
  hint?: string;
  retryable: boolean;
  /** How long the API asks us to wait. */
  retryAfterMs?: number;
  /** Index of the tool that it refused, where it names one. */
  tool?: number;
  /** Another key would help. */
  isKey?: true;
}

export interface ErrorResponse {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON, else the text. */
  body: unknown;
}

export interface Format {
  /** Headers that carry the key. */
  auth(key: string): Record<string, string>;
  write(request: FormatRequest): WireRequest;
  explain(response: ErrorResponse): Failure;
  /** Where the provider lists its models, and how to read the list. */
  models: {
    path: string;
    headers?: Readonly<Record<string, string>>;
    read(body: unknown): readonly string[];
  };
}
