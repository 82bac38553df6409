/** What `@std/assert` promises, over `node:assert`: the assertions our tests are written in. @module */
import { deepStrictEqual } from "node:assert/strict";
import { inspect } from "node:util";

/** Thrown when an assertion does not hold. */
export class AssertionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "AssertionError";
  }
}

// deno-lint-ignore no-explicit-any
type ErrorClass<E extends Error> = abstract new (...args: any[]) => E;

const suffix = (msg: string | undefined) => msg ? `: ${msg}` : ".";

const show = (value: unknown) => inspect(value, { depth: 100, maxStringLength: null });

export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

export function assertFalse(expr: unknown, msg = ""): asserts expr is false | 0 | "" | null {
  if (expr) throw new AssertionError(msg);
}

/** Throws unless both are deeply equal; `-0` is 0, and an object without a prototype is an object. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  const difference = differ(actual, expected);
  if (difference) throw new AssertionError(`Values are not equal${suffix(msg)}\n${difference}`);
}

export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (differ(actual, expected)) return;
  throw new AssertionError(
    `Expected actual: ${show(actual)} not to be: ${show(expected)}${suffix(msg)}`,
  );
}

export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const difference = differ(actual, expected);
  throw new AssertionError(
    difference
      ? `Values are not strictly equal${suffix(msg)}\n${difference}`
      : `Values have the same structure but are not reference-equal${suffix(msg)}\n\n${
        show(actual)
      }\n`,
  );
}

export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!Object.is(actual, expected)) return;
  throw new AssertionError(
    `Expected "actual" to not be strictly equal to: ${show(expected)}${suffix(msg)}\n`,
  );
}

export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual !== undefined && actual !== null) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not be null or undefined${suffix(msg)}`,
  );
}

export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to match: "${expected}"${suffix(msg)}`,
  );
}

export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not match: "${expected}"${suffix(msg)}`,
  );
}

export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to contain: "${expected}"${suffix(msg)}`,
  );
}

export function assertArrayIncludes<T>(
  actual: ArrayLike<T> & object,
  expected: ArrayLike<T> & object,
  msg?: string,
): void {
  const has = Array.from(actual);
  const missing = Array.from(expected).filter((item) => !has.some((own) => !differ(own, item)));
  if (missing.length === 0) return;
  throw new AssertionError(
    `Expected actual: "${show(actual)}" to include: "${show(expected)}"${suffix(msg)}\nmissing: ${
      show(missing)
    }`,
  );
}

// deno-lint-ignore no-explicit-any
export function assertInstanceOf<T extends abstract new (...args: any[]) => any>(
  actual: unknown,
  expectedType: T,
  msg = "",
): asserts actual is InstanceType<T> {
  if (actual instanceof expectedType) return;
  const name = actual === null || typeof actual !== "object"
    ? String(actual === null ? null : typeof actual)
    : actual.constructor?.name ?? "Object";
  throw new AssertionError(
    `Expected object to be an instance of "${expectedType.name}" but was "${name}"${suffix(msg)}`,
  );
}

export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (actual > expected) return;
  throw new AssertionError(msg ?? `Expect ${show(actual)} > ${show(expected)}`);
}

export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (actual >= expected) return;
  throw new AssertionError(msg ?? `Expect ${show(actual)} >= ${show(expected)}`);
}

export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (actual < expected) return;
  throw new AssertionError(msg ?? `Expect ${show(actual)} < ${show(expected)}`);
}

export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (actual <= expected) return;
  throw new AssertionError(msg ?? `Expect ${show(actual)} <= ${show(expected)}`);
}

/** Throws unless `error` is an `ErrorClass` whose message includes, or matches, `msgMatches`. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: ErrorClass<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E {
  if (!(error instanceof Error)) {
    throw new AssertionError(`Expected "error" to be an Error object${suffix(msg)}`);
  }
  if (ErrorClass && !(error instanceof ErrorClass)) {
    throw new AssertionError(
      `Expected error to be instance of "${ErrorClass.name}", but was "${error.constructor?.name}"${
        suffix(msg)
      }`,
      { cause: error },
    );
  }
  if (!msgMatches) return;
  const matches = typeof msgMatches === "string"
    ? error.message.includes(msgMatches)
    : msgMatches.test(error.message);
  if (matches) return;
  throw new AssertionError(
    `Expected error message to include ${
      typeof msgMatches === "string" ? JSON.stringify(msgMatches) : msgMatches
    }, but got ${JSON.stringify(error.message)}${suffix(msg)}`,
    { cause: error },
  );
}

/** Returns what `fn` throws; throws when it does not throw, or not that. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClassOrMsg?: ErrorClass<E> | string,
  msgIncludes?: string,
  msg?: string,
): unknown {
  if (typeof errorClassOrMsg === "string") msg = errorClassOrMsg;
  try {
    fn();
  } catch (error) {
    if (typeof errorClassOrMsg === "function") {
      if (!(error instanceof Error)) {
        throw new AssertionError(`A non-Error object was thrown${suffix(msg)}`);
      }
      assertIsError(error, errorClassOrMsg, msgIncludes, msg);
    }
    return error;
  }
  throw new AssertionError(`Expected function to throw${suffix(msg)}`);
}

/** Resolves with what the promise of `fn` rejects with; a synchronous throw does not count. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClassOrMsg?: ErrorClass<E> | string,
  msgIncludes?: string,
  msg?: string,
): Promise<unknown> {
  if (typeof errorClassOrMsg === "string") msg = errorClassOrMsg;
  let promise: PromiseLike<unknown> | undefined;
  try {
    promise = fn();
  } catch {
    // Told apart below: what did not return a promise did not reject.
  }
  if (typeof promise?.then !== "function") {
    throw new AssertionError(`Function throws when expected to reject${suffix(msg)}`);
  }
  try {
    await promise;
  } catch (error) {
    if (typeof errorClassOrMsg === "function") {
      if (!(error instanceof Error)) {
        throw new AssertionError(`A non-Error object was rejected${suffix(msg)}`);
      }
      assertIsError(error, errorClassOrMsg, msgIncludes, msg);
    }
    return error;
  }
  throw new AssertionError(`Expected function to reject${suffix(msg)}`);
}

export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${suffix(msg)}`);
}

export function unreachable(msg?: string): never {
  throw new AssertionError(`Unreachable${suffix(msg)}`);
}

/** How two values differ, or undefined when they do not. */
function differ(actual: unknown, expected: unknown): string | undefined {
  try {
    deepStrictEqual(plain(actual), plain(expected));
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^Expected values to be strictly deep-equal:\n/, "");
  }
}

/** A copy without what `node:assert` tells apart and `@std/assert` does not. */
function plain(value: unknown, seen = new Map<object, object>()): unknown {
  if (typeof value === "number") return value === 0 ? 0 : value;
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known) return known;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) {
    const copy: unknown[] = new Array((value as unknown[]).length);
    seen.set(value, copy);
    for (const key of Object.keys(value)) {
      copy[key as unknown as number] = plain((value as unknown[])[key as unknown as number], seen);
    }
    return copy;
  }
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy: object = {};
  seen.set(value, copy);
  for (const key of [...Object.keys(value), ...Object.getOwnPropertySymbols(value)]) {
    Object.defineProperty(copy, key, {
      value: plain((value as Record<PropertyKey, unknown>)[key], seen),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return copy;
}
