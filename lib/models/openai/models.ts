/** The list of models, of OpenAI and of all that speak like it. @module */
import { isObject } from "../../protocol/codec.ts";

/** `{ data: [{ id }] }`, a bare list, or `{ models: [{ name }] }`. */
export function readModels(body: unknown): string[] {
  const list = isObject(body) ? body.data ?? body.models : body;
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map(({ id, name }) => id ?? name)
    .filter((id): id is string => typeof id === "string" && id !== "");
}
