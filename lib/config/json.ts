/** JSON as people write it: with comments and trailing commas, and with no key lost. @module */
import { duplicate, join, type Reading, type Tree } from "./tree.ts";

// Deeper than any configuration, and far from the end of the stack.
const DEEPEST = 100;

/**
 * Reads JSON that may hold `//` and block comments and trailing commas. Equal keys, which
 * `JSON.parse` forgives, are issues; a syntax error is one too, and ends the reading.
 */
export function parseJson(file: string, text: string): Reading {
  const issues: Reading["issues"] = [];
  let at = 0;
  // Lines are asked for from front to back, so each is counted once.
  let line = 1;
  let lineEnd = text.indexOf("\n");

  try {
    skip();
    if (at === text.length) return { issues };
    const tree = value("", 0);
    skip();
    if (at < text.length) throw broken(`Expected the end of the file, got ${here()}`);
    return { tree, issues };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    issues.push({
      file,
      path: "",
      line: error.line,
      message: error.message,
      ...(error.hint ? { hint: error.hint } : {}),
    });
    return { issues };
  }

  function value(path: string, depth: number): Tree {
    const line = lineAt(at);
    if (depth > DEEPEST) throw broken(`Cannot read what is nested over ${DEEPEST} levels deep`);
    const start = text[at];
    if (start === "{") return { kind: "map", entries: members(path, depth), line };
    if (start === "[") return { kind: "list", items: elements(path, depth), line };
    if (start === '"') return { kind: "string", text: string(), line };
    const word = match(/[-+.\w]+/y);
    if (word === "null") return { kind: "null", line };
    if (word === "true" || word === "false") {
      return { kind: "boolean", text: word, value: word === "true", line };
    }
    if (word && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(word)) {
      return { kind: "number", text: word, line };
    }
    at -= word?.length ?? 0;
    throw broken(`Expected a value, got ${here()}`, quotes());
  }

  function members(path: string, depth: number): Map<string, Tree> {
    const entries = new Map<string, Tree>();
    const lines = new Map<string, number>();
    sequence("{", "}", () => {
      const line = lineAt(at);
      if (text[at] !== '"') throw broken(`Expected a key in quotes, got ${here()}`, quotes());
      const key = string();
      const inner = join(path, key);
      skip();
      expect(":", `after the key ${JSON.stringify(key)}`);
      skip();
      if (lines.has(key)) issues.push(duplicate(file, inner, key, line, lines.get(key)));
      else lines.set(key, line);
      entries.set(key, { ...value(inner, depth + 1), line });
    });
    return entries;
  }

  function elements(path: string, depth: number): Tree[] {
    const items: Tree[] = [];
    sequence("[", "]", () => items.push(value(join(path, items.length), depth + 1)));
    return items;
  }

  function sequence(open: string, close: string, item: () => void): void {
    const opened = lineAt(at);
    at += open.length;
    while (true) {
      skip();
      if (text[at] === close) break;
      if (at === text.length) throw unclosed(open, opened);
      item();
      skip();
      if (text[at] === close) break;
      if (at === text.length) throw unclosed(open, opened);
      expect(",", `or "${close}"`);
    }
    at++;
  }

  function string(): string {
    const raw = match(/"[^"\\\n\r]*(?:\\.[^"\\\n\r]*)*"/y);
    if (raw === undefined) throw broken("The string that starts here never ends");
    try {
      return JSON.parse(raw.replaceAll("\t", "\\t"));
    } catch {
      at -= raw.length;
      throw broken(
        "Cannot read the string that starts here",
        raw.includes("\\") ? 'A backslash is written twice: "C:\\\\Users"' : undefined,
      );
    }
  }

  function skip(): void {
    while (true) {
      match(/[\s\uFEFF]+/y);
      if (text.startsWith("//", at)) {
        match(/[^\n]+/y);
      } else if (text.startsWith("/*", at)) {
        const end = text.indexOf("*/", at + 2);
        if (end < 0) throw broken("The comment that starts here never ends");
        at = end + 2;
      } else return;
    }
  }

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  }

  function expect(character: string, context: string): void {
    if (text[at] !== character) throw broken(`Expected "${character}" ${context}, got ${here()}`);
    at++;
  }

  function here(): string {
    if (at >= text.length) return "the end of the file";
    return cut(/^(?:[\w.$-]+|.)/su.exec(text.slice(at, at + 80))![0]);
  }

  function quotes(): string | undefined {
    return /[\p{L}_$'`]/u.test(text[at] ?? "")
      ? "JSON wants names and texts in double quotes"
      : undefined;
  }

  function unclosed(open: string, line: number): Broken {
    return new Broken(`The "${open}" that opens here is never closed`, line, undefined);
  }

  function broken(message: string, hint?: string): Broken {
    return new Broken(message, lineAt(at), hint);
  }

  function lineAt(offset: number): number {
    while (lineEnd >= 0 && lineEnd < offset) {
      line++;
      lineEnd = text.indexOf("\n", lineEnd + 1);
    }
    return line;
  }
}

class Broken extends Error {
  constructor(message: string, readonly line: number, readonly hint: string | undefined) {
    super(message);
  }
}

const cut = (text: string) => JSON.stringify(text.length > 40 ? text.slice(0, 40) + "…" : text);
