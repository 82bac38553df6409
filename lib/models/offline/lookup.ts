/** Looking things up: which tool does it, which of its hits is meant, and how to name that to another. @module */
import { words } from "../../kit/rank.ts";
import type { Params } from "../../protocol/types.ts";
import type { Hit } from "./hits.ts";
import type { Param } from "./params.ts";
import type { Plan, Step } from "./plan.ts";
import { keyTerms } from "./text.ts";
import type { ToolView } from "./tools.ts";

/** The tool of the same server that looks things up. */
export function finderFor(tool: ToolView, { tools }: Plan): ToolView | undefined {
  if (tool.verbs.has("search")) return undefined;
  const finds = tools.filter(({ alias, verbs, harmless }) =>
    alias === tool.alias && verbs.has("search") && harmless
  );
  return finds.find(({ nouns }) => [...nouns].some((noun) => tool.nouns.has(noun))) ?? finds[0];
}

export function keyWords(
  { clause, intent }: Step,
  { nouns, aliasWords }: ToolView,
  { scope }: Plan,
): string[] {
  return words(
    keyTerms({ clause, intent, scope }, new Set([...nouns, ...aliasWords]), new Set()) ?? "",
  );
}

/**
 * Hits by how many of the words they hold, those in their titles foremost. `strict`, for tools that
 * change things: only a hit that holds all of them, and only if it is the only one.
 */
export function likeliest(hits: readonly Hit[], wanted: readonly string[], strict: boolean): Hit[] {
  const scored = hits.map((hit, at) => {
    const title = new Set(words(hit.title ?? ""));
    const text = new Set(words(hit.text));
    const score = wanted.reduce(
      (sum, word) => sum + (title.has(word) ? 1.5 : text.has(word) ? 1 : 0),
      0,
    );
    const whole = wanted.length > 0 && wanted.every((word) => title.has(word) || text.has(word));
    return { hit, at, score, whole };
  });
  if (strict) {
    const whole = scored.filter((each) => each.whole);
    return whole.length === 1 ? [whole[0]!.hit] : [];
  }
  return scored.sort((a, b) => b.score - a.score || a.at - b.at).map(({ hit }) => hit);
}

/** A search that found nothing is asked once more, for its weightiest word alone. */
export function widened({ params }: ToolView, args: Params): Params | undefined {
  const query = params.find(({ role, name }) => role === "query" && typeof args[name] === "string");
  const parts = query ? String(args[query.name]).split(/\s+/) : [];
  if (!query || parts.length < 2) return undefined;
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best));
  return { ...args, [query.name]: longest };
}

/** The arguments that name a hit to a tool; undefined when it wants more than that. */
export function argsFor(tool: ToolView, hit: Hit): Params | undefined {
  const value = ({ role, kind }: Param): unknown => {
    if (role !== "id" && role !== "title" && role !== "path" && role !== "url") return undefined;
    const text = hit[role];
    return text === undefined || kind === "string" || kind === "any"
      ? text
      : Number(text.replace(/^#/, ""));
  };
  const must = tool.params.filter(({ required }) => required);
  const given = tool.params.filter((param) => value(param) !== undefined);
  // Where nothing is required an id says it best.
  const chosen = must.length > 0
    ? must
    : [given.find(({ role }) => role === "id") ?? given[0]].filter((param) => param !== undefined);
  if (chosen.length === 0 || !chosen.every((param) => given.includes(param))) return undefined;
  return Object.fromEntries(chosen.map((param) => [param.name, value(param)]));
}
