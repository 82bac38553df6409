/** Fits a tool's schema to a model API: on a copy, never wider than needed, never narrower. @module */
import type { Params } from "../protocol/types.ts";
import { restored } from "./schema/names.ts";
import { type Document, readDocument } from "./schema/read.ts";
import type { Rules } from "./schema/rules.ts";
import { Fault } from "./schema/shape.ts";
import { TooLarge, writeDocument, type Written } from "./schema/write.ts";

/** A schema to send and the way back for the arguments; or why this tool can't be offered. */
export type Fitted =
  | { schema: Params; restore(args: Params): Params }
  /** Goes on after "its schema": `refers to "…", which is nowhere in it`. */
  | { heldBack: string };

/** Less and less is written until it is small enough: first of the words, then of the depth. */
const TEXTS = [400, 100];
const DEPTHS = [8, 5, 3, 2];

/** A schema is fitted again for every turn of a run, and the same object comes every time. */
const known = new WeakMap<Rules, WeakMap<Params, Fitted>>();

/**
 * A schema that keeps to `rules` and lets through what `schema` lets through; it may let through
 * more, since arguments are checked against `schema` itself. The same bytes for the same schema.
 * `restore` gives arguments the property names that the server knows. Nothing is ever fetched.
 */
export function fitSchema(schema: Params, rules: Rules): Fitted {
  const before = known.get(rules) ?? new WeakMap<Params, Fitted>();
  known.set(rules, before);
  const fitted = before.get(schema) ?? fit(schema, rules);
  before.set(schema, fitted);
  return fitted;
}

function fit(schema: Params, rules: Rules): Fitted {
  try {
    const written = writeBounded(readDocument(schema), rules);
    if (!written) return { heldBack: "is too large" };
    return { schema: written.schema, restore: (args) => restored(args, written.trail) };
  } catch (error) {
    if (error instanceof Fault) return { heldBack: error.message };
    throw error;
  }
}

function writeBounded(document: Document, rules: Rules): Written | undefined {
  const { depth, text, size } = rules.bounds;
  const tries = [
    { depth, text },
    ...TEXTS.map((text) => ({ depth, text })),
    ...DEPTHS.map((depth) => ({ depth, text: TEXTS.at(-1)! })),
  ];
  for (const measure of tries) {
    try {
      const written = writeDocument(document, rules, measure);
      if (JSON.stringify(written.schema).length <= size) return written;
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
}
