/** What references lead to: names for it, and whether it leads back to itself. @module */
import { emptyTrail, type Trail } from "./names.ts";
import { anything, isBareRef, type Shape } from "./shape.ts";

export interface Definition {
  name: string;
  trail: Trail;
}

/** The definitions that a schema turns out to need, in the order met. */
export class Definitions implements Iterable<[Shape, Definition]> {
  readonly #all = new Map<Shape, Definition>();
  readonly #names = new Set<string>();

  of(target: Shape): Definition {
    const known = this.#all.get(target);
    if (known) return known;
    const safe = (target.name ?? "").replace(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 56) || "definition";
    let name = safe;
    for (let n = 2; this.#names.has(name); n++) name = `${safe}_${n}`;
    this.#names.add(name);
    const definition = { name, trail: emptyTrail() };
    this.#all.set(target, definition);
    return definition;
  }

  /** Includes those that are added on the way. */
  [Symbol.iterator](): Iterator<[Shape, Definition]> {
    return this.#all[Symbol.iterator]();
  }
}

/** The end of a chain of references; a chain without an end fits anything. */
export function targetOf(shape: Shape): Shape {
  const seen = new Set<Shape>();
  let here = shape;
  while (isBareRef(here) && here.facts.size === 0 && here.told.length === 0) {
    if (seen.has(here)) return anything();
    seen.add(here);
    here = here.ref;
  }
  return here;
}

/** The shapes that lie on a circle of references, or between two. */
export function circlesIn(shapes: Iterable<Shape>): ReadonlySet<Shape> {
  const all = new Set(shapes);
  const after = new Map([...all].map((shape) => [shape, [...partsOf(shape)]]));
  const before = new Map<Shape, Shape[]>([...all].map((shape) => [shape, []]));
  for (const [shape, parts] of after) for (const part of parts) before.get(part)?.push(shape);
  peel(all, after, before);
  peel(all, before, after);
  return all;
}

/** Takes away what leads to nothing that is left, again and again. */
function peel(
  left: Set<Shape>,
  ahead: ReadonlyMap<Shape, readonly Shape[]>,
  behind: ReadonlyMap<Shape, readonly Shape[]>,
): void {
  const counts = new Map(
    [...left].map((shape) => [shape, ahead.get(shape)!.filter((it) => left.has(it)).length]),
  );
  const ends = [...left].filter((shape) => counts.get(shape) === 0);
  for (let at = 0; at < ends.length; at++) {
    left.delete(ends[at]!);
    for (const shape of behind.get(ends[at]!)!) {
      if (!left.has(shape)) continue;
      counts.set(shape, counts.get(shape)! - 1);
      if (counts.get(shape) === 0) ends.push(shape);
    }
  }
}

function* partsOf(shape: Shape): Generator<Shape> {
  if (shape.ref) yield shape.ref;
  if (shape.rest) yield shape.rest;
  if (shape.items) yield shape.items;
  yield* shape.properties.values();
  yield* shape.prefix;
  yield* shape.all;
  yield* shape.maybe;
  for (const group of shape.groups) yield* group;
}
