/** What to ask the meta tools next: searches, servers' lists, whole schemas, until the plan can go on. @module */
import { words } from "../../kit/rank.ts";
import { INVENTORY } from "./answer.ts";
import type { Ask, Asked, Reach } from "./meta.ts";
import type { Plan, Step } from "./plan.ts";
import type { Shelf } from "./shelf.ts";
import type { ToolView } from "./tools.ts";
import { english, isStop } from "./words.ts";

export interface Scouting {
  reach: Reach;
  plan: Plan;
  shelf: Shelf;
  /** What was asked since the prompt. */
  asked: readonly Asked[];
  /** Names of tools that were ever described, whatever came of it. */
  described: ReadonlySet<string>;
}

/** No prompt is worth more asking than this. */
const MOST = 40;
/** Servers that are started at once, because nobody knows what they have. */
const MOST_OPENED = 16;
const QUERY_MAX = 300;

/** Nothing when all is known that the plan's steps need, or that can be had. */
export function scout(scouting: Scouting): Ask[] {
  const steps = scouting.plan.steps.filter(({ intent }) => !intent.forbids);
  const stages = [searches, again, strangers, wider, closer];
  for (const stage of stages) {
    const asks = distinct(stage(steps, scouting));
    if (asks.length > 0) return asks.slice(0, Math.max(0, MOST - scouting.asked.length));
  }
  return [];
}

/** First each step in its own words, unless a tool that is known does just what they say. */
function searches(steps: readonly Step[], { asked }: Scouting): Ask[] {
  return steps.filter((step) => !isServed(step)).map(queryOf)
    .filter((query) => countOf(asked, "search", query) === 0).map(searching);
}

/** Where nothing fits: servers whose tools nobody has seen, those that the step names foremost. */
function strangers(steps: readonly Step[], scouting: Scouting): Ask[] {
  const { plan, shelf, asked } = scouting;
  const unseen = [...shelf.servers].filter(([alias, { count }]) =>
    count === undefined && !plan.prompt.offline.some((it) => it.alias === alias)
  );
  return steps.filter((step) => isUnfit(step, plan)).flatMap((step): Ask[] => {
    const said = stemsOf(step);
    const named = unseen.filter(([alias]) => words(alias).some((word) => said.has(word)));
    const like = unseen.filter(([, told]) => words(told.said).some((word) => said.has(word)));
    const all = plan.prompt.context === "" ? unseen : [];
    const chosen = [named, like, all].find((each) =>
      each.some(([alias]) =>
        countOf(asked, "open", alias) === 0 || isMute(alias, scouting)
      )
    ) ?? [];
    return chosen.slice(0, MOST_OPENED).flatMap(([alias]): Ask[] => {
      if (countOf(asked, "open", alias) === 0) return [{ kind: "open", what: alias }];
      // Forwarded, a list is told only once its server has been started.
      return isMute(alias, scouting) ? [{ kind: "rouse", what: alias }] : [];
    });
  });
}

/** Whether a server was asked for its list and had none yet, and nothing else was tried. */
function isMute(alias: string, { asked, shelf, reach }: Scouting): boolean {
  return reach === "forward" && !shelf.opened.has(alias) && countOf(asked, "rouse", alias) === 0;
}

/** Once servers have been started, what was looked for is looked for among their tools. */
function again(steps: readonly Step[], { reach, plan, shelf, asked }: Scouting): Ask[] {
  const starts = [...shelf.strangers].map((alias) => {
    const own = asked.filter(({ kind, what }) => kind !== "search" && what === alias);
    const rouse = own.find(({ kind }) => kind === "rouse");
    return (rouse ?? (shelf.opened.has(alias) ? own[0] : undefined))?.at ?? -1;
  });
  const since = Math.max(-1, ...starts);
  // A list has names and parameters; what a tool is for is said by a search alone.
  return steps.filter((step) => reach === "forward" ? !isServed(step) : isUnfit(step, plan))
    .map(queryOf).filter((query) => {
      const own = asked.filter(({ kind, what }) => kind === "search" && what === query);
      return own.length > 0 && own.length < 3 && own.every(({ at }) => at < since);
    }).map(searching);
}

