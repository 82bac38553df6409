/** Writes shapes as a schema that keeps to the rules of one API. @module */
import { cut } from "../../kit/printable.ts";
import type { Params } from "../../protocol/types.ts";
import { alternativesOf } from "./alternatives.ts";
import { Definitions, targetOf } from "./definitions.ts";
import { writeFacts } from "./facts.ts";
import { flatten, fold } from "./merge.ts";
import { emptyTrail, type Trail, wireNames } from "./names.ts";
import type { Document } from "./read.ts";
import type { Rules } from "./rules.ts";
import { anything, Fault, isBareRef, isUnbound, type Shape } from "./shape.ts";
import { describe, short } from "./words.ts";

/** A schema, and the way back for arguments that fit it. */
export interface Written {
  schema: Params;
  trail: Trail;
}

/** How much of a schema is written in one try. */
export interface Measure {
  depth: number;
  text: number;
}

/** More subschemas than the API takes. */
export class TooLarge extends Error {}

/** @throws {Fault} when no object fits; {TooLarge} */
export function writeDocument(document: Document, rules: Rules, measure: Measure): Written {
  return new Writer(document, rules, measure).write();
}

/** One subschema while it is written. */
interface Sheet {
  shape: Shape;
  depth: number;
  /** Those that may stand here. */
  keywords: ReadonlySet<string>;
  /** Whether the schema says its type. */
  typed: boolean;
  out: Map<string, unknown>;
  told: string[];
  trail: Trail;
}

class Writer {
  readonly #names: ReadonlyMap<string, string>;
  readonly #definitions = new Definitions();
  /** What is being written in place of a reference, from the outside in. */
  readonly #open = new Map<Shape, Trail>();
  #nodes = 0;

  constructor(readonly document: Document, readonly rules: Rules, readonly measure: Measure) {
    this.#names = wireNames(document.names, rules.propertyName);
  }

  write(): Written {
    const { values: _, ...root } = fold(this.document.root);
    if (root.never || (root.types && !root.types.includes("object"))) {
      throw new Fault("takes no object");
    }
    const { schema, trail } = this.#bind({ ...root, types: ["object"] }, 1, this.rules.root);
    const definitions: [string, Params][] = [];
    for (const [target, { name, trail }] of this.#definitions) {
      const written = this.#write(target, 1);
      trail.also.push(written.trail);
      definitions.push([name, written.schema]);
    }
    if (definitions.length > 0) schema.$defs = Object.fromEntries(definitions);
    // Most schemas need no way back.
    const isRenamed = [...this.#names].some(([raw, wire]) => raw !== wire);
    return { schema, trail: isRenamed ? trail : emptyTrail() };
  }

  #write(shape: Shape, depth: number): Written {
    if (++this.#nodes > this.rules.bounds.nodes) throw new TooLarge();
    const target = shape.ref && targetOf(shape.ref);
    const { refs, cycles } = this.rules;
    if (target && refs && isBareRef(shape) && (cycles || !this.document.circles.has(target))) {
      return this.#refer(shape, target);
    }
    const origin = target ?? shape;
    const open = this.#open.get(origin);
    if (open) {
      const name = origin.name ? ` "${short(origin.name, 60)}"` : "";
      return { schema: this.#stub(shape, `the same form${name} again`), trail: open };
    }
    if (depth > this.measure.depth) {
      return { schema: this.#stub(shape, "not shown in full"), trail: emptyTrail() };
    }
    const trail = emptyTrail();
    this.#open.set(origin, trail);
    const written = this.#bind(flatten(shape), depth, this.rules.keywords);
    this.#open.delete(origin);
    trail.also.push(written.trail);
    return { schema: written.schema, trail };
  }

  #refer(shape: Shape, target: Shape): Written {
    const { keywords, besideRef } = this.rules;
    const { name, trail } = this.#definitions.of(target);
    const reference = { $ref: `#/$defs/${name}` };
    const { out, told } = writeFacts(shape, this.rules, keywords);
    const beside = [...this.#words(shape, told, keywords), ...out];
    if (beside.length === 0) return { schema: reference, trail };
    if (besideRef.size === 0) {
      return { schema: { ...Object.fromEntries(beside), anyOf: [reference] }, trail };
    }
    const fitting = beside.filter(([keyword]) => besideRef.has(keyword));
    return { schema: { ...reference, ...Object.fromEntries(fitting) }, trail };
  }

  /** The type alone, for what is not written in full. */
  #stub(shape: Shape, why: string): Params {
    const { types } = flatten(shape);
    const one = types && (types.length === 1 || this.rules.typeLists) ? { types } : {};
    const { facts } = shape;
    return this.#bind({ ...anything(), ...one, facts, told: [why] }, 1, this.rules.keywords).schema;
  }

  /** Writes a shape that is flat. */
  #bind(shape: Shape, depth: number, keywords: ReadonlySet<string>): Written {
    const { base, branches, told } = alternativesOf(shape, this.rules);
    const implied = impliedTypes(base);
    const types = base.types ?? (this.rules.impliedTypes ? implied : undefined);
    const facts = writeFacts({ ...base, ...(types && { types }) }, this.rules, keywords);
    const sheet: Sheet = {
      shape: base,
      depth,
      keywords,
      typed: types !== undefined,
      out: facts.out,
      told: [...told, ...facts.told],
      trail: emptyTrail(),
    };
    const about = types ?? implied ?? [];
    if (about.includes("object")) this.#object(sheet);
    if (about.includes("array")) this.#array(sheet);
    if (branches.length > 0) this.#branches(sheet, branches);
    const head: [string, unknown][] = types
      ? [["type", types.length === 1 ? types[0] : types]]
      : [];
    const words = this.#words(base, sheet.told, keywords);
    return { schema: Object.fromEntries([...head, ...words, ...sheet.out]), trail: sheet.trail };
  }

  /** Title and description; `told` goes into the latter. */
  #words({ facts, told: own }: Shape, told: readonly string[], keywords: ReadonlySet<string>) {
    const words: [string, unknown][] = [];
    const [title, description] = [facts.get("title"), facts.get("description")];
    if (typeof title === "string" && keywords.has("title")) {
      words.push(["title", short(title, 200)]);
    }
    const text = describe(description, [...own, ...told], this.measure.text);
    if (text !== undefined) words.push(["description", text]);
    return words;
  }

