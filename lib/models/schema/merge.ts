/** Two subschemas as one, and many as one: what fits all of them, what fits any of them. @module */
import { canonical, toJson } from "../../kit/json.ts";
import { cut } from "../../kit/printable.ts";
import { anything, type Shape } from "./shape.ts";

/** The larger of two lower limits and the smaller of two upper ones bind. */
const LOWER = new Set(["minimum", "exclusiveMinimum", "minLength", "minItems"]);
const UPPER = new Set(["maximum", "exclusiveMaximum", "maxLength", "maxItems"]);

/** More than any honest schema takes in; the rest binds nothing then. */
const MAX_PARTS = 1000;

/** The same without `ref`, `all` and `maybe`: what they say is taken in. */
export function flatten(shape: Shape, seen: Set<Shape> = new Set()): Shape {
  seen.add(shape);
  const { ref, ...flat }: Shape = { ...shape, all: [], maybe: [] };
  let whole: Shape = flat;
  const groups = shape.groups.map((group) => group.filter(({ never }) => !never));
  whole.groups = groups.filter(({ length }) => length > 1);
  const parts = [
    ...(ref ? [ref] : []),
    ...shape.all,
    ...groups.filter((it) => it.length === 1).flat(),
  ];
  for (const part of parts) {
    // What was taken in once binds already: so a circle ends, and so does a tree of doubles.
    if (!seen.has(part) && seen.size < MAX_PARTS) whole = intersect(whole, flatten(part, seen));
  }
  for (const part of shape.maybe) {
    if (!seen.has(part) && seen.size < MAX_PARTS && !whole.rest?.never) {
      whole = admit(whole, flatten(part, seen));
    }
  }
  return whole;
}

/** What fits both, as far as one shape can say it; where they contradict each other, `a` counts. */
export function intersect(a: Shape, b: Shape): Shape {
  const types = a.types && b.types ? commonTypes(a.types, b.types) : a.types ?? b.types;
  const values = a.values && b.values ? commonValues(a.values, b.values) : a.values ?? b.values;
  const properties = new Map(a.properties);
  for (const [name, shape] of b.properties) {
    const own = properties.get(name);
    properties.set(name, own ? both(own, shape) : shape);
  }
  const rest = both(a.rest, b.rest);
  const items = both(a.items, b.items);
  return {
    ...anything(),
    never: a.never || b.never,
    ...(types && { types }),
    ...(values && { values }),
    facts: commonFacts(a.facts, b.facts),
    properties,
    required: a.required.union(b.required),
    ...(rest && { rest }),
    patterned: a.patterned || b.patterned,
    prefix: a.prefix.length > 0 ? a.prefix : b.prefix,
    ...(items && { items }),
    groups: [...a.groups, ...b.groups],
    all: [...a.all, ...b.all],
    maybe: [...a.maybe, ...b.maybe],
    told: [...new Set([...a.told, ...b.told])],
  };
}

function both(a: Shape, b: Shape | undefined): Shape;
function both(a: Shape | undefined, b: Shape | undefined): Shape | undefined;
function both(a: Shape | undefined, b: Shape | undefined): Shape | undefined {
  if (!a || !b || a === b) return a ?? b;
  if (a.never || b.never) return a.never ? a : b;
  return { ...anything(), all: [a, b] };
}

function commonTypes(a: readonly string[], b: readonly string[]): readonly string[] {
  const common = a.flatMap((type) => {
    if (b.includes(type) || (type === "integer" && b.includes("number"))) return [type];
    return type === "number" && b.includes("integer") ? ["integer"] : [];
  });
  return common.length > 0 ? [...new Set(common)] : a;
}

function commonValues(a: readonly unknown[], b: readonly unknown[]): readonly unknown[] {
  const known = new Set(b.map(canonical));
  const common = a.filter((value) => known.has(canonical(value)));
  return common.length > 0 ? common : a;
}

function commonFacts(a: Shape["facts"], b: Shape["facts"]): Shape["facts"] {
  const facts = new Map([...b, ...a]);
  for (const [keyword, value] of b) {
    const own = a.get(keyword);
    if (typeof own !== "number" || typeof value !== "number") continue;
    if (LOWER.has(keyword)) facts.set(keyword, Math.max(own, value));
    if (UPPER.has(keyword)) facts.set(keyword, Math.min(own, value));
  }
  return facts;
}

