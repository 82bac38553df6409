/** Servers that go and come back: one line for each change of state, and none for attempts. @module */
import { roughly } from "../kit/duration.ts";
import type { ReasonCode } from "../protocol/errors.ts";
import type { ServerStatus } from "../registry/status.ts";
import { reasonLine } from "./screen.ts";

/** One change, as `--json` and `--jsonl` show it. */
export interface Outage {
  alias: string;
  /** `late`: it was not ready when the run began. `open`: its fuse is, and it is left alone for a while. */
  state: "late" | "offline" | "open" | "back";
  reason?: ReasonCode;
  message?: string;
  /** ISO 8601. */
  at: string;
}

export interface Change extends Outage {
  /** For people. */
  line: string;
}

type Ill = Exclude<Outage["state"], "back">;

export class Outages {
  /** All of this run, in order. */
  readonly all: Outage[] = [];
  readonly #now: () => number;
  readonly #ill = new Map<string, Ill>();
  #told = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What a status changes in what was known, or undefined: then nobody need hear of it. */
  take(status: ServerStatus): Change | undefined {
    const { alias, state, reason, fuse } = status;
    const was = this.#ill.get(alias);
    if (state === "offline" && reason?.code === "disabled") return undefined;
    if (fuse.state === "open" && was !== "open") {
      const next = roughly((fuse.trialAt ?? 0) - this.#now());
      return this.#note(
        status,
        "open",
        `${alias}: left alone, its fuse is open; next trial in ${next} ` +
          `(servers.${alias}.fuse)${reason ? `: ${reasonLine(reason)}` : ""}`,
      );
    }
    if (state === "offline" && (was === undefined || was === "late") && reason) {
      return this.#note(status, "offline", reasonLine(reason));
    }
    // A handshake proves nothing: it is back once it has answered, or has been there for a while.
    const isWell = fuse.state === "closed" && fuse.failures === 0 &&
      (state === "online" || state === "idle");
    if (was === undefined || !isWell) return undefined;
    return this.#note(status, "back", `${alias}: ${was === "late" ? "online" : "back online"}`);
  }

  /** It was not ready when the run began. */
  late(status: ServerStatus, line: string): Change {
    return this.#note(status, "late", line);
  }

  /** What happened since this was asked last, in words for the model. */
  news(): readonly string[] {
    const fresh = this.all.slice(this.#told);
    this.#told = this.all.length;
    return fresh.map(({ alias, state, message }) => {
      switch (state) {
        case "late":
          return `"${alias}" is still starting`;
        case "offline":
          return `"${alias}" is offline: ${message}; a call to it tries to start it again`;
        case "open":
          return `"${alias}" fails again and again and is left alone for a while: ` +
            `calls to it are answered at once, and it is tried again by itself`;
        case "back":
          return `"${alias}" can be used again`;
      }
    });
  }

  #note({ alias, reason }: ServerStatus, state: Outage["state"], line: string): Change {
    if (state === "back") this.#ill.delete(alias);
    else this.#ill.set(alias, state);
    const outage: Outage = {
      alias,
      state,
      ...(state !== "back" && reason && { reason: reason.code, message: reason.message }),
      at: new Date(this.#now()).toISOString(),
    };
    this.all.push(outage);
    return { ...outage, line };
  }
}
