/** Anthropic's structured outputs: a schema that the answer is made to fit. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { answerOf } from "../format/offer.ts";
import { RULES, type Rules } from "../schema/rules.ts";
import type { FormatRequest } from "../wire.ts";

/** As the SDK reduces schemas before it sends them: no limits, no recursion, few formats. */
const ANSWER: Rules = {
  ...RULES.anthropic,
  keywords: new Set([
    ...["$ref", "type", "title", "description", "format", "enum", "anyOf", "items"],
    ...["properties", "required", "additionalProperties"],
  ]),
  // Here nothing is mapped back: the answer is the user's.
  propertyName: /[^]*/,
  cycles: false,
  besideRef: new Set(),
  typeLists: false,
  impliedTypes: true,
  enumTypes: new Set(["string", "integer", "number", "boolean"]),
  formats: new Set([
    ...[
      "date-time",
      "time",
      "date",
      "duration",
      "email",
      "hostname",
      "uri",
      "ipv4",
      "ipv6",
      "uuid",
    ],
  ]),
  requiredDefined: true,
};

/**
 * The `format` that asks for it. Undefined where the API can't be asked: it closes every object, so
 * one that may hold anything would come back empty. The answer is checked by whoever wants it.
 */
export function answerFormat(request: FormatRequest): Params | undefined {
  const schema = answerOf(request, ANSWER);
  if (!schema) return undefined;
  const closed = close(schema);
  if (closed) return { type: "json_schema", schema: closed };
  request.note?.("The model API can't be asked for an answer of this schema: it is too open");
}

/** The same with every object closed; undefined where something may be anything. */
function close(schema: Params): Params | undefined {
  const { type, properties, items, anyOf, $defs, additionalProperties } = schema;
  if (schema.$ref !== undefined) return schema;
  if (type === undefined && schema.enum === undefined && anyOf === undefined) return undefined;
  if (isObject(additionalProperties)) return undefined;
  const closed: Params = { ...schema };
  if (type === "object") {
    const all = isObject(properties) ? closeAll(properties) : undefined;
    if (!all || Object.keys(all).length === 0) return undefined;
    Object.assign(closed, { properties: all, additionalProperties: false });
  }
  if (type === "array") {
    const each = isObject(items) ? close(items) : undefined;
    if (!each) return undefined;
    closed.items = each;
  }
  if (Array.isArray(anyOf)) {
    const forms = anyOf.filter(isObject).map(close);
    if (forms.includes(undefined)) return undefined;
    closed.anyOf = forms;
  }
  if (isObject($defs)) {
    const all = closeAll($defs);
    if (!all) return undefined;
    closed.$defs = all;
  }
  return closed;
}

function closeAll(schemas: Params): Params | undefined {
  const closed = Object.entries(schemas).map(([name, schema]): [string, Params | undefined] => [
    name,
    isObject(schema) ? close(schema) : undefined,
  ]);
  return closed.some(([, schema]) => !schema) ? undefined : Object.fromEntries(closed);
}
