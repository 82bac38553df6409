/** A run over servers that are attached: events → terminal, pipe or JSON, and an exit code. @module */
import { jsonDemand } from "../agent/json_answer.ts";
import { ask } from "../agent/loop.ts";
import { firstMessage } from "../agent/prompt.ts";
import type { AskEvent, Outcome } from "../agent/terms.ts";
import type { MediaSaver } from "../agent/saver.ts";
import type { Mode } from "../config/config.ts";
import type { Message } from "../models/model.ts";
import type { Params } from "../protocol/types.ts";
import type { Registry } from "../registry/registry.ts";
import { forwardToolbox } from "../tools/forward.ts";
import { fullToolbox } from "../tools/full.ts";
import { lazyToolbox } from "../tools/lazy.ts";
import type { KeptResults } from "../tools/kept.ts";
import type { Toolbox } from "../tools/tool.ts";
import { absentReport, late, offline } from "./absence.ts";
import { Activity, type AskReport } from "./activity.ts";
import { approver } from "./approver.ts";
import type { Args } from "./args.ts";
import { EXIT } from "./failure.ts";
import { writeJson } from "./hiding.ts";
import type { Household } from "./household.ts";
import type { Input } from "./input.ts";
import { Live } from "./live.ts";
import type { Mind } from "./minds.ts";
import type { Outages } from "./outages.ts";
import { keptResults, tellingOf } from "./results.ts";
import { forOut, type Screen } from "./screen.ts";
import type { World } from "./world.ts";

type MakeToolbox = (registry: Registry, kept: KeptResults) => Toolbox;

const TOOLBOXES: Readonly<Record<Exclude<Mode, "auto">, MakeToolbox>> = {
  full: fullToolbox,
  lazy: lazyToolbox,
  forward: forwardToolbox,
};

export interface RunParts {
  args: Args;
  world: World;
  screen: Screen;
  house: Household;
  outages: Outages;
  mind: Mind;
  mode: Exclude<Mode, "auto">;
  input: Input;
  /** The user's own system prompt. */
  system?: string;
  /** The answer is to be JSON that is valid for this. */
  answerSchema?: Params;
  /** Where the media of results go. */
  saver?: MediaSaver;
  /** Sees it all, and has no say. */
  onlooker?: Onlooker;
}

export interface Onlooker {
  take(event: AskEvent): void;
  end(ending: Outcome["ending"]): void;
}

/** @returns 0 for an answer, 6 for a run that ended without a full one, 7 when policy decided it */
export async function runAsk(parts: RunParts): Promise<number> {
  const { args, world, screen, house, mind, outages } = parts;
  const { registry } = house;
  const kept = keptResults(house.config, world);
  const activity = new Activity(screen);
  const live = world.out.isTerminal && !args.json && !args.jsonl && !parts.answerSchema
    ? new Live(world, screen)
    : undefined;
  const first = firstPrompt(parts);
  outages.news(); // It says who is absent.
  const approve = approver(args, house, world, screen);
  const { trace } = world;
  trace?.run(first.text, parts);
  const events = ask([first], {
    model: trace?.model(mind.model) ?? mind.model,
    tools: TOOLBOXES[parts.mode](registry, kept),
    telling: tellingOf(house.config, mind.window, kept, parts.saver),
    approve: trace?.approve(approve) ?? approve,
    clock: world.clock,
    signal: house.pins.signal,
    note: (line) => screen.say(line, "yellow"),
    news: () => outages.news(),
    ...(args.maxSteps !== undefined && { maxSteps: args.maxSteps }),
    ...(args.maxTokens !== undefined && { maxTokens: args.maxTokens }),
    ...(args.budgetTokens !== undefined && { budgetTokens: args.budgetTokens }),
    ...(mind.window !== undefined && { window: mind.window }),
    ...(parts.system !== undefined && { system: parts.system }),
    ...(parts.answerSchema && { answerSchema: parts.answerSchema }),
  });
  const outcome = await follow(events, async (event) => {
    trace?.event(event);
    if (args.jsonl) await writeJson(forJsonl(event), args, world, modelsWords(event));
    if (event.type !== "reasoning") activity.rest();
    if (live) await show(event, live);
    activity.take(event, live?.shown ?? false);
    parts.onlooker?.take(event);
  }).finally(async () => {
    activity.rest();
    screen.rest();
    await live?.rest(); // What was shown stays whole, however the run ends.
  });
  trace?.outcome(outcome);
  parts.onlooker?.end(outcome.ending);
  await screen.flush(); // Stderr is out before the answer comes: on a terminal both stand together.
  const report = reportOf(outcome, activity, parts);
  // Out before anything is torn down: what was paid for is not held up by a slow goodbye.
  if (args.jsonl) await writeJson({ type: "outcome", ...report }, args, world, ["answer"]);
  else if (args.json) await writeJson(report, args, world, ["answer"]);
  else if (outcome.answer.trim() && !live?.shown) {
    await world.out.answer(forOut(world, outcome.answer.replace(/\n*$/, "\n")));
  }
  if (outcome.why !== undefined) screen.warn(outcome.why);
  return exitCode(outcome);
}

function firstPrompt({ house, input, answerSchema }: RunParts): Message & { role: "user" } {
  const absent = [
    ...offline(house.registry).map(({ alias, reason }) => ({ alias, why: reason.message })),
    ...late(house.registry).map(({ alias }) => ({ alias, why: "it is still starting" })),
  ];
  const text = firstMessage({ ...input, absent });
  return {
    role: "user",
    text: answerSchema ? `${text}\n\n${jsonDemand(answerSchema)}` : text,
    ...(input.parts && { parts: input.parts }),
  };
}

async function show(event: AskEvent, live: Live): Promise<void> {
  if (event.type === "text") await live.text(event.text);
  else if (event.type === "step") await live.next();
  else if (event.type === "use") await live.rest();
}

function reportOf(
  outcome: Outcome,
  activity: Activity,
  { house, mind, mode, outages }: RunParts,
): AskReport {
  return {
    answer: outcome.answer,
    ending: outcome.ending,
    ...(outcome.why !== undefined && { why: outcome.why }),
    model: mind.model.name,
    mode,
    steps: outcome.steps,
    calls: activity.calls,
    prefixes: activity.prefixes,
    offline: absentReport(house.registry).offline,
    outages: outages.all,
    ...(outcome.usage && { usage: outcome.usage }),
  };
}

function exitCode({ ending }: Outcome): number {
  if (ending === "answered") return EXIT.ok;
  return ending === "denied" ? EXIT.denied : EXIT.unfinished;
}

async function follow(
  events: AsyncGenerator<AskEvent, Outcome>,
  take: (event: AskEvent) => Promise<void>,
): Promise<Outcome> {
  while (true) {
    const { value, done } = await events.next();
    if (done) return value;
    await take(value);
  }
}

/** An event as one JSON object; a typed failure is told by its name. */
function forJsonl(event: AskEvent): object {
  if (event.type !== "result") return event;
  const { failure, ...result } = event.result;
  return { ...event, result: { ...result, ...(failure && { failure: failure.message }) } };
}

/** What the model says is the answer, or on its way to one. */
function modelsWords({ type }: AskEvent): readonly string[] {
  return type === "text" || type === "reasoning" ? ["text"] : [];
}
