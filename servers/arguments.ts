/** What is wrong with the arguments of a call, said so that a model can mend it. @module */

// deno-lint-ignore no-explicit-any -- a JSON Schema is whatever its author wrote
export type Schema = Record<string, any>;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One sentence for each argument that is missing, unknown, or not of its schema's type, enum or range. */
export function complaints(args: Record<string, unknown>, schema: Schema): string[] {
  const properties: Schema = schema.properties ?? {};
  const found: string[] = [];
  for (const name of schema.required ?? []) {
    if (Object.hasOwn(args, name)) continue;
    const about = properties[name]?.description;
    found.push(`"${name}" is missing${about ? ` (${about})` : ""}`);
  }
  for (const [name, value] of Object.entries(args)) {
    if (Object.hasOwn(properties, name)) {
      const wrong = complaint(value, properties[name]);
      if (wrong) found.push(`"${name}" ${wrong}, got ${JSON.stringify(value)}`);
    } else if (schema.additionalProperties === false) {
      const known = Object.keys(properties).map((known) => `"${known}"`).join(", ");
      found.push(`"${name}" is unknown, the arguments are ${known || "none"}`);
    }
  }
  return found;
}

function complaint(value: unknown, schema: Schema): string | undefined {
  const { type, enum: values, minimum, maximum, items } = schema;
  const types: string[] = type === undefined ? [] : [type].flat();
  if (types.length > 0 && !types.some((each) => isOf(value, each))) {
    return `must be ${/^[aeiou]/.test(types[0]!) ? "an" : "a"} ${types.join(" or ")}`;
  }
  if (values !== undefined && !values.includes(value)) return `must be one of ${values.join(", ")}`;
  if (minimum !== undefined && (value as number) < minimum) return `must be at least ${minimum}`;
  if (maximum !== undefined && (value as number) > maximum) return `must be at most ${maximum}`;
  if (items?.type !== undefined && !(value as unknown[]).every((item) => isOf(item, items.type))) {
    return `must hold only items of type ${items.type}`;
  }
}

function isOf(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  const actual = typeof value;
  return actual === type;
}
