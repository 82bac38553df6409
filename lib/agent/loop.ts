/** Ask, act, observe, until the model has nothing left to do. @module */
import type { Message, ToolSpec } from "../models/model.ts";
import { inputLimit, prefixTokens, shed, shedMedia } from "../models/budget.ts";
import { act } from "./act.ts";
import { jsonReminder, readJsonAnswer } from "./json_answer.ts";
import { Dispatched } from "./dispatched.ts";
import { newsMessage, SYSTEM_PROMPT } from "./prompt.ts";
import { SAME_USE, Tally } from "./tally.ts";
import type { AskEvent, AskOptions, Ending, Outcome, Prefix } from "./terms.ts";

const MAX_STEPS = 20;

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
  const { maxTokens, budgetTokens, answerSchema, note } = options;
  const run = options.run ?? crypto.randomUUID();
  const maxSteps = options.maxSteps ?? MAX_STEPS;
  const system = options.system ? `${SYSTEM_PROMPT}\n\n${options.system}` : SYSTEM_PROMPT;
  const messages = [...history];
  const tally = new Tally();
  let reminded = false;

  for (let step = 1; step <= maxSteps; step++) {
    if (budgetTokens !== undefined && tally.tokens >= budgetTokens) {
      const why = `${tally.tokens} tokens are used, of a budget of ${budgetTokens} ` +
        `(--budget-tokens raises it)`;
      return finish("budget", step - 1, why);
    }
    await tools.refresh(signal);
    const news = step > 1 ? options.news?.() ?? [] : [];
    if (news.length > 0) messages.push({ role: "user", text: newsMessage(news), aside: true });
    const specs = tools.specs();
    makeRoom(messages, prefixTokens(system, specs), options);
    yield { type: "step", step, prefix: await prefixOf(system, specs) };
    const turn = yield* model.turn({
      system,
      messages,
      tools: specs,
      ...(maxTokens !== undefined && { maxTokens }),
      ...(answerSchema && { answerSchema }),
      ...(note && { note }),
      ...(signal && { signal }),
    });
    tally.count(turn, messages);
    yield { type: "turn", step, ...(turn.usage && { usage: turn.usage }) };
    messages.push({
      role: "assistant",
      text: turn.text,
      uses: turn.uses,
      ...(turn.carry !== undefined && { carry: turn.carry }),
    });
    const over = tally.end(turn);
    if (over?.ending === "answered" && answerSchema) {
      const read = readJsonAnswer(turn.text, answerSchema);
      if ("text" in read) return { ...finish("answered", step), answer: read.text };
      const why = `The answer is not valid for --schema: ${read.why}`;
      if (reminded) return finish("invalid", step, why);
      reminded = true;
      messages.push({ role: "user", text: jsonReminder(read.why) });
      continue;
    }
    if (over) return finish(over.ending, step, over.why);

    const results = yield* act(turn.uses, options, new Dispatched(`${run}/${step}`));
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

async function prefixOf(system: string, tools: readonly ToolSpec[]): Promise<Prefix> {
  const bytes = new TextEncoder().encode(JSON.stringify([system, tools]));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  return { digest: digest.slice(0, 16), tools: tools.length };
}

/** Takes the oldest results out of a conversation that nears the window, and says so; media even before. */
function makeRoom(messages: Message[], prefix: number, options: AskOptions): void {
  const { window, maxTokens, note } = options;
  const lighter = shedMedia(messages);
  if (lighter.count > 0) {
    messages.splice(0, messages.length, ...lighter.messages);
    note?.(`The conversation holds too many images: the oldest ${lighter.count} were taken out`);
  }
  if (window === undefined) return;
  const fitted = shed(messages, inputLimit(window, maxTokens), prefix);
  if (fitted.count === 0) return;
  messages.splice(0, messages.length, ...fitted.messages);
  const results = `${fitted.count} tool result${fitted.count === 1 ? "" : "s"}`;
  note?.(`The context nears its ${window} tokens: the oldest ${results} were taken out`);
}
