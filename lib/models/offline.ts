/** A model without a network: it plans over the offered tools, calls them, mends, and answers. @module */
import type { Delta, Message, Model, ToolUse, Turn, TurnRequest, UseResult } from "./model.ts";
import { answer, type Finding } from "./offline/answer.ts";
import { todayIn } from "./offline/dates.ts";
import { hitsIn, isEmptyHanded, saidIn, textOf } from "./offline/hits.ts";
import { askingUse, callingUse, reachOf, realTools, untangle } from "./offline/meta.ts";
import { makePlan, type Plan } from "./offline/plan.ts";
import { type Prompt, readPrompt } from "./offline/prompt.ts";
import {
  type Conversation,
  type Planned,
  pursue,
  refersBack,
  type Try,
} from "./offline/pursuit.ts";
import { scout } from "./offline/scout.ts";
import { readShelf, type Shelf } from "./offline/shelf.ts";
import { speak } from "./offline/speech.ts";

/** No prompt is worth more calls than this, whatever its tools answer. */
const TRIES_PER_PROMPT = 24;

/**
 * The model named `offline`. It keeps no state: what it does next follows from the messages and the
 * tools alone, so that the same request gives the same turn, byte for byte.
 */
export function offlineModel(): Model {
  return {
    name: "offline",
    async *turn(request: TurnRequest): AsyncGenerator<Delta, Turn> {
      request.signal?.throwIfAborted();
      const { text, uses } = decide(request);
      yield* speak(text, request.signal);
      return { text, uses, stop: uses.length > 0 ? "tools" : "end" };
    },
  };
}

function decide(request: TurnRequest): { text: string; uses: ToolUse[] } {
  const { system, tools } = request;
  const reach = reachOf(tools);
  // What happened to servers is no prompt; their errors say what is to be known here.
  const said = request.messages.filter((it) => it.role !== "user" || !it.aside);
  const { messages, asked } = reach ? untangle(said, reach) : { messages: said, asked: [] };
  const at = lastPrompt(messages);
  const message = messages[at];
  const real = realTools(tools, reach);
  const shelf = reach && readShelf(asked, real, at);
  const prompt = withAway(readPrompt(message?.role === "user" ? message.text : ""), shelf);
  const earlier = resultsIn(messages.slice(0, Math.max(at, 0)));
  const known = shelf ? [...shelf.tools.values()].map(({ spec }) => spec) : real;
  const plan: Plan = {
    ...makePlan(prompt, known, new Set(earlier.map(({ name }) => name))),
    ...(shelf && { shelf }),
  };
  // Ids tell the next turn which step a use belongs to, and differ throughout a conversation.
  const turn = messages.filter(({ role }) => role === "assistant").length + 1;
  if (reach && shelf) {
    const described = new Set(asked.flatMap(({ kind, what }) => kind === "describe" ? [what] : []));
    const asks = scout({ reach, plan, shelf, asked: asked.filter((it) => it.at > at), described });
    if (asks.length > 0) {
      const uses = asks.map((ask, i) => ({
        id: `offline_${turn}_${i + 1}`,
        ...askingUse(ask, reach),
      }));
      return { text: "", uses };
    }
  }
  const tries = triesIn(messages.slice(at + 1), plan);
  const told = tries.map(({ text }) => text ?? "").reverse();
  const talk: Conversation = {
    plan,
    tries,
    earlier: earlier.reverse().flatMap(({ content }) => hitsIn(content)),
    today: [...told, prompt.text, prompt.context, system].map(todayIn).find((day) => day),
  };

  const planned: (Planned & { step: number })[] = [];
  const findings: Finding[] = [];
  for (const step of plan.steps) {
    const changes = step.picks.some(({ harmless }) => !harmless);
    if (planned.length > 0 && (changes || refersBack(step))) break;
    const next = pursue(step, talk);
    if ("calls" in next) {
      planned.push(...next.calls.map((call) => ({ ...call, step: step.number })));
    } else findings.push(next);
    // What changes things is done alone: later steps may look at what became of it.
    if (changes && planned.length > 0) break;
  }
  const cutShort = planned.length > 0 && tries.length >= TRIES_PER_PROMPT;
  if (planned.length === 0 || cutShort) return { text: answer(plan, findings, cutShort), uses: [] };
  const uses = planned.map(({ tool, args, step }, i) => ({
    id: `offline_${turn}_${i + 1}_step_${step}`,
    ...callingUse(tool.spec.name, args, reach),
  }));
  return { text: "", uses };
}

/** Who turned out to be offline is spoken of as who was known to be. */
function withAway(prompt: Prompt, shelf: Shelf | undefined): Prompt {
  const told = new Set(prompt.offline.map(({ alias }) => alias));
  const more = shelf?.away.filter(({ alias }) => !told.has(alias)) ?? [];
  return { ...prompt, offline: [...prompt.offline, ...more] };
}

/** The last message in which the user asked something; a note beside a prompt is not one. */
function lastPrompt(messages: readonly Message[]): number {
  const asks = (message: Message) => {
    if (message.role !== "user") return false;
    const { text, context } = readPrompt(message.text);
    return (text !== "" && !/^\([^\n]*\)$/.test(text)) || context !== "";
  };
  const at = messages.findLastIndex(asks);
  return at === -1 ? messages.findLastIndex(({ role }) => role === "user") : at;
}

function resultsIn(messages: readonly Message[]): UseResult[] {
  return messages.flatMap((message) => (message.role === "tool" ? message.results : []));
}

/** Uses of ours say which step they belong to; those of another model are matched by their tool. */
function triesIn(messages: readonly Message[], { steps }: Plan): Try[] {
  const results = new Map(resultsIn(messages).map((result) => [result.id, result]));
  const uses = messages.flatMap((message) => (message.role === "assistant" ? message.uses : []));
  return uses.map(({ id, name, args }) => {
    const result = results.get(id);
    const own = /^offline_\d+_\d+_step_(\d+)$/.exec(id)?.[1];
    const like = steps.find(({ picks }) => picks.some(({ spec }) => spec.name === name));
    return {
      step: own === undefined ? like?.number ?? 0 : Number(own),
      name,
      args,
      text: result && (result.isError ? textOf(result.content) : saidIn(result.content)),
      empty: result !== undefined && isEmptyHanded(result.content),
      isError: result?.isError ?? false,
      hits: result && !result.isError ? hitsIn(result.content) : [],
    };
  });
}
