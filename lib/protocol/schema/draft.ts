/** The editions of JSON Schema we read, and which keywords each of them knows. @module */

/** An edition; the numbers sort by age. */
export type Draft = 4 | 6 | 7 | 2019 | 2020;

const NAMES = new Map<string, Draft>([
  ["json-schema.org/draft/2020-12/schema", 2020],
  ["json-schema.org/draft/2019-09/schema", 2019],
  ["json-schema.org/draft-07/schema", 7],
  ["json-schema.org/draft-06/schema", 6],
  ["json-schema.org/draft-04/schema", 4],
]);

const SINCE = new Map<string, Draft>([
  ["const", 6],
  ["contains", 6],
  ["propertyNames", 6],
  ["if", 7],
  ["then", 7],
  ["else", 7],
  ["$anchor", 2019],
  ["$recursiveRef", 2019],
  ["$recursiveAnchor", 2019],
  ["dependentRequired", 2019],
  ["dependentSchemas", 2019],
  ["maxContains", 2019],
  ["minContains", 2019],
  ["unevaluatedItems", 2019],
  ["unevaluatedProperties", 2019],
  ["$dynamicAnchor", 2020],
  ["$dynamicRef", 2020],
  ["prefixItems", 2020],
]);
const UNTIL = new Map<string, Draft>([
  ["additionalItems", 2019],
  ["$recursiveRef", 2019],
  ["$recursiveAnchor", 2019],
]);

/** The draft that a `$schema` of `uri` declares. */
export function draftNamed(uri: string): Draft | undefined {
  return NAMES.get(uri.replace(/^https?:\/\//, "").replace(/#$/, ""));
}

/** To a draft that does not know a keyword, it is an annotation. */
export function knows(draft: Draft, keyword: string): boolean {
  return draft >= (SINCE.get(keyword) ?? 4) && draft <= (UNTIL.get(keyword) ?? 2020);
}
