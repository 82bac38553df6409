/** Calls of one server: each waits for its place, has the server started, and is sent; once, or twice without harm. @module */
import type { Client } from "../client/client.ts";
import { STDIO_CONCURRENCY } from "../config/config.ts";
import { abortable } from "../kit/abort.ts";
import { canonical } from "../kit/json.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Params } from "../protocol/types.ts";
import { type CallLimits, serverLimits, toolLimits } from "./call_limits.ts";
import { type Dispatch, dispatch, type Line, mayRepeat } from "./dispatch.ts";
import { ChangedTool, Unanswered } from "./failures.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Lease } from "./lease.ts";
import type { ServerOptions, ServerWorld, UseOptions } from "./server_options.ts";

/** The server, as far as its calls need it. */
export interface Caller extends Line {
  known: Knowledge;
  lease: Lease;
  isOnline(): boolean;
  /** @throws {TransportError} also `fuse_open` */
  attach(): Promise<Client>;
}

export class Calls {
  readonly #line: Caller;
  readonly #options: ServerOptions;
  readonly #world: ServerWorld;
  readonly #limits: CallLimits;

  constructor(line: Caller, options: ServerOptions, world: ServerWorld) {
    this.#line = line;
    this.#options = options;
    this.#world = world;
    this.#limits = serverLimits(options.alias, options.limits);
  }

  /**
   * Runs a tool by its raw name.
   * @throws {ProtocolError} {@linkcode TransportError} also `fuse_open`; the signal's reason;
   * {@linkcode ChangedTool} when the tool is not what was known of it before its server was started
   */
  async call(tool: string, args: Params, options: UseOptions): Promise<ToolResult> {
    const { signal } = options;
    const { known, lease } = this.#line;
    const { alias, concurrency = STDIO_CONCURRENCY } = this.#options;
    signal?.throwIfAborted();
    // What the arguments were written for: not what a start that is under way will find.
    const found = known.find(tool);
    const expected = this.#line.isOnline()
      ? known.shown.before(tool)
      : found && known.shown.expected(found);
    const { gate } = this.#world;
    const waiting = gate.enter(alias, concurrency, signal);
    lease.take();
    // Who leaves while waiting never came in.
    if (waiting) await waiting.catch((error) => (lease.give(), Promise.reject(error)));
    try {
      const client = await this.#attach(signal);
      const now = known.find(tool);
      const changed = known.changed(tool);
      if (changed || expected && !await known.shown.fits(expected, now)) {
        // The model wrote its arguments for another schema: this one gets none of them.
        throw new ChangedTool(alias, tool, now, changed);
      }
      const limits = toolLimits(tool, this.#options) ?? this.#limits;
      const sent: Dispatch = { alias, tool, args, limits, options, line: this.#line };
      try {
        return await dispatch(client, sent);
      } catch (error) {
        return await this.#again(error, client, sent);
      }
    } finally {
      gate.leave(alias);
      lease.give();
    }
  }

  /** Sends what failed once more, where there is no harm in that. @throws the same error where there is */
  async #again(error: unknown, client: Client, sent: Dispatch): Promise<ToolResult> {
    const { known } = this.#line;
    const { tool, options: { signal } } = sent;
    const found = known.find(tool);
    if (!mayRepeat(error, this.#options.trusted ?? false, found?.annotations)) throw error;
    const again = await this.#attach(signal).catch(() => undefined);
    signal?.throwIfAborted();
    // Another server than it was, or none: what happened before is what there is to tell.
    const isSame = canonical(known.find(tool)) === canonical(found);
    if (!again || again === client || !isSame) throw error;
    return await dispatch(again, sent).catch((last) => {
      if (last instanceof Unanswered && error instanceof Unanswered) last.sent = 2;
      throw last;
    });
  }

  #attach(signal: AbortSignal | undefined): Promise<Client> {
    const attaching = this.#line.attach();
    return signal ? abortable(attaching, signal) : attaching;
  }
}
