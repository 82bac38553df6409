/** Splits a shape into what may stand beside an `anyOf` and what must be its branches. @module */
import { flatten, fold, intersect } from "./merge.ts";
import type { Rules } from "./rules.ts";
import { ABOUT, ANNOTATIONS, anything, isUnbound, type Shape, typeOf } from "./shape.ts";
import { literal, tellValues } from "./words.ts";

export interface Alternatives {
  /** Without groups, and with types and values that the API takes. */
  base: Shape;
  /** Of which one must fit; none: the base is all. */
  branches: readonly Shape[];
  told: readonly string[];
}

export function alternativesOf(shape: Shape, rules: Rules): Alternatives {
  const [group] = shape.groups;
  if (!group) return byType(shape, rules);
  const base: Shape = { ...shape, groups: [] };
  const branches = group.filter(({ never }) => !never);
  const { annotations, binding } = part(base);
  if (rules.besideAnyOf === undefined || isUnbound(binding)) {
    const split = byType(base, rules);
    // Types that need branches of their own bind less than the forms do.
    return split.branches.length > 0
      ? { base: annotations, branches, told: [] }
      : { ...split, branches };
  }
  if (base.properties.size > 0 && base.types?.join() === "object") {
    return byType(fold(shape), rules);
  }
  return {
    base: annotations,
    branches: branches.map((branch) => intersect(flatten(branch), binding)),
    told: [],
  };
}

/** Words, and all the rest. */
function part(shape: Shape): { annotations: Shape; binding: Shape } {
  const facts = [...shape.facts];
  const { told } = shape;
  return {
    annotations: {
      ...anything(),
      facts: new Map(facts.filter(([keyword]) => ANNOTATIONS.has(keyword))),
      told,
    },
    binding: {
      ...shape,
      facts: new Map(facts.filter(([keyword]) => !ANNOTATIONS.has(keyword))),
      told: [],
    },
  };
}

function byType(shape: Shape, rules: Rules): Alternatives {
  const told: string[] = [];
  const single = shape.values ? byValues(shape, rules, told) : byTypes(shape, rules);
  const [first, ...others] = single;
  if (others.length === 0) return { base: first!, branches: [], told };
  return { base: part(shape).annotations, branches: single.map((it) => part(it).binding), told };
}

/** One shape for each type, where the API takes no lists of them. */
function byTypes(shape: Shape, { typeLists }: Rules): Shape[] {
  const { types } = shape;
  if (!types || types.length === 1 || typeLists) return [shape];
  return types.map((type) => only(shape, type));
}

function byValues({ values = [], ...shape }: Shape, rules: Rules, told: string[]): Shape[] {
  const { enumTypes, emptyEnumText, bounds } = rules;
  const clean = values.map(literal);
  const known = clean.filter((it) => it !== undefined);
  const distinct = [...new Map(known.map(({ json, value }) => [json, value])).values()];
  if (known.length < clean.length || distinct.length > bounds.values) {
    told.push(tellValues(values));
    return byTypes(shape, rules);
  }
  if (!enumTypes) return [{ ...shape, values: distinct }];
  const sorts = Map.groupBy(distinct, typeOf);
  const [integers, numbers] = [sorts.get("integer"), sorts.get("number")];
  if (integers && numbers) {
    sorts.set("number", [...integers, ...numbers]);
    sorts.delete("integer");
  }
  return [...sorts].map(([type, values]) => {
    const typed = only(
      shape,
      shape.types?.includes("number") && type === "integer" ? "number" : type,
    );
    const whole = type === "null" || (type === "boolean" && values.length === 2);
    if (whole) return typed;
    const fits = enumTypes.has(type) && (emptyEnumText || !values.includes(""));
    if (!fits) told.push(tellValues(values));
    return fits ? { ...typed, values } : typed;
  });
}

/** What a shape says about values of one type. */
function only(shape: Shape, type: string): Shape {
  const about = type === "integer" ? "number" : type;
  const facts = [...shape.facts].filter(([keyword]) => (ABOUT.get(keyword) ?? about) === about);
  const bare: Shape = { ...shape, types: [type], facts: new Map(facts) };
  if (type !== "object") Object.assign(bare, { properties: new Map(), required: new Set() });
  if (type !== "object") delete bare.rest;
  if (type !== "array") bare.prefix = [];
  if (type !== "array") delete bare.items;
  return bare;
}
