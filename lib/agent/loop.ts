/** Ask, act, observe, until the model has nothing left to do. @module */
import type { Clock } from "../kit/clock.ts";
import { canonical } from "../kit/json.ts";
import type { Delta, Message, Model, ToolUse, Turn, Usage, UseResult } from "../models/model.ts";
import { TransportError } from "../protocol/errors.ts";
import type { Progress, ToolResult } from "../protocol/tools.ts";
import type { Target, Toolbox } from "../tools/tool.ts";
import { contentForModel } from "./content.ts";
import { SYSTEM_PROMPT } from "./prompt.ts";
import { merge } from "./merge.ts";

export type AskEvent =
  | Delta
  /** A model request begins; `step` counts from 1. */
  | { type: "step"; step: number }
  /** A use is about to run, or to be refused. */
  | { type: "use"; use: ToolUse; target?: Target }
  | { type: "progress"; use: ToolUse; progress: Progress }
  | { type: "result"; use: ToolUse; target?: Target; result: ToolResult; ms: number };

/** How a run ended. Only `answered` is a full answer. */
export type Ending =
  | "answered"
  | "step_limit"
  | "repetition"
  | "empty"
  | "length"
  | "refusal"
  | "denied";

export interface Outcome {
  ending: Ending;
  /** The last text of the model; may be empty when `ending` is not `answered`. */
  answer: string;
  /** One sentence for people when `ending` is not `answered`. */
  why?: string;
  /** Model requests made. */
  steps: number;
  messages: readonly Message[];
  usage?: Usage;
}

/** Says whether a use may run; asking the user is its business. */
export type Approve = (
  use: ToolUse,
  target: Target,
  signal?: AbortSignal,
) => Promise<{ ok: true } | { ok: false; why: string }>;

export interface AskOptions {
  model: Model;
  tools: Toolbox;
  approve: Approve;
  clock: Clock;
  /** Model requests at the most. Default 20. */
  maxSteps?: number;
  /** Text of one result at the most, in UTF-16 units. Default 100,000. */
  resultCap?: number;
  signal?: AbortSignal;
}

const MAX_STEPS = 20;
const RESULT_CAP = 100_000;
/** The same use with the same result this often in a row is going nowhere. */
const SAME_USE = 5;

/**
 * Yields what happens as it happens, and returns how it ended. Tools of one turn run side by side
 * and are told to the model in the order asked.
 * @throws {ModelError} or the signal's reason; never for what a tool did
 */
export async function* ask(
  history: readonly Message[],
  options: AskOptions,
): AsyncGenerator<AskEvent, Outcome> {
  const { model, tools, signal } = options;
  const maxSteps = options.maxSteps ?? MAX_STEPS;
  const messages = [...history];
  const tally = new Tally();

  for (let step = 1; step <= maxSteps; step++) {
    await tools.refresh(signal);
    yield { type: "step", step };
    const turn = yield* model.turn({
      system: SYSTEM_PROMPT,
      messages,
      tools: tools.specs(),
      ...(signal && { signal }),
    });
    tally.count(turn);
    messages.push({
      role: "assistant",
      text: turn.text,
      uses: turn.uses,
      ...(turn.carry !== undefined && { carry: turn.carry }),
    });
    const over = tally.end(turn);
    if (over) return finish(over.ending, step, over.why);

    const results = yield* act(turn.uses, options);
    messages.push({ role: "tool", results: results.map(({ told }) => told) });
    tally.note(turn.uses, results);
    if (tally.stuck) {
      const name = turn.uses[0]!.name;
      return finish("repetition", step, `The model called ${name} ${SAME_USE} times unchanged`);
    }
  }
  return finish(
    "step_limit",
    maxSteps,
    `No answer after ${maxSteps} steps (--max-steps raises it)`,
  );

  function finish(ending: Ending, steps: number, why?: string): Outcome {
    const last = messages.findLast((message) => message.role === "assistant");
    return {
      ending,
      answer: last?.text ?? "",
      ...(why !== undefined && { why }),
      steps,
      messages,
      ...(tally.usage && { usage: tally.usage }),
    };
  }
}

interface Acted {
  use: ToolUse;
  result: ToolResult;
  told: UseResult;
}

/** Runs the uses side by side; results are yielded as they come and returned in the order asked. */
async function* act(
  uses: readonly ToolUse[],
  options: AskOptions,
): AsyncGenerator<AskEvent, readonly Acted[]> {
  const { clock, tools } = options;
  const acted: Acted[] = [];
  const targets = uses.map((use) => tools.target(use));
  for (const [index, use] of uses.entries()) yield { type: "use", use, ...target(targets[index]) };
  yield* merge<AskEvent>(uses.map((use, index) => async (emit) => {
    const began = clock.now();
    const result = await run(use, targets[index], options, emit);
    const content = contentForModel(result, options.resultCap ?? RESULT_CAP);
    const told = { id: use.id, name: use.name, content, isError: result.isError };
    acted[index] = { use, result, told };
    emit({ type: "result", use, ...target(targets[index]), result, ms: clock.now() - began });
  }));
  return acted;
}

async function run(
  use: ToolUse,
  target: Target | undefined,
  { tools, approve, signal }: AskOptions,
  emit: (event: AskEvent) => void,
): Promise<ToolResult> {
  if (use.unreadable !== undefined) {
    return refusal(`The arguments of "${use.name}" are no JSON object. Nothing was run.`);
  }
  if (target) {
    const verdict = await approve(use, target, signal);
    if (!verdict.ok) {
      const text = `Not run: ${verdict.why}.`;
      return { ...refusal(text), failure: new TransportError("denied", text) };
    }
  }
  return await tools.run(use, {
    ...(signal && { signal }),
    onProgress: (progress) => emit({ type: "progress", use, progress }),
  });
}

function refusal(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function target(target: Target | undefined): { target?: Target } {
  return target ? { target } : {};
}

/** What a run adds up to: tokens, repetitions, refusals. */
class Tally {
  usage: Usage | undefined;
  #last = "";
  #same = 0;
  #refused = 0;
  #ran = 0;

  count({ usage }: Turn): void {
    if (!usage) return;
    const sum = this.usage ?? { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 };
    this.usage = {
      input: sum.input + usage.input,
      output: sum.output + usage.output,
      cachedInput: sum.cachedInput + usage.cachedInput,
      cacheWrite: sum.cacheWrite + usage.cacheWrite,
    };
  }

  note(uses: readonly ToolUse[], results: readonly Acted[]): void {
    for (const { result } of results) {
      const { failure } = result;
      if (failure instanceof TransportError && failure.fault === "denied") this.#refused++;
      else this.#ran++;
    }
    // Ids differ from turn to turn, and a result that changed is progress.
    const now = canonical([
      uses.map(({ name, args }) => [name, args]),
      results.map(({ told }) => told.content),
    ]);
    this.#same = now === this.#last ? this.#same + 1 : 1;
    this.#last = now;
  }

  get stuck(): boolean {
    return this.#same >= SAME_USE;
  }

  /** Whether this turn ends the run, and as what. */
  end({ stop, text, uses }: Turn): { ending: Ending; why?: string } | undefined {
    if (stop === "length") {
      return { ending: "length", why: "The answer was cut off at the model's length limit" };
    }
    if (stop === "refusal") return { ending: "refusal", why: "The model declined to answer" };
    if (uses.length > 0) return undefined;
    if (text.trim() === "") return { ending: "empty", why: "The model returned an empty answer" };
    if (this.#refused > 0 && this.#ran === 0) {
      return { ending: "denied", why: "Every tool that the model asked for was refused" };
    }
    return { ending: "answered" };
  }
}
