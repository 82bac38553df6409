/** The keywords of JSON Schema, as rules a value keeps or breaks. @module */
import { arrayRules } from "./arrays.ts";
import { objectRules } from "./objects.ts";
import { forArray, forObject, type Node, type Rule, type Run, type Seen } from "./run.ts";
import { scalarRules } from "./scalars.ts";
import type { Site } from "./site.ts";

/** All rules of a subschema but its references. */
export function rulesOf(site: Site): Node {
  const rules = [
    ...scalarRules(site),
    ...arrayRules(site),
    ...objectRules(site),
    ...combinedRules(site),
  ];
  return { rules, late: lateRules(site) };
}

function combinedRules(site: Site): Rule[] {
  const rules: Rule[] = [];
  for (const node of site.children("allOf") ?? []) {
    rules.push((run, value, seen) => run.check(node, value, seen));
  }
  const [any, one] = [site.children("anyOf"), site.children("oneOf")];
  if (any?.length === 0) site.fault("anyOf", "a list of schemas");
  if (one?.length === 0) site.fault("oneOf", "a list of schemas");
  if (any) {
    rules.push((run, value, seen) => {
      const { fitting, why } = tryAll(run, any, value, seen, seen ? Infinity : 1);
      return fitting > 0 || run.fail(() => `fits no allowed form: ${why}`);
    });
  }
  if (one) {
    rules.push((run, value, seen) => {
      const { fitting, why } = tryAll(run, one, value, seen, 2);
      if (fitting === 1) return true;
      if (fitting === 0) return run.fail(() => `fits no allowed form: ${why}`);
      return run.fail(() => "fits several forms where only one may fit");
    });
  }
  const not = site.child("not");
  if (not) {
    rules.push((run, value) => {
      return !run.fits(not, value) || run.fail(() => "has a form that is not allowed");
    });
  }
  const [condition, then, otherwise] = [site.child("if"), site.child("then"), site.child("else")];
  if (condition) {
    rules.push((run, value, seen) => {
      const branch = run.fits(condition, value, seen) ? then : otherwise;
      return !branch || run.check(branch, value, seen);
    });
  }
  return rules;
}

/** How many of `nodes` the value fits, counting to `enough`, and what the others said. */
function tryAll(run: Run, nodes: Node[], value: unknown, seen: Seen | undefined, enough: number) {
  const complaints = new Set<string>();
  let fitting = 0;
  for (const node of nodes) {
    const complaint = run.complaint(node, value, seen);
    if (complaint === undefined) fitting++;
    else if (complaints.size < 4) complaints.add(complaint);
    if (fitting >= enough) break;
  }
  return { fitting, why: [...complaints].join("; or ") };
}

/** The rules for what is left when all the others are done. */
function lateRules(site: Site): Rule[] {
  const rules: Rule[] = [];
  const items = site.child("unevaluatedItems");
  if (items) {
    rules.push(forArray((run, all, seen) => {
      return run.checkParts(all, all.keys(), (i) => seen?.has(i) ? [] : [items], seen);
    }));
  }
  const members = site.child("unevaluatedProperties");
  if (members) {
    rules.push(forObject((run, all, seen) => {
      return run.checkParts(all, run.keysOf(all), (name) => seen?.has(name) ? [] : [members], seen);
    }));
  }
  return rules;
}
