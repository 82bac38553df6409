/** The uses of one turn: approved, run side by side, put into the words that the model is told. @module */
import type { ToolUse, UseResult } from "../models/model.ts";
import { TransportError } from "../protocol/errors.ts";
import type { ToolResult } from "../protocol/tools.ts";
import type { Target } from "../tools/tool.ts";
import type { Dispatched } from "./dispatched.ts";
import { type Emit, merge } from "./merge.ts";
import { tell } from "./tell.ts";
import type { AskEvent, AskOptions } from "./terms.ts";

export interface Acted {
  use: ToolUse;
  result: ToolResult;
  told: UseResult;
}

/** Runs the uses side by side; results are yielded as they come and returned in the order asked. */
export async function* act(
  uses: readonly ToolUse[],
  options: AskOptions,
  dispatched: Dispatched,
): AsyncGenerator<AskEvent, readonly Acted[]> {
  const { clock, tools } = options;
  const results: ToolResult[] = [];
  const targets = uses.map((use) => tools.target(use));
  for (const [index, use] of uses.entries()) yield { type: "use", use, ...target(targets[index]) };
  yield* merge<AskEvent>(uses.map((use, index) => async (emit) => {
    const refused = await refusalOf(use, targets[index], options);
    const began = clock.elapsed(); // The time that a person took to answer is not the tool's.
    const result = refused ?? await run(use, targets[index], options, dispatched, emit);
    results[index] = result;
    emit({ type: "result", use, ...target(targets[index]), result, ms: clock.elapsed() - began });
  }));
  // Together, for they share what room there is; and in the order asked, however they came.
  const tellable = uses.map((use, at) => ({ use, ...target(targets[at]), result: results[at]! }));
  const told = await tell(tellable, {
    ...options.note && { note: options.note },
    ...options.telling,
  });
  return tellable.map((it, at) => ({ ...it, told: told[at]! }));
}

/** What the model hears instead of a result, of a use that may not be run. */
async function refusalOf(
  use: ToolUse,
  target: Target | undefined,
  { approve, signal }: AskOptions,
): Promise<ToolResult | undefined> {
  if (use.unreadable !== undefined) {
    return refusal(`The arguments of "${use.name}" are no JSON object. Nothing was run.`);
  }
  const verdict = target && await approve(use, target, signal);
  if (!verdict || verdict.ok) return undefined;
  const text = `Not run: ${verdict.why}.`;
  return { ...refusal(text), failure: new TransportError("denied", text) };
}

async function run(
  use: ToolUse,
  target: Target | undefined,
  { tools, signal }: AskOptions,
  dispatched: Dispatched,
  emit: Emit<AskEvent>,
): Promise<ToolResult> {
  return await dispatched.once(use, (key) =>
    tools.run(use, {
      approved: target?.ref ?? "nothing",
      key,
      ...(signal && { signal }),
      onProgress: (progress) => emit({ type: "progress", use, progress }, use),
    }));
}

function refusal(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function target(target: Target | undefined): { target?: Target } {
  return target ? { target } : {};
}
