/** Takes a refusal apart: which argument is each of its sentences about? @module */
import { plainText } from "../../kit/json.ts";
import { words } from "../../kit/rank.ts";
import type { Params } from "../../protocol/types.ts";
import { list, type Param, record } from "./params.ts";
import type { ToolView } from "./tools.ts";

/** What a refusal says about one argument. */
export interface Complaint {
  param: Param;
  text: string;
}

/** The sentences of a refusal with the parameter each is about. */
export function complaintsIn(refusal: string, tool: ToolView, args: Params): Complaint[] {
  const known = new Map(tool.params.map((param) => [param.name, param]));
  for (const name of Object.keys(args)) if (!known.has(name)) known.set(name, unknownParam(name));
  const found: Complaint[] = [];
  for (const issue of issuesIn(refusal)) {
    const param = known.get(plainText(list(issue.path)[0] ?? list(issue.keys)[0]));
    if (param) {
      found.push({
        param,
        text: `${plainText(issue.message)} expected ${
          plainText(
            issue.expected ??
              list(issue.values ?? issue.options).map((value) => `"${plainText(value)}"`)
                .join(" or "),
          )
        }`,
      });
    }
  }
  if (found.length > 0) return found;
  const sentences = refusal.split(/(?<=[.!?])\s+|\n+|;\s+/).slice(0, 60);
  const patterns = [...known.values()].map((
    param,
  ): [Param, RegExp] => [param, namePattern(param.name)]);
  for (const [at, text] of sentences.entries()) {
    const param = patterns.map(([param, pattern]) => ({ param, at: text.search(pattern) }))
      .filter(({ at }) => at !== -1).sort((a, b) => a.at - b.at)[0]?.param;
    // What follows a complaint ("Today is …", "The notes are …") belongs to it.
    if (param) {
      found.push({ param, text: `${text} ${sentences.slice(at + 1, at + 3).join(" ")}` });
    }
  }
  if (found.length > 0) return found;
  // A refusal that quotes a value is about the argument that has it.
  const quoted =
    Object.entries(args).find(([, value]) =>
      typeof value === "string" && value.length > 0 && refusal.includes(`"${value}"`)
    ) ??
      Object.entries(args).find(([, value]) =>
        typeof value === "string" && value.length > 2 && refusal.includes(value)
      ) ??
      (Object.keys(args).length === 1 ? Object.entries(args)[0] : undefined);
  return quoted ? [{ param: known.get(quoted[0])!, text: refusal }] : [];
}

function unknownParam(name: string): Param {
  return {
    name,
    words: words(name),
    kind: "any",
    role: "other",
    required: false,
    description: "",
    values: [],
    schema: {},
  };
}

/** A parameter's name in quotes, at the end of a path, or plainly before a verb. */
function namePattern(name: string): RegExp {
  if (name === "") return /(?!)/;
  const plain = RegExp.escape(name);
  const bare = name.length >= 3
    ? `|(?<![\\p{L}\\p{N}_"'])${plain}(?![\\p{L}\\p{N}_"'])(?=\\s*(?::|is|must|should|has|cannot))`
    : "";
  return new RegExp(`["'\`]${plain}["'\`]|[/.]${plain}(?![\\p{L}\\p{N}_])${bare}`, "u");
}

/** The issues of validators that answer in JSON. */
function issuesIn(refusal: string): Record<string, unknown>[] {
  const at = refusal.search(/[[{]\s*["{\n]/);
  const end = Math.max(refusal.lastIndexOf("]"), refusal.lastIndexOf("}"));
  if (at === -1 || end < at) return [];
  try {
    const json: unknown = JSON.parse(refusal.slice(at, end + 1));
    return (Array.isArray(json) ? json : list(record(json).issues ?? record(json).errors)).map(
      record,
    );
  } catch {
    return [];
  }
}
