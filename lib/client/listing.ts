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
  const seen = new Set<unknown>();
  let params: Params = {};
  let place = 0;
  for (let page = 1;; page++) {
    const result = await ask(params).catch((error) => {
      const stale = page > 1 && error instanceof ProtocolError && error.code === INVALID_PARAMS;
      throw stale ? new StaleCursor(error) : error;
    });
    if (!Array.isArray(result.tools)) problems.push(`page ${page} has no list of tools`);
    for (const raw of Array.isArray(result.tools) ? result.tools : []) {
      const tool = readTool(raw, ++place);
      if ("why" in tool) heldBack.push(tool);
      else if (tools.has(tool.name)) heldBack.push({ tool: tool.name, why: "is listed twice" });
      else tools.set(tool.name, tool);
    }
    const cursor = result.nextCursor;
    if (cursor === undefined || cursor === null) break;
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
  return { tools: [...tools.values()], heldBack, problems };
}
