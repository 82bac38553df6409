/** What to do next for one step of a plan, given what its calls have brought so far. @module */
import { words } from "../../kit/rank.ts";
import type { Params } from "../../protocol/types.ts";
import type { Finding, Outcome } from "./answer.ts";
import { fillArgs, type Source } from "./args.ts";
import { todayIn } from "./dates.ts";
import type { Hit } from "./hits.ts";
import { argsFor, finderFor, keyWords, likeliest, widened } from "./lookup.ts";
import { type Change, mend } from "./mend.ts";
import type { Plan, Step } from "./plan.ts";
import type { Param } from "./params.ts";
import type { ToolView } from "./tools.ts";

/** A use since the last prompt, with what came of it. */
export interface Try {
  step: number;
  name: string;
  args: Params;
  /** Absent while nothing has come. */
  text: string | undefined;
  isError: boolean;
  /** Whether it says that there is nothing. */
  empty: boolean;
  hits: readonly Hit[];
}

/** A call to be made. */
export interface Planned {
  tool: ToolView;
  args: Params;
}

export interface Conversation {
  plan: Plan;
  tries: readonly Try[];
  /** What results before the last prompt named, the latest first: "close it" may mean one of them. */
  earlier: readonly Hit[];
  /** The ISO day that is today, if anything said so. */
  today: string | undefined;
}

const TRIES_PER_TOOL = 3;

/** The calls that a step needs next; or how it ended. */
export function pursue(step: Step, talk: Conversation): { calls: Planned[] } | Finding {
  const mine = talk.tries.filter((each) => each.step === step.number);
  const calls: Planned[] = [];
  const outcomes: Outcome[] = [];
  for (const tool of step.picks) {
    const next = call(tool, step, mine, talk);
    if ("args" in next) calls.push(next);
    else outcomes.push(next);
  }
  if (calls.length > 0) return { calls };
  for (const [at, outcome] of outcomes.entries()) {
    const next = wantsDetail(step) ? detail(outcome, step, mine, talk) : undefined;
    if (next && "args" in next) calls.push(next);
    else if (next) outcomes[at] = next;
  }
  return calls.length > 0 ? { calls } : { step, outcomes };
}

/** The next call of one tool; or its outcome, once it has answered or nothing is left to change. */
function call(
  tool: ToolView,
  step: Step,
  mine: readonly Try[],
  talk: Conversation,
): Planned | Outcome {
  const own = mine.filter(({ name }) => name === tool.spec.name);
  const last = own.at(-1);
  const finder = finderFor(tool, talk.plan);
  const looked = finder && mine.findLast(({ name }) => name === finder.spec.name);
  const source = sourceFor(step, tool, looked, talk);
  const find = (): Planned | undefined => {
    if (!finder || looked) return undefined;
    const { args, missing } = fillArgs(finder, source);
    return missing.length === 0 ? { tool: finder, args } : undefined;
  };
  if (!last) {
    const { args, missing } = fillArgs(tool, source);
    if (missing.length === 0) return { tool, args };
    const findable = missing.every(({ role }) => /^(?:id|title|path|url)$/.test(role));
    return (findable && find()) || { tool, missing };
  }
  const { text, isError } = last;
  const outcome: Outcome = {
    tool,
    isError,
    changes: changesIn(own),
    ...(text !== undefined && { text }),
  };
  if (text === undefined) return outcome;
  const next = (args: Params | undefined): Planned | undefined =>
    args && own.length < TRIES_PER_TOOL && !own.some((each) => sameArgs(each.args, args))
      ? { tool, args }
      : undefined;
  if (!isError) {
    const wider = own.length === 1 && tool.verbs.has("search") && last.empty;
    return (wider && next(widened(tool, last.args))) || outcome;
  }
  const supply = (param: Param) =>
    fillArgs({ ...tool, params: [{ ...param, required: true }] }, source).args[param.name];
  const mended = mend(tool, last.args, text, { today: todayIn(text) ?? talk.today, supply });
  const repaired = next(mended?.args);
  if (repaired) return repaired;
  if (!tool.harmless || !NOT_FOUND.test(text)) return outcome;
  const hit = looked && source.hits[0];
  return (hit ? next(argsFor(tool, hit)) : find()) ?? outcome;
}

