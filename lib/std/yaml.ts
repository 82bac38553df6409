/** What `@std/yaml` promises, over `npm:yaml`: `parse` and `stringify` for one document. @module */
import {
  type Document,
  LineCounter,
  parseAllDocuments,
  stringify as write,
  type Tags,
  visit,
  type YAMLError,
} from "yaml";

export type SchemaType = "failsafe" | "json" | "core" | "default" | "extended";

/** Where in the text: `line` and `column` start at 1, `offset` at 0. */
export interface YamlPosition {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** Bad YAML. Its message ends in ` at line L, column C`, and a picture of the place may follow. */
export class YamlSyntaxError extends SyntaxError {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly snippet?: string;
  constructor(message: string, position: YamlPosition, snippet?: string) {
    const where = `${message} at line ${position.line}, column ${position.column}`;
    super(snippet ? `${where}:\n${snippet}` : where);
    this.name = "YamlSyntaxError";
    this.line = position.line;
    this.column = position.column;
    this.offset = position.offset;
    if (snippet !== undefined) this.snippet = snippet;
  }
}

export interface ParseOptions {
  /** Default: `default`, which is `core` with dates, binary data, sets and merge keys. */
  schema?: SchemaType;
  /** When true the last of several equal keys wins; otherwise they throw. */
  allowDuplicateKeys?: boolean;
  onWarning?(error: YamlSyntaxError): void;
}

const MORE_TAGS: Tags = ["binary", "omap", "pairs", "set", "timestamp", "merge"];

function settings(schema: SchemaType = "default") {
  if (schema === "failsafe") return { schema: "failsafe" };
  // @std's own `json` schema reads what `core` reads.
  if (schema === "json" || schema === "core") return { schema: "core", resolveKnownTags: false };
  return { schema: "core", customTags: MORE_TAGS };
}

/** @throws SyntaxError for bad YAML, equal keys in one mapping, and more than one document. */
export function parse(content: string, options: ParseOptions = {}): unknown {
  const text = content.startsWith("\uFEFF") ? content.slice(1) : content;
  const lines = new LineCounter();
  const documents = [...parseAllDocuments(text, {
    ...settings(options.schema),
    uniqueKeys: !options.allowDuplicateKeys,
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
  })] as Document[];
  const told = (error: YAMLError) => {
    const { line, col } = lines.linePos(error.pos[0]);
    return new YamlSyntaxError(error.message, { line, column: col, offset: error.pos[0] });
  };
  const [document, second] = documents;
  if (!document) return null;
  if (document.errors[0]) throw told(document.errors[0]);
  if (second) {
    const offset = second.range?.[0] ?? 0;
    const { line, col } = lines.linePos(offset);
    throw new YamlSyntaxError(
      "Found more than 1 document in the stream: expected a single document",
      { line, column: col, offset },
    );
  }
  for (const warning of document.warnings) options.onWarning?.(told(warning));
  try {
    return document.toJS() ?? null;
  } catch (error) {
    // An alias to nowhere, or so many of them that they would fill the memory.
    if (!(error instanceof ReferenceError)) throw error;
    const offset = badAlias(document);
    const { line, col } = lines.linePos(offset);
    throw new YamlSyntaxError(error.message, { line, column: col, offset });
  }
}

function badAlias(document: Document): number {
  let offset = 0;
  visit(document, {
    Alias(_key, alias) {
      offset = alias.range?.[0] ?? 0;
      return alias.resolve(document) ? undefined : visit.BREAK;
    },
  });
  return offset;
}

export type StringifyOptions = {
  /** Default: 2. */
  indent?: number;
  /** Whether lists stand further in than their key; default: true. */
  arrayIndent?: boolean;
  /** Leaves out functions and the like instead of throwing. */
  skipInvalid?: boolean;
  schema?: SchemaType;
  sortKeys?: boolean | ((a: string, b: string) => number);
  /** Default: 80. */
  lineWidth?: number;
  /** Whether one object met twice becomes an anchor and an alias; default: true. */
  useAnchors?: boolean;
};

/** @throws TypeError for what YAML cannot hold. */
export function stringify(data: unknown, options: StringifyOptions = {}): string {
  const { sortKeys = false } = options;
  const compare = typeof sortKeys === "function" ? sortKeys : undefined;
  const refuse = (_key: unknown, value: unknown) => {
    if (options.skipInvalid) return value;
    if (value !== undefined && typeof value !== "function" && typeof value !== "symbol") {
      return value;
    }
    throw new TypeError(`Cannot stringify ${typeof value}`);
  };
  return write(refuse("", data), refuse, {
    ...settings(options.schema),
    indent: options.indent ?? 2,
    indentSeq: options.arrayIndent ?? true,
    lineWidth: options.lineWidth ?? 80,
    aliasDuplicateObjects: options.useAnchors ?? true,
    sortMapEntries: compare ? (a, b) => compare(String(a.key), String(b.key)) : sortKeys as boolean,
    // Words that YAML 1.1 reads as true or false are quoted, as @std does.
    compat: "yaml-1.1",
    singleQuote: true,
  }) ?? "";
}
