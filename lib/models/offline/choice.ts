/** Which of the offered tools does what a clause asks, and whether any does. @module */
import { rankIndex, stem } from "../../kit/rank.ts";
import type { FactKind } from "./facts.ts";
import type { Intent } from "./intent.ts";
import type { Clause } from "./prompt.ts";
import type { ToolView } from "./tools.ts";
import { english, isStop } from "./words.ts";

/** A tool that fits, and how well. */
export interface Choice {
  tool: ToolView;
  score: number;
  /** Whether the clause named this very tool. */
  named: boolean;
}

/** Ranks tools for clauses; made once for a list of tools. */
export interface Chooser {
  /** Those that fit, the best first. */
  choose(clause: Clause, intent: Intent): Choice[];
  /** The nearest by words alone, for saying what was looked at. */
  nearest(clause: Clause, limit: number): ToolView[];
}

/** What speaks for a tool. */
interface Evidence {
  /** How well its verb serves. */
  act: number;
  /** Whether its verb is the very word of the prompt. */
  literal: boolean;
  /** The things it is about: by its name, by the first sentence of its description, by the rest. */
  name: number;
  core: number;
  faint: number;
  /** Whether its name is a verb and no more; and how many of its other words the prompt does not hold. */
  bare: boolean;
  spare: number;
}

export function chooser(tools: readonly ToolView[]): Chooser {
  const byId = new Map(tools.map((tool, at) => [String(at), tool]));
  const index = rankIndex(tools.map(({ raw, alias, spec, params }, at) => ({
    id: String(at),
    name: raw,
    fields: [
      { text: raw, weight: 3 },
      { text: alias, weight: 2 },
      { text: String(spec.description ?? "").slice(0, 4000), weight: 1 },
      { text: params.slice(0, 50).map(({ name }) => name).join(" "), weight: 0.7 },
    ],
  })));
  const frequency = new Map<string, number>();
  for (const { nouns } of tools) {
    for (const noun of nouns) frequency.set(noun, (frequency.get(noun) ?? 0) + 1);
  }
  const rarity = (noun: string) => 1.1 - 0.3 * ((frequency.get(noun) ?? 0) / tools.length);

  function ranked(clause: Clause, intent: Intent | undefined, limit: number) {
    const own = clause.tokens.filter(({ text, fact }) => !fact && !isStop(text));
    const more = [...intent?.acts.keys() ?? [], ...intent?.implied ?? []];
    return index.search(
      [...own.flatMap(({ stems }) => stems), ...more].slice(0, 200).join(" "),
      limit,
    );
  }

  function choose(clause: Clause, intent: Intent): Choice[] {
    const called = clause.tokens.flatMap(({ fact }) =>
      fact?.kind === "tool" ? [fact.text.toLowerCase()] : []
    );
    if (called.length > 0) {
      const named = called.flatMap((name) => tools.filter((tool) => namesOf(tool).includes(name)));
      return [...new Set(named)].map((tool) => ({ tool, score: 100, named: true }));
    }
    const scores = new Map(
      ranked(clause, intent, tools.length).map(({ id, score }) => [byId.get(id), score]),
    );
    const top = Math.max(0.001, ...scores.values());
    return tools.flatMap((tool) => {
      const evidence = evidenceFor(tool, intent, rarity);
      if (!fits(tool, intent, evidence)) return [];
      const { act, name, core, faint, spare } = evidence;
      const weighed = act + Math.min(name, 9) + Math.min(core, 3) + Math.min(faint, 1) -
        0.4 * spare;
      return [{ tool, score: weighed + 0.5 * (scores.get(tool) ?? 0) / top, named: false }];
    }).sort(byScore);
  }

  return {
    choose,
    nearest: (clause, limit) => ranked(clause, undefined, limit).map(({ id }) => byId.get(id)!),
  };
}

export function byScore(a: Choice, b: Choice): number {
  return b.score - a.score || (a.tool.spec.name < b.tool.spec.name ? -1 : 1);
}

