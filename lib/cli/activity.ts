/** A run as it happens: events of the loop → lines on stderr, and a record for `--json`. @module */
import type { AskEvent, Outcome, Prefix } from "../agent/terms.ts";
import { toJson } from "../kit/json.ts";
import { printableLine } from "../kit/printable.ts";
import type { ToolUse, Usage } from "../models/model.ts";
import { TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Params } from "../protocol/types.ts";
import type { Target } from "../tools/tool.ts";
import type { Outage } from "./outages.ts";
import { textOf } from "./said.ts";
import { count, type Screen } from "./screen.ts";

/** One tool call of a run, as `--json` shows it. */
export interface CallRecord {
  step: number;
  /** The public name, as the model wrote it. */
  name: string;
  /** Absent when no such tool exists. */
  alias?: string;
  /** The raw name, as the server was sent it. */
  tool?: string;
  arguments: Params;
  isError: boolean;
  /** A reason code, or `refused`; absent when the server answered. */
  failure?: string;
  ms: number;
}

const THOUGHT_MAX = 2000;

export class Activity {
  readonly calls: CallRecord[] = [];
  /** The digest of what came before the first message, one for each model request. */
  readonly prefixes: string[] = [];
  #prefix: Prefix | undefined;
  readonly #screen: Screen;
  readonly #records = new Map<ToolUse, CallRecord>();
  /** Names of what is under way. */
  readonly #waiting = new Map<ToolUse, string>();
  #step = 0;
  #text = "";
  /** The begun line of what the model thinks aloud: it comes word by word. */
  #thought = "";

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** `seen` says that the person has seen this turn's text already. */
  take(event: AskEvent, seen = false): void {
    switch (event.type) {
      case "reasoning":
        return this.#think(event.text);
      case "step":
        this.#step = event.step;
        this.#watch(event.prefix);
        this.#text = "";
        return this.#screen.spin("thinking");
      case "turn":
        if (event.usage) this.#screen.detail(`step ${event.step}: ${spent(event.usage)}`);
        return;
      case "text":
        this.#text += event.text;
        return;
      case "use":
        this.#begin(event.use, event.target);
        if (!seen) this.#sayText();
        this.#text = "";
        this.#screen.say(
          `→ ${nameOf(event.use, event.target)} ${brief(argsOf(event.use, event.target))}`,
          "cyan",
        );
        this.#waiting.set(event.use, nameOf(event.use, event.target));
        return this.#screen.spin(() => [...this.#waiting.values()].join(", "));
      case "progress": {
        const { progress, total, message } = event.progress;
        const share = total === undefined ? `${progress}` : `${progress}/${total}`;
        return this.#screen.progress(
          `  ${event.use.name}: ${share}${message ? ` ${printableLine(message)}` : ""}`,
        );
      }
      case "result":
        return this.#result(event.use, event.target, event.result, event.ms);
    }
  }

  #think(text: string): void {
    const lines = (this.#thought + text).split("\n");
    this.#thought = lines.pop()!;
    for (const line of lines) this.#ponder(line);
    if (this.#thought.length >= THOUGHT_MAX) this.rest();
  }

  #ponder(line: string): void {
    const shown = printableLine(line, THOUGHT_MAX);
    if (shown) this.#screen.detail(shown);
  }

  /** Tells a line that nothing was added to any more. */
  rest(): void {
    this.#ponder(this.#thought);
    this.#thought = "";
  }

  /** A prefix that moved costs the cache of all that follows it: that is worth a line. */
  #watch(prefix: Prefix): void {
    const before = this.#prefix;
    this.#prefix = prefix;
    this.prefixes.push(prefix.digest);
    this.#screen.detail(
      `step ${this.#step}: prefix ${prefix.digest}, ${count(prefix.tools, "tool")}`,
    );
    if (!before || before.digest === prefix.digest) return;
    const grown = prefix.tools - before.tools;
    this.#screen.say(
      `The prompt's prefix changed: ${count(grown, "tool")} joined the table`,
      "dim",
    );
  }

  /** What the model says before it calls tools is no answer: it belongs beside, not into a pipe. */
  #sayText(): void {
    const text = printableLine(this.#text, 2000);
    this.#text = "";
    if (text) this.#screen.say(text, "dim");
  }

  #begin(use: ToolUse, target: Target | undefined): void {
    const { name } = use;
    const record = {
      step: this.#step,
      name,
      ...target?.ref,
      arguments: argsOf(use, target),
      isError: false,
      ms: 0,
    };
    this.#records.set(use, record);
    this.calls.push(record);
  }

  #result(use: ToolUse, target: Target | undefined, result: ToolResult, ms: number): void {
    const { failure, isError } = result;
    // Results come as they come; the record stands in the order asked, in every run the same.
    const record = this.#records.get(use)!;
    this.#records.delete(use);
    Object.assign(record, {
      isError,
      ...(failure && { failure: failure instanceof TransportError ? failure.fault : "refused" }),
      ms,
    });
    this.#waiting.delete(use);
    if (this.#waiting.size === 0) this.#screen.rest();
    const name = nameOf(use, target);
    const said = textOf(result) || named(result) || "(nothing)";
    // What went wrong is told whole: it may name the flag that helps.
    if (isError) this.#screen.say(`✗ ${name} ${printableLine(said, 1_000)}`, "red");
    else this.#screen.say(`← ${name} ${brief(said)} (${ms} ms)`, "green");
  }
}

/** One documented object: see docs/reference.md, "JSON output". */
export interface AskReport {
  answer: string;
  ending: Outcome["ending"];
  why?: string;
  model: string;
  mode: "full" | "lazy" | "forward";
  steps: number;
  calls: readonly CallRecord[];
  /** Digests of system prompt and tools, one for each model request. */
  prefixes: readonly string[];
  offline: readonly { alias: string; reason: string; message: string }[];
  /** Servers that went and came back, in order. */
  outages: readonly Outage[];
  usage?: Outcome["usage"];
}

function spent({ input, output, cachedInput, cacheWrite }: Usage): string {
  const cached = [
    ...(cachedInput > 0 ? [`${cachedInput} from the cache`] : []),
    ...(cacheWrite > 0 ? [`${cacheWrite} into it`] : []),
  ];
  const of = cached.length > 0 ? ` (${cached.join(", ")})` : "";
  return `${input} tokens in${of}, ${output} out`;
}

function nameOf(use: ToolUse, target: Target | undefined): string {
  return printableLine(target ? `${target.ref.alias}.${target.ref.tool}` : use.name, 100);
}

/** Of the tool that is reached, not of the envelope that it was forwarded in. */
function argsOf(use: ToolUse, target: Target | undefined): Params {
  return target?.args ?? use.args;
}

function brief(value: unknown): string {
  return printableLine(typeof value === "string" ? value : toJson(value), 120);
}

/** The kinds of its parts, of a result without a word. */
function named({ content }: ToolResult): string {
  return content.length === 0 ? "" : `(${content.map(({ type }) => type).join(", ")})`;
}
