/** One server, spoken to in its own dialect. @module */
import { type Clock, patiently, within } from "../kit/clock.ts";
import { formatDuration } from "../kit/duration.ts";
import type { LeaveSignal } from "../kit/leaving.ts";
import type { Hello } from "../protocol/dialect.ts";
import { ProtocolError, TransportError } from "../protocol/errors.ts";
import { type Progress, readProgress, readToolResult, type ToolResult } from "../protocol/tools.ts";
import type { Params, PeerInfo, Reply } from "../protocol/types.ts";
import type { ExchangeOptions, Transport } from "../transport/transport.ts";
import { type Meeting, type Opener, shakeHands } from "./handshake.ts";
import { readAllTools, type ToolList } from "./listing.ts";

/** Where a call says which use it is, in its `_meta`. */
export const USE_KEY = "fusebox/use";

export interface ClientLimits {
  probeMs: number;
  handshakeMs: number;
  listMs: number;
}

export interface ConnectOptions {
  /** The user's name for the server, for messages. */
  alias: string;
  clock: Clock;
  client: PeerInfo;
  limits: ClientLimits;
  signal?: AbortSignal;
  /** What the server was when it was met last. */
  prior?: Hello;
  onPatience?: () => void;
}

/** A limit, and the key of the configuration that changes it. */
export interface Limit {
  ms: number;
  key: string;
}

export interface CallOptions {
  idle: Limit;
  cap: Limit;
  /** Goes along as `_meta["fusebox/use"]`: the same for the same use, whatever is repeated. */
  key?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

/**
 * Starts a server and agrees with it on a dialect.
 * @throws {TransportError} also `handshake_timeout`; the signal's reason
 */
export async function connect(open: Opener, options: ConnectOptions): Promise<Client> {
  const { alias, clock, limits, client, signal, onPatience, prior } = options;
  const late = () =>
    new TransportError(
      "handshake_timeout",
      `no answer to the handshake within ${formatDuration(limits.handshakeMs)} ` +
        `(servers.${alias}.limits.handshake raises this limit)`,
    );
  let shaking: Promise<Meeting> | undefined;
  const shake = (signal: AbortSignal) =>
    shaking = shakeHands(open, {
      clock,
      client,
      probeMs: limits.probeMs,
      signal,
      ...(prior && { prior }),
      ...(onPatience && { onPatience }),
    });
  try {
    const meeting = await within(clock, limits.handshakeMs, shake, late, signal);
    return new Client(meeting.transport, meeting.hello, meeting.nextId, options);
  } catch (error) {
    // Time may be up in the very moment in which hands are shaken: what was opened is closed.
    await shaking?.then(({ transport }) => transport[Symbol.asyncDispose](), () => {});
    throw error;
  }
}

export class Client implements AsyncDisposable {
  readonly hello: Hello;
  /** Settles with the reason when the server is gone. */
  readonly closed: Promise<TransportError>;
  /** Called when the server says that its list of tools is another one now. */
  onListChanged: (() => void) | undefined;
  readonly #transport: Transport;
  readonly #options: ConnectOptions;
  #nextId: number;

  constructor(transport: Transport, hello: Hello, nextId: number, options: ConnectOptions) {
    this.hello = hello;
    this.closed = transport.closed;
    this.#transport = transport;
    this.#options = options;
    this.#nextId = nextId;
    transport.listen({
      notice: (notice) => {
        if (notice.method === "notifications/tools/list_changed") this.onListChanged?.();
      },
      call: (call) => hello.dialect.answer(call),
    });
  }

  /**
   * All pages of the server's tools.
   * @throws {ProtocolError} {@linkcode TransportError} also `list_timeout`; the signal's reason
   */
  async listTools(signal?: AbortSignal): Promise<ToolList> {
    const { alias, clock, limits } = this.#options;
    const late = () =>
      new TransportError(
        "list_timeout",
        `no full list of tools within ${formatDuration(limits.listMs)} ` +
          `(servers.${alias}.limits.list raises this limit)`,
      );
    const work = (signal: AbortSignal) =>
      readAllTools((params) => this.#call("tools/list", params, { signal }));
    const list = await within(clock, limits.listMs, work, late, signal);
    const { problems = [] } = this.hello;
    return { ...list, problems: [...problems, ...list.problems] };
  }

  /**
   * Asks for a sign of life: whatever is answered is one.
   * @throws {TransportError} also `call_timeout`; the signal's reason
   */
  async check(signal?: AbortSignal): Promise<void> {
    const { alias, clock, limits } = this.#options;
    const late = () =>
      new TransportError(
        "call_timeout",
        `no sign of life for ${formatDuration(limits.handshakeMs)} ` +
          `(servers.${alias}.limits.handshake raises this limit)`,
      );
    const method = this.hello.dialect.era === "modern" ? "server/discover" : "ping";
    const work = (signal: AbortSignal) => this.#call(method, {}, { signal });
    try {
      await within(clock, limits.handshakeMs, work, late, signal);
    } catch (error) {
      const isAnswer = error instanceof ProtocolError ||
        error instanceof TransportError && error.fault === "garbled";
      if (!isAnswer) throw error;
    }
  }

  /**
   * Calls a tool by its raw name. The tool's own "no" (`isError`) is a value.
   * @throws {ProtocolError} {@linkcode TransportError} also `call_timeout`; the signal's reason
   */
  callTool(name: string, args: Params, options: CallOptions): Promise<ToolResult> {
    const { signal, onProgress, idle, cap, key } = options;
    const params = key === undefined
      ? { name, arguments: args }
      : { name, arguments: args, _meta: { [USE_KEY]: key } };
    const work = (signal: LeaveSignal, alive: () => void) =>
      this.#call("tools/call", params, {
        signal,
        onNotice: (notice) => {
          alive();
          const progress = readProgress(notice.params);
          if (progress) onProgress?.(progress);
        },
      });
    const late = (limit: "idle" | "cap") =>
      new TransportError(
        "call_timeout",
        limit === "idle"
          ? `no sign of life for ${formatDuration(idle.ms)} (${idle.key} raises this limit)`
          : `no end after ${formatDuration(cap.ms)} (${cap.key} raises this limit)`,
      );
    const patience = { idleMs: idle.ms, capMs: cap.ms };
    return patiently(this.#options.clock, patience, work, late, signal).then(readToolResult);
  }

  #call(method: string, params: Params, options: ExchangeOptions): Promise<Params> {
    const id = this.#nextId++;
    const stamped = this.hello.dialect.stamp(params, options.onNotice && id);
    // No frame of its own: thousands may be under way at once.
    return this.#transport.exchange({ jsonrpc: "2.0", id, method, params: stamped }, options)
      .then(this.#unwrap);
  }

  readonly #unwrap = (reply: Reply): Params => {
    if ("error" in reply) {
      throw new ProtocolError(reply.error.code, reply.error.message, reply.error.data);
    }
    return this.hello.dialect.unwrap(reply.result);
  };

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }
}
