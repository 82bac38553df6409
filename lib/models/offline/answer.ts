/** What the offline model says in the end: what the tools gave, by whose word, and what was not done. @module */
import { cut } from "../../kit/printable.ts";
import { rankIndex, words } from "../../kit/rank.ts";
import type { Change } from "./mend.ts";
import type { Plan, Step } from "./plan.ts";
import type { Prompt } from "./prompt.ts";
import { type Shelf, totalOf } from "./shelf.ts";
import { keyTerms } from "./text.ts";
import type { Param } from "./params.ts";
import { aliasOf, type ToolView } from "./tools.ts";
import { isStop } from "./words.ts";

/** One tool of one step, called or not. */
export interface Outcome {
  tool: ToolView;
  /** Absent when it was not called. */
  text?: string;
  isError?: boolean;
  missing?: readonly Param[];
  changes?: readonly Change[];
}

/** How a step ended. */
export interface Finding {
  step: Step;
  outcomes: readonly Outcome[];
}

const LONGEST = 1200;
const LINES = 6;

/** The answer: a paragraph for each thing that was done or could not be. */
export function answer(plan: Plan, findings: readonly Finding[], cutShort: boolean): string {
  const { prompt, dropped } = plan;
  const parts: string[] = [];
  for (const { step, outcomes } of findings) {
    if (outcomes.length === 0) parts.push(undone(plan, step));
    else {
      parts.push(...outcomes.map((outcome) => told(outcome, step)));
      parts.push(...mentioned(plan, step).map(offline));
    }
    if (step.spared > 0) {
      parts.push(`${count(step.spared, "more tool")} would have fitted; name a server to ask it.`);
    }
  }
  if (findings.length === 0) {
    parts.push(prompt.context === "" ? NO_PROMPT : digest(prompt.context, ""));
  }
  if (dropped > 0) {
    parts.push(
      `That is more than I plan at once: I left out ${count(dropped, "part")} at the end.`,
    );
  }
  if (cutShort) parts.push("I stopped here: I make no more calls for one prompt.");
  return parts.join("\n\n");
}

const NO_PROMPT = "There is nothing to do: the prompt is empty.";
const WHO_AM_I =
  "I am the offline model: I plan over tools and know nothing of my own. A real model (--model) may know.";

function told({ tool, text, isError, missing, changes = [] }: Outcome, step: Step): string {
  const name = tool.spec.name;
  if (missing) {
    const list = missing.map((param) =>
      `"${param.name}"${param.description ? ` (${cut(param.description, 80)})` : ""}`
    );
    return `I did not call ${name}: it needs ${list.join(" and ")}, and the prompt does not say.`;
  }
  if (text === undefined) return `${name} gave no answer.`;
  if (isError) {
    return `${name} said no: ${excerpt(text, step) || "it did not say why"}${after(changes)}`;
  }
  const said = text === "" ? "Done, without a word in return." : excerpt(text, step);
  return `${said}${said.includes("\n") ? "\n" : " "}(${name}${after(changes)})`;
}

function after(changes: readonly Change[]): string {
  if (changes.length === 0) return "";
  const each = changes.map(({ name, from, to }) =>
    to === undefined
      ? `without ${name}`
      : from === undefined
      ? `${name} ${show(to)} added`
      : `${name} ${show(from)} mended to ${show(to)}`
  );
  return `; after a refusal, ${each.join(", ")}`;
}

function show(value: unknown): string {
  return cut(JSON.stringify(value) ?? "nothing", 80);
}

/** Why nothing was called for a step. */
function undone(plan: Plan, step: Step): string {
  const { prompt, tools } = plan;
  const { clause, intent } = step;
  const asked = cut(clause.text.replace(/\s+/g, " "), 120);
  if (intent.forbids) return `Left alone, as asked: "${asked}".`;
  const named = mentioned(plan, step);
  if (prompt.context !== "" && named.length === 0) {
    return digest(prompt.context, [...intent.nouns.keys()].join(" "));
  }
  const away = (named.length > 0 ? named : prompt.offline).map(offline);
  const total = plan.shelf ? totalOf(plan.shelf) : tools.length;
  if (tools.length === 0 && (total === 0 || plan.shelf?.servers.size === 0)) {
    return ["There are no tools to work with.", ...away, WHO_AM_I].join(" ");
  }
  if (INVENTORY.test(clause.text)) return plan.shelf ? stock(plan.shelf) : inventory(tools);
  const nearest = plan.chooser.nearest(clause, 3).map(({ spec }) => spec.name);
  return [
    total === 1
      ? `The one tool does not fit "${asked}".`
      : `None of the ${
        total === undefined ? "tools that I found" : `${total} tools`
      } fits "${asked}".`,
    nearest.length === 0
      ? "No name or description has a word of it."
      : `The nearest by its words: ${nearest.join(", ")}.`,
    ...away,
    ...suggestion(plan, step),
    WHO_AM_I,
  ].join(" ");
}

