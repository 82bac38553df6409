/** Names of many made-up tools. `tests/strangers/names_test.ts` has a million of them. */
import { namesHold } from "../support/names.ts";

Deno.test("publicName() of 100,000 hostile pairs is legal, distinct, and the same in any order", () =>
  namesHold(100_000));
