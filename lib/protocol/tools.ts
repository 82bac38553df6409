/** Tools and their results as servers send them: checked for shape, part by part. @module */
import { isDeeper, jsonLength } from "../kit/json.ts";
import { cut } from "../kit/printable.ts";
import { brief } from "./brief.ts";
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

/** UTF-16 units. The specification would have names end at 128, and a model is shown 64: some go on. */
export const NAME_MAX = 10_000;
export const TITLE_MAX = 500;
export const DESCRIPTION_MAX = 20_000;
/** Characters of one schema as JSON, and how deep it may be nested: more than any model API takes. */
export const SCHEMA_MAX = 262_144;
export const SCHEMA_DEPTH_MAX = 200;
/** UTF-16 units of a progress report's message. */
export const PROGRESS_MAX = 1_000;
export const PARTS_MAX = 1_000;

const NAME_SHOWN = 60;
const SCHEMA_KIB = `${SCHEMA_MAX / 1024} KiB`;

/**
 * One tool of a `tools/list` page: a {@linkcode ToolInfo}, or why this one alone is held back. `note`
 * is told in a line what was left out of one that is not.
 */
export function readTool(
  raw: unknown,
  place: number,
  note: (line: string) => void = () => {},
): ToolInfo | HeldBack {
  const nameless = `#${place}`;
  if (!isObject(raw)) return { tool: nameless, why: "is no object" };
  const { name, title, description, inputSchema, outputSchema, annotations } = raw;
  if (typeof name !== "string") return { tool: nameless, why: "has no name" };
  if (name === "") return { tool: nameless, why: "has an empty name" };
  if (name.length > NAME_MAX) {
    const why = `has a name of ${name.length} characters, over the limit of ${NAME_MAX}`;
    return { tool: `${cut(name, NAME_SHOWN)}…`, why };
  }
  const why = inputSchemaProblem(inputSchema);
  if (why) return { tool: name, why };
  const shortened = (text: string, max: number, what: string) => {
    if (text.length <= max) return text;
    note(`the ${what} of "${name}" is cut after ${max} of ${text.length} characters`);
    return cut(text, max);
  };
  const isLarge = jsonLength(outputSchema, SCHEMA_MAX) > SCHEMA_MAX;
  if (isLarge) {
    note(`the outputSchema of "${name}" is over ${SCHEMA_KIB}: its results are not checked`);
  }
  return {
    name,
    inputSchema: inputSchema as Params,
    ...(typeof title === "string" && { title: shortened(title, TITLE_MAX, "title") }),
    ...(typeof description === "string" && {
      description: shortened(description, DESCRIPTION_MAX, "description"),
    }),
    ...(isObject(outputSchema) && !isLarge && { outputSchema }),
    ...(isObject(annotations) && { annotations: readAnnotations(annotations) }),
  };
}

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
  if (isDeeper(schema, SCHEMA_DEPTH_MAX)) {
    return `has an inputSchema that is nested more than ${SCHEMA_DEPTH_MAX} levels deep`;
  }
  if (jsonLength(schema, SCHEMA_MAX) > SCHEMA_MAX) {
    return `has an inputSchema over the limit of ${SCHEMA_KIB}`;
  }
}

function readAnnotations(raw: Params): Annotations {
  const read: Annotations = {};
  if (typeof raw.title === "string") read.title = cut(raw.title, TITLE_MAX);
  for (
    const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const
  ) {
    const value = raw[hint];
    if (typeof value === "boolean") read[hint] = value;
  }
  return read;
}

/** What a server reports of a call under way; undefined for what is no report. */
export function readProgress(params: Params = {}): Progress | undefined {
  const { progress, total, message } = params;
  if (!isFinite(progress)) return undefined;
  return {
    progress,
    ...(isFinite(total) && { total }),
    ...(typeof message === "string" && { message: cut(message, PROGRESS_MAX) }),
  };
}

function isFinite(value: unknown): value is number {
  return Number.isFinite(value);
}

/** A `tools/call` result of any era. Parts that are no objects with a `type` become a note. */
export function readToolResult(raw: Params): ToolResult {
  const parts = Array.isArray(raw.content) ? raw.content : [];
  const taken = parts.length > PARTS_MAX ? parts.slice(0, PARTS_MAX) : parts;
  const content = taken.filter((part): part is Content =>
    isObject(part) && typeof part.type === "string"
  );
  const notes: string[] = [];
  if (raw.content !== undefined && !Array.isArray(raw.content)) notes.push("content was no list");
  if (content.length < taken.length) {
    notes.push(`${taken.length - content.length} malformed content parts left out`);
  }
  if (taken.length < parts.length) {
    notes.push(
      `${parts.length - taken.length} of ${parts.length} content parts left out, ` +
        `for a result may have ${PARTS_MAX}`,
    );
  }
  return {
    content,
    isError: raw.isError === true,
    ...("structuredContent" in raw && { structuredContent: raw.structuredContent }),
    ...(notes.length > 0 && { notes }),
  };
}
