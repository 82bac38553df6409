/** One server's life: attached once for all who ask, called, lost, detached, attached again. @module */
import type { Client } from "../client/client.ts";
import type { ToolList } from "../client/listing.ts";
import { abortable } from "../kit/abort.ts";
import type { Hello } from "../protocol/dialect.ts";
import { isCallFailure, type ReasonCode, TransportError } from "../protocol/errors.ts";
import type { HeldBack, ToolResult } from "../protocol/tools.ts";
import type { Params, ToolInfo } from "../protocol/types.ts";
import type { Transport } from "../transport/transport.ts";
import { type CallLimits, serverLimits, toolLimits } from "./call_limits.ts";
import { ChangedTool, toTransportError, Unanswered } from "./failures.ts";
import { Lease } from "./lease.ts";
import { meet, type Met } from "./meeting.ts";
import type { Known, Memory, ServerOptions, ServerWorld, UseOptions } from "./server_options.ts";
import { Shown } from "./shown.ts";
import type { Reason, ServerStatus, State } from "./status.ts";

const NO_TOOLS: ToolList = { tools: [], heldBack: [], problems: [], pages: [], typed: false };

export class Server implements AsyncDisposable {
  readonly alias: string;
  readonly required: boolean;
  readonly #options: ServerOptions;
  readonly #world: ServerWorld;
  readonly #limits: CallLimits;
  /** Ends attaching that nobody waits for any more: it belongs to no single caller. */
  readonly #life = new AbortController();
  #client: Promise<Client> | undefined;
  /** The one that is online. */
  #current: Client | undefined;
  #transport: Transport | undefined;
  /** The end of what was started last, where it did not come to anything or went by itself. */
  #goodbye: PromiseLike<void> | undefined;
  #state: State = "idle";
  #reason: Reason | undefined;
  #hello: Hello | undefined;
  #list = NO_TOOLS;
  readonly #shown = new Shown();
  #source: ServerStatus["source"];
  #fresh: boolean | undefined;
  #listIsOld = false;
  #attachMs: number | undefined;
  #attaches = 0;
  readonly #lease: Lease;
  /** What is on its way into memory. */
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: ServerOptions, world: ServerWorld) {
    this.alias = options.alias;
    this.required = options.required;
    this.#options = options;
    this.#world = world;
    this.#limits = serverLimits(options.alias, options.limits);
    this.#lease = new Lease(world.clock, options.restMs, () => void this.detach());
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
      fuse: { state: "closed", trips: 0 },
      ...(hello && {
        dialect: { era: hello.dialect.era, version: hello.dialect.version },
        server: hello.server,
      }),
      ...(hello?.instructions !== undefined && { instructions: hello.instructions }),
      tools: this.#list.tools,
      ...(this.#source && { source: this.#source }),
      ...(this.#source === "recalled" && this.#fresh !== undefined && { fresh: this.#fresh }),
      heldBack: this.#list.heldBack,
      problems: this.#list.problems,
      ...(this.#attachMs !== undefined && { attachMs: this.#attachMs }),
      attaches: this.#attaches,
    };
  }

  /** What it listed, in this run or an earlier one; the last list we had, when it is gone. */
  get tools(): readonly ToolInfo[] {
    return this.#list.tools;
  }

  get heldBack(): readonly HeldBack[] {
    return this.#list.heldBack;
  }

  denies(tool: string): string | undefined {
    return this.#options.denies(tool);
  }

  /** Takes what is remembered for a menu, unless the server was met in this run. */
  async recall(): Promise<void> {
    const known = await this.#options.memory?.recall();
    if (!known || this.#source) return;
    const list = await this.#pinned(known.list, known);
    if (this.#source) return;
    this.#hello = known.hello;
    this.#list = list;
    if (known.hashes) this.#shown.recalled(known.hashes);
    this.#reason ??= known.reason;
    this.#source = "recalled";
    this.#fresh = known.fresh;
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

  /** The caller is shown what it offers now: what was known before does not count any more. */
  shown(): void {
    this.#shown.forget();
  }

  /** It is not stopped for resting any more. */
  keep(): void {
    this.#lease.keep();
  }

  /** Stops the server once the calls under way have ended. What it offers stays known. */
  async detach(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (!client) return;
    // A call may begin in the very moment in which the last one ends.
    while (this.#lease.isHeld) await this.#lease.quiet();
    if (this.#current !== client) return; // It left by itself meanwhile, or another was faster.
    this.#lease.end();
    this.#client = this.#current = undefined;
    this.#state = "idle";
    this.#dismiss();
    this.#world.onChange(this.status());
    await this.#goodbye;
  }

  /**
   * Runs a tool by its raw name.
   * @throws {ProtocolError} {@linkcode TransportError} the signal's reason; {@linkcode ChangedTool}
   * when the tool is not what was known of it before its server was started
   */
  async call(tool: string, args: Params, options: UseOptions): Promise<ToolResult> {
    const { signal, onProgress } = options;
    signal?.throwIfAborted();
    // What the arguments were written for: not what a start that is under way will find.
    const found = this.#find(tool);
    const known = this.#current ? this.#shown.before(tool) : found && this.#shown.expected(found);
    this.#lease.take();
    try {
      const client = await (signal ? abortable(this.attach(), signal) : this.attach());
      const held = this.#list.heldBack.find((it) => it.changed && it.tool === tool);
      if (held || known && !await this.#shown.fits(known, this.#find(tool))) {
        // The model wrote its arguments for another schema: this one gets none of them.
        throw new ChangedTool(this.alias, tool, this.#find(tool), held);
      }
      const { idle, cap } = toolLimits(tool, this.#options) ?? this.#limits;
      return await client.callTool(tool, args, {
        idle,
        cap,
        ...(signal && { signal }),
        ...(onProgress && { onProgress }),
      }).catch((error) => {
        if (!(error instanceof TransportError)) throw error;
        const why = `Cannot finish "${this.alias}.${tool}": ${error.message}`;
        throw new Unanswered(error.fault, why, { cause: error, tail: this.#lastWords() });
      });
    } finally {
      this.#lease.give();
    }
  }

  /** Reads the list again if the server said that it changed. A failure keeps the list we have. */
  async refresh(signal?: AbortSignal): Promise<void> {
    if (!this.#listIsOld || !this.#current) return;
    this.#listIsOld = false;
    try {
      const list = await this.#current.listTools(signal);
      this.#list = await this.#pinned(list);
      this.#remember(list);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isCallFailure(error)) throw error;
      const problem = `the list changed and can't be read: ${error.message}`;
      this.#list = { ...this.#list, problems: [problem] };
    }
    this.#world.onChange(this.status());
  }

  async #start(): Promise<Client> {
    const { clock, place, onChange } = this.#world;
    const leave = await place(this.#life.signal);
    this.#state = "attaching";
    this.#transport = undefined;
    onChange(this.status());
    const began = clock.now();
    let met: Met;
    let list: ToolList;
    try {
      met = await this.#meet(leave);
      list = await this.#pinned(met.list);
    } catch (error) {
      this.#dismiss();
      throw this.#lose(error);
    } finally {
      leave();
    }
    const { client } = met;
    this.#shown.met(this.#list.tools);
    this.#list = list;
    this.#state = "online";
    this.#reason = undefined;
    this.#hello = client.hello;
    this.#source = "live";
    this.#attachMs = clock.now() - began;
    this.#attaches++;
    this.#current = client;
    client.closed.then((error) => this.#gone(client, error));
    this.#remember(met.list);
    this.#lease.rest();
    onChange(this.status());
    return client;
  }

  async #meet(onPatience: () => void): Promise<Met> {
    // Started while what is remembered of it is read. Only this process is: a probe may be its end.
    let ahead: Promise<Transport> | undefined = this.#open();
    await Promise.allSettled([ahead, this.#source ? undefined : this.recall()]);
    const open = () => {
      const opening = ahead ?? this.#open();
      ahead = undefined;
      return opening;
    };
    const { clock, client } = this.#world;
    const { alias, limits } = this.#options;
    const { signal } = this.#life;
    return await meet(open, {
      alias,
      clock,
      client,
      limits,
      signal,
      onPatience, // Who is silent costs no processor: the next may start.
      ...(this.#hello && { prior: this.#hello }),
      wasTyped: this.#list.typed,
      onListChanged: (isOld) => this.#listIsOld = isOld,
      giveUp: async () => await this.#transport?.[Symbol.asyncDispose](),
    });
  }

  async #open(): Promise<Transport> {
    return this.#transport = await this.#options.open();
  }

  #find(tool: string): ToolInfo | undefined {
    return this.#list.tools.find(({ name }) => name === tool);
  }

  /** What of a list may be offered, by what is pinned of it. */
  async #pinned(list: ToolList, recalled?: Known): Promise<ToolList> {
    return await this.#options.pins?.check(list, recalled) ?? list;
  }

  /**
   * Not waited for: what is kept for the next run holds nobody up in this one. All of the list is: what
   * is held back today may be accepted by then.
   */
  #remember(list: ToolList): void {
    const hello = this.#hello;
    if (hello) this.#keep((memory) => memory.remember({ hello, list }));
  }

  /** One after the other, so that the last thing learned is the last thing kept. */
  #keep(work: (memory: Memory) => Promise<void>): void {
    const { memory } = this.#options;
    if (memory) this.#keeping = this.#keeping.then(() => work(memory));
  }

  /** Ends what was opened last; whoever disposes of us waits for it. */
  #dismiss(): void {
    this.#goodbye = this.#transport?.[Symbol.asyncDispose]();
  }

  /** Notes why it can't be had, and returns that as the error to throw. */
  #lose(error: unknown): unknown {
    const cause = toTransportError(error);
    if (!cause || this.#life.signal.aborted) return error;
    const message = `Cannot attach "${this.alias}": ${cause.message}`;
    const tail = this.#lastWords();
    this.#offline(cause.fault, message, tail);
    return new TransportError(cause.fault, message, { cause, tail });
  }

  /** It ended by itself. What it offered stays known: the next call starts it again. */
  #gone(client: Client, error: TransportError): void {
    if (this.#life.signal.aborted || this.#current !== client) return;
    this.#client = this.#current = undefined;
    this.#lease.end();
    this.#dismiss();
    this.#offline(error.fault, `Lost "${this.alias}": ${error.message}`, this.#lastWords());
  }

  #offline(code: ReasonCode, message: string, tail: readonly string[]): void {
    this.#state = "offline";
    this.#reason = { code, message, since: this.#world.clock.now(), tail };
    const reason = this.#reason;
    this.#keep((memory) => memory.blame(reason));
    this.#world.onChange(this.status());
  }

  #lastWords(): readonly string[] {
    return [...this.#transport?.tail() ?? []];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new TransportError("closed", "fusebox is leaving"));
    this.#lease.end();
    const client = await this.#client?.catch(() => undefined);
    await Promise.all([client?.[Symbol.asyncDispose](), this.#goodbye, this.#keeping]);
  }
}
