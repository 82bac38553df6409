/** Tools and their results as servers send them: checked for shape, part by part. @module */
import { isDeeper, toJson } from "../kit/json.ts";
import { cut } from "../kit/printable.ts";
import { isObject } from "./codec.ts";
import type { Annotations, Content, Params, ToolInfo } from "./types.ts";

/** A tool that is not offered, and the one line that says why. */
export interface HeldBack {
  /** The raw name, or where it stood in the list when it has none. */
  tool: string;
  why: string;
  /** As well-formed as any, but not what it was when it was pinned: it waits for a person to look at it. */
  changed?: true;
}

/**
 * What came back from a tool. `isError` is the tool's own "no": a value for the model, never thrown.
 * `notes` are ours, not the server's: what was cut, what did not match its schema.
 */
export interface ToolResult {
  content: readonly Content[];
  /** Any JSON value; absent when the server sent none. */
  structuredContent?: unknown;
  isError: boolean;
  notes?: readonly string[];
  /** The typed failure, when this result stands for a call that got no answer. */
  failure?: Error;
}

/** A report of a tool at work. A stranger's text. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** One tool of a `tools/list` page: a {@linkcode ToolInfo}, or why this one alone is held back. */
export function readTool(raw: unknown, place: number): ToolInfo | HeldBack {
  const nameless = `#${place}`;
  if (!isObject(raw)) return { tool: nameless, why: "is no object" };
  const { name, title, description, inputSchema, outputSchema, annotations } = raw;
  if (typeof name !== "string") return { tool: nameless, why: "has no name" };
  if (name === "") return { tool: nameless, why: "has an empty name" };
  const why = inputSchemaProblem(inputSchema);
  if (why) return { tool: name, why };
  return {
    name,
    inputSchema: inputSchema as Params,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    ...(isObject(outputSchema) && { outputSchema }),
    ...(isObject(annotations) && { annotations: readAnnotations(annotations) }),
  };
}

/** Far beyond what any model API takes, and what a careless reader's stack holds. */
const MAX_DEPTH = 200;

/** Model APIs refuse the whole request for one such schema; so the tool is held back here. */
function inputSchemaProblem(schema: unknown): string | undefined {
  if (schema === undefined) return "has no inputSchema";
  if (!isObject(schema)) return `has an inputSchema that is no object: ${brief(schema)}`;
  if (schema.type !== "object") {
    return `has an inputSchema of type ${brief(schema.type)}, not "object"`;
  }
  if (schema.properties !== undefined && !isObject(schema.properties)) {
    return 'has an inputSchema whose "properties" is no object';
  }
  const required = schema.required;
  const named = Array.isArray(required) && required.every((item) => typeof item === "string");
  if (required !== undefined && !named) {
    return 'has an inputSchema whose "required" is no list of names';
  }
  if (isDeeper(schema, MAX_DEPTH)) {
    return `has an inputSchema that is nested more than ${MAX_DEPTH} levels deep`;
  }
}

function brief(value: unknown): string {
  return value === undefined ? "none" : cut(toJson(value), 100);
}

function readAnnotations(raw: Params): Annotations {
  const read: Annotations = {};
  if (typeof raw.title === "string") read.title = raw.title;
  for (
    const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const
  ) {
    const value = raw[hint];
    if (typeof value === "boolean") read[hint] = value;
  }
  return read;
}

/** A `tools/call` result of any era. Parts that are no objects with a `type` become a note. */
export function readToolResult(raw: Params): ToolResult {
  const parts = Array.isArray(raw.content) ? raw.content : [];
  const content = parts.filter((part): part is Content =>
    isObject(part) && typeof part.type === "string"
  );
  const notes: string[] = [];
  if (raw.content !== undefined && !Array.isArray(raw.content)) notes.push("content was no list");
  if (content.length < parts.length) {
    notes.push(`${parts.length - content.length} malformed content parts left out`);
  }
  return {
    content,
    isError: raw.isError === true,
    ...("structuredContent" in raw && { structuredContent: raw.structuredContent }),
    ...(notes.length > 0 && { notes }),
  };
}