/** The names by which a prompt may mean one tool and no other. */
export function namesOf({ spec, alias, raw }: ToolView): string[] {
  const names = [spec.name, `${alias}.${raw}`, `${alias}/${raw}`];
  if (/[_-]/.test(raw) || /[a-z][A-Z]/.test(raw)) names.push(raw);
  return names.map((name) => name.toLowerCase());
}

function evidenceFor(tool: ToolView, intent: Intent, rarity: (noun: string) => number): Evidence {
  const { acts, verb, nouns, implied, question, kinds, shapes, ways } = intent;
  const literal = verb !== undefined && !(question && !tool.harmless) &&
    (verb.stems[0] === tool.order || stem(english(verb.text)) === tool.order);
  const act = Math.max(0, ...[...tool.verbs].map((each) => acts.get(each) ?? 0));
  const found: Evidence = {
    act: literal ? (act > 0 ? act + 1 : acts.size === 0 ? 3 : 0) : act,
    literal,
    name: 0,
    core: 0,
    faint: 0,
    bare: false,
    spare: 0,
  };
  const met = new Set<string>();
  const meet = (noun: string, name: number, core: number, faint: number) => {
    if (tool.nouns.has(noun) || tool.aliasWords.has(noun)) {
      met.add(noun);
      found.name += name * (tool.aliasWords.has(noun) ? 1 : rarity(noun));
    } else if (tool.core.has(noun)) found.core += core;
    else if (tool.more.has(noun) || tool.hints.has(noun)) found.faint += faint;
  };
  for (const [noun, weight] of nouns) meet(noun, 3 * weight, 1.5 * weight, 0.4 * weight);
  const impliedMet = [...implied].filter((noun) => !met.has(noun));
  for (const noun of impliedMet) meet(noun, 1.5, 0.75, 0.3);
  // "Close T-3", "get https://…": the literal is the thing, where the tool cannot do without one.
  const takes = tool.params.some(({ role, required, words }) =>
    required && /^(?:id|url|path|email)$/.test(role) && kinds.has(role as FactKind) &&
    (role !== "id" || words.length === 1)
  );
  if (takes && act > 0) {
    if (tool.harmless) found.name += 1;
    else found.core += literal ? 1 : 0.5;
  }
  // A description that says "like T-1" means things that are called so.
  if (shapes.some((shape) => tool.shapes.has(shape))) found.name += 2;
  const own = [...tool.nouns].filter((noun) => noun !== tool.order);
  found.bare = own.length === 0;
  found.spare = own.filter((noun) => !met.has(noun)).length;
  if (tool.way && ways.size > 0) found.name += ways.has(tool.way) ? 1 : -2;
  return found;
}

const COMMON =
  /^(?:get|list|search|find|read|show|fetch|look|query|browse|check|view|load|open|add|create|make|write|set|run|use|call|delete|remove|update|send)$/;

/**
 * Whether a tool may be called for this at all. One that changes things has to be asked for by its
 * verb and by its thing; one that only looks may be guessed from either, if plainly enough.
 */
function fits(
  tool: ToolView,
  { acts, verb, question }: Intent,
  { act, literal, name, core, bare }: Evidence,
): boolean {
  if (question && acts.size === 0) return false;
  // A verb of its own is as good as a name: "geocode …", "translate …".
  if (literal && !COMMON.test(tool.order) && (tool.harmless || tool.verbs.size === 0)) return true;
  if (tool.ownVerb) return false;
  if (!tool.harmless) return act >= 1.5 && (name > 0 || core >= 0.75 || (bare && literal));
  if (act >= 1 && name > 0) return true;
  if (act >= 1.5 && core >= 1.5) return true;
  if (act >= 2 && (core >= 1 || (bare && (literal || tool.verbs.has("echo"))))) return true;
  if (
    tool.verbs.has("search") && verb !== undefined && !question && (acts.get("search") ?? 0) >= 2
  ) return true;
  const noun = verb === undefined || question || tool.verbs.size === 0 || acts.has("run");
  return (noun && name >= 2.4) || core >= 3;
}
