/** What the offline model makes of the tools it is offered; schemas and names are strangers' text. @module */
import { words } from "../../kit/rank.ts";
import type { ToolSpec } from "../model.ts";
import { nameParts, type Param, readParams } from "./params.ts";
import { type Act, actsOf, HARMLESS, isStop } from "./words.ts";

/** A tool, read once for planning. */
export interface ToolView {
  spec: ToolSpec;
  alias: string;
  /** The name without alias and prefix: for reading, never for calling. */
  raw: string;
  verbs: ReadonlySet<Act>;
  /** The verb of the name, or its first word. */
  order: string;
  /** What the name is about: its words but for the verb. */
  nouns: ReadonlySet<string>;
  aliasWords: ReadonlySet<string>;
  /** Whether its verb is one we know nothing of: `play_track`, "Play a song". */
  ownVerb: boolean;
  /** On, off, up or down, where the name says so. */
  way: string | undefined;
  /** The first sentence of the description, and the rest of it. */
  core: ReadonlySet<string>;
  more: ReadonlySet<string>;
  /** Parameter names and enum values. */
  hints: ReadonlySet<string>;
  params: readonly Param[];
  /** What the ids in its descriptions begin with: `t` for "an id like T-1". */
  shapes: ReadonlySet<string>;
  harmless: boolean;
}

/** The server that a public name points at; empty when it points at none. */
export function aliasOf(name: string): string {
  return /^mcp__([a-z0-9]+(?:[-_][a-z0-9]+)*?)__./.exec(name)?.[1] ?? "";
}

export function readTool(spec: ToolSpec): ToolView {
  const description = typeof spec.description === "string" ? spec.description : "";
  const from = /^\[from ([^\]\n]{1,64})\]\s*/.exec(description);
  const alias = from?.[1] ?? aliasOf(spec.name);
  const prefix = `mcp__${alias}__`;
  const raw = spec.name.startsWith(prefix) ? spec.name.slice(prefix.length) : spec.name;
  const text = description.slice(from?.[0].length ?? 0).slice(0, 4000);
  const end = /[.!?。\n](?:\s|$)/.exec(text)?.index ?? text.length;
  const params = readParams(spec.inputSchema);
  const aliasWords = new Set(nameParts(alias).filter((word) => !isStop(word)));
  const full = nameParts(raw);
  // `git_commit` of the server git commits.
  const lead = Math.min(full.findIndex((word) => !aliasWords.has(word)), full.length - 1);
  const name = full.slice(Math.max(lead, 0));
  const at = verbAt(name);
  const verbs = verbsOf(name, at, text);
  const hints = params.flatMap((param) => [
    ...param.words,
    ...param.values.flatMap((value) => typeof value === "string" ? words(value.slice(0, 80)) : []),
  ]);
  return {
    spec,
    alias,
    raw,
    verbs,
    order: name[Math.max(at, 0)] ?? "",
    nouns: new Set(name.filter((word, i) => (i !== at || name.length === 1) && !isStop(word))),
    ownVerb: verbs.size === 0 && name[0] !== undefined && words(text)[0] === name[0],
    way: /\b(?:on|off|up|down)\b/.exec(name.join(" "))?.[0],
    aliasWords,
    core: new Set(words(text.slice(0, end))),
    more: new Set(words(text.slice(end))),
    hints: new Set(hints),
    params,
    shapes: new Set(idShapes([text, ...params.map(({ description }) => description)].join("\n"))),
    // Of whom nothing is known but the name, the worst is thought.
    harmless: verbs.size === 0
      ? text !== "" && !CHANGES.test(text)
      : [...verbs].every((verb) => HARMLESS.has(verb)),
  };
}

/** The lower-cased letters before the number of each id in a text. */
export function idShapes(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])([A-Za-z]{1,10})-\d{1,10}(?![\w-])/g)].map((match) =>
    match[1]!.toLowerCase()
  );
}

const CHANGES =
  /\b(?:creates?|writes?|deletes?|removes?|updates?|sends?|overwrites?|modif(?:y|ies)|destroys?)\b/i;

/** Where a name's verb stands: first, after a prefix (`slack_post_message`), or last (`ticket_create`). */
function verbAt(name: readonly string[]): number {
  const places = name.length > 2 ? [0, 1, name.length - 1] : [0, name.length - 1];
  return places.find((at) => actsOf(name[at] ?? "").size > 0 && !THINGS.test(name[at]!)) ?? -1;
}

// Verbs in a prompt, things in a name: `file_read`, `notes`.
const THINGS = /^(?:file|book|note|mail|email|message|record|log|total|open)$/;

/** By the name's verb; where there is none, by how the description begins. */
function verbsOf(name: readonly string[], at: number, text: string): ReadonlySet<Act> {
  if (at === -1) {
    // "open" may open a file or a new ticket, and the description knows.
    const told = actsOf(/^[\p{L}]+/u.exec(text)?.[0] ?? "");
    return told.size > 0 ? told : actsOf(name[0] ?? "");
  }
  const own = actsOf(name[at]!);
  const last = actsOf(name.at(-1)!);
  return name[at] === "get" && last.has("calc") ? new Set([...own, ...last]) : own;
}
