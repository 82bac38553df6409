/** What a run does, told to a journal: frames, states, turns of the model, uses, questions and answers. @module */
import type { Approve, AskEvent, Outcome } from "../../agent/terms.ts";
import type { Config } from "../../config/config.ts";
import type { Model } from "../../models/model.ts";
import { TransportError } from "../../protocol/errors.ts";
import type { ServerStatus } from "../../registry/status.ts";
import type { Args } from "../args.ts";
import type { Watchers } from "../household.ts";
import type { RunParts } from "../running.ts";
import type { Terminal, World } from "../world.ts";
import { Connection } from "./connection.ts";
import type { Journal } from "./journal.ts";
import { messageOf, tracedModel } from "./model.ts";
import { type Fields, FORMAT, type Kind, VERSION } from "./records.ts";

export interface TracingOptions {
  journal: Journal;
  /** What is known before the configuration is read. */
  head: Pick<Fields<"header">, "fusebox" | "startedAt" | "platform" | "command">;
  elapsed: () => number;
}

const EARLY: readonly Kind[] = ["note", "asked", "answered"];

export class Tracing {
  readonly #journal: Journal;
  readonly #options: TracingOptions;
  #hasBegun = false;
  /** Written behind the header: nothing goes before it, and the configuration is still being read. */
  readonly #early: (() => void)[] = [];
  #processes = 0;
  #requests = 0;
  #steps = 0;
  /** What was told of each server last: long lists are told once. */
  readonly #told = new Map<string, readonly unknown[]>();

  constructor(options: TracingOptions) {
    this.#options = options;
    this.#journal = options.journal;
  }

  /** The header. A command without a configuration has one that says so. */
  configured({ servers, ...config }: Partial<Config>, args?: Args): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const model = args?.model ?? config.model;
    const header = {
      format: FORMAT,
      version: VERSION,
      ...this.#options.head,
      files: [...new Set(servers?.map(({ file }) => file))],
      aliases: servers?.map(({ alias }) => alias) ?? [],
      ...(model !== undefined && { model }),
      mode: args?.mode ?? config.mode ?? "auto",
    };
    this.#journal.write("header", header, 0);
    for (const write of this.#early.splice(0)) write();
  }

  write<K extends Kind>(kind: K, fields: Fields<K>): number {
    // Whether a configuration may be used is asked before it is one.
    if (!this.#hasBegun && EARLY.includes(kind)) {
      const at = this.#options.elapsed();
      return this.#early.push(() => this.#journal.write(kind, fields, at));
    }
    this.configured({});
    return this.#journal.write(kind, fields);
  }

  /** A line for people. */
  note(text: string): void {
    this.write("note", { text });
  }

  /** One start of a server: nothing is told of it yet. */
  connection(server: string): Connection {
    return new Connection(this, server, ++this.#processes);
  }

  /** The same watchers; what they are told of is recorded first. */
  watching(watchers: Watchers): Watchers {
    return {
      ...watchers,
      onChange: (status) => {
        this.#server(status);
        watchers.onChange?.(status);
      },
      onCall: (event) => {
        const { ref: { alias, tool }, outcome, ms } = event;
        this.write("call", { server: alias, tool, outcome, ms });
        watchers.onCall?.(event);
      },
    };
  }

  #server(status: ServerStatus): void {
    const { alias, state, reason, fuse, dialect, server, instructions, tools } = status;
    const { source, heldBack, problems, attachMs, attaches } = status;
    const told = this.#told.get(alias) ?? [];
    this.#told.set(alias, [heldBack, problems]);
    this.write("server", {
      server: alias,
      state,
      ...(reason && { reason }),
      fuse,
      ...(dialect && { dialect: dialect.version }),
      ...(server && { peer: server }),
      ...(instructions !== undefined && { instructions }),
      tools: tools.length,
      ...(source && { source }),
      ...(heldBack.length > 0 && !told.includes(heldBack) && { heldBack }),
      ...(problems.length > 0 && !told.includes(problems) && { problems }),
      ...(attachMs !== undefined && { attachMs }),
      attaches,
    });
  }

  model(model: Model): Model {
    return tracedModel(model, this, this.#options.elapsed);
  }

  approve(approve: Approve): Approve {
    return async (use, target, signal) => {
      const verdict = await approve(use, target, signal);
      const { alias, tool } = target.ref;
      const { ok, by } = verdict;
      this.write("approval", {
        use: use.id,
        server: alias,
        tool,
        ok,
        ...(by && { by }),
        ...(!verdict.ok && { why: verdict.why }),
      });
      return verdict;
    };
  }

  /** A use that begins, or its result. What else happens in a run is told elsewhere. */
  event(event: AskEvent): void {
    if (event.type !== "use" && event.type !== "result") return;
    const { use, target } = event;
    const ref = target ? { server: target.ref.alias, tool: target.ref.tool } : {};
    if (event.type === "use") {
      const { id, name, args, unreadable } = use;
      this.write("use", {
        use: id,
        name,
        args: target?.args ?? args,
        ...(unreadable !== undefined && { unreadable }),
        ...ref,
      });
      return;
    }
    const { result: { content, structuredContent, isError, notes, failure }, ms } = event;
    const { id, name } = use;
    this.write("result", {
      use: id,
      name,
      ...ref,
      isError,
      ...(failure && { failure: failure instanceof TransportError ? failure.fault : "refused" }),
      content,
      ...(structuredContent !== undefined && { structuredContent }),
      ...(notes && { notes }),
      ms,
    });
  }

  /** A run of the loop begins with this first message. */
  run(prompt: string, { mind, mode, system, args }: RunParts): void {
    const { maxSteps, maxTokens, budgetTokens } = args;
    this.write("run", {
      model: mind.model.name,
      mode,
      prompt,
      ...(system !== undefined && { system }),
      ...(maxSteps !== undefined && { maxSteps }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(budgetTokens !== undefined && { budgetTokens }),
    });
  }

  outcome({ ending, why, steps, usage }: Outcome): void {
    this.write("outcome", {
      ending,
      ...(why !== undefined && { why }),
      steps,
      ...(usage && { usage }),
    });
  }

  terminal(terminal: Terminal | undefined): Terminal | undefined {
    return terminal && {
      ask: async (question, signal) => {
        this.write("asked", { question });
        const text = await terminal.ask(question, signal);
        this.write("answered", text === undefined ? {} : { text });
        return text;
      },
    };
  }

  fetch(fetch: World["fetch"]): World["fetch"] {
    return async (input, init) => {
      const request = ++this.#requests;
      const { origin, pathname } = new URL(input);
      const { method = "GET", body } = init;
      const bytes = typeof body === "string" ? new TextEncoder().encode(body).length : 0;
      this.write("http", { request, method, url: origin + pathname, bytes });
      const began = this.#options.elapsed();
      const ended = (more: Partial<Fields<"http_ended">>) =>
        this.write("http_ended", { request, ...more, ms: this.#options.elapsed() - began });
      try {
        const response = await fetch(input, init);
        ended({ status: response.status });
        return response;
      } catch (error) {
        ended({ failure: messageOf(error) });
        throw error;
      }
    };
  }

  /** The last record. Resolves once all is written, or given up. */
  async end(exit: number, message?: string): Promise<void> {
    this.write("end", { exit, ...(message !== undefined && { message }) });
    await this.#journal.close();
  }
}
