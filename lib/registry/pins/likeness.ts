/** Which of the tools that are gone a new one may stand for, under another name. @module */
import { nearest } from "../../kit/near.ts";
import { isObject } from "../../protocol/codec.ts";
import type { ToolInfo } from "../../protocol/types.ts";

const MAX_WORDS = 300;
/** Two tools that have this share of their parameters, or of their words, in common are alike. */
const SHARE = 0.5;

/**
 * For each new tool the names of those that are gone and like it, in their order: at least half of the
 * parameters in common (two without any have all), at least half of the description's words, or names
 * a few letters apart. It errs towards likeness: that costs a person one look. A tool that is gone is
 * its name alone where nothing else was kept of it: then it is like anything.
 */
export function likeness(
  fresh: readonly ToolInfo[],
  gone: readonly (ToolInfo | string)[],
): readonly (readonly string[])[] {
  const named = gone.map((tool) => typeof tool === "string" ? tool : tool.name);
  const before = gone.map((tool) => typeof tool === "string" ? undefined : traits(tool));
  return fresh.map((tool) => {
    const own = traits(tool);
    return named.filter((_, index) => {
      const other = before[index];
      return other === undefined || isLike(own, other);
    });
  });
}

interface Traits {
  name: string;
  parameters: ReadonlySet<string>;
  words: ReadonlySet<string>;
}

function traits({ name, title, description, inputSchema }: ToolInfo): Traits {
  const { properties } = inputSchema;
  const words = `${title ?? ""} ${description ?? ""}`.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return {
    name,
    parameters: new Set(isObject(properties) ? Object.keys(properties).slice(0, MAX_WORDS) : []),
    words: new Set(words.slice(0, MAX_WORDS)),
  };
}

function isLike(a: Traits, b: Traits): boolean {
  return share(a.parameters, b.parameters, 1) >= SHARE || share(a.words, b.words, 0) >= SHARE ||
    nearest(a.name, [b.name]).length > 0;
}

/** What two sets have in common, of all that is in either; `none` where both are empty. */
function share(a: ReadonlySet<string>, b: ReadonlySet<string>, none: number): number {
  const all = a.union(b).size;
  return all === 0 ? none : a.intersection(b).size / all;
}