/** Where still nothing fits: the same with what such tools are usually called. */
function wider(steps: readonly Step[], { plan, asked }: Scouting): Ask[] {
  return steps.filter((step) => isUnfit(step, plan)).map(widerQueryOf)
    .filter((query) => query !== "" && countOf(asked, "search", query) === 0).map(searching);
}

/**
 * What is going to be used, in full: each server's list, for what looks things up and what reads them;
 * and each tool's own words, of which a line has only the first sentence ("DEPRECATED: use …").
 */
function closer(
  steps: readonly Step[],
  { reach, shelf, asked, described }: Scouting,
): Ask[] {
  const picks = steps.flatMap((step) => step.picks);
  const lists = picks.map(({ alias }) => alias).filter((alias) => {
    if (alias === "" || shelf.opened.has(alias)) return false;
    const last = asked.findLast(({ kind, what }) =>
      (kind === "open" || kind === "rouse") && what === alias
    );
    return last?.kind !== "open";
  }).map((alias): Ask => ({ kind: "open", what: alias }));
  if (reach === "lazy") return lists; // The next table has them whole.
  const partly = picks.map(({ spec }) => spec.name)
    .filter((name) => !shelf.tools.get(name)?.whole && !described.has(name));
  return [...lists, ...partly.map((name): Ask => ({ kind: "describe", what: name }))];
}

const searching = (what: string): Ask => ({ kind: "search", what });

function countOf(asked: readonly Asked[], kind: Ask["kind"], what: string): number {
  return asked.filter((each) => each.kind === kind && each.what === what).length;
}

function distinct(asks: readonly Ask[]): Ask[] {
  return [...new Map(asks.map((ask) => [`${ask.kind} ${ask.what}`, ask])).values()];
}

/** Whether the tools that fit are meant beyond doubt: each thing that is named is one of theirs. */
function isServed({ picks, clause, intent }: Step): boolean {
  if (picks.length === 0) return false;
  if (clause.tokens.some(({ fact }) => fact?.kind === "tool")) return true;
  const own = clause.tokens.filter((token) =>
    !token.fact && token !== intent.verb && !isStop(token.text)
  );
  const isOf = ({ nouns, aliasWords, hints }: ToolView, stems: readonly string[]) =>
    stems.some((word) => nouns.has(word) || aliasWords.has(word) || hints.has(word));
  const named = own.filter(({ stems }) =>
    stems.some((word) => (intent.nouns.get(word) ?? 0) > 0.6)
  );
  return named.length > 0 && named.every(({ stems }) => picks.some((tool) => isOf(tool, stems)));
}

/** Whether nothing fits a step, and that is not because it asks for who is offline. */
function isUnfit(step: Step, { prompt }: Plan): boolean {
  const said = stemsOf(step);
  return step.picks.length === 0 && !INVENTORY.test(step.clause.text) &&
    !prompt.offline.some(({ alias }) => words(alias).every((word) => said.has(word)));
}

function stemsOf({ clause }: Step): Set<string> {
  return new Set(clause.tokens.flatMap(({ stems }) => stems));
}

/** A step's own words without what it gives literally, and what its literals imply. */
function queryOf({ clause, intent }: Step): string {
  // For all that there is: nothing is called so, and the answer tells of every server.
  if (INVENTORY.test(clause.text)) return "*";
  const own = clause.tokens.flatMap(({ text, fact }) =>
    fact ? [] : isStop(text) ? [] : [english(text)]
  );
  const said = [...new Set([...own, ...intent.implied])].join(" ");
  return (said || clause.text.replace(/\s+/g, " ")).slice(0, QUERY_MAX);
}

/** With other words for its things, and with what its verbs may mean. Empty when it has none. */
function widerQueryOf(step: Step): string {
  const query = queryOf(step);
  const before = new Set(query.toLowerCase().split(" "));
  const stems = stemsOf(step);
  const more = [...step.intent.nouns.keys(), ...step.intent.acts.keys()].filter((word) =>
    !before.has(word) && !stems.has(word)
  );
  return more.length === 0 ? "" : `${query} ${more.join(" ")}`.slice(0, QUERY_MAX);
}
