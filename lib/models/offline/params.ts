/** What a tool's parameters are for, by schemas that are strangers' text and may have any shape. @module */
import { words } from "../../kit/rank.ts";

export type Kind = "string" | "number" | "integer" | "boolean" | "array" | "object" | "any";

/** What a parameter is for, as far as its name, format and description tell. */
export type Role =
  | "query"
  | "title"
  | "body"
  | "date"
  | "id"
  | "path"
  | "url"
  | "email"
  | "limit"
  | "place"
  | "person"
  | "other";

export interface Param {
  name: string;
  words: readonly string[];
  kind: Kind;
  role: Role;
  required: boolean;
  description: string;
  values: readonly unknown[];
  schema: Record<string, unknown>;
}

/** The parameters of any schema whatsoever, the required ones first. Top-level alternatives are merged. */
export function readParams(schema: unknown): Param[] {
  const parts = [
    schema,
    ...["allOf", "anyOf", "oneOf"].flatMap((key) => list(record(schema)[key])),
  ];
  const found = new Map<string, Param>();
  const must = new Set(
    list(record(schema).required).concat(
      list(record(schema).allOf).flatMap((part) => list(record(part).required)),
    ),
  );
  for (const part of parts) {
    for (const [name, property] of Object.entries(record(record(part).properties)).slice(0, 200)) {
      if (found.has(name)) continue;
      found.set(name, readParam(name, property, must.has(name)));
    }
  }
  // Required, but described nowhere: still to be given.
  for (const name of must) {
    if (typeof name === "string" && !found.has(name)) found.set(name, readParam(name, {}, true));
  }
  const all = [...found.values()];
  return [...all.filter(({ required }) => required), ...all.filter(({ required }) => !required)];
}

function readParam(name: string, property: unknown, required: boolean): Param {
  const own = record(property);
  // `anyOf: [{…}, {type: "null"}]` is how an optional value is written by generators.
  const options = [...list(own.anyOf), ...list(own.oneOf)].map(record);
  const option = options.find(({ type, enum: values }) => (type && type !== "null") || values) ??
    {};
  const schema: Record<string, unknown> = { ...option, ...own };
  const values = Array.isArray(schema.enum)
    ? schema.enum
    : "const" in schema
    ? [schema.const]
    : options.every((each) => "const" in each)
    ? options.map((each) => each.const)
    : [];
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const type = types.find((each) => typeof each === "string" && each !== "null");
  const kind = KINDS.has(type) ? type as Kind : values.length > 0 ? kindOf(values[0]) : "any";
  const description = typeof schema.description === "string"
    ? schema.description.slice(0, 500)
    : "";
  const parts = nameParts(name);
  return {
    name,
    words: parts,
    kind,
    role: roleOf(parts, kind, schema, description),
    required,
    description,
    // A person names no lists and objects.
    values: values.filter((value) => SCALARS.has(typeof value)).slice(0, 200),
    schema,
  };
}

const KINDS = new Set<unknown>(["string", "number", "integer", "boolean", "array", "object"]);

const SCALARS = new Set(["string", "number", "boolean"]);

function kindOf(value: unknown): Kind {
  return KINDS.has(typeof value) ? typeof value as Kind : "any";
}

const ROLES: readonly [Role, RegExp][] = [
  ["email", /^(?:email|e mail|mail|recipient|cc|bcc)$/],
  ["url", /^(?:url|uri|link|href|website|webpage|endpoint)$/],
  ["path", /^(?:path|file|filename|filepath|directory|dir|folder|source|destination|src|dest)$/],
  ["date", /^(?:date|due|deadline|day|when|since|until|before|after|start|end|time|at)$/],
  ["limit", /^(?:limit|max|count|top|size|number|n|k|head|tail|depth|offset|page)$/],
  [
    "query",
    /^(?:query|q|search|keyword|term|pattern|question|phrase|needle|filter|topic|prompt|regex)$/,
  ],
  ["id", /^(?:id|key|uuid|ref|identifier|slug|sha|number|hash)$/],
  ["place", /^(?:city|location|place|country|region|town|room|address|timezone|zone)$/],
  ["person", /^(?:assignee|user|owner|author|username|person|member|reviewer)$/],
  ["title", /^(?:title|name|subject|summary|heading|label|headline)$/],
  [
    "body",
    /^(?:body|content|text|description|message|note|detail|comment|data|value|input|markdown|html|code)$/,
  ],
];

function roleOf(
  parts: readonly string[],
  kind: Kind,
  schema: Record<string, unknown>,
  description: string,
): Role {
  const { format } = schema;
  if (format === "date" || format === "date-time") return "date";
  if (format === "email") return "email";
  if (format === "uri" || format === "url") return "url";
  if (kind === "boolean" || kind === "object") return "other";
  if (kind === "number" || kind === "integer") {
    return parts.some((word) => /^(?:limit|max|count|top|size|head|tail)$/.test(word))
      ? "limit"
      : parts.some((word) => /^(?:id|number|key)$/.test(word))
      ? "id"
      : "other";
  }
  // The last word says what it is: `file_name` is a name of a file, `user_id` an id.
  for (const word of parts.toReversed()) {
    for (const [role, pattern] of ROLES) {
      if (role !== "limit" && pattern.test(word)) {
        if (kind === "array" && /^(?:title|body|query)$/.test(role)) return "other";
        return role === "title" && parts.includes("file") ? "path" : role;
      }
    }
  }
  return /\b(?:ISO 8601|YYYY-MM-DD)\b/.test(description) ? "date" : "other";
}

/** The value if it is a plain object; else an empty one. */
export function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Record<string, unknown>
    : {};
}

/** The value if it is an array; else an empty one. */
export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The words of an identifier, without the compound that {@linkcode words} adds for searching. */
export function nameParts(name: string): string[] {
  return words(
    name.replace(/([\p{Ll}\p{N}])(?=\p{Lu})/gu, "$1 ").replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, "$1 "),
  );
}
