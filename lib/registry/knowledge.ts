/** What is known of one server's tools: recalled from an earlier run, listed in this one, kept for the next. @module */
import type { ToolList } from "../client/listing.ts";
import type { Clock } from "../kit/clock.ts";
import type { Hello } from "../protocol/dialect.ts";
import type { HeldBack } from "../protocol/tools.ts";
import type { ToolInfo } from "../protocol/types.ts";
import type { Known, Memory, Pins } from "./server_options.ts";
import { Shown } from "./shown.ts";
import type { Reason, ServerStatus } from "./status.ts";

const NO_TOOLS: ToolList = { tools: [], heldBack: [], problems: [], pages: [], typed: false };

export class Knowledge {
  /** Who it said it was when it was met last. */
  hello: Hello | undefined;
  /** The server said that its list is another one now. */
  isOld = false;
  readonly shown = new Shown();
  #list = NO_TOOLS;
  #byName: ReadonlyMap<string, ToolInfo> = new Map();
  #source: ServerStatus["source"];
  #fresh: boolean | undefined;
  readonly #memory: Memory | undefined;
  readonly #pins: Pins | undefined;
  readonly #clock: Pick<Clock, "now">;
  #listedAt: number | undefined;
  #keeping: Promise<void> = Promise.resolve();

  constructor(memory: Memory | undefined, pins: Pins | undefined, clock: Pick<Clock, "now">) {
    this.#memory = memory;
    this.#pins = pins;
    this.#clock = clock;
  }

  /** What it listed, in this run or an earlier one; the last list we had, when it is gone. */
  get list(): ToolList {
    return this.#list;
  }

  /** Whether anything is known of it, or was looked for. */
  get source(): ServerStatus["source"] {
    return this.#source;
  }

  find(tool: string): ToolInfo | undefined {
    return this.#byName.get(tool);
  }

  /** A tool of this name that is not what it was, and therefore not to be called. */
  changed(tool: string): HeldBack | undefined {
    return this.#list.heldBack.find((it) => it.changed && it.tool === tool);
  }

  /** Takes what is remembered, unless the server was met in this run; and why it was not to be had then. */
  async recall(): Promise<Reason | undefined> {
    const known = await this.#memory?.recall();
    if (!known || this.#source) return undefined;
    const list = await this.pinned(known.list, known);
    if (this.#source) return undefined;
    this.hello = known.hello;
    this.#hold(list);
    if (known.hashes) this.shown.recalled(known.hashes);
    this.#source = "recalled";
    this.#fresh = known.fresh;
    this.#listedAt = known.listedAt;
    return known.reason;
  }

  /** It was met, and this is what it has; `pinned` is what of it may be offered. */
  met(hello: Hello, list: ToolList, pinned: ToolList): void {
    this.shown.met(this.#list.tools);
    this.hello = hello;
    this.#source = "live";
    this.#take(list, pinned);
  }

  /** It lists this now. @throws what {@linkcode Pins} throws */
  async listed(list: ToolList): Promise<void> {
    this.#take(list, await this.pinned(list));
  }

  /** Some servers list nothing until they are warm: what is known of them stays until they say more. */
  #take(list: ToolList, pinned: ToolList): void {
    const isCold = list.tools.length === 0 && list.heldBack.length === 0;
    if (isCold && this.#list.tools.length > 0) {
      return this.doubt("it lists no tools just now: those that it had are still shown");
    }
    this.#hold(pinned);
    this.#listedAt = this.#clock.now();
    const hello = this.hello!;
    // All of the list is kept: what is held back today may be accepted by the next run.
    this.#keep((memory) => memory.remember({ hello, list }));
  }

  #hold(list: ToolList): void {
    this.#list = list;
    this.#byName = new Map(list.tools.map((tool) => [tool.name, tool]));
  }

  /** What of a list may be offered. @throws what {@linkcode Pins} throws */
  async pinned(list: ToolList, recalled?: Known): Promise<ToolList> {
    return await this.#pins?.check(list, recalled) ?? list;
  }

  /** The list that we have is all there is, and something is wrong with it. */
  doubt(problem: string): void {
    this.#list = { ...this.#list, problems: [problem] };
  }

  /** For the next run: why it was not to be had. */
  blame(reason: Reason): void {
    this.#keep((memory) => memory.blame(reason));
  }

  /** Resolves once all that was learned is kept. */
  kept(): Promise<void> {
    return this.#keeping;
  }

  status(): Pick<
    ServerStatus,
    | "dialect"
    | "server"
    | "instructions"
    | "tools"
    | "source"
    | "listedAt"
    | "fresh"
    | "heldBack"
    | "problems"
  > {
    const { hello } = this;
    const { tools, heldBack, problems } = this.#list;
    return {
      ...(hello && {
        dialect: { era: hello.dialect.era, version: hello.dialect.version },
        server: hello.server,
      }),
      ...(hello?.instructions !== undefined && { instructions: hello.instructions }),
      tools,
      ...(this.#source && { source: this.#source }),
      ...(this.#listedAt !== undefined && { listedAt: this.#listedAt }),
      ...(this.#source === "recalled" && this.#fresh !== undefined && { fresh: this.#fresh }),
      heldBack,
      problems,
    };
  }

  /** One after the other, so that the last thing learned is the last thing kept. Nobody waits for it. */
  #keep(work: (memory: Memory) => Promise<void>): void {
    const memory = this.#memory;
    if (memory) this.#keeping = this.#keeping.then(() => work(memory));
  }
}
