/** Whether a JSON value is what a stranger's JSON Schema says it is, in bounded time. @module */
import { type Draft, draftNamed } from "./schema/draft.ts";
import { Exhausted } from "./schema/meter.ts";
import { type Plan, planOf } from "./schema/plan.ts";
import { Run } from "./schema/run.ts";
import { SchemaFault } from "./schema/site.ts";
import { isObject, type Members, show } from "./schema/value.ts";

/** What came of a check. */
export type Verdict =
  | { kind: "valid" }
  /** At most five lines, each short: `items[2].due: expected a string, got a number`. */
  | { kind: "invalid"; problems: readonly string[] }
  /** Nobody knows. `why` goes on after a colon: `Cannot check the result of "x": <why>`. */
  | { kind: "unchecked"; why: string };

// Written by hand: no library lets us count its steps along the value, which is where a stranger's
// schema explodes, or hand all its patterns to another engine. JSON-Schema-Test-Suite is its judge.

const VALID: Verdict = { kind: "valid" };

/** Reading a schema costs more than a check, and a schema object is checked against many times. */
const plans = new WeakMap<object, Plan | string>();

/**
 * Checks `value` against `schema`, which is read by the draft it declares, else as 2020-12. `format`
 * and the other annotations are not checked, and nothing is ever fetched. Neither argument is changed.
 */
export function checkValue(schema: unknown, value: unknown): Verdict {
  const plan = read(schema);
  if (typeof plan === "string") return { kind: "unchecked", why: plan };
  const run = new Run(plan.tracks);
  try {
    return run.check(plan.root, value) ? VALID : { kind: "invalid", problems: run.problems };
  } catch (error) {
    if (error instanceof Exhausted) return { kind: "unchecked", why: error.message };
    throw error;
  }
}

/** Why nothing can be checked against `schema`; undefined when something can. */
export function schemaProblem(schema: unknown): string | undefined {
  const plan = read(schema);
  return typeof plan === "string" ? plan : undefined;
}

function read(schema: unknown): Plan | string {
  if (typeof schema === "boolean") return readAnew({ allOf: [schema] });
  if (!isObject(schema)) return `a schema is an object, not ${show(schema)}`;
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const plan = readAnew(schema);
  plans.set(schema, plan);
  return plan;
}

function readAnew(schema: Members): Plan | string {
  try {
    return planOf(schema, draftOf(schema));
  } catch (error) {
    if (error instanceof SchemaFault) return error.message;
    if (error instanceof Exhausted) return "the schema is too large";
    throw error;
  }
}

function draftOf(schema: Members): Draft {
  const declared = Object.hasOwn(schema, "$schema") ? schema["$schema"] : undefined;
  if (declared === undefined) return 2020;
  const draft = typeof declared === "string" ? draftNamed(declared) : undefined;
  if (draft === undefined) {
    throw new SchemaFault(`its $schema is ${show(declared)}, which is no dialect known here`);
  }
  return draft;
}