const NOT_FOUND =
  /\b(?:not found|no such|does not exist|doesn't exist|cannot find|could not find|no \w+ (?:is|has|with|called|named))\b/i;

/** Whether a step speaks of what came before it. */
export function refersBack({ clause }: Step): boolean {
  // Not "IT", and not "saying that …".
  return /(?<!saying )\b(?:it|that|them|those|these)\b|它/.test(clause.text);
}

function sourceFor(
  step: Step,
  tool: ToolView,
  looked: Try | undefined,
  talk: Conversation,
): Source {
  const { plan, tries, earlier } = talk;
  const { clause, intent } = step;
  const source = { clause, intent, context: plan.prompt.context, scope: plan.scope, hits: [] };
  if (looked) {
    return { ...source, hits: likeliest(looked.hits, keyWords(step, tool, plan), !tool.harmless) };
  }
  if (!refersBack(step)) return source;
  const before = tries.filter((each) => each.step < step.number);
  const near = before.filter(({ name }) =>
    plan.tools.some(({ spec, alias }) => spec.name === name && alias === tool.alias)
  );
  const recent = (near.length > 0 ? near : before).flatMap((each) => each.hits);
  const hits = recent.length > 0 ? recent : earlier;
  // What changes things is not done to one of several by guess.
  const sure = tool.harmless ||
    new Set(hits.map(({ id, title, path, url }) => id ?? title ?? path ?? url)).size === 1;
  return { ...source, hits: sure ? hits : [] };
}

/** Questions want what a thing says, not only that it exists; so does "find the …". */
function wantsDetail({ clause: { text }, intent }: Step): boolean {
  if (/\b(?:which|how many|list|any)\b/i.test(text)) return false;
  return (intent.question && /\b(?:what|how|where|when|who|why|about|say)\b|什么/i.test(text)) ||
    /\b(?:read|summari[sz]e|tell|explain|show me)\b/i.test(text) ||
    /^\W*(?:please )?(?:find|get|look up) (?:the|my|our)\b/i.test(text);
}

/** After a search: reads the likeliest hit, with a tool of the same server that reads one thing. */
function detail(
  { tool, isError }: Outcome,
  step: Step,
  mine: readonly Try[],
  talk: Conversation,
): Planned | Outcome | undefined {
  const found = mine.findLast(({ name }) => name === tool.spec.name);
  if (!tool.verbs.has("search") || isError || !found) return undefined;
  const wanted = keyWords(step, tool, talk.plan);
  const best = likeliest(found.hits, wanted, false)[0];
  const about = new Set(words(`${best?.title ?? ""} ${best?.text ?? ""}`));
  if (!best || !wanted.some((word) => about.has(word))) return undefined;
  for (const reader of talk.plan.tools) {
    const reads = reader.alias === tool.alias && reader.verbs.has("read") && reader.harmless;
    const args = reads ? argsFor(reader, best) : undefined;
    if (!args) continue;
    const read = mine.findLast(({ name }) => name === reader.spec.name);
    if (!read) return { tool: reader, args };
    return read.isError || !read.text ? undefined : { tool: reader, text: read.text };
  }
  return undefined;
}

/** What changed between the first call of a tool and its last. */
function changesIn(own: readonly Try[]): Change[] {
  const [first, last] = [own[0], own.at(-1)];
  if (!first?.isError || !last || own.length < 2) return [];
  const names = new Set([...Object.keys(first.args), ...Object.keys(last.args)]);
  return [...names].filter((name) =>
    JSON.stringify(first.args[name]) !== JSON.stringify(last.args[name])
  ).map((name) => ({
    name,
    from: first.args[name],
    ...(Object.hasOwn(last.args, name) && { to: last.args[name] }),
  }));
}

function sameArgs(a: Params, b: Params): boolean {
  const flat = (args: Params) =>
    JSON.stringify(Object.entries(args).sort(([x], [y]) => (x < y ? -1 : 1)));
  return flat(a) === flat(b);
}
