import assert from "node:assert/strict";
import { canonical } from "../../../lib/kit/json.ts";
import { fitSchema } from "../../../lib/models/schema.ts";
import { wireNames } from "../../../lib/models/schema/names.ts";
import { readDocument } from "../../../lib/models/schema/read.ts";
import { RULES } from "../../../lib/models/schema/rules.ts";
import { checkValue } from "../../../lib/protocol/schema.ts";
import { obeys } from "./obeys.ts";
import { numbers, saneSchema, wildSchema } from "./random.ts";

const ALL = Object.values(RULES);

Deno.test("fitSchema() of thousands of wild schemas keeps to the rules, in the same bytes each time", () => {
  const next = numbers(20261130);
  let fitted = 0;
  let heldBack = 0;
  for (let round = 0; round < 1000; round++) {
    const schema = wildSchema(next);
    const text = JSON.stringify(schema);
    for (const [at, rules] of ALL.entries()) {
      const result = fitSchema(schema, rules);
      const again = round % 4 === at ? fitSchema(JSON.parse(text), rules) : result;
      if ("heldBack" in result) {
        heldBack++;
        assert("heldBack" in again && again.heldBack === result.heldBack);
        assert.match(result.heldBack, /^(?:has|is|refers|takes) /);
        continue;
      }
      fitted++;
      assert("schema" in again);
      assert.equal(JSON.stringify(result.schema), JSON.stringify(again.schema));
      const faults = obeys(result.schema, rules);
      if (faults.length > 0) {
        assert.fail(`round ${round}, ${rules.propertyName}: ${faults}\n${text}`);
      }
    }
    assert.equal(JSON.stringify(schema), text, "the schema is left as it was");
  }
  assert(fitted > 1500 && heldBack > 500, `${fitted} fitted, ${heldBack} held back`);
});

Deno.test("fitSchema() lets through what the raw schema lets through, and restore() finds the way back", () => {
  const next = numbers(7);
  let renamed = 0;
  for (let round = 0; round < 1000; round++) {
    const { schema, value } = saneSchema(next);
    assert.deepEqual(checkValue(schema, value), { kind: "valid" }, "the pair fits");
    const { names } = readDocument(schema);
    for (const rules of ALL) {
      const result = fitSchema(schema, rules);
      assert("schema" in result, JSON.stringify(result));
      assert.deepEqual(obeys(result.schema, rules), []);
      const wire = rename(value, wireNames(names, rules.propertyName)) as Record<string, unknown>;
      const verdict = checkValue(result.schema, wire);
      if (verdict.kind !== "valid") {
        const show = [schema, result.schema, wire, verdict].map((it) => JSON.stringify(it));
        assert.fail(`round ${round}: ${show.join("\n")}`);
      }
      if (canonical(wire) !== canonical(value)) renamed++;
      assert.equal(canonical(result.restore(wire)), canonical(value));
    }
  }
  assert(renamed > 500, `${renamed} renamed`);
});

/** As a model writes the arguments, having seen the names on the wire. */
function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map((
    [name, it],
  ) => [names.get(name) ?? name, rename(it, names)]);
  return Object.fromEntries(entries);
}