/** How to ask so that something is looked up: a question may be about any server's things. */
function suggestion({ tools, scope }: Plan, { clause, intent }: Step): string[] {
  const search = tools.find(({ verbs, alias, harmless }) =>
    verbs.has("search") && harmless && alias !== ""
  );
  const terms = intent.question && intent.acts.has("search") && search &&
    keyTerms({ clause, intent, scope }, new Set(), new Set());
  return terms
    ? [`Say where to look, and I will: "search ${search.alias} for ${cut(terms, 60)}".`]
    : [];
}

export const INVENTORY = /\b(?:what|which|list|show)\b.*\btools?\b|\bwhat can you do\b|^help\b/i;

/** The offline servers that a clause speaks of. */
function mentioned({ prompt }: Plan, { clause }: Step): Prompt["offline"] {
  const said = new Set(clause.tokens.flatMap(({ stems }) => stems));
  return prompt.offline.filter(({ alias }) => words(alias).every((word) => said.has(word)));
}

function offline({ alias, reason }: { alias: string; reason: string }): string {
  return `${alias} is offline just now: ${reason}.`;
}

function inventory(tools: readonly ToolView[]): string {
  const byAlias = Map.groupBy(tools, ({ alias }) => alias || "no server");
  const lines = [...byAlias].map(([alias, own]) =>
    `${alias}: ${own.slice(0, 30).map(({ raw }) => raw).join(", ")}${own.length > 30 ? ", …" : ""}`
  );
  return [`There are ${count(tools.length, "tool")}.`, ...lines].join("\n");
}

/** What there is, where not every tool was seen. */
function stock(shelf: Shelf): string {
  const names = Map.groupBy(shelf.tools.values(), ({ spec }) => aliasOf(spec.name));
  const lines = [...shelf.servers].map(([alias, { said, count: many }]) => {
    const own = names.get(alias) ?? [];
    if (many === undefined) return `${alias}: not attached yet${said && ` – ${said}`}`;
    if (own.length < many) return `${alias}: ${said && `${said} – `}${count(many, "tool")}`;
    const prefix = `mcp__${alias}__`.length;
    return `${alias}: ${own.map(({ spec }) => spec.name.slice(prefix)).join(", ")}`;
  });
  const total = totalOf(shelf);
  const head = total === undefined
    ? `There are ${count(shelf.servers.size, "server")}.`
    : `There are ${count(total, "tool")}.`;
  return [head, ...lines, ...shelf.away.map(offline)].join("\n");
}

/** The lines of a text that say most about some words; without words, about what it repeats. */
export function digest(text: string, about: string): string {
  const lines = text.trim().slice(0, 200_000).split(/\n+|(?<=[.!?。])\s+/).map((line) =>
    line.trim()
  )
    .filter((line) => line !== "");
  if (lines.length <= 3 && text.length <= LONGEST / 2) return text.trim();
  const index = rankIndex(
    lines.map((line, at) => ({ id: String(at), fields: [{ text: line, weight: 1 }] })),
  );
  const search = (query: string) =>
    index.search(query, LINES).map(({ id }) => Number(id)).sort((a, b) => a - b);
  const found = search(about);
  const chosen = found.length > 0 ? found : search(frequent(text));
  const told = chosen.length > 0 ? chosen : lines.slice(0, LINES).map((_, at) => at);
  return told.map((at) => cut(lines[at]!, 300)).join("\n");
}

function frequent(text: string): string {
  const counts = new Map<string, number>();
  for (const word of words(text.slice(0, 200_000))) {
    if (word.length > 2 && !isStop(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, 8).map(([word]) =>
    word
  ).join(" ");
}

function excerpt(text: string, { intent }: Step): string {
  const clean = text.replace(/\n{3,}/g, "\n\n").trim();
  if (clean.length <= LONGEST) return clean;
  return `${
    digest(clean, [...intent.nouns.keys()].join(" "))
  }\n(the lines that fit best, of ${clean.length} characters)`;
}

function count(many: number, noun: string): string {
  return `${many} ${noun}${many === 1 ? "" : "s"}`;
}
