/** Results that were too long for the model: kept as files of this run, and read on page by page. @module */
import type { Drop } from "../kit/drop.ts";
import { beginning } from "../kit/excerpt.ts";
import { plainText } from "../kit/json.ts";
import { legible } from "../kit/legible.ts";
import { printableLine } from "../kit/printable.ts";
import { formatBytes, withCommas } from "../kit/size.ts";
import type { ToolResult } from "../protocol/tools.ts";
import { findIn } from "./search_text.ts";

/** A result that was kept whole. */
export interface Kept {
  /** What it is asked for by: `r1`, `r2`, … */
  id: string;
  /** The tool that gave it. */
  of: string;
  path: string;
}

export interface KeptOptions {
  /** UTF-16 units of one page at the most. Default 20,000. */
  pageChars?: number;
  /** Bytes of all files of a run. Default 100 MB. */
  maxBytes?: number;
  /** Takes out of a text what no file of ours may hold. */
  hide?: (text: string) => string;
}

/** What is asked of {@linkcode KeptResults.read}; a model's word, so of any type. */
export interface ReadRequest {
  result: unknown;
  /** UTF-16 units before the first that is shown. */
  offset?: unknown;
  /** The first line that is shown, from 1: instead of an offset. */
  line?: unknown;
  search?: unknown;
}

export const PAGE_CHARS = 20_000;
export const KEPT_MAX = 100_000_000;
const NAMED = 20;

/** It opens its folder with the first result, so a run without any leaves nothing behind. */
export class KeptResults {
  readonly #open: () => Promise<Drop>;
  readonly #pageChars: number;
  readonly #maxBytes: number;
  readonly #hide: (text: string) => string;
  readonly #all = new Map<string, Kept>();
  /** By digest: the same text is kept once, and has one name. */
  readonly #known = new Map<string, Kept>();
  #drop: Promise<Drop> | undefined;
  #bytes = 0;
  #count = 0;

  constructor(open: () => Promise<Drop>, options: KeptOptions = {}) {
    this.#open = open;
    this.#pageChars = options.pageChars ?? PAGE_CHARS;
    this.#maxBytes = options.maxBytes ?? KEPT_MAX;
    this.#hide = options.hide ?? ((text) => text);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Keeps the text of a result of the tool `of`; or says why it can't be, to follow a colon. */
  async keep(of: string, text: string): Promise<Kept | { why: string }> {
    const bytes = new TextEncoder().encode(this.#hide(text));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    const known = this.#known.get(digest);
    if (known) return known;
    if (this.#bytes + bytes.length > this.#maxBytes) {
      return { why: `a run keeps ${formatBytes(this.#maxBytes)} at the most` };
    }
    this.#bytes += bytes.length;
    const id = `r${++this.#count}`;
    try {
      const drop = await this.#opened();
      const kept = { id, of, path: await drop.put(fileOf(id), bytes) };
      this.#all.set(id, kept);
      this.#known.set(digest, kept);
      return kept;
    } catch (error) {
      this.#bytes -= bytes.length;
      return { why: error instanceof Error ? error.message : String(error) };
    }
  }

  /** A page of a result that this run has kept, or where a text stands in it. Never a file by its path. */
  async read({ result, offset, line, search }: ReadRequest): Promise<ToolResult> {
    const kept = this.#all.get(plainText(result).trim());
    if (!kept) return this.#unknown(result);
    const whole = await this.#textOf(kept);
    if (typeof whole !== "string") return whole;
    const from = startIn(whole, offset, line);
    if ("why" in from) return says(`Cannot read result ${kept.id}: ${from.why}`, true);
    if (typeof search === "string" && search.trim() !== "") {
      return says(...findIn(whole, search, from.at, this.#pageChars));
    }
    const page = beginning(whole.slice(from.at), this.#pageChars);
    const end = from.at + page.length;
    const place = `characters ${withCommas(from.at)} to ${withCommas(end)} of ` +
      `${withCommas(whole.length)} of result ${kept.id}, from ${kept.of}`;
    const more = end < whole.length ? `; it goes on at offset ${end}` : "; that is its end";
    return says(page, false, [place + more]);
  }

  #opened(): Promise<Drop> {
    return this.#drop ??= this.#open().catch((error) => {
      this.#drop = undefined;
      throw error;
    });
  }

  async #textOf({ id }: Kept): Promise<string | ToolResult> {
    try {
      const text = await (await this.#opened()).text(fileOf(id));
      if (text !== undefined) return legible(text).text; // Whoever else writes there is a stranger too.
      return says(`Cannot read result ${id}: its file is not there any more`, true);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return says(`Cannot read result ${id}: ${why}`, true);
    }
  }

  #unknown(result: unknown): ToolResult {
    const known = [...this.#all.values()].slice(-NAMED).map(({ id, of }) => `${id} (${of})`);
    const there = known.length > 0
      ? `There are: ${known.join(", ")}`
      : "No result of this run was cut, so none was kept";
    return says(
      `No result is called "${printableLine(plainText(result), 60)}". ${there}.`,
      true,
    );
  }
}

function fileOf(id: string): string {
  return `${id}.txt`;
}

function startIn(text: string, offset: unknown, line: unknown): { at: number } | { why: string } {
  if (offset !== undefined && offset !== null) {
    const at = Number(plainText(offset) || NaN);
    if (!Number.isInteger(at) || at < 0) return { why: "offset has to be a number from 0" };
    if (at > text.length) return { why: `it ends at offset ${text.length}` };
    // Half a character is none.
    const code = text.charCodeAt(at);
    return { at: code >= 0xdc00 && code <= 0xdfff ? at - 1 : at };
  }
  if (line === undefined || line === null) return { at: 0 };
  const wanted = Number(plainText(line) || NaN);
  if (!Number.isInteger(wanted) || wanted < 1) return { why: "line has to be a number from 1" };
  let [at, passed] = [0, 1];
  for (; passed < wanted; passed++) {
    const end = text.indexOf("\n", at);
    if (end < 0) return { why: `it has ${withCommas(passed)} lines` };
    at = end + 1;
  }
  return { at };
}

function says(text: string, isError: boolean, notes: readonly string[] = []): ToolResult {
  return { content: [{ type: "text", text }], isError, ...(notes.length > 0 && { notes }) };
}
