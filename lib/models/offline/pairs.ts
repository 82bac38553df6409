/** Arguments that a prompt writes out: as JSON, as `key=value`, as `owner/repo`. @module */
import { unmask } from "./facts.ts";
import { record } from "./params.ts";
import type { ToolView } from "./tools.ts";
import { coerce, type Form, give, tokensIn } from "./values.ts";

/** Arguments written out as JSON are taken as they stand. */
export function fromJson(tool: ToolView, form: Form): void {
  const names = new Set(tool.params.map(({ name }) => name));
  for (const token of form.clause.tokens) {
    if (token.fact?.kind !== "json") continue;
    const object = record(JSON.parse(token.fact.text));
    const keys = Object.keys(object);
    if (names.size === 0 || keys.some((key) => names.has(key))) {
      for (const key of keys) form.values.set(key, object[key]);
      form.taken.add(token);
      continue;
    }
    const whole = tool.params.find(({ kind, name }) =>
      !form.values.has(name) && (kind === "object" || kind === "array")
    );
    if (whole) give(form, whole, whole.kind === "array" ? [object] : object, token);
  }
}

/** `key=value`, and `key: value` where the key is a parameter's very name. */
export function fromPairs(tool: ToolView, form: Form): void {
  const { masked, facts, tokens } = form.clause;
  const fold = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  const patterns = [
    /(?<![\p{L}\p{N}_.-])([\p{L}_][\p{L}\p{N}_.-]{0,63})\s*=\s*([\ue000-\uf8ff]|[^\s,;]+)/gu,
    /(?<![\p{L}\p{N}_.-])([\p{L}_][\p{L}\p{N}_.-]{0,63})\s*[:：]\s*([\ue000-\uf8ff]|[^,;\n\ue000-\uf8ff]+)/gu,
  ];
  for (const match of patterns.flatMap((pattern) => [...masked.matchAll(pattern)])) {
    const param = tool.params.find(({ name }) => fold(name) === fold(match[1]!));
    if (!param || form.values.has(param.name)) continue;
    const value = coerce(unmask(match[2]!, facts, true).trim().replace(/[.。]$/, ""), param.kind);
    if (value === undefined) continue;
    give(form, param, value, ...tokensIn(tokens, match));
  }
}

const OWNER = /^(?:owner|org|organization|organisation|namespace|workspace)$/;
const THING = /^(?:repo|repository|project)$/;

/** `denoland/std` is an owner and a repository, or one name of both. */
export function fromSlug(tool: ToolView, form: Form): void {
  const token = form.clause.tokens.find(({ fact }) => fact?.kind === "slug");
  if (!token) return;
  const [first, second] = token.fact!.text.split("/");
  const open = tool.params.filter(({ name, kind }) => !form.values.has(name) && kind === "string");
  const owner = open.find(({ words }) => OWNER.test(words.at(-1) ?? ""));
  const thing = open.find(({ words }) =>
    THING.test(words.at(-1) ?? "") || (owner && words[0] === "repo")
  );
  if (owner && thing) {
    give(form, owner, first, token);
    give(form, thing, second);
  } else if (thing) give(form, thing, token.fact!.text, token);
}
