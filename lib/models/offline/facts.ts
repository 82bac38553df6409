/** Finds what a prompt gives literally (quotes, paths, dates, numbers …) before anyone reads its words. @module */
import { DATE_WORDS } from "./dates.ts";

export type FactKind =
  | "tool"
  | "json"
  | "quote"
  | "url"
  | "email"
  | "path"
  | "glob"
  | "date"
  | "slug"
  | "tag"
  | "id"
  | "number";

/** A literal in the prompt. `text` is its value: a quote without its marks. */
export interface Fact {
  kind: FactKind;
  text: string;
  /** As the user wrote it. */
  source: string;
}

/** A text in which each fact is one character, so that words around facts can be read without them. */
export interface Masked {
  text: string;
  facts: readonly Fact[];
}

// Private-use characters stand for facts. Those of the user's own are blanked first.
const FIRST = 0xe000;
const MOST = 1000;
const PRIVATE = /[\ue000-\uf8ff]/g;

const HOST = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|ai|gov|edu|info)$/i;
const TRAILING = /[.,;:!?)\]}>'"”’»。，；：！？、]+$/;

const PATTERNS: readonly [FactKind, RegExp][] = [
  ["quote", /```(?:\w*\n)?([^`]{1,4000})```/g],
  ["quote", /"([^"]{1,4000})"/g],
  [
    "quote",
    /“([^“”]{1,4000})”|«([^«»]{1,4000})»|「([^「」]{1,4000})」|『([^『』]{1,4000})』|《([^《》]{1,4000})》/g,
  ],
  ["quote", /(?<![\p{L}\p{N}])['‘]([^'‘’\n]{1,500})['’](?![\p{L}\p{N}])/gu],
  ["quote", /`([^`\n]{1,500})`/g],
  [
    "url",
    /\b(?:https?|file|ftp|data|[a-z][a-z0-9+.-]{1,20}(?=:\/\/)):(?:\/\/)?[^\s<>"'，。；、）\ue000-\uf8ff]+/gi,
  ],
  ["email", /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g],
  ["glob", /(?<![^\s(])(?:[\w./-]*\*[\w.*/{},-]*)(?![^\s),.;])/g],
  [
    "path",
    /(?<![\w/\ue000-\uf8ff])(?:~|\.{1,2})?\/[\p{L}\p{N}_.\-/@+]*[\p{L}\p{N}_/]|(?<!\S)\/(?=\s*(?:$|[.?!,]))|\b[A-Za-z]:\\[\w.\\-]+/gu,
  ],
  [
    "path",
    /(?<![\w/.-])(?:[\w-]{1,60}\/){1,12}[\w-]{0,60}(?:\.[\w-]{1,20})*\.[A-Za-z]\w{0,7}\b|(?<![\w/.-])\.?[\w-]{2,60}(?:\.[\w-]{1,20})*\.[A-Za-z]\w{0,5}(?![\w@])/g,
  ],
  [
    "date",
    /(?<![\w-])\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])/g,
  ],
  ["date", DATE_WORDS],
  [
    "id",
    /(?<![\w-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])|(?<![\w#])#\d{1,12}\b|(?<![\w-])[A-Za-z][A-Za-z0-9]{0,9}-\d{1,10}(?![\w-])|(?<![\w.-])v?\d+(?:\.\d+){2,}(?![\w-])|(?<![\w-])v\d+(?:\.\d+)+(?![\w-])/gi,
  ],
  [
    "id",
    /(?<![\w-])(?:[a-z]{1,6}\d{1,10}|(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40})(?![\w-])/gi,
  ],
  ["slug", /(?<![\w/.:-])[A-Za-z][\w.-]{0,60}\/[\w.-]{0,60}\w(?![\w/])/g],
  ["tag", /(?<![\p{L}\p{N}_#&])#[\p{L}_][\p{L}\p{N}_-]{0,60}/gu],
  ["number", /(?<![\w.-])[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w])(?!\.\d)/g],
];

/**
 * Masks the facts of a text. `mentions` are the lower-cased names by which tools may be called
 * outright; a text is read in linear time, whatever it holds.
 */
export function maskFacts(text: string, mentions: ReadonlySet<string>): Masked {
  const facts: Fact[] = [];
  const put = (kind: FactKind, value: string, source: string): string => {
    if (facts.length >= MOST) return source;
    facts.push({ kind, text: value, source });
    return String.fromCharCode(FIRST + facts.length - 1);
  };
  let masked = maskJson(text.replace(PRIVATE, " "), (value) => put("json", value, value));
  masked = masked.replace(
    /[A-Za-z0-9_][\w.-]*/g,
    (word) => {
      const name = word.replace(/[.-]+$/, "");
      return mentions.has(name.toLowerCase())
        ? put("tool", name, name) + word.slice(name.length)
        : word;
    },
  );
  for (const [kind, pattern] of PATTERNS) {
    masked = masked.replace(pattern, (...found: unknown[]) => {
      const source = found[0] as string;
      const value = found.slice(1).find((part) => typeof part === "string" && part !== masked);
      const inner = kind === "quote" ? unmask(value as string, facts).trim() : source;
      if (inner === "") return source;
      if (kind === "quote") return put(kind, inner, unmask(source, facts));
      // A full stop after a path ends the sentence, not the path.
      const tail = kind === "url" || kind === "path" ? TRAILING.exec(source)?.[0] ?? "" : "";
      const bare = source.slice(0, source.length - tail.length);
      if (bare === "" || (kind === "path" && /^(?:e\.g|i\.e|a\.m|p\.m|u\.s)$/i.test(bare))) {
        return source;
      }
      const what = kind === "path" && HOST.test(bare) ? "url" : kind;
      const clean = what === "number" ? bare.replaceAll(",", "").replace("−", "-") : bare;
      return put(what, unmask(clean, facts), unmask(bare, facts)) + tail;
    });
  }
  return { text: masked, facts };
}

/** The text as the user wrote it (quotes with their marks), or with `values` their bare values. */
export function unmask(text: string, facts: readonly Fact[], values = false): string {
  return text.replace(PRIVATE, (mark) => {
    const fact = facts[mark.charCodeAt(0) - FIRST];
    return fact ? (values ? fact.text : fact.source) : "";
  });
}

/** The fact a character stands for. */
export function factAt(mark: string, facts: readonly Fact[]): Fact | undefined {
  return facts[mark.charCodeAt(0) - FIRST];
}

/** Replaces the first few `{…}` that are JSON objects. */
function maskJson(text: string, put: (value: string) => string): string {
  let out = "";
  let from = 0;
  for (let tries = 0, at = text.indexOf("{"); at !== -1 && tries < 8; tries++) {
    const end = closing(text, at);
    const value = end === -1 ? "" : text.slice(at, end);
    if (isJson(value)) {
      out += text.slice(from, at) + put(value);
      from = end;
      at = text.indexOf("{", end);
    } else at = text.indexOf("{", at + 1);
  }
  return out + text.slice(from);
}

function closing(text: string, at: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = at; i < text.length && i < at + 8000; i++) {
    const char = text[i];
    if (quoted) {
      if (char === "\\") i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return i + 1;
  }
  return -1;
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
