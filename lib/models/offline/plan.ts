/** Turns a prompt and the offered tools into steps: what is asked, and who could do it. @module */
import type { ToolSpec } from "../model.ts";
import { factsOf, fillArgs } from "./args.ts";
import { byScore, type Choice, type Chooser, chooser, namesOf } from "./choice.ts";
import { maskFacts } from "./facts.ts";
import { type Intent, readIntent } from "./intent.ts";
import { type Clause, clause, clauses, MAX_STEPS, plannable, type Prompt } from "./prompt.ts";
import { nameParts } from "./params.ts";
import type { Shelf } from "./shelf.ts";
import { readTool, type ToolView } from "./tools.ts";
import { HARMLESS } from "./words.ts";

/** One clause of the prompt and the tools that will do it. */
export interface Step {
  /** Its place in the plan, from 1. */
  number: number;
  clause: Clause;
  intent: Intent;
  /** Those to be called; several where several servers may know. Empty when nothing fits. */
  picks: readonly ToolView[];
  /** How many more would have fitted equally well. */
  spared: number;
}

export interface Plan {
  prompt: Prompt;
  tools: readonly ToolView[];
  /** Absent when all tools are offered. */
  shelf?: Shelf;
  steps: readonly Step[];
  /** The words that name servers. */
  scope: ReadonlySet<string>;
  /** How many steps were left out because there were too many. */
  dropped: number;
  chooser: Chooser;
}

/** Servers asked side by side when a clause names none. */
const FAN = 3;
const RETELLS =
  /^\W*(?:please )?(?:summari[sz]e|explain|tell me|show me|describe|print) (?:it|that|them|this|the results?|what|about it)\b.{0,40}$/i;
const TELLS = /^\W*(?:please )?(?:tell|show) me (?:who|what|when|where|why|how|whether|which)\b/i;
const POINTS =
  /\b(?:this|these|the (?:text|log|input|output|context|data|above|following)|above|stdin|attached)\b/i;
const REFERS = /\b(?:it|that|them|those|these|this|ones?)\b|它/;

/** `before` are the tools used earlier in the conversation: "close it" may mean what they found. */
export function makePlan(
  prompt: Prompt,
  specs: readonly ToolSpec[],
  before: ReadonlySet<string> = new Set(),
): Plan {
  const tools = specs.map(readTool);
  const orders = new Set(tools.map(({ order }) => order).filter((order) => order !== ""));
  const scope = new Set(tools.flatMap(({ aliasWords }) => [...aliasWords]));
  const away = new Set(
    prompt.offline.flatMap(({ alias }) => nameParts(alias)).filter((word) => !scope.has(word)),
  );
  const select = chooser(tools);
  const masked = maskFacts(plannable(prompt.text), new Set(tools.flatMap(namesOf)));

  const steps: Omit<Step, "number">[] = [];
  const remarks: string[] = [];
  for (const own of sentences()) {
    const intent = readIntent(own, orders);
    const last = steps.at(-1);
    const choices = intent.forbids || asksAway(own, intent) || asksContext(own, intent)
      ? []
      : refined(chosen(own, intent, last), own, intent);
    if (choices.length === 0 && intent.verb === undefined && !intent.question) {
      remarks.push(own.masked);
      continue;
    }
    const picks = picked(choices);
    for (const part of singled(own, picks.picks)) {
      steps.push({ clause: part, intent: readIntent(part, orders), ...picks });
    }
  }
  if (steps.length === 0 && remarks.length > 0) {
    const all = clause(remarks.join(" "), masked.facts);
    steps.push({ clause: all, intent: readIntent(all, orders), picks: [], spared: 0 });
  }
  return {
    prompt,
    tools,
    steps: steps.slice(0, MAX_STEPS).map((step, at) => ({ ...step, number: at + 1 })),
    scope,
    dropped: Math.max(0, steps.length - MAX_STEPS),
    chooser: select,
  };

  /** Whether it asks a server that is offline and none that is there. */
  function asksAway(own: Clause, { nouns }: Intent): boolean {
    const said = [...nouns].filter(([, weight]) => weight > 0.6).map(([noun]) => noun);
    const named = own.tokens.some(({ fact }) => fact?.kind === "tool");
    return !named && said.some((noun) => away.has(noun)) && !said.some((noun) => scope.has(noun));
  }

  /** Whether it asks about what came in beside the prompt, and of no tool's things. */
  function asksContext(own: Clause, { nouns, acts }: Intent): boolean {
    if (prompt.context === "" || !POINTS.test(own.text)) return false;
    const harmless = [...acts.keys()].every((act) => HARMLESS.has(act));
    return harmless &&
      !tools.some((tool) =>
        [...nouns.keys()].some((noun) => tool.nouns.has(noun) || tool.aliasWords.has(noun))
      );
  }

  /** The clauses, each with the remarks that follow it: "Open a ticket. It is urgent." */
  function sentences(): Clause[] {
    const out: Clause[] = [];
    const seen = new Set<string>();
    for (const own of clauses(masked, orders)) {
      if (seen.has(own.masked)) continue;
      seen.add(own.masked);
      const intent = readIntent(own, orders);
      const before = out.at(-1);
      // What was found is told in any case.
      const retells = RETELLS.test(own.text) && intent.kinds.size === 0;
      const remark = ((intent.verb === undefined && !intent.question) || TELLS.test(own.text)) &&
        select.choose(own, intent).length === 0;
      if (before && (retells || remark)) out[out.length - 1] = joined(before, own);
      else out.push(own);
    }
    return out;
  }

  function chosen(own: Clause, intent: Intent, last: Omit<Step, "number"> | undefined): Choice[] {
    const choices = select.choose(own, intent);
    if (choices.length > 0 || !REFERS.test(own.text)) return choices;
    // "… and close it": what it is was said before.
    const picks = last?.picks ?? tools.filter(({ spec }) => before.has(spec.name));
    const about = picks.flatMap(({ aliasWords, nouns }) => [...aliasWords, ...nouns]);
    const nouns = new Map([
      ...about.map((noun): [string, number] => [noun, 0.6]),
      ...intent.nouns,
    ]);
    return select.choose(own, { ...intent, nouns });
  }

  /** A tool whose arguments the clause gives is likelier meant than one that lacks them. */
  function refined(choices: readonly Choice[], own: Clause, intent: Intent): Choice[] {
    const source = { clause: own, intent, context: prompt.context, hits: [], scope };
    return choices.slice(0, 12).map((choice) => {
      const { missing, used, unused } = fillArgs(choice.tool, source);
      if (choice.named) return choice;
      const score = choice.score + 0.5 * used - 0.4 * unused - Math.min(2 * missing.length, 4);
      return { ...choice, score };
    }).sort(byScore);
  }
}

