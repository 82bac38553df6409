/** Which tools one request offers, as its model API takes them, and what is held back. @module */
import { cut } from "../../kit/printable.ts";
import type { Params } from "../../protocol/types.ts";
import type { ToolSpec } from "../model.ts";
import { fitSchema } from "../schema.ts";
import type { Rules } from "../schema/rules.ts";
import type { FormatRequest } from "../wire.ts";

export interface OfferRules {
  schema: Rules;
  /** Tools in one request at the most: the API answers 400 to more. */
  limit: number;
  /** UTF-16 units of a description at the most, where the API counts. */
  description?: number;
}

export interface Offer {
  /** In table order; `inputSchema` is fitted. */
  tools: readonly ToolSpec[];
  names: readonly string[];
  /** The arguments as the server knows them, from those of the fitted schema. */
  restore(name: string, args: Params): Params;
}

/** How many names a line for people lists. */
const NAMED = 20;

/**
 * The same tools for the same table: those that fit, without the refused, the first `limit` of them.
 * Each that is held back is told in one line.
 */
export function offerOf(request: FormatRequest, rules: OfferRules): Offer {
  const { note = () => {} } = request;
  const tools: ToolSpec[] = [];
  const restores = new Map<string, (args: Params) => Params>();
  const surplus: string[] = [];
  for (const { name, description, inputSchema } of request.tools) {
    if (request.refused.has(name)) continue;
    const fit = fitSchema(inputSchema, rules.schema);
    if ("heldBack" in fit) {
      note(`${name} is not offered to the model: its schema ${fit.heldBack}`);
      continue;
    }
    if (tools.length === rules.limit) {
      surplus.push(name);
      continue;
    }
    tools.push({
      name,
      description: cutTo(description, rules.description),
      inputSchema: fit.schema,
    });
    restores.set(name, fit.restore);
  }
  if (surplus.length > 0) {
    const more = surplus.length > NAMED ? ` and ${surplus.length - NAMED} more` : "";
    note(
      `${tools.length} of ${
        tools.length + surplus.length
      } tools are offered, which is all that the ` +
        `model API takes; --lazy and --forward reach every one. Held back: ${
          surplus.slice(0, NAMED).join(", ")
        }${more}`,
    );
  }
  return {
    tools,
    names: tools.map(({ name }) => name),
    restore: (name, args) => restores.get(name)?.(args) ?? args,
  };
}

/** The schema of the answer as the API takes it; undefined where there is none to ask for. */
export function answerOf({ answerSchema, note }: FormatRequest, rules: Rules): Params | undefined {
  if (!answerSchema) return undefined;
  const fit = fitSchema(answerSchema, rules);
  if (!("heldBack" in fit)) return fit.schema;
  note?.(`The model API can't be asked for an answer of this schema: it ${fit.heldBack}`);
}

function cutTo(text: string, most = Infinity): string {
  return text.length <= most ? text : `${cut(text, most - 1)}…`;
}
