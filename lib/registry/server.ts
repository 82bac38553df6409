/** One server's life: attached once for all who ask, called, lost, detached, attached again. @module */
import type { Client } from "../client/client.ts";
import type { ToolList } from "../client/listing.ts";
import { DEFAULT_FUSE } from "../config/config.ts";
import { isCallFailure, type ReasonCode, TransportError } from "../protocol/errors.ts";
import type { HeldBack, ToolResult } from "../protocol/tools.ts";
import type { Params, ToolInfo } from "../protocol/types.ts";
import type { Transport } from "../transport/transport.ts";
import { type Caller, Calls } from "./calls.ts";
import { Circuit } from "./circuit.ts";
import { check } from "./dispatch.ts";
import { toTransportError } from "./failures.ts";
import { type Ended, isPassing } from "./fuse.ts";
import { Knowledge } from "./knowledge.ts";
import { Lease } from "./lease.ts";
import { meet, type Met } from "./meeting.ts";
import type { ServerOptions, ServerWorld, UseOptions } from "./server_options.ts";
import { Relisting } from "./relisting.ts";
import type { Reason, ServerStatus, State } from "./status.ts";

export class Server implements AsyncDisposable {
  readonly alias: string;
  readonly required: boolean;
  readonly #options: ServerOptions;
  readonly #world: ServerWorld;
  /** Ends attaching that nobody waits for any more: it belongs to no single caller. */
  readonly #life = new AbortController();
  #client: Promise<Client> | undefined;
  /** The one that is online. */
  #current: Client | undefined;
  #transport: Transport | undefined;
  /** The end of all that was started, where it did not come to anything or went by itself. */
  #goodbye: Promise<unknown> | undefined;
  #state: State = "idle";
  #reason: Reason | undefined;
  #attachMs: number | undefined;
  #attaches = 0;
  readonly #known: Knowledge;
  readonly #lease: Lease;
  readonly #relisting: Relisting;
  readonly #circuit: Circuit;
  readonly #line: Caller;
  readonly #calls: Calls;