function joined(first: Clause, more: Clause): Clause {
  return clause(
    `${first.masked}${/[.!?;。]$/.test(first.masked) ? "" : "."} ${more.masked}`,
    first.facts,
  );
}

/** "Close T-1 and T-4", for a tool that closes one: a clause for each. */
function singled(own: Clause, picks: readonly ToolView[]): Clause[] {
  const [tool] = picks;
  if (!tool || picks.length > 1) return [own];
  for (const param of tool.params) {
    const { role, kind, required } = param;
    if (kind === "array" || !(required || role === "id") || !/^(?:id|path|url|email)$/.test(role)) {
      continue;
    }
    const all = factsOf(own, role);
    const rivals = tool.params.filter((each) => each.role === role && each.kind !== "array").length;
    if (all.length < 2 || rivals > 1) continue;
    return all.map((kept) => {
      const others = new Set(all.filter((each) => each !== kept).map(({ text }) => text));
      return clause(
        [...own.masked].map((char) => others.has(char) ? " " : char).join(""),
        own.facts,
      );
    });
  }
  return [own];
}

function picked(ranked: readonly Choice[]): { picks: ToolView[]; spared: number } {
  const top = ranked[0];
  if (!top) return { picks: [], spared: 0 };
  if (top.named) return { picks: ranked.map(({ tool }) => tool), spared: 0 };
  const first = successor(top.tool, ranked);
  if (!top.tool.harmless || !(top.tool.verbs.has("search") || top.tool.verbs.has("list"))) {
    return { picks: [first], spared: 0 };
  }
  const aliases = new Set([first.alias]);
  const equals = ranked.filter(({ tool, score }) => {
    const alike = tool.harmless && score >= top.score - 0.75 &&
      [...tool.verbs].some((verb) => first.verbs.has(verb));
    if (!alike || aliases.has(tool.alias)) return false;
    aliases.add(tool.alias);
    return true;
  }).map(({ tool }) => tool);
  return {
    picks: [first, ...equals.slice(0, FAN - 1)],
    spared: Math.max(0, equals.length - FAN + 1),
  };
}

/** "DEPRECATED: use read_text_file instead" is taken at its word, where that tool fits too. */
function successor(tool: ToolView, ranked: readonly Choice[]): ToolView {
  const description = String(tool.spec.description ?? "");
  if (!/\bdeprecated\b/i.test(description)) return tool;
  const named = (other: ToolView) =>
    new RegExp(`\\buse\\s+["'\`]?${RegExp.escape(other.raw)}\\b`, "i").test(description);
  return ranked.find(({ tool: other }) =>
    other !== tool && other.alias === tool.alias && named(other)
  )?.tool ?? tool;
}
