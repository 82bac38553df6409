/** One subschema of a stranger, read keyword by keyword with a complaint ready for each. @module */
import { type Draft, knows } from "./draft.ts";
import type { Meter } from "./meter.ts";
import { linearPattern, type Pattern, PatternFault } from "./pattern.ts";
import type { Node } from "./run.ts";
import { clip, isObject, type Members } from "./value.ts";

/** Thrown for a schema that nothing can be checked against; the message says why. */
export class SchemaFault extends Error {}

/** Reads the document that a subschema is part of. */
export interface Opener {
  readonly draft: Draft;
  readonly meter: Meter;
  /** The node for the subschema `raw`, which stands at `where` and directly below `site`. */
  open(raw: unknown, where: string, site: Site): Node;
}

/** Where a subschema stands. Every method throws a {@linkcode SchemaFault} for a malformed keyword. */
export class Site {
  readonly draft: Draft;

  /** `where` is a JSON pointer, for messages. */
  constructor(readonly raw: Members, readonly where: string, readonly opener: Opener) {
    this.draft = opener.draft;
  }

  /** What stands under `keyword`, if this draft knows it. */
  get(keyword: string): unknown {
    if (!Object.hasOwn(this.raw, keyword) || !knows(this.draft, keyword)) return undefined;
    return this.raw[keyword];
  }

  fault(keyword: string, wanted: string): never {
    throw new SchemaFault(`"${keyword}" must be ${wanted}${at(this.where)}`);
  }

  flag(keyword: string): boolean {
    const given = this.get(keyword);
    if (given === undefined || typeof given === "boolean") return given === true;
    this.fault(keyword, "true or false");
  }

  text(keyword: string): string | undefined {
    const given = this.get(keyword);
    if (given === undefined || typeof given === "string") return given;
    this.fault(keyword, "a string");
  }

  number(keyword: string): number | undefined {
    const given = this.get(keyword);
    if (given === undefined || (typeof given === "number" && Number.isFinite(given))) return given;
    this.fault(keyword, "a number");
  }

  count(keyword: string): number | undefined {
    const given = this.number(keyword);
    if (given === undefined || (Number.isInteger(given) && given >= 0)) return given;
    this.fault(keyword, "a whole number, zero or more");
  }

  list(keyword: string): readonly unknown[] | undefined {
    const given = this.get(keyword);
    if (given === undefined || Array.isArray(given)) return given;
    this.fault(keyword, "a list");
  }

  names(keyword: string, given: unknown = this.get(keyword)): string[] | undefined {
    if (given === undefined) return undefined;
    if (Array.isArray(given) && given.every((name) => typeof name === "string")) return given;
    this.fault(keyword, "a list of names");
  }

  child(keyword: string): Node | undefined {
    const given = this.get(keyword);
    if (given === undefined) return undefined;
    return this.opener.open(given, `${this.where}/${keyword}`, this);
  }

  children(keyword: string): Node[] | undefined {
    return this.list(keyword)?.map((raw, i) => this.part(keyword, i, raw));
  }

  entries(keyword: string): [string, unknown][] {
    const given = this.get(keyword);
    if (given === undefined) return [];
    if (!isObject(given)) this.fault(keyword, "an object");
    return Object.entries(given);
  }

  childMap(keyword: string): Map<string, Node> {
    return new Map(this.entries(keyword).map(([key, raw]) => [key, this.part(keyword, key, raw)]));
  }

  /** The node for `raw`, which stands under `keyword` at `key`. */
  part(keyword: string, key: string | number, raw: unknown): Node {
    return this.opener.open(raw, `${this.where}/${keyword}/${key}`, this);
  }

  pattern(source: string): Pattern {
    try {
      const pattern = linearPattern(source);
      this.opener.meter.spend(10 * pattern.size); // To compile takes long, compared with a test.
      return pattern;
    } catch (error) {
      if (!(error instanceof PatternFault)) throw error;
      const text = JSON.stringify(clip(source, 60));
      throw new SchemaFault(`pattern ${text} ${error.message}${at(this.where)}`);
    }
  }
}

/** Where in a schema something is, as the end of a sentence. */
export function at(where: string): string {
  if (where === "") return "";
  return ` (at ${clip(where.length > 80 ? `…${where.slice(-79)}` : where, 80)})`;
}