  constructor(options: ServerOptions, world: ServerWorld) {
    const { alias, fuse: policy = DEFAULT_FUSE } = options;
    const { clock, random } = world;
    this.alias = alias;
    this.required = options.required;
    this.#options = options;
    this.#world = world;
    this.#known = new Knowledge(options.memory, options.pins, clock);
    this.#relisting = new Relisting(clock);
    this.#lease = new Lease(clock, options.restMs, () => void this.detach());
    this.#circuit = new Circuit({ alias, policy, clock, random, onSteady: () => this.#tell() });
    this.#line = {
      known: this.#known,
      lease: this.#lease,
      isOnline: () => this.#current !== undefined,
      attach: () => this.attach(),
      elapsed: () => clock.elapsed(),
      ended: (client, ended, failure) => this.#ended(client, ended, failure),
      lastWords: () => this.#lastWords(),
    };
    this.#calls = new Calls(this.#line, options, world);
  }

  status(): ServerStatus {
    const { description, required } = this.#options;
    const pid = this.#current && this.#transport?.pid;
    return {
      alias: this.alias,
      ...(description !== undefined && { description }),
      required,
      state: this.#state,
      ...(this.#reason && { reason: this.#reason }),
      fuse: this.#circuit.status(),
      ...(pid !== undefined && { pid }),
      ...this.#known.status(),
      ...(this.#attachMs !== undefined && { attachMs: this.#attachMs }),
      attaches: this.#attaches,
    };
  }

  /** What it listed, in this run or an earlier one; the last list we had, when it is gone. */
  get tools(): readonly ToolInfo[] {
    return this.#known.list.tools;
  }

  get heldBack(): readonly HeldBack[] {
    return this.#known.list.heldBack;
  }

  get descriptionChars(): number {
    return this.#options.limits.descriptionChars;
  }

  denies(tool: string): string | undefined {
    return this.#options.denies(tool);
  }

  /** Takes what is remembered for a menu, unless the server was met in this run. */
  async recall(): Promise<void> {
    const reason = await this.#known.recall();
    if (reason) this.#reason ??= reason;
  }

  /**
   * Starts the server, unless it runs. All callers share one start; a failed one is forgotten, so
   * that the next caller tries again, if the fuse lets it.
   * @throws {TransportError} with the offline reason; `fuse_open`
   */
  attach(): Promise<Client> {
    // A trial is not shared: nobody else waits for a server that may still be ill.
    const isShared = this.#current || !this.#circuit.isOnTrial;
    if (this.#client && isShared) return this.#client;
    const refusal = this.#circuit.enter();
    if (refusal) return Promise.reject(refusal);
    return this.#client = this.#start().catch((error) => {
      this.#client = undefined;
      throw error;
    });
  }

  /** Why it would not be started, whoever asked (`fuse_open`). */
  leftAlone(): TransportError | undefined {
    return this.#current ? undefined : this.#circuit.refusal();
  }

  /** The caller is shown what it offers now: what was known before does not count any more. */
  shown(): void {
    this.#known.shown.forget();
  }

  /** It is not stopped for resting any more, and is tried again by itself when it fails. */
  keep(): void {
    this.#lease.keep();
    this.#circuit.keep(() => void this.attach().catch(() => {}));
  }

  /** Stops the server once the calls under way have ended. What it offers stays known. */
  async detach(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (!client) return;
    // A call may begin in the very moment in which the last one ends.
    while (this.#lease.isHeld) await this.#lease.quiet();
    if (this.#current !== client) return; // It left by itself meanwhile, or another was faster.
    this.#leave();
    this.#state = "idle";
    this.#tell();
    await this.#goodbye;
  }

  /**
   * Runs a tool by its raw name.
   * @throws {ProtocolError} {@linkcode TransportError} also `fuse_open`; the signal's reason;
   * {@linkcode ChangedTool} when the tool is not what was known of it before its server was started
   */
  call(tool: string, args: Params, options: UseOptions): Promise<ToolResult> {
    return this.#calls.call(tool, args, options);
  }

  /**
   * Asks a server that is there for a sign of life; of one that is not, nothing is asked.
   * @returns how long it took, in milliseconds
   * @throws {TransportError} or the signal's reason
   */
  async check(signal?: AbortSignal): Promise<number | undefined> {
    const client = this.#current;
    if (!client) return undefined;
    return await check(client, this.alias, this.#line, signal);
  }

  /** What a call says of the server. One that makes no sense is left: only a new start may help it. */
  #ended(client: Client, ended: Ended, failure?: TransportError): void {
    if (this.#current !== client) return; // It is gone already, and that has been counted.
    if (!this.#circuit.ended(ended, failure?.message)) return;
    if (!failure || !this.#circuit.isOpen) return this.#tell();
    this.#leave();
    const { fault, message, tail } = failure;
    this.#offline(fault, `Left "${this.alias}" alone: ${message}`, tail);
  }

  /**
   * Reads the list again if the server said that it changed. A failure keeps the list we have; a list
   * that takes long is taken in when it comes.
   * @throws the signal's reason
   */
  async refresh(signal?: AbortSignal): Promise<void> {
    const client = this.#current;
    if (this.#known.isOld && client && !this.#relisting.isUnderWay) {
      this.#known.isOld = false;
      this.#relisting.begin(() => this.#relist(client));
    }
    await this.#relisting.wait(signal);
  }

  async #relist(client: Client): Promise<void> {
    try {
      const list = await client.listTools(this.#life.signal);
      if (this.#current !== client) return; // Whoever is there now has a list of its own.
      await this.#known.listed(list);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      if (this.#current !== client || this.#life.signal.aborted) return;
      this.#known.doubt(`the list changed and can't be read: ${error.message}`);
    }
    this.#tell();
  }

  async #start(): Promise<Client> {
    const { clock, place } = this.#world;
    const leave = await place(this.#life.signal);
    this.#state = "attaching";
    this.#transport = undefined;
    this.#tell();
    const began = clock.elapsed();
    let met: Met;
    let pinned: ToolList;
    try {
      met = await this.#meet(leave);
      pinned = await this.#known.pinned(met.list);
    } catch (error) {
      this.#dismiss();
      throw this.#lose(error, began);
    } finally {
      leave();
    }
    const { client, list } = met;
    this.#known.met(client.hello, list, pinned);
    this.#state = "online";
    this.#reason = undefined;
    this.#attachMs = clock.elapsed() - began;
    this.#attaches++;
    this.#current = client;
    client.closed.then((error) => this.#gone(client, error));
    this.#lease.rest();
    this.#circuit.ended({ kind: "attached" });
    this.#tell();
    return client;
  }

  async #meet(onPatience: () => void): Promise<Met> {
    // Started while what is remembered of it is read. Only this process is: a probe may be its end.
    let ahead: Promise<Transport> | undefined = this.#open();
    await Promise.allSettled([ahead, this.#known.source ? undefined : this.recall()]);
    const open = () => {
      const opening = ahead ?? this.#open();
      ahead = undefined;
      return opening;
    };
    const { clock, client } = this.#world;
    const { alias, limits } = this.#options;
    const { hello, list } = this.#known;
    return await meet(open, {
      alias,
      clock,
      client,
      limits,
      signal: this.#life.signal,
      onPatience, // Who is silent costs no processor: the next may start.
      ...(hello && { prior: hello }),
      wasTyped: list.typed,
      onListChanged: (isOld) => this.#known.isOld = isOld,
      giveUp: async () => await this.#transport?.[Symbol.asyncDispose](),
    });
  }

  async #open(): Promise<Transport> {
    return this.#transport = await this.#options.open();
  }

  /** From here on, whoever asks for it has to start it. */
  #leave(): void {
    this.#client = this.#current = undefined;
    this.#lease.end();
    this.#dismiss();
  }

  /** Ends what was opened last; whoever disposes of us waits for it. */
  #dismiss(): void {
    this.#goodbye = Promise.all([this.#goodbye, this.#transport?.[Symbol.asyncDispose]()]);
  }

  /** Notes why it can't be had, and returns that as the error to throw. */
  #lose(error: unknown, beganAt: number): unknown {
    const cause = toTransportError(error);
    if (!cause || this.#life.signal.aborted) {
      this.#circuit.ended({ kind: "abandoned" });
      return error;
    }
    const { fault } = cause;
    const message = `Cannot attach "${this.alias}": ${cause.message}`;
    const tail = this.#lastWords();
    // What does not pass by itself is no reason to wait: whoever asks next may have mended it.
    const failed: Ended = fault === "exited" ? { kind: "exited" } : { kind: "failed", beganAt };
    this.#circuit.ended(isPassing(fault) ? failed : { kind: "abandoned" }, message);
    this.#offline(fault, message, tail);
    return new TransportError(fault, message, { cause, tail });
  }

  /** It ended by itself. What it offered stays known: the next call starts it again. */
  #gone(client: Client, error: TransportError): void {
    if (this.#life.signal.aborted || this.#current !== client) return;
    const message = `Lost "${this.alias}": ${error.message}`;
    this.#leave();
    this.#circuit.ended({ kind: "exited" }, message);
    this.#offline(error.fault, message, this.#lastWords());
  }

  #offline(code: ReasonCode, message: string, tail: readonly string[]): void {
    this.#state = "offline";
    const { clock, hide } = this.#world;
    this.#reason = { code, message: hide(message), since: clock.now(), tail };
    this.#known.blame(this.#reason);
    this.#tell();
  }

  #tell(): void {
    this.#world.onChange(this.status());
  }

  #lastWords(): readonly string[] {
    return (this.#transport?.tail() ?? []).map((line) => this.#world.hide(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new TransportError("closed", "fusebox is leaving"));
    this.#lease.end();
    this.#circuit.rest();
    const client = await this.#client?.catch(() => undefined);
    await Promise.all([client?.[Symbol.asyncDispose](), this.#goodbye, this.#known.kept()]);
  }
}
