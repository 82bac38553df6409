/** Values that a clause names: "titled …", "due …", "table users", "5 results". @module */
import type { Token } from "./prompt.ts";
import { ENDS, phraseAt, WAY_ENDS } from "./text.ts";
import type { Param, Role } from "./params.ts";
import {
  coerce,
  type Form,
  give,
  isNumeric,
  sameValue,
  splitList,
  suits,
  valueOf,
} from "./values.ts";
import { isStop } from "./words.ts";

const LABELS: Partial<Record<Role, readonly string[]>> = {
  title: ["titled", "called", "named", "title", "name", "subject", "标题"],
  body: ["body", "content", "text", "saying", "says", "正文", "内容"],
  date: ["due", "by", "until", "deadline", "on", "for", "before", "after", "since"],
  limit: ["limit", "top", "first", "last", "max", "most", "up to"],
  person: ["assigned to", "assign to", "assignee", "owner", "by"],
  email: ["to"],
};
const TAGS = ["tagged", "tag", "tags", "labelled", "labeled", "labels", "标签"];
/** Labels after which plain words are the value. */
const SPOKEN = /^(?:titled|called|named|saying|assigned to|assign to)$/;
const WAY = /^(?:from|to|into|as)$/;
const FILLER = /^(?:is|of|as|to|be|the|a|an|at|on|with|should|for|set)$/i;
const COUNTED =
  /^(?:result|item|entry|note|ticket|line|hit|match|record|row|link|file|issue|page|message)$/;

/** A value beside the parameter's name, or beside a word people use for it. */
export function byLabel(param: Param, form: Form): void {
  const { clause: { tokens }, taken } = form;
  for (const label of labelsOf(param)) {
    const parts = label.split(" ");
    for (let at = 0; at < tokens.length; at++) {
      const marks = tokens.slice(at, at + parts.length);
      const is = marks.length === parts.length &&
        marks.every((mark, i) =>
          !mark.fact && !taken.has(mark) &&
          (mark.text.toLowerCase() === parts[i] || mark.stems[0] === parts[i])
        );
      if (!is) continue;
      let next = at + parts.length;
      for (let left = 2; left > 0 && tokens[next] && FILLER.test(tokens[next]!.text); left--) {
        next++;
      }
      if (valueAt(param, form, next, label, marks)) return;
    }
  }
  if (isNumeric(param) && !/^(?:head|tail)$/.test(param.words[0] ?? "")) counted(param, form);
}

function labelsOf({ words, role, kind }: Param): string[] {
  const labels = [words.join(" ")];
  // The first lines and the last are two parameters of one tool.
  if (words.includes("head")) return [...labels, "first", "top"];
  if (words.includes("tail")) return [...labels, "last"];
  // `table_name` is what stands after "table".
  if (words.length > 1 && /^(?:name|id|key|number|title|text|path)$/.test(words.at(-1)!)) {
    labels.push(words.slice(0, -1).join(" "));
  }
  labels.push(...(kind === "array" && role === "other" ? TAGS : LABELS[role] ?? []));
  if (/^(?:source|from|src|old|origin|base)$/.test(words[0] ?? "")) labels.push("from");
  if (/^(?:dest|destination|target|to|new)$/.test(words[0] ?? "")) labels.push("to", "into", "as");
  return labels;
}

function valueAt(
  param: Param,
  form: Form,
  at: number,
  label: string,
  marks: readonly Token[],
): boolean {
  const { clause, taken } = form;
  const token = clause.tokens[at];
  if (!token || taken.has(token)) return false;
  if (param.kind === "array") {
    const phrase = phraseAt(clause, at, taken, undefined);
    return phrase !== undefined &&
      give(form, param, splitList(phrase.text), ...marks, ...phrase.tokens);
  }
  if (token.fact) {
    return suits(param, token.fact, true) &&
      give(form, param, valueOf(param, token.fact), token, ...marks);
  }
  if (param.values.length > 0) {
    return give(form, param, sameValue(param, token.text), token, ...marks);
  }
  if (isNumeric(param) || param.kind === "boolean") {
    return give(form, param, coerce(token.text, param.kind), token, ...marks);
  }
  if (!isSpoken(param, form, label, marks, token)) return false;
  const ends = label === "saying" ? undefined : WAY.test(label) ? WAY_ENDS : ENDS;
  const phrase = phraseAt(clause, at, taken, ends);
  return phrase !== undefined && give(form, param, phrase.text, ...marks, ...phrase.tokens);
}

/** Whether plain words after a label are the value: "titled …", "with body …", "from … to …", "table users". */
function isSpoken(
  { words, role }: Param,
  { clause: { tokens } }: Form,
  label: string,
  marks: readonly Token[],
  next: Token,
): boolean {
  if (SPOKEN.test(label)) return true;
  if (WAY.test(label)) {
    return role !== "date" && role !== "email" && role !== "body";
  }
  const before = tokens[tokens.indexOf(marks[0]!) - 1]?.text ?? "";
  if (/^(?:with|and|whose)$/i.test(before) && /^(?:title|body|other|person)$/.test(role)) {
    return true;
  }
  const own = label === words.join(" ") || words.join(" ").startsWith(`${label} `);
  return own && /^(?:other|title|id|person|place)$/.test(role) && !isStop(next.text) &&
    label !== "title" && label !== "name";
}

/** "5 results", "3 steps" */
function counted(param: Param, form: Form): void {
  const { tokens } = form.clause;
  for (const [at, token] of tokens.entries()) {
    if (token.fact?.kind !== "number" || form.taken.has(token)) continue;
    const next = tokens[at + 1]?.stems[0] ?? "";
    const things = COUNTED.test(next) || form.nouns.has(next);
    if (!(param.role === "limit" && things) && !param.words.includes(next)) continue;
    if (give(form, param, valueOf(param, token.fact), token)) return;
  }
}
