/** One server's life: attached once for all who ask, called, lost, attached again. @module */
import { type CallOptions, type Client, connect } from "../client/client.ts";
import type { Opener } from "../client/handshake.ts";
import type { ToolList } from "../client/listing.ts";
import type { Limits, ToolLimits } from "../config/config.ts";
import { abortable } from "../kit/abort.ts";
import type { Clock } from "../kit/clock.ts";
import { matches } from "../kit/pattern.ts";
import {
  isCallFailure,
  ProtocolError,
  type ReasonCode,
  TransportError,
} from "../protocol/errors.ts";
import type { Progress, ToolResult } from "../protocol/tools.ts";
import type { Params, PeerInfo, ToolInfo } from "../protocol/types.ts";
import type { Transport } from "../transport/transport.ts";
import type { Reason, ServerStatus, State } from "./status.ts";

export interface ServerOptions {
  alias: string;
  description?: string;
  required: boolean;
  /** Starts it. @throws {TransportError} also `config`, `disabled`: it can't be started as it stands. */
  open: Opener;
  limits: Limits;
  toolLimits: readonly ToolLimits[];
  /** Why the configuration keeps this tool (raw name) from being offered; undefined when it does not. */
  denies(tool: string): string | undefined;
}

export interface ServerWorld {
  clock: Clock;
  client: PeerInfo;
  /** Waits for a place among those that start; returns what gives the place back. */
  place(signal: AbortSignal): Promise<() => void>;
  onChange(status: ServerStatus): void;
}

export interface UseOptions {
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

const NO_TOOLS: ToolList = { tools: [], heldBack: [], problems: [] };

export class Server implements AsyncDisposable {
  readonly alias: string;
  readonly required: boolean;
  readonly #options: ServerOptions;
  readonly #world: ServerWorld;
  /** Those of calls that have none of their own. */
  readonly #limits: CallLimits;
  /** Ends attaching that nobody waits for any more: it belongs to no single caller. */
  readonly #life = new AbortController();
  #client: Promise<Client> | undefined;
  #transport: Transport | undefined;
  /** The end of what was started last, where it did not come to anything or went by itself. */
  #goodbye: PromiseLike<void> | undefined;
  #state: State = "idle";
  #reason: Reason | undefined;
  #hello: Client["hello"] | undefined;
  #list: ToolList = NO_TOOLS;
  #listIsOld = false;
  #attachMs: number | undefined;

  constructor(options: ServerOptions, world: ServerWorld) {
    this.alias = options.alias;
    this.required = options.required;
    this.#options = options;
    this.#world = world;
    this.#limits = {
      idle: {
        ms: options.limits.idleMs,
        key: `--timeout or servers.${options.alias}.limits.idle`,
      },
      cap: { ms: options.limits.capMs, key: `servers.${options.alias}.limits.cap` },
    };
  }

  status(): ServerStatus {
    const { description, required } = this.#options;
    const hello = this.#hello;
    return {
      alias: this.alias,
      ...(description !== undefined && { description }),
      required,
      state: this.#state,
      ...(this.#reason && { reason: this.#reason }),
      ...(hello && {
        dialect: { era: hello.dialect.era, version: hello.dialect.version },
        server: hello.server,
      }),
      ...(hello?.instructions !== undefined && { instructions: hello.instructions }),
      tools: this.tools,
      heldBack: this.#list.heldBack,
      problems: this.#list.problems,
      ...(this.#attachMs !== undefined && { attachMs: this.#attachMs }),
    };
  }

  /** What it listed; the last list we had, when it is gone. */
  get tools(): readonly ToolInfo[] {
    return this.#list.tools;
  }

  denies(tool: string): string | undefined {
    return this.#options.denies(tool);
  }

  /**
   * Starts the server, unless it runs. All callers share one start; a failed one is forgotten, so
   * that the next caller tries again.
   * @throws {TransportError} with the offline reason
   */
  attach(): Promise<Client> {
    return this.#client ??= this.#start().catch((error) => {
      this.#client = undefined;
      throw error;
    });
  }

