/** YAML text to a tree with lines, and every key that stands twice. @module */
import { parse } from "@std/yaml";
import type { Issue } from "../kit/usage.ts";
import { type Outline, outline, pathId } from "./outline.ts";
import { duplicate, pathOf, type Reading, type Tree } from "./tree.ts";

// An alias may repeat what holds aliases; together these keep a small file from becoming a huge tree.
const DEEPEST = 100;
const MOST_NODES = 100_000;

/** Reads one YAML document. Equal keys are issues, as is bad syntax, which ends the reading. */
export function parseYaml(file: string, text: string): Reading {
  const issues: Issue[] = [];
  const places = outline(text);
  if (places.tab !== undefined) {
    issues.push({
      file,
      path: "",
      line: places.tab,
      message: "Cannot read the YAML: this line is indented with a tab",
      hint: "Use spaces",
    });
    return { issues };
  }
  try {
    const value = parseTwice(file, text, places, issues);
    return { tree: plant(value, asWritten(text), places), issues };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    issues.push(syntaxIssue(file, text, error));
    return { issues };
  }
}

/** The value, and the issues of equal keys: the parser stops at the first, so a second one forgives. */
function parseTwice(file: string, text: string, places: Outline, issues: Issue[]): unknown {
  // The core schema has no dates and no merge keys: `2026-01-02` among arguments is a text.
  try {
    return parse(text, { schema: "core" });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    let value: unknown;
    try {
      value = parse(text, { schema: "core", allowDuplicateKeys: true });
    } catch {
      throw error;
    }
    for (const { path, first, again } of places.twice) {
      issues.push(duplicate(file, pathOf(path), path.at(-1)!, again, first));
    }
    if (places.twice.length === 0) {
      const { line } = positionOf(error);
      issues.push({
        file,
        path: "",
        ...(line === undefined ? {} : { line }),
        message: "A key stands twice in one mapping",
        hint: "Keep one of them, or give the other a name of its own",
      });
    }
    return value;
  }
}

/** The same text with every scalar as a string, or undefined where tags forbid that. */
function asWritten(text: string): unknown {
  try {
    return parse(text, { schema: "failsafe", allowDuplicateKeys: true });
  } catch {
    return undefined;
  }
}

function plant(value: unknown, written: unknown, places: Outline): Tree {
  let nodes = 0;
  return grow(value, written, [], undefined);

  function grow(
    value: unknown,
    written: unknown,
    path: readonly string[],
    above: number | undefined,
  ): Tree {
    if (++nodes > MOST_NODES || path.length > DEEPEST) {
      throw new SyntaxError("Cannot read what is nested or repeated without end");
    }
    const number = places.lines.get(pathId(path)) ?? above;
    const line = number === undefined ? {} : { line: number };
    const text = typeof written === "string" ? written : String(value);
    if (value === null || value === undefined) return { kind: "null", ...line };
    if (typeof value === "boolean") return { kind: "boolean", text, value, ...line };
    if (typeof value === "number" || typeof value === "bigint") {
      return { kind: "number", text, ...line };
    }
    if (Array.isArray(value)) {
      const items = value.map((item, i) =>
        grow(item, inside(written, i), [...path, String(i)], number)
      );
      return { kind: "list", items, ...line };
    }
    if (typeof value === "object") {
      const entries = Object.entries(value).map(([key, item]) =>
        [key, grow(item, inside(written, key), [...path, key], number)] as const
      );
      return { kind: "map", entries: new Map(entries), ...line };
    }
    return { kind: "string", text: String(value), ...line };
  }
}

function inside(written: unknown, key: string | number): unknown {
  if (typeof written !== "object" || written === null || !Object.hasOwn(written, key)) return;
  return (written as Record<string | number, unknown>)[key];
}

function syntaxIssue(file: string, text: string, error: SyntaxError): Issue {
  const { message, line } = positionOf(error);
  const source = line === undefined ? "" : text.split(/\r\n|\n|\r/)[line - 1] ?? "";
  const hint = /: *[@`%]/.test(source) || /: *[^"'\s][^"']*: /.test(source)
    ? "Put the value in quotes"
    : undefined;
  return {
    file,
    path: "",
    ...(line === undefined ? {} : { line }),
    message: `Cannot read the YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    ...(hint ? { hint } : {}),
  };
}

/** What `@std/yaml` says in a message: the sentence, then ` at line L, column C`, then a picture. */
function positionOf(error: SyntaxError): { message: string; line?: number } {
  const [, message, line] = /^([^]*?) at line (\d+), column \d+/.exec(error.message) ?? [];
  if (message === undefined) return { message: error.message.split("\n")[0]! };
  return { message, line: Number(line) };
}
