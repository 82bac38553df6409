/** All pages of a `tools/list`, from servers that may never end it. @module */
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

/** More pages than any honest server has. */
const MAX_PAGES = 1000;
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
  const tools = new Map<string, ToolInfo>();
  const heldBack: HeldBack[] = [];
  const problems: string[] = [];
  const told = new Set<string>();
  // Once is enough, of a list that says the same on a thousand pages.
  const hold = (held: HeldBack) => {
    const line = `${held.tool}\0${held.why}`;
    if (!told.has(line)) heldBack.push(held);
    told.add(line);
  };
  const seen = new Set<string>();
  let typed = true;
  const pages: Page[] = [];
  let params: Params = {};
  let place = 0;
  for (let page = 1;; page++) {
    const result = await ask(params).catch((error) => {
      const stale = page > 1 && error instanceof ProtocolError && error.code === INVALID_PARAMS;
      throw stale ? new StaleCursor(error) : error;
    });
    typed &&= result.resultType !== undefined;
    if (!Array.isArray(result.tools)) problems.push(`page ${page} has no list of tools`);
    const before = tools.size;
    for (const raw of Array.isArray(result.tools) ? result.tools : []) {
      const tool = readTool(raw, ++place);
      if ("why" in tool) hold(tool);
      else if (tools.has(tool.name)) hold({ tool: tool.name, why: "is listed twice" });
      else tools.set(tool.name, tool);
    }
    pages.push({
      ttlMs: typeof result.ttlMs === "number" ? result.ttlMs : 0,
      scope: result.cacheScope === "public" ? "public" : "private",
      tools: tools.size - before,
    });
    const cursor = result.nextCursor;
    if (cursor === undefined || cursor === null) break;
    if (typeof cursor !== "string") {
      problems.push(`page ${page} ends with a cursor that is no text: what was read is kept`);
      break;
    }
    if (seen.has(cursor)) {
      problems.push(`the list repeats a cursor after page ${page}: what was read is kept`);
      break;
    }
    if (page === MAX_PAGES) {
      problems.push(`the list has more than ${MAX_PAGES} pages: what was read is kept`);
      break;
    }
    seen.add(cursor);
    params = { cursor };
  }
  return { tools: [...tools.values()], heldBack, problems, pages, typed };
}