  /**
   * Runs a tool by its raw name.
   * @throws {ProtocolError} {@linkcode TransportError} the signal's reason
   */
  async call(tool: string, args: Params, options: UseOptions): Promise<ToolResult> {
    const { signal, onProgress } = options;
    signal?.throwIfAborted();
    const client = await (signal ? abortable(this.attach(), signal) : this.attach());
    try {
      const { idle, cap } = limitsOf(tool, this.#options) ?? this.#limits;
      return await client.callTool(tool, args, {
        idle,
        cap,
        ...(signal && { signal }),
        ...(onProgress && { onProgress }),
      });
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const why = `Cannot finish "${this.alias}.${tool}": ${error.message}`;
      throw new Unanswered(error.fault, why, { cause: error, tail: this.#lastWords() });
    }
  }

  /** Reads the list again if the server said that it changed. A failure keeps the list we have. */
  async refresh(signal?: AbortSignal): Promise<void> {
    if (!this.#listIsOld || !this.#client) return;
    this.#listIsOld = false;
    try {
      this.#list = await (await this.#client).listTools(signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isCallFailure(error)) throw error;
      this.#list = {
        ...this.#list,
        problems: [`the list changed and can't be read: ${error.message}`],
      };
    }
    this.#world.onChange(this.status());
  }

  async #start(): Promise<Client> {
    const { clock, client: ours, place, onChange } = this.#world;
    const { alias, limits } = this.#options;
    const { signal } = this.#life;
    const leave = await place(signal);
    this.#state = "attaching";
    this.#transport = undefined;
    onChange(this.status());
    const began = clock.now();
    let client: Client;
    try {
      client = await connect(() => this.#open(), {
        alias,
        clock,
        client: ours,
        limits,
        signal,
        // Who is silent costs no processor: the next may start.
        onPatience: leave,
      });
      client.onListChanged = () => {
        this.#listIsOld = true;
      };
      this.#listIsOld = false;
      this.#list = await client.listTools(signal);
    } catch (error) {
      this.#dismiss();
      throw this.#lose(error);
    } finally {
      leave();
    }
    this.#state = "online";
    this.#reason = undefined;
    this.#hello = client.hello;
    this.#attachMs = clock.now() - began;
    client.closed.then((error) => this.#gone(client, error));
    onChange(this.status());
    return client;
  }

  async #open(): Promise<Transport> {
    return this.#transport = await this.#options.open();
  }

  /** Ends what was opened last; whoever disposes of us waits for it. */
  #dismiss(): void {
    this.#goodbye = this.#transport?.[Symbol.asyncDispose]();
  }

  /** Notes why it can't be had, and returns that as the error to throw. */
  #lose(error: unknown): unknown {
    const cause = asTransportError(error);
    if (!cause || this.#life.signal.aborted) return error;
    const message = `Cannot attach "${this.alias}": ${cause.message}`;
    const tail = this.#lastWords();
    this.#offline(cause.fault, message, tail);
    return new TransportError(cause.fault, message, { cause, tail });
  }

  /** It ended by itself. What it offered stays known: the next call starts it again. */
  #gone(client: Client, error: TransportError): void {
    if (this.#life.signal.aborted || this.#hello !== client.hello) return;
    this.#client = undefined;
    this.#dismiss();
    this.#offline(error.fault, `Lost "${this.alias}": ${error.message}`, this.#lastWords());
  }

  #offline(code: ReasonCode, message: string, tail: readonly string[]): void {
    this.#state = "offline";
    this.#reason = { code, message, since: this.#world.clock.now(), tail };
    this.#world.onChange(this.status());
  }

  #lastWords(): readonly string[] {
    return [...this.#transport?.tail() ?? []];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new TransportError("closed", "fusebox is leaving"));
    const client = await this.#client?.catch(() => undefined);
    await Promise.all([client?.[Symbol.asyncDispose](), this.#goodbye]);
  }
}

/** The call left and no answer came: it may have run, and is not sent again. */
export class Unanswered extends TransportError {}

/** A refused handshake or list is no answer to a call: to the caller, the server is not to be had. */
function asTransportError(error: unknown): TransportError | undefined {
  if (error instanceof TransportError) return error;
  if (!(error instanceof ProtocolError)) return undefined;
  const why = `it refused to list its tools: ${error.message} (${error.code})`;
  return new TransportError("refused", why, { cause: error });
}

type CallLimits = Pick<CallOptions, "idle" | "cap">;

/** What the first pattern that means this tool says; what it does not say is the server's. */
function limitsOf(
  tool: string,
  { alias, limits, toolLimits }: ServerOptions,
): CallLimits | undefined {
  const own = toolLimits.find(({ pattern }) => matches(pattern, tool));
  if (!own) return undefined;
  const key = (limit: "idle" | "cap", given: number | undefined) =>
    given === undefined
      ? `servers.${alias}.limits.${limit}`
      : `servers.${alias}.tools.limits.${own.pattern}.${limit}`;
  return {
    idle: { ms: own.idleMs ?? limits.idleMs, key: key("idle", own.idleMs) },
    cap: { ms: own.capMs ?? limits.capMs, key: key("cap", own.capMs) },
  };
}
