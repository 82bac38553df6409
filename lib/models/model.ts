/** What the agent asks of any model: messages in, text out as it comes, one turn at the end. @module */
import type { Content, Params } from "../protocol/types.ts";

/** A tool as a model is shown it. `name` matches `^[A-Za-z0-9_-]{1,64}$`. */
export interface ToolSpec {
  name: string;
  description: string;
  inputSchema: Params;
}

/** What the model asked for. `id` is the model API's own and comes back with the result. */
export interface ToolUse {
  id: string;
  name: string;
  args: Params;
  /** Set when the model's arguments were no JSON object: what it wrote. The use is answered, never run. */
  unreadable?: string;
}

/** What the model is told a use gave. `content` is already cut to size. */
export interface UseResult {
  id: string;
  name: string;
  content: readonly Content[];
  isError: boolean;
}

export type Message =
  /** `parts` are what the user attached: `image` and `resource` content. An aside is not the user's word. */
  | { role: "user"; text: string; parts?: readonly Content[]; aside?: true }
  /** `carry` is the model API's own record of the turn (signatures, reasoning), sent back verbatim. */
  | { role: "assistant"; text: string; uses: readonly ToolUse[]; carry?: unknown }
  | { role: "tool"; results: readonly UseResult[] };

/** Tokens. `input` is all of the input: what was read from the cache and written to it is part of it. */
export interface Usage {
  input: number;
  output: number;
  cachedInput: number;
  /** Written to the cache; 0 where the model API does not tell. */
  cacheWrite: number;
}

export interface Turn {
  text: string;
  uses: readonly ToolUse[];
  stop: "end" | "tools" | "length" | "refusal";
  usage?: Usage;
  carry?: unknown;
}

export type Delta = { type: "text" | "reasoning"; text: string };

export interface TurnRequest {
  system: string;
  messages: readonly Message[];
  tools: readonly ToolSpec[];
  signal?: AbortSignal;
  /** Tokens of this turn at most; the format's own default when absent. */
  maxTokens?: number;
  /** The answer is to be JSON that is valid for this schema. */
  answerSchema?: Params;
  /** Told in one line what the model does not get as it stands: a tool held back, an image left out. */
  note?: (line: string) => void;
}

export interface Model {
  /** `provider/name`, as the user writes it. */
  readonly name: string;
  /**
   * Yields text as it comes and returns the whole turn.
   * @throws {ModelError} when the model API failed; the signal's reason when aborted.
   */
  turn(request: TurnRequest): AsyncGenerator<Delta, Turn>;
}

/** The model API failed. Tools that ran have run: only the model request may be repeated. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** The HTTP status, or 0 when there was none. */
  readonly status: number;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  constructor(
    message: string,
    options: { status?: number; retryable?: boolean; hint?: string; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status ?? 0;
    this.retryable = options.retryable ?? false;
    this.hint = options.hint;
  }
}
