/** `fusebox ask`: a prompt in, an answer out. @module */
import { type Answer, decide, question, readAnswer } from "../../agent/approve.ts";
import { ask } from "../../agent/loop.ts";
import type { Approve, AskEvent, Outcome } from "../../agent/terms.ts";
import { firstMessage } from "../../agent/prompt.ts";
import { formatDuration } from "../../kit/duration.ts";
import { printableJson } from "../../kit/json.ts";
import { UsageError } from "../../kit/usage.ts";
import type { Model } from "../../models/model.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Reason, ServerStatus } from "../../registry/status.ts";
import { fullToolbox } from "../../tools/full.ts";
import { Activity, type AskReport } from "../activity.ts";
import type { Args } from "../args.ts";
import { configure } from "../configure.ts";
import { EXIT } from "../failure.ts";
import { type Household, household, type Watchers } from "../household.ts";
import { type Input, readInput } from "../input.ts";
import { chooseModel, isMock } from "../minds.ts";
import { forOut, Screen, stateLine } from "../screen.ts";
import type { World } from "../world.ts";

/** @returns 0 for an answer, 6 for a run that ended without a full one, 7 when policy decided it */
export async function askCommand(args: Args, world: World): Promise<number> {
  const screen = new Screen(args, world);
  const config = await configure(args, world);
  const { model, note } = await chooseModel(args, config, world);
  const gate = { attaching: true };
  const house = household(config, args, world, watchers(screen, gate));
  const input = await readInput(args, world, screen);
  if (!input) return await withoutPrompt(args, world);
  for (const line of [...config.notes, ...(note ? [note] : [])]) screen.say(line, "dim");
  await using registry = house.registry;
  screen.spin("attaching servers");
  await registry.attachAll({ budgetMs: config.limits.startMs, signal: world.signal });
  gate.attaching = false;
  screen.rest();
  for (const { alias } of late(registry)) {
    const budget = formatDuration(config.limits.startMs);
    screen.say(`${alias}: not ready after ${budget} (limits.start); it joins when it is`, "yellow");
  }
  return await runAsk({ args, world, screen, house, model, input });
}

/** Who comes, who is gone: a line for each, as it happens. */
function watchers(screen: Screen, gate: { attaching: boolean }): Watchers {
  return {
    onChange(status) {
      const { state, reason, required } = status;
      // A required one that can't be had ends the run, and main says why.
      if (required && gate.attaching) return;
      if (state === "offline" && reason?.code !== "disabled") {
        screen.say(stateLine(status), "yellow");
      } else screen.detail(stateLine(status));
    },
    onStderr: (alias, line) => screen.stderr(alias, line),
  };
}

async function withoutPrompt(args: Args, world: World): Promise<number> {
  if (isMock(world)) {
    const { selftestCommand } = await import("./selftest.ts");
    return await selftestCommand(args, world);
  }
  throw new UsageError("Cannot answer: there is no prompt", {
    hint: 'fusebox "your question", or pipe it in: echo "your question" | fusebox',
  });
}

export interface RunParts {
  args: Args;
  world: World;
  screen: Screen;
  house: Household;
  model: Model;
  input: Input;
}

/** The run itself, over servers that are attached. */
export async function runAsk(
  { args, world, screen, house, model, input }: RunParts,
): Promise<number> {
  const { registry } = house;
  const activity = new Activity(screen);
  const absent = [
    ...offline(registry).map(({ alias, reason }) => ({ alias, why: reason.message })),
    ...late(registry).map(({ alias }) => ({ alias, why: "it is still starting" })),
  ];
  const events = ask([{ role: "user", text: firstMessage({ ...input, absent }) }], {
    model,
    tools: fullToolbox(registry),
    approve: approver(args, house, world, screen),
    clock: world.clock,
    signal: world.signal,
    ...(args.maxSteps !== undefined && { maxSteps: args.maxSteps }),
  });
  const outcome = await follow(events, async (event) => {
    activity.take(event);
    if (args.jsonl) await world.out.write(printableJson(forJsonl(event)) + "\n");
  });
  await screen.flush(); // Stderr is out before the answer comes: on a terminal both stand together.
  const report: AskReport = {
    answer: outcome.answer,
    ending: outcome.ending,
    ...(outcome.why !== undefined && { why: outcome.why }),
    model: model.name,
    steps: outcome.steps,
    calls: activity.calls,
    offline: offline(registry).map(({ alias, reason }) => ({
      alias,
      reason: reason.code,
      message: reason.message,
    })),
    ...(outcome.usage && { usage: outcome.usage }),
  };
  // Out before anything is torn down: what was paid for is not held up by a slow goodbye.
  if (args.jsonl) await world.out.write(printableJson({ type: "outcome", ...report }) + "\n");
  else if (args.json) await world.out.write(printableJson(report, 2) + "\n");
  else if (outcome.answer.trim()) {
    await world.out.write(forOut(world, outcome.answer.replace(/\n*$/, "\n")));
  }
  if (outcome.why !== undefined) screen.warn(outcome.why);
  return exitCode(outcome);
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
function forJsonl(event: AskEvent): unknown {
  if (event.type !== "result") return event;
  const { failure, ...result } = event.result;
  return { ...event, result: { ...result, ...(failure && { failure: failure.message }) } };
}

function offline(registry: Registry): { alias: string; reason: Reason }[] {
  return registry.servers().flatMap(({ alias, state, reason }) =>
    state === "offline" && reason && reason.code !== "disabled" ? [{ alias, reason }] : []
  );
}

function late(registry: Registry): readonly ServerStatus[] {
  return registry.servers().filter(({ state }) => state === "attaching");
}

/** Asks one question at a time, whatever the model wants side by side. */
function approver(args: Args, house: Household, world: World, screen: Screen): Approve {
  const policy = {
    allow: [...house.config.allow, ...args.allow, ...house.builtIn],
    deny: house.config.deny,
    yes: args.yes,
  };
  const { terminal } = world;
  /** Exact names: a tool may call itself "*", and that must not become a pattern. */
  const always = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();
  return (use, target, signal = world.signal) => {
    const name = `${target.ref.alias}.${target.ref.tool}`;
    const decision = decide(target, policy, terminal !== undefined);
    if (decision.kind === "run") return Promise.resolve({ ok: true });
    if (decision.kind === "refuse") return Promise.resolve({ ok: false, why: decision.why });
    const answer = last.then(async () => {
      // "Always" may have been said while this one was waiting.
      if (always.has(name)) return { ok: true } as const;
      const asked = question(target, use.args);
      const said: Answer = readAnswer(await screen.aside(() => terminal!.ask(asked, signal)));
      if (said === "always") always.add(name);
      return said === "no"
        ? { ok: false, why: `the user refused "${name}"` } as const
        : { ok: true } as const;
    });
    last = answer.catch(() => {});
    return answer;
  };
}