/** The properties that `other` knows become known, and none of them required. */
function admit(shape: Shape, other: Shape): Shape {
  if (other.properties.size === 0) return shape;
  return { ...shape, properties: new Map([...other.properties, ...shape.properties]) };
}

/**
 * The object with no groups left: properties of all forms side by side, required what every form
 * requires, and what that lost in words.
 */
export function fold(shape: Shape, folding: Set<Shape> = new Set()): Shape {
  const { groups, ...rest } = flatten(shape);
  let folded: Shape = { ...rest, groups: [] };
  for (const group of groups) {
    const forms = group.map((form) => {
      // Forms that hold each other can double with every level: each is folded once.
      if (folding.has(form) || folding.size >= MAX_PARTS) return anything();
      folding.add(form);
      return fold(form, folding);
    });
    const objects = forms.filter(({ never, types }) =>
      !never && (types?.includes("object") ?? true)
    );
    if (objects.length > 1) folded = foldForms(folded, objects);
    else if (objects[0]) folded = intersect(folded, objects[0]);
  }
  return folded;
}

function foldForms(base: Shape, forms: readonly Shape[]): Shape {
  const found = new Map<string, Shape[]>();
  for (const { properties } of forms) {
    for (const [name, shape] of properties) found.set(name, [...(found.get(name) ?? []), shape]);
  }
  const properties = new Map(base.properties);
  for (const [name, shapes] of found) {
    const own = properties.get(name);
    if (!own) properties.set(name, anyOf(shapes));
    // A form that says nothing of a property leaves it to the base.
    else if (shapes.length === forms.length) properties.set(name, both(own, anyOf(shapes)));
  }
  const [first, ...others] = forms.map(({ required }) => required);
  const common = others.reduce((names, more) => names.intersection(more), first!);
  const closed = !base.rest && forms.every(({ rest }) => rest?.never === true);
  return {
    ...base,
    properties,
    required: base.required.union(common),
    ...(closed && { rest: { ...anything(), never: true } }),
    patterned: base.patterned || forms.some(({ patterned }) => patterned),
    told: [...base.told, ...labels(forms, base.required.union(common))],
  };
}

/** A property that is this in one form and that in another. */
function anyOf(shapes: readonly Shape[]): Shape {
  const [first, ...others] = [...new Set(shapes)];
  if (others.length === 0) return first!;
  const flat = [first!, ...others].map((shape) => flatten(shape));
  if (flat.every(({ values, groups }) => values && groups.length === 0)) {
    const values = flat.flatMap(({ values }) => values!);
    const types = flat.every(({ types }) => types)
      ? flat.flatMap(({ types }) => types!)
      : undefined;
    const { types: _, ...words } = flat[0]!;
    return { ...words, values, ...(types && { types: [...new Set(types)] }) };
  }
  return { ...anything(), groups: [[first!, ...others]] };
}

const MAX_FORMS = 12;

/** What sets the forms apart: `give (kind "a", path) or (kind "b")`. */
function labels(forms: readonly Shape[], common: ReadonlySet<string>): string[] {
  const texts = forms.map(({ properties, required }) => {
    const fixed = [...properties.keys()].filter((it) => properties.get(it)!.values?.length === 1);
    const names = [...required.union(new Set(fixed))].flatMap((name) => {
      const values = properties.get(name)?.values;
      if (values?.length === 1) return [`${name} ${cut(toJson(values[0]), 40)}`];
      return common.has(name) ? [] : [name];
    });
    return cut(names.join(", "), 100);
  });
  const distinct = [...new Set(texts)];
  // A form that asks for nothing makes the others a mere possibility.
  if (distinct.length < 2 || distinct.includes("")) return [];
  const shown = distinct.slice(0, MAX_FORMS).map((text) => `(${text})`);
  return [`give ${shown.join(" or ")}${distinct.length > MAX_FORMS ? " or …" : ""}`];
}
