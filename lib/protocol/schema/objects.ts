/** The keywords about objects. @module */
import { forObject, type Node, type Rule, type Run } from "./run.ts";
import type { Site } from "./site.ts";
import { type Members, show } from "./value.ts";

export function objectRules(site: Site): Rule[] {
  return [...nameRules(site), ...memberRules(site), ...dependentRules(site)];
}

function nameRules(site: Site): Rule[] {
  const rules: Rule[] = [];
  const required = site.names("required");
  if (required) rules.push(forObject((run, members) => hasAll(run, members, required)));
  const [least, most] = [site.count("minProperties"), site.count("maxProperties")];
  if (least !== undefined || most !== undefined) {
    rules.push(forObject((run, members) => {
      return run.within(run.keysOf(members).length, least, most, "properties");
    }));
  }
  const naming = site.child("propertyNames");
  if (naming) {
    rules.push(forObject((run, members) => {
      return run.keysOf(members).every((name) => {
        const complaint = run.complaint(naming, name);
        return complaint === undefined ||
          run.fail(() => `property name ${show(name)}: ${complaint}`);
      });
    }));
  }
  return rules;
}

/** Members belong to `properties` and `patternProperties` first, and then to `additionalProperties`. */
function memberRules(site: Site): Rule[] {
  const named = site.childMap("properties");
  const patterned = [...site.childMap("patternProperties")]
    .map(([source, node]) => ({ pattern: site.pattern(source), node }));
  const rest = site.child("additionalProperties");
  if (named.size === 0 && patterned.length === 0 && !rest) return [];
  const namedNodes = new Map([...named].map(([name, node]): [string, Node[]] => [name, [node]]));
  const restNodes = rest ? [rest] : [];
  const nodesFor = (run: Run, name: string): Node[] => {
    const own = namedNodes.get(name) ?? [];
    if (patterned.length === 0) return own.length > 0 ? own : restNodes;
    const nodes = [...own];
    for (const { pattern, node } of patterned) {
      run.spend(1 + ((name.length * pattern.size) >> 4));
      if (pattern.test(name)) nodes.push(node);
    }
    return nodes.length > 0 ? nodes : restNodes;
  };
  return [forObject((run, members, seen) => {
    return run.checkParts(members, run.keysOf(members), (name) => nodesFor(run, name), seen);
  })];
}

function dependentRules(site: Site): Rule[] {
  const rules: Rule[] = [];
  const rule = (name: string, keeps: Rule) => {
    rules.push(forObject((run, members, seen) => {
      run.spend(1);
      return !Object.hasOwn(members, name) || keeps(run, members, seen);
    }));
  };
  for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"]) {
    for (const [name, raw] of site.entries(keyword)) {
      if (keyword === "dependentRequired" || (keyword === "dependencies" && Array.isArray(raw))) {
        const others = site.names(keyword, raw) ?? [];
        rule(name, forObject((run, members) => hasAll(run, members, others, name)));
      } else {
        const node = site.part(keyword, name, raw);
        rule(name, (run, members, seen) => run.check(node, members, seen));
      }
    }
  }
  return rules;
}

function hasAll(run: Run, members: Members, names: readonly string[], cause?: string): boolean {
  run.spend(names.length);
  const because = cause === undefined ? "" : `, which ${show(cause)} calls for`;
  return names.filter((name) => !Object.hasOwn(members, name))
    .map((name) => run.fail(() => `missing property ${show(name)}${because}`))
    .length === 0;
}
