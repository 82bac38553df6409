/** All pages of a `tools/list`, from servers that may never end it. @module */
import { jsonLength } from "../kit/json.ts";
import { ProtocolError } from "../protocol/errors.ts";
import { type HeldBack, readTool } from "../protocol/tools.ts";
import type { Params, ToolInfo } from "../protocol/types.ts";

export interface ToolList {
  /** In the order of the server, one of each name. */
  tools: readonly ToolInfo[];
  heldBack: readonly HeldBack[];
  /** What was odd about the list as a whole, a line each. */
  problems: readonly string[];
  /** How long each page stays good, and for whom, as the server says. */
  pages: readonly Page[];
  /** Whether every page named its `resultType`, which no server of the older eras does. */
  typed: boolean;
}

export interface Page {
  /** As sent; 0 when absent, as older servers have it. */
  ttlMs: number;
  scope: "public" | "private";
  /** Well-formed tools on it. */
  tools: number;
}

/** More than any honest server has: what was read by then is kept. */
export const PAGES_MAX = 1_000;
export const TOOLS_MAX = 10_000;
/** Characters of JSON that are kept of a whole list, its cursors among them. */
export const LIST_MAX = 16 * 2 ** 20;
/** Lines told of tools that are held back, and of a list as a whole: the rest is counted. */
export const HELD_BACK_MAX = 100;
export const PROBLEMS_MAX = 20;

const INVALID_PARAMS = -32602;

/**
 * Follows the cursors to the end. Only a missing (or null) `nextCursor` is the end: `""` is a cursor.
 * A list that goes round in circles or on for ever is cut, with what was read. A cursor that the
 * server does not know any more makes it start again, once.
 * @throws whatever `ask` throws
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export async function readAllTools(ask: (params: Params) => Promise<Params>): Promise<ToolList> {
  try {
    return await readPages(ask);
  } catch (error) {
    if (!(error instanceof StaleCursor)) throw error;
  }
  try {
    return await readPages(ask);
  } catch (error) {
    throw error instanceof StaleCursor ? error.refusal : error;
  }
}

/** The server refused a cursor it gave out itself: the list moved under our feet. */
class StaleCursor extends Error {
  readonly refusal: ProtocolError;
  constructor(refusal: ProtocolError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

async function readPages(ask: (params: Params) => Promise<Params>): Promise<ToolList> {
  const list = new Gathering();
  let cursor: string | undefined;
  do {
    const result = await ask(cursor === undefined ? {} : { cursor }).catch((error) => {
      const isStale = cursor !== undefined && error instanceof ProtocolError &&
        error.code === INVALID_PARAMS;
      throw isStale ? new StaleCursor(error) : error;
    });
    cursor = list.take(result);
  } while (cursor !== undefined);
  return list.whole();
}

/** A list as it grows, page by page, up to what is taken of one. */
class Gathering {
  readonly #tools = new Map<string, ToolInfo>();
  readonly #heldBack = new Told<HeldBack>(HELD_BACK_MAX);
  readonly #problems = new Told<string>(PROBLEMS_MAX);
  readonly #pages: Page[] = [];
  readonly #cursors = new Set<string>();
  /** Why nothing more is taken. */
  #end: string | undefined;
  #typed = true;
  #place = 0;
  #length = 0;

  /** Takes in a page, and returns the cursor of the next; undefined when there is none to ask for. */
  take(result: Params): string | undefined {
    const { tools, ttlMs, cacheScope, nextCursor, resultType } = result;
    this.#typed &&= resultType !== undefined;
    const before = this.#tools.size;
    if (Array.isArray(tools)) {
      for (const raw of tools) {
        this.#add(raw);
        if (this.#end !== undefined) break;
      }
    } else this.#problem(`page ${this.#pages.length + 1} has no list of tools`);
    this.#pages.push({
      ttlMs: typeof ttlMs === "number" ? ttlMs : 0,
      scope: cacheScope === "public" ? "public" : "private",
      tools: this.#tools.size - before,
    });
    if (nextCursor === undefined || nextCursor === null) return undefined;
    return this.#next(nextCursor);
  }

  #add(raw: unknown): void {
    const tool = readTool(raw, ++this.#place, (line) => this.#problem(line));
    if ("why" in tool) return this.#hold(tool);
    if (this.#tools.has(tool.name)) return this.#hold({ tool: tool.name, why: "is listed twice" });
    if (this.#tools.size === TOOLS_MAX) this.#end = `the list has more than ${TOOLS_MAX} tools`;
    else if (this.#hasRoom(jsonLength(tool))) this.#tools.set(tool.name, tool);
  }

  #next(cursor: unknown): string | undefined {
    const page = this.#pages.length;
    if (typeof cursor !== "string") {
      this.#end ??= `page ${page} ends with a cursor that is no text`;
    } else if (this.#cursors.has(cursor)) {
      this.#end ??= `the list repeats a cursor after page ${page}`;
    } else if (page === PAGES_MAX) this.#end ??= `the list has more than ${PAGES_MAX} pages`;
    else if (this.#hasRoom(cursor.length) && this.#end === undefined) {
      this.#cursors.add(cursor);
      return cursor;
    }
    return undefined;
  }

  #hasRoom(length: number): boolean {
    this.#length += length;
    if (this.#length > LIST_MAX) this.#end ??= `the list is over ${LIST_MAX / 2 ** 20} MiB`;
    return this.#length <= LIST_MAX;
  }

  #problem(line: string): void {
    this.#problems.add(line, line);
  }

  #hold(held: HeldBack): void {
    this.#heldBack.add(held, `${held.tool}\0${held.why}`);
  }

  whole(): ToolList {
    const lines = [
      ...this.#problems.kept,
      ...(this.#problems.isFull ? [`more is odd about the list than these ${PROBLEMS_MAX}`] : []),
      ...(this.#heldBack.isFull ? [`more tools are held back than these ${HELD_BACK_MAX}`] : []),
      ...(this.#end === undefined ? [] : [`${this.#end}: what was read is kept`]),
    ];
    return {
      tools: [...this.#tools.values()],
      heldBack: this.#heldBack.kept,
      problems: lines,
      pages: this.#pages,
      typed: this.#typed,
    };
  }
}

/** What is told once each, of a list that says the same on a thousand pages, and only so often. */
class Told<T> {
  readonly kept: T[] = [];
  /** Whether there was more. */
  isFull = false;
  readonly #lines = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(item: T, line: string): void {
    if (this.#lines.has(line)) return;
    if (this.kept.length === this.#most) this.isFull = true;
    else {
      this.#lines.add(line);
      this.kept.push(item);
    }
  }
}
