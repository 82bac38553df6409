/** The long form of tests/registry/names_property_test.ts: it takes a quarter of a minute. */
import { namesHold } from "../support/names.ts";

Deno.test("publicName() of a million hostile pairs is legal, distinct, and the same in any order", () =>
  namesHold(1_000_000));
