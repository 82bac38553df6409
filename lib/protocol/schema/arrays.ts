/** The keywords about arrays. @module */
import { forArray, type Node, type Rule } from "./run.ts";
import type { Site } from "./site.ts";
import { identityOf } from "./value.ts";

export function arrayRules(site: Site): Rule[] {
  return [...sizeRules(site), ...itemRules(site), ...containsRules(site)];
}

function sizeRules(site: Site): Rule[] {
  const rules: Rule[] = [];
  const [least, most] = [site.count("minItems"), site.count("maxItems")];
  if (least !== undefined || most !== undefined) {
    rules.push(forArray((run, items) => run.within(items.length, least, most, "items")));
  }
  if (site.flag("uniqueItems")) {
    rules.push(forArray((run, items) => {
      const places = new Map<string, number>();
      for (const [i, item] of items.entries()) {
        const identity = identityOf(item, run);
        const twin = places.get(identity);
        if (twin !== undefined) return run.fail(() => `items ${twin} and ${i} are the same`);
        places.set(identity, i);
      }
      return true;
    }));
  }
  return rules;
}

function itemRules(site: Site): Rule[] {
  const listed = Array.isArray(site.get("items"));
  if (listed && site.draft === 2020) {
    site.fault("items", "a schema, as a list stands under prefixItems in draft 2020-12");
  }
  const first = site.children(listed ? "items" : "prefixItems") ?? [];
  const rest = site.child(listed ? "additionalItems" : "items");
  if (first.length === 0 && !rest) return [];
  const firstNodes = first.map((node): Node[] => [node]);
  const restNodes = rest ? [rest] : [];
  return [forArray((run, items, seen) => {
    return run.checkParts(items, items.keys(), (i) => firstNodes[i] ?? restNodes, seen);
  })];
}

function containsRules(site: Site): Rule[] {
  const wanted = site.child("contains");
  if (!wanted) return [];
  const [least, most] = [site.count("minContains") ?? 1, site.count("maxContains")];
  // Before 2020-12, an item that was found was not thereby evaluated.
  const evaluates = site.draft === 2020;
  return [forArray((run, items, seen) => {
    let found = 0;
    for (const [i, item] of items.entries()) {
      if (!run.fits(wanted, item)) continue;
      found++;
      if (evaluates) seen?.add(i);
    }
    return run.within(found, least, most, "matching items");
  })];
}
