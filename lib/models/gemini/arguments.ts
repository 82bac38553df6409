/** Arguments that Gemini streams value by value, each with the path where it belongs. @module */
import { isObject } from "../../protocol/codec.ts";

type Step = string | number;

interface Value {
  path: readonly Step[];
  value: unknown;
  /** Of a text: its pieces, joined once. */
  pieces?: string[];
  isOpen: boolean;
}

/** Deeper than any tool asks, and no deeper than is safe to build. */
const DEEPEST = 64;

export class PartialArguments {
  readonly #start: unknown;
  readonly #values: Value[] = [];
  readonly #open = new Map<string, Value>();
  #isBroken = false;

  /** @param start arguments that came whole with the name */
  constructor(start?: unknown) {
    this.#start = start;
  }

  /** One of `partialArgs`: `{ jsonPath, stringValue | numberValue | boolValue | nullValue, willContinue }`. */
  take(piece: unknown): void {
    if (!isObject(piece) || typeof piece.jsonPath !== "string") return;
    const { jsonPath, stringValue, willContinue } = piece;
    const open = this.#open.get(jsonPath);
    if (open?.isOpen && typeof stringValue === "string") {
      open.pieces!.push(stringValue);
      open.isOpen = willContinue === true;
      return;
    }
    const path = stepsOf(jsonPath);
    if (!path || path.length > DEEPEST) {
      this.#isBroken = true;
      return;
    }
    const value: Value = typeof stringValue === "string"
      ? { path, value: undefined, pieces: [stringValue], isOpen: willContinue === true }
      : { path, value: piece.numberValue ?? piece.boolValue ?? null, isOpen: false };
    this.#values.push(value);
    this.#open.set(jsonPath, value);
  }

  /** The arguments; no object where a path made no sense, so that the call is answered and not run. */
  whole(): unknown {
    let root: unknown = isObject(this.#start) ? structuredClone(this.#start) : {};
    for (const { path, value, pieces } of this.#values) {
      const placed = place(root, path, pieces ? pieces.join("") : value);
      if (placed === NOWHERE) return this.#said();
      root = placed;
    }
    return this.#isBroken || !isObject(root) ? this.#said() : root;
  }

  #said(): unknown {
    return this.#values.map(({ path, value, pieces }) => [path, pieces ? pieces.join("") : value]);
  }
}

const NOWHERE = Symbol("nowhere");

/** `$.a.b[0]['c d']` as its steps; undefined for what is no such path. */
function stepsOf(path: string): Step[] | undefined {
  const steps: Step[] = [];
  const step = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/y;
  if (!path.startsWith("$")) return undefined;
  step.lastIndex = 1;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (!found) return undefined;
    const [, name, index, single, double] = found;
    steps.push(index !== undefined ? Number(index) : name ?? unescaped(single ?? double ?? ""));
  }
  return steps;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, "$1");
}

/** The value with `leaf` put in place. A list grows by one at a time: an index is no reason for a million holes. */
function place(into: unknown, [step, ...rest]: readonly Step[], leaf: unknown): unknown {
  if (step === undefined) return leaf;
  if (typeof step === "number") {
    const list = into === undefined ? [] : into;
    if (!Array.isArray(list) || step > list.length) return NOWHERE;
    const placed = place(list[step], rest, leaf);
    if (placed === NOWHERE) return NOWHERE;
    list[step] = placed;
    return list;
  }
  const object = into === undefined ? {} : into;
  if (!isObject(object)) return NOWHERE;
  const own = Object.hasOwn(object, step) ? object[step] : undefined;
  const placed = place(own, rest, leaf);
  if (placed === NOWHERE) return NOWHERE;
  // Defined rather than assigned: `__proto__` is a name like any other.
  Object.defineProperty(object, step, {
    value: placed,
    writable: true,
    enumerable: true,
    configurable: true,
  });
  return object;
}
