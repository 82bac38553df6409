/** One server's fuse over time: asked before anything passes, told how it ended, awake when a trial is due. @module */
import type { FusePolicy } from "../config/config.ts";
import type { Clock } from "../kit/clock.ts";
import { formatDuration, roughly } from "../kit/duration.ts";
import { TransportError } from "../protocol/errors.ts";
import { admit, backoff, CLOSED, type Ended, type Fuse, settle, steady } from "./fuse.ts";
import type { FuseStatus } from "./status.ts";

export interface CircuitOptions {
  /** Of the server, for messages. */
  alias: string;
  policy: FusePolicy;
  clock: Clock;
  /** 0 ≤ n < 1 */
  random: () => number;
  /** Told when it has been there for long enough without a failure: the one change that nobody causes. */
  onSteady: () => void;
}

export class Circuit {
  readonly #options: CircuitOptions;
  #fuse: Fuse = CLOSED;
  /** What the clock on the wall showed at the beginning of the fuse's own time. */
  #epoch = 0;
  /** What opened it, or failed the last trial. */
  #why = "";
  #again: (() => void) | undefined;
  #cancel = () => {};

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  status(): FuseStatus {
    const { clock, policy } = this.#options;
    const fuse = steady(this.#fuse, clock.elapsed(), policy);
    const { state } = fuse;
    return {
      state,
      failures: state === "closed" ? fuse.failures : 0,
      ...(state !== "closed" && { since: this.#epoch + fuse.since }),
      ...(state === "open" && { trialAt: this.#epoch + fuse.trialAt }),
      trips: state === "closed" ? 0 : fuse.trips,
    };
  }

  /** Lets a start pass, or the one trial that is due; or says why not (`fuse_open`). */
  enter(): TransportError | undefined {
    const { clock, policy } = this.#options;
    const now = clock.elapsed();
    const admitted = admit(steady(this.#fuse, now, policy), now);
    if (!admitted) return this.#refusal(now);
    this.#fuse = admitted;
  }

  /** Why nothing may pass just now (`fuse_open`); undefined where something may. Lets nothing pass. */
  refusal(): TransportError | undefined {
    const { clock, policy } = this.#options;
    const now = clock.elapsed();
    return admit(steady(this.#fuse, now, policy), now) ? undefined : this.#refusal(now);
  }

  /** `why` says what failed, in one line, to follow a colon. Returns whether the status is another now. */
  ended(ended: Ended, why?: string): boolean {
    const { clock, policy, random } = this.#options;
    if (why !== undefined) this.#why = why;
    const before = this.#fuse;
    const at = clock.elapsed();
    const now = this.#fuse = settle(before, ended, at, policy, random());
    // Read when it changes, and not when it is told: a change is news, and nothing else is.
    if (before.state !== now.state) this.#epoch = clock.now() - at;
    if (ended.kind === "attached") this.#alarm(policy.stableMs, () => this.#steady());
    // On probation it is there, and others were answered: nothing is to be started.
    const isGone = ended.kind === "exited" || ended.kind === "failed" && now.state !== "probation";
    if (isGone) this.#retry();
    return before.state !== now.state ||
      before.state === "closed" && now.state === "closed" && before.failures !== now.failures;
  }

  /** Whether the one trial is under way. */
  get isOnTrial(): boolean {
    return this.#fuse.state === "half_open";
  }

  get isOpen(): boolean {
    return this.#fuse.state === "open";
  }

  /** From now on what failed is tried again by itself, by calling this, until {@linkcode rest}. */
  keep(again: () => void): void {
    this.#again = again;
  }

  /** Nothing is waited for any more. */
  rest(): void {
    this.#cancel();
  }

  #retry(): void {
    const { clock, policy, random } = this.#options;
    this.#cancel();
    const fuse = this.#fuse;
    if (fuse.state !== "open" && !this.#again) return;
    const ms = fuse.state === "open"
      ? fuse.trialAt - clock.elapsed()
      : backoff(0, policy, random());
    this.#alarm(ms, () => this.#due());
  }

  /** The wait is over, also where the alarm came a moment early: there will be no other. */
  #due(): void {
    const now = this.#options.clock.elapsed();
    const fuse = this.#fuse;
    if (fuse.state === "open" && fuse.trialAt > now) this.#fuse = { ...fuse, trialAt: now };
    this.#again?.();
  }

  #alarm(ms: number, wake: () => void): void {
    this.#cancel();
    this.#cancel = this.#options.clock.after(ms, wake);
  }

  #steady(): void {
    if (this.ended({ kind: "stable" })) this.#options.onSteady();
  }

  #refusal(now: number): TransportError {
    const { alias, policy } = this.#options;
    const fuse = this.#fuse;
    const since = fuse.state === "closed" ? now : fuse.since;
    const next = fuse.state === "open"
      ? `The next trial is in ${roughly(fuse.trialAt - now)} (servers.${alias}.fuse.backoff, ` +
        `now ${formatDuration(policy.backoffMs)}, doubled by each that fails)`
      : "A trial is under way";
    return new TransportError(
      "fuse_open",
      `Cannot use "${alias}": its fuse opened ${roughly(now - since)} ago: ${this.#why}. ${next}`,
    );
  }
}
