/** The assertions as @std/assert has them: cases that hold for the library and the adapter. @module */
import {
  assert,
  assertArrayIncludes,
  assertEquals,
  assertExists,
  assertFalse,
  assertGreater,
  assertInstanceOf,
  AssertionError,
  assertIsError,
  assertLess,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertNotStrictEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  fail,
  unreachable,
} from "@std/assert";

Deno.test("every assertion throws an AssertionError that says what it saw", () => {
  const table: [name: string, fn: () => void, says: string][] = [
    ["assert", () => assert(0, "zero"), "zero"],
    ["assertFalse", () => assertFalse(1, "one"), "one"],
    ["assertEquals", () => assertEquals({ a: 1 }, { a: 2 }), "Values are not equal."],
    ["assertEquals", () => assertEquals(1, 2, "CUSTOM"), "Values are not equal: CUSTOM"],
    ["assertNotEquals", () => assertNotEquals([1], [1]), "not to be"],
    ["assertStrictEquals", () => assertStrictEquals(1, 2), "Values are not strictly equal."],
    ["assertStrictEquals", () => assertStrictEquals([], []), "but are not reference-equal."],
    ["assertNotStrictEquals", () => assertNotStrictEquals(1, 1), "not be strictly equal"],
    ["assertExists", () => assertExists(null), 'Expected actual: "null" to not be null'],
    ["assertMatch", () => assertMatch("abc", /x/), 'Expected actual: "abc" to match: "/x/".'],
    ["assertNotMatch", () => assertNotMatch("abc", /b/), 'actual: "abc" to not match: "/b/".'],
    ["assertStringIncludes", () => assertStringIncludes("abc", "x"), '"abc" to contain: "x".'],
    ["assertArrayIncludes", () => assertArrayIncludes([1, 2], [3]), "missing: [\n  3,\n]"],
    ["assertInstanceOf", () => assertInstanceOf(new Map(), Set), 'instance of "Set" but was "Map"'],
    ["assertGreater", () => assertGreater(1, 2), "Expect 1 > 2"],
    ["assertLess", () => assertLess(2, 1), "Expect 2 < 1"],
    ["fail", () => fail("why"), "Failed assertion: why"],
    ["unreachable", () => unreachable(), "Unreachable."],
  ];
  for (const [name, fn, says] of table) {
    const error = assertThrows(fn, AssertionError);
    // Spaces differ between the two ways of showing a value.
    const message = error.message.replaceAll(/\s+/g, " ").replaceAll(/, ]/g, " ]");
    assert(
      message.includes(says.replaceAll(/\s+/g, " ").replaceAll(/, ]/g, " ]")),
      `${name}: ${message}`,
    );
  }
});

Deno.test("assertEquals() compares deeply, and what it calls equal assertNotEquals() refuses", () => {
  const bare = Object.create(null);
  bare.prop = "test";
  const cycle: Record<string, unknown> = { n: 1 };
  cycle.self = cycle;
  const again: Record<string, unknown> = { n: 1 };
  again.self = again;
  const equal: [unknown, unknown][] = [
    [{ a: 10, b: { c: "1" } }, { b: { c: "1" }, a: 10 }],
    [bare, { prop: "test" }],
    [[bare], [{ prop: "test" }]],
    [-0, 0],
    [NaN, NaN],
    [new Map([["a", [1]]]), new Map([["a", [1]]])],
    [new Set([1, 2]), new Set([2, 1])],
    [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
    [new Date(5), new Date(5)],
    [cycle, again],
    [/a/g, /a/g],
  ];
  for (const [a, b] of equal) {
    assertEquals(a, b);
    assertThrows(() => assertNotEquals(a, b), AssertionError);
  }
  const different: [unknown, unknown][] = [
    [1, "1"],
    [{ a: undefined }, {}],
    [[1, 2], [2, 1]],
    [{ 0: "a" }, ["a"]],
    [new Map([["a", 1]]), new Map([["a", 2]])],
    [new Uint8Array([1]), new Uint8Array([2])],
    [null, undefined],
  ];
  for (const [a, b] of different) {
    assertNotEquals(a, b);
    assertThrows(() => assertEquals(a, b), AssertionError);
  }
});

Deno.test("assertThrows() returns what was thrown, an error of the class asked for", () => {
  const error = assertThrows(() => parseInt2("x"), RangeError, "no number");
  assertStrictEquals(error.message, "no number: x");
  assertEquals(assertThrows(() => throwIt("Panic!")), "Panic!");
  assertEquals(assertThrows(() => throwIt(null)), null);
});

Deno.test("assertThrows() throws when nothing, or the wrong thing, is thrown", () => {
  assertThrows(() => assertThrows(() => {}), AssertionError, "Expected function to throw.");
  assertThrows(
    () => assertThrows(() => fail("foo"), TypeError),
    AssertionError,
    'Expected error to be instance of "TypeError", but was "AssertionError"',
  );
  assertThrows(
    () => assertThrows(() => fail("foo"), AssertionError, "bar"),
    AssertionError,
    'Expected error message to include "bar", but got "Failed assertion: foo"',
  );
  assertThrows(
    () => assertThrows(() => throwIt("Panic!"), Error),
    AssertionError,
    "A non-Error object was thrown.",
  );
});

Deno.test("assertRejects() resolves with what the promise rejects with", async () => {
  const error = await assertRejects(
    () => Promise.reject(new TypeError("no such thing")),
    TypeError,
    "such",
  );
  assertStrictEquals(error.message, "no such thing");
  assertEquals(await assertRejects(() => Promise.reject(undefined)), undefined);
});

Deno.test("assertRejects() rejects for a fulfilled promise, a synchronous throw, a wrong class", async () => {
  await assertRejects(
    () => assertRejects(() => Promise.resolve(1)),
    AssertionError,
    "Expected function to reject.",
  );
  await assertRejects(
    () =>
      assertRejects(() => {
        throw new Error("at once");
      }),
    AssertionError,
    "Function throws when expected to reject.",
  );
  await assertRejects(
    () => assertRejects(() => Promise.reject(new Error("x")), TypeError),
    AssertionError,
    'Expected error to be instance of "TypeError", but was "Error"',
  );
});

Deno.test("assertIsError() takes a text or a pattern", () => {
  assertIsError(new TypeError("abc"), TypeError, "b");
  assertIsError(new TypeError("abc"), Error, /^a.c$/);
  assertThrows(
    () => assertIsError("abc"),
    AssertionError,
    'Expected "error" to be an Error object.',
  );
});

function throwIt(value: unknown): never {
  throw value;
}

function parseInt2(text: string): number {
  throw new RangeError(`no number: ${text}`);
}
