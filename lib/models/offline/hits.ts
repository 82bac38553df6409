/** Reads what a tool gave back: its text, and the things it names. A stranger's text, used as data only. @module */
import type { Content } from "../../protocol/types.ts";
import { list, record } from "./params.ts";

/** A thing that a result names, by whatever the server calls it. */
export interface Hit {
  id?: string;
  title?: string;
  path?: string;
  url?: string;
  /** The line or record it was read from. */
  text: string;
}

const MOST = 50;
const LONGEST = 200_000;

/** The words of a result. What is no text is named by its type. */
export function textOf(content: readonly Content[]): string {
  return list(content).map((part) => {
    const { type, text, resource, name, title, uri, mimeType } = record(part);
    if (typeof text === "string") return text;
    const inner = record(resource);
    if (typeof inner.text === "string") return inner.text;
    const where = [title ?? name, uri ?? inner.uri].filter((each) => typeof each === "string");
    if (where.length > 0) return where.join(" – ");
    return `(${
      [type, mimeType ?? inner.mimeType].filter((each) => typeof each === "string").join(", ") ||
      "nothing readable"
    })`;
  }).join("\n").trim();
}

/** The words of a result as one tells them to a person: JSON that only repeats them is left out. */
export function saidIn(content: readonly Content[]): string {
  const parts = list(content).map((part) => textOf([part as Content]));
  const plain = parts.filter((part) => jsonIn(part) === undefined).join("\n").trim();
  if (plain !== "") return plain;
  return parts.map((part) => inWords(jsonIn(part), 0)).join("\n").trim();
}

/** JSON as lines of `name: value`. */
function inWords(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (depth > 2) return JSON.stringify(value).slice(0, 200);
  if (Array.isArray(value)) {
    const lines = value.slice(0, 20).map((each) => `- ${inWords(each, depth + 1)}`);
    return [...lines, ...(value.length > 20 ? [`- … and ${value.length - 20} more`] : [])].join(
      "\n",
    );
  }
  const pairs = Object.entries(value).map(([name, each]) => {
    const said = inWords(each, depth + 1);
    return `${name}: ${said.startsWith("- ") ? "\n" : ""}${said}`;
  });
  return pairs.join(depth === 0 ? "\n" : ", ");
}

/** Whether a result says that there is nothing. */
export function isEmptyHanded(content: readonly Content[]): boolean {
  const text = textOf(content);
  return text === "" || /^(?:\[\]|\{\}|null|none)$/i.test(text) ||
    /^(?:sorry[, ]+)?(?:no|0|nothing|none)\b[^\n]{0,200}?(?:match|found|result|hit|such|exist|for\b|$)/i
      .test(text) ||
    /\b(?:nothing|no (?:results?|match(?:es)?|entries|items|notes?|tickets?|files?)) (?:was |were )?(?:found|match)/i
      .test(text.slice(0, 300)) ||
    /"total"\s*:\s*0\b/.test(text.slice(0, 300));
}

/** The things a result names, in its order. */
export function hitsIn(content: readonly Content[]): Hit[] {
  const hits: Hit[] = [];
  for (const part of list(content)) {
    const { type, uri, title, name } = record(part);
    if (type === "resource_link" && typeof uri === "string") {
      hits.push(hit({ url: uri, title: title ?? name }, textOf([part as Content])));
    }
  }
  if (isEmptyHanded(content)) return hits;
  const parts = list(content).map((part) => textOf([part as Content]));
  for (const json of parts.map(jsonIn)) if (json !== undefined) fromJson(json, hits, 0);
  // Structured content names things more surely than the lines that say the same.
  if (hits.length === 0) {
    const lines = parts.filter((part) => jsonIn(part) === undefined);
    fromLines(lines.join("\n").slice(0, LONGEST), hits);
  }
  return hits.slice(0, MOST);
}

/** The JSON object or array that a text is, if it is one. */
function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > MOST * LONGEST) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function fromJson(value: unknown, hits: Hit[], depth: number): void {
  if (depth > 5 || hits.length >= MOST) return;
  if (Array.isArray(value)) {
    for (const each of value.slice(0, MOST)) {
      if (typeof each === "string") {
        hits.push(hit(/[\\/]/.test(each) ? { path: each } : { title: each }, each));
      } else fromJson(each, hits, depth + 1);
    }
    return;
  }
  const own = record(value);
  const found = hit({
    id: own.id ?? own.key ?? own.number ?? own.uuid,
    title: own.title ?? own.name ?? own.subject,
    path: own.path ?? own.file,
    url: own.url ?? own.uri ?? own.html_url,
  }, JSON.stringify(value)?.slice(0, 1000) ?? "");
  if (found.id ?? found.title ?? found.path ?? found.url) hits.push(found);
  else {for (const each of Object.values(own).slice(0, 50)) {
      if (typeof each === "object") fromJson(each, hits, depth + 1);
    }}
}

const ID =
  /^[[(#]?((?:[A-Za-z]{1,10}-\d+)|(?:[a-z]{0,4}\d{1,10})|[0-9a-f]{8}-[0-9a-f-]{27}|#\d+)[\])]?(?=[\s:.)\]–—-]|$)/;
const LABELLED = /\bid[ :="]+([\w-]{1,64})/i;
const PATH = /(?:^|[\s"'(])((?:~|\.{1,2})?\/[\w./ -]*[\w/]|[\w./-]+\/[\w.-]+\.\w{1,8})/;
const URL = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"')\]]+/;

/** Lists are written as people write them: `n-1  Title  [tags]`, `- "Title" (T-3)`, `/a/b.txt`. */
function fromLines(text: string, hits: Hit[]): void {
  const lines = text.split("\n").slice(0, 500);
  for (const line of lines) {
    const plain = line.trim().slice(0, 300);
    // A line that ends in a colon announces the others.
    if (plain === "" || (plain.endsWith(":") && lines.length > 1)) continue;
    const bare = plain.replace(/^(?:[-*•]|\d{1,3}[.)])\s+|^#{1,6}\s+|^\[(?:FILE|DIR)\]\s*/, "");
    const listed = bare !== plain;
    const lead = ID.exec(bare);
    const id = lead?.[1] ?? LABELLED.exec(bare)?.[1] ??
      /[([]((?:[A-Za-z]{1,10}-|#)\d+)[)\]]/.exec(bare)?.[1];
    const path = PATH.exec(bare)?.[1]?.trim();
    const url = URL.exec(bare)?.[0];
    const after = bare.slice(lead?.[0].length ?? 0).replace(/^[\s:.–—|-]+/, "");
    const quoted = /"([^"]{1,200})"|\*\*([^*]{1,200})\*\*/.exec(after);
    const name = quoted?.[1] ?? quoted?.[2] ??
      after.split(/\s{2,}|\s[–—|-]\s|\s?[[(]|\t/)[0]!.trim();
    if (!(id || path || url || quoted || listed)) continue;
    hits.push(hit({ id, path, url, title: name.length <= 120 ? name : undefined }, plain));
    if (hits.length >= MOST) return;
  }
}

function hit(parts: Record<string, unknown>, text: string): Hit {
  const out: Hit = { text };
  for (const key of ["id", "title", "path", "url"] as const) {
    const value = parts[key];
    if ((typeof value === "string" && value !== "") || typeof value === "number") {
      out[key] = String(value);
    }
  }
  return out;
}
