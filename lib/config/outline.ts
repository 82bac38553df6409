/** Where in a YAML text the keys stand: `@std/yaml` gives values without lines. @module */

/** A path as one text, so that it can be a key: `["a","b"]`. */
export type PathId = string;

export interface Outline {
  /** The line of each key and list item that was recognised. */
  lines: ReadonlyMap<PathId, number>;
  /** Keys met again in the same mapping. */
  twice: readonly { path: readonly string[]; first: number; again: number }[];
  /** The first line that is indented with a tab, which YAML forbids and not every parser minds. */
  tab: number | undefined;
}

export const pathId = (path: readonly string[]): PathId => JSON.stringify(path);

interface Block {
  indent: number;
  path: readonly string[];
  /** The first line of each key, for a mapping; a list has none. */
  keys?: Map<string, number>;
  /** The key or the index that what stands further in belongs to. */
  current: string;
}

/**
 * Follows the indentation of block style, which is what people write. It is no parser: what it does
 * not recognise it leaves out, and the parser has the last word on what is there at all.
 */
export function outline(text: string): Outline {
  const lines = new Map<PathId, number>();
  const twice: { path: readonly string[]; first: number; again: number }[] = [];
  let blocks: Block[] = [];
  let literalIndent: number | undefined;
  let tab: number | undefined;
  let open: Flow | undefined;

  text.split(/\r\n|\n|\r/).forEach((raw, index) => {
    const number = index + 1;
    if (open) {
      open = follow(open, raw);
      return;
    }
    let rest = raw.trimStart();
    let indent = raw.length - rest.length;
    if (literalIndent !== undefined) {
      if (rest === "" || indent > literalIndent) return;
      literalIndent = undefined;
    }
    if (rest === "" || rest.startsWith("#")) return;
    if (indent === 0 && /^(?:---|\.\.\.|%)/.test(rest)) {
      blocks = [];
      return;
    }

    while (/^-(?:\s|$)/.test(rest)) {
      const list = listAt(indent);
      list.current = String(Number(list.current) + 1);
      lines.set(pathId([...list.path, list.current]), number);
      literalIndent = undefined;
      const next = rest.slice(1).trimStart();
      indent += rest.length - next.length;
      rest = next;
    }
    const found = keyOf(rest);
    if (found) {
      if (/^\s*\t/.test(raw)) tab ??= number;
      const map = mapAt(indent);
      const path = [...map.path, found.key];
      const first = map.keys!.get(found.key);
      if (first === undefined) {
        map.keys!.set(found.key, number);
        lines.set(pathId(path), number);
      } else twice.push({ path, first, again: number });
      map.current = found.key;
      rest = found.value;
    }
    const value = rest.replace(/^(?:[&!]\S*\s+)+/, "");
    if (/^[|>][-+0-9]*\s*(?:#.*)?$/.test(value)) literalIndent = blocks.at(-1)?.indent ?? -1;
    else if (/^["'{[]/.test(value)) open = follow({ depth: 0, quote: "", fresh: true }, value);
  });
  return { lines, twice, tab };

  function parent(): readonly string[] {
    const top = blocks.at(-1);
    return top ? [...top.path, top.current] : [];
  }

  function listAt(indent: number): Block {
    while (blocks.length > 0 && blocks.at(-1)!.indent > indent) blocks.pop();
    const top = blocks.at(-1);
    // A list may stand as far out as the key it belongs to.
    if (top && top.indent === indent && !top.keys) return top;
    const list = { indent, path: parent(), current: "-1" };
    blocks.push(list);
    return list;
  }

  function mapAt(indent: number): Block {
    while (blocks.length > 0) {
      const top = blocks.at(-1)!;
      if (top.indent < indent) break;
      if (top.indent === indent && top.keys) return top;
      blocks.pop();
    }
    const map = { indent, path: parent(), keys: new Map<string, number>(), current: "" };
    blocks.push(map);
    return map;
  }
}

/** The key at the start of a line and what follows its colon. */
function keyOf(line: string): { key: string; value: string } | undefined {
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')\s*:(?:\s+|$)/.exec(line);
  if (quoted) {
    const key = quoted[1] === undefined ? quoted[2]!.replaceAll("''", "'") : unescape(quoted[1]);
    return { key, value: line.slice(quoted[0].length) };
  }
  if (/^["'#&*!|>%@`{}[\],?]/.test(line)) return undefined;
  for (let colon = line.indexOf(":"); colon > 0; colon = line.indexOf(":", colon + 1)) {
    const after = line.slice(colon + 1);
    if (after !== "" && !/^\s/.test(after)) continue;
    const key = line.slice(0, colon).trimEnd();
    return key.includes(" #") ? undefined : { key, value: after.trimStart() };
  }
  return undefined;
}

function unescape(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

/** A `{…}`, `[…]` or quoted text on its way to its end. */
interface Flow {
  depth: number;
  quote: string;
  /** Whether a value may start here: only there does an apostrophe open a quotation. */
  fresh: boolean;
}

function follow(flow: Flow, line: string): Flow | undefined {
  let { depth, quote, fresh } = flow;
  for (let i = 0; i < line.length; i++) {
    const character = line[i]!;
    if (quote) {
      if (character === "\\" && quote === '"') i++;
      else if (character === "'" && quote === "'" && line[i + 1] === "'") i++;
      else if (character === quote) quote = "";
      if (!quote && depth === 0) return undefined;
      continue;
    }
    if (character === "#" && (i === 0 || /\s/.test(line[i - 1]!))) break;
    if (fresh && (character === '"' || character === "'")) quote = character;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth === 0 && !quote) return undefined;
    if (/\S/.test(character)) fresh = /[[{,:]/.test(character);
  }
  return { depth, quote, fresh };
}