  #object({ shape, depth, keywords, typed, out, told, trail }: Sheet): void {
    const { emptyProperties, requiredDefined } = this.rules;
    const { rest } = shape;
    const properties = new Map([...shape.properties].filter(([, { never }]) => !never));
    const required = [...shape.required].filter((name) => {
      if (properties.has(name)) return true;
      if (shape.properties.has(name) || rest?.never) return false;
      if (requiredDefined) properties.set(name, rest ?? anything());
      return true;
    });
    const written = [...properties].map(([raw, part]): [string, Params] => {
      const name = this.#names.get(raw)!;
      const note = `sent as ${JSON.stringify(cut(raw, 100))}`;
      const named = name === raw ? part : { ...part, told: [...part.told, note] };
      const child = this.#write(named, depth + 1);
      trail.properties.set(name, { raw, trail: child.trail });
      return [name, child.schema];
    });
    if (written.length > 0 || (typed && emptyProperties)) {
      out.set("properties", Object.fromEntries(written));
    }
    if (required.length > 0) out.set("required", required.map((name) => this.#names.get(name)!));
    // Where some have a form by pattern, `rest` is not about all the others.
    if (!rest || shape.patterned) return;
    if (rest.never) {
      if (keywords.has("additionalProperties")) out.set("additionalProperties", false);
    } else if (rest.ref || !isUnbound(rest)) {
      const others = this.#write(rest, depth + 1);
      trail.rest = others.trail;
      if (keywords.has("additionalProperties")) out.set("additionalProperties", others.schema);
      else told.push(`other properties: ${short(JSON.stringify(others.schema), 200)}`);
    }
  }

  #array({ shape, depth, keywords, typed, out, trail }: Sheet): void {
    const rest = shape.items;
    const tuples = keywords.has("prefixItems");
    const prefix = shape.prefix.map((part) => this.#write(part, depth + (tuples ? 1 : 2)));
    const items = rest && !rest.never ? this.#write(rest, depth + 1) : undefined;
    trail.prefix = prefix.map(({ trail }) => trail);
    if (items) trail.items = items.trail;
    if (rest?.never && keywords.has("maxItems")) {
      out.set("maxItems", Math.min(prefix.length, Number(out.get("maxItems") ?? Infinity)));
    }
    if (prefix.length > 0 && tuples) {
      out.set("prefixItems", prefix.map(({ schema }) => schema));
      if (items) out.set("items", items.schema);
      return;
    }
    // One form for all items: any of those that some place asks for.
    const forms = items ? [...prefix, items] : rest?.never ? prefix : [];
    const distinct = different(forms.map(({ schema }) => schema));
    if (distinct.length > 1) out.set("items", { anyOf: distinct });
    else if (distinct.length === 1 || typed) out.set("items", distinct[0] ?? {});
  }

  #branches({ depth, out, trail }: Sheet, branches: readonly Shape[]): void {
    const written = branches.flatMap((branch): Params[] => {
      const { schema, trail: own } = this.#write(branch, depth + 1);
      trail.also.push(own);
      // A branch that is nothing but branches is as good without the bracket.
      return Object.keys(schema).join() === "anyOf" ? schema.anyOf as Params[] : [schema];
    });
    out.set("anyOf", different(written));
  }
}

function different(schemas: readonly Params[]): Params[] {
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
}

function impliedTypes(shape: Shape): readonly string[] | undefined {
  if (shape.properties.size > 0 || shape.required.size > 0 || shape.rest) return ["object"];
  return shape.items || shape.prefix.length > 0 ? ["array"] : undefined;
}
