/** Turns the description of a server into a handler that speaks one dialect of MCP, or both. @module */
import { complaints, isObject, type Schema } from "./arguments.ts";
import * as era from "./dialect.ts";
import { errorReply, type Handler, type Id, type Message, type Out } from "./serve.ts";

export interface ToolResult {
  content: unknown[];
  structuredContent?: unknown;
  isError?: boolean;
}

export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Schema;
  outputSchema?: Schema;
  annotations?: {
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
  /** `args` fit the schema's names and types. What is thrown becomes an `isError` result. */
  run(args: Message, call: ToolCall): ToolResult | Promise<ToolResult>;
}

/** What a running tool may know of its call, and do to its client. */
export interface ToolCall {
  /** Aborted when the client cancels or leaves, and when the call is over. */
  readonly signal: AbortSignal;
  /** Silent unless the client asked for progress. `done` has to grow from one report to the next. */
  progress(done: number, total?: number, message?: string): void;
  /** Tells whoever may be told that tools/list has another answer now. */
  listChanged(): void;
}

export interface Description extends era.DialectOptions {
  name: string;
  version: string;
  title?: string;
  instructions?: string;
  /** Read anew for each call, so it may grow. */
  tools: Tool[];
  /** Tools per page of tools/list; all of them if absent. */
  pageSize?: number;
  /** How long discovery and lists stay fresh, and for whom: 0 and "private" if absent. */
  ttlMs?: number;
  cacheScope?: "public" | "private";
  listChanged?: boolean;
  /** "optional" also serves a legacy client that never introduced itself, as most servers do. */
  handshake?: "required" | "optional";
}

/** What a tool says; `structured` is the same for machines. */
export function says(text: string, structured?: unknown): ToolResult {
  const content = [{ type: "text", text }];
  return structured === undefined ? { content } : { content, structuredContent: structured };
}

/** A tool's own "no": a result the model can read and act upon. */
export function refuses(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/**
 * A new connection to the described server, with the state of one connection and no other.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/tools}
 */
export function server(description: Description): Handler {
  const { name, title, version, instructions, dialect = "modern" } = description;
  const serverInfo = title === undefined ? { name, version } : { name, title, version };
  const capabilities = { tools: description.listChanged ? { listChanged: true } : {} };
  const about = instructions === undefined ? { capabilities } : { capabilities, instructions };
  const newest = description.legacyVersion ?? era.LEGACY.at(-1)!;
  const known = era.LEGACY.filter((version) => version < newest).concat(newest);
  const supported = dialect === "dual" ? [era.MODERN, ...known.toReversed()] : [era.MODERN];
  const inFlight = new Map<Id, AbortController>();
  const listeners = new Map<Id, Out>();
  let greeted: "no" | "half" | "yes" = description.handshake === "optional" ? "yes" : "no";

  function tellListChanged(out: Out | undefined, modern: boolean): void {
    const method = "notifications/tools/list_changed";
    if (!modern) out?.({ jsonrpc: "2.0", method });
    for (const [id, tell] of listeners) {
      tell({ jsonrpc: "2.0", method, params: { _meta: { [`${era.META}subscriptionId`]: id } } });
    }
  }

  async function callTool(params: Message, signal: AbortSignal, modern: boolean, out?: Out) {
    const { name, arguments: args = {}, _meta } = params;
    if (typeof name !== "string") throw new era.Refusal(-32602, "params.name must be a string");
    if (!isObject(args)) throw new era.Refusal(-32602, "params.arguments must be an object");
    const tool = description.tools.find((tool) => tool.name === name);
    if (!tool) throw new era.Refusal(-32602, `Unknown tool: ${name}`);
    const wrong = complaints(args, tool.inputSchema);
    if (wrong.length > 0) return refuses(`Cannot call ${name}: ${wrong.join("; ")}`);
    const progressToken = _meta?.progressToken;
    const call: ToolCall = {
      signal,
      progress(progress, total, message) {
        if (progressToken === undefined || signal.aborted) return;
        const params: Message = { progressToken, progress };
        if (total !== undefined) params.total = total;
        if (message !== undefined) params.message = message;
        out?.({ jsonrpc: "2.0", method: "notifications/progress", params });
      },
      listChanged: () => tellListChanged(out, modern),
    };
    try {
      return await tool.run(args, call);
    } catch (error) {
      return refuses(error instanceof Error ? error.message : String(error));
    }
  }

  function legacy(message: Message, signal: AbortSignal, out?: Out): Message {
    const { method, params = {} } = message;
    switch (method) {
      case "initialize": {
        if (greeted === "no") greeted = "half";
        const wanted = params.protocolVersion;
        const protocolVersion = known.includes(wanted) ? wanted : newest;
        return { protocolVersion, ...about, serverInfo };
      }
      case "ping":
        return {};
      case "tools/list":
      case "tools/call":
        // Word for word the Python SDK's, the strictest in the field.
        if (greeted !== "yes") {
          throw new era.Refusal(-32602, "Received request before initialization was complete");
        }
        return method === "tools/list"
          ? page(description, params.cursor)
          : callTool(params, signal, false, out);
      default:
        throw new era.Refusal(-32601, "Method not found");
    }
  }

  async function modern(message: Message, signal: AbortSignal, out?: Out): Promise<Message> {
    const { id, method, params = {} } = message;
    if (era.REMOVED.includes(method)) {
      const why = `Method not found: ${method}. This server speaks ${era.MODERN}, where it is gone`;
      throw new era.Refusal(-32601, why, { supported });
    }
    era.demandMeta(params, supported);
    const { ttlMs = 0, cacheScope = "private" } = description;
    const resultType = "complete";
    const _meta = { [`${era.META}serverInfo`]: serverInfo };
    switch (method) {
      case "server/discover": {
        const supportedVersions = [era.MODERN];
        return { resultType, supportedVersions, ...about, ttlMs, cacheScope, _meta };
      }
      case "tools/list":
        return { resultType, ...page(description, params.cursor), ttlMs, cacheScope, _meta };
      case "tools/call":
        return { resultType, ...await callTool(params, signal, true, out), _meta };
      case "subscriptions/listen": {
        if (!out) throw new era.Refusal(-32603, "Cannot listen: nothing carries notices here");
        const honoured = description.listChanged && params.notifications?.toolsListChanged === true;
        out({
          jsonrpc: "2.0",
          method: "notifications/subscriptions/acknowledged",
          params: {
            _meta: { [`${era.META}subscriptionId`]: id },
            notifications: honoured ? { toolsListChanged: true } : {},
          },
        });
        if (honoured) listeners.set(id, out);
        return await new Promise<never>(() => {}); // Open until it is cancelled.
      }
      default:
        throw new era.Refusal(-32601, `Method not found: ${method}`);
    }
  }

  function hear({ method, params }: Message): undefined {
    if (method === "notifications/initialized" && greeted === "half") greeted = "yes";
    if (method === "notifications/cancelled") inFlight.get(params?.requestId)?.abort();
  }

  // deno-lint-ignore require-await -- async, for the state has to change in the order of arrival
  async function answer(message: Message, signal: AbortSignal, out?: Out): Promise<Message> {
    if (!isObject(message.params ?? {})) {
      throw new era.Refusal(-32602, "params must be an object");
    }
    const isModern = dialect === "modern" ||
      dialect === "dual" && (era.isModern(message.params) || message.method === "server/discover");
    return isModern ? modern(message, signal, out) : legacy(message, signal, out);
  }

  return async (message, out) => {
    const no = (id: Id | undefined, why: string) =>
      errorReply(id, -32600, `Invalid Request: ${why}`);
    if (!isObject(message) || message.jsonrpc !== "2.0") return no(undefined, "not JSON-RPC 2.0");
    const { id, method } = message as Message;
    if (method === undefined) return undefined; // A reply, but nothing here ever asks the client.
    if (typeof method !== "string") return no(undefined, "method must be a string");
    if (id === undefined) return hear(message);
    if (typeof id !== "string" && !Number.isSafeInteger(id)) {
      return no(undefined, "id must be a string or an integer");
    }
    if (inFlight.has(id)) return no(id, "a call with this id is still running");
    const controller = new AbortController();
    const { signal } = controller;
    inFlight.set(id, controller);
    const cancelled = new Promise<undefined>((resolve) =>
      signal.addEventListener("abort", () => resolve(undefined), { once: true })
    );
    try {
      const result = await Promise.race([answer(message, signal, out), cancelled]);
      return result && { jsonrpc: "2.0", id, result };
    } catch (error) {
      if (error instanceof era.Refusal) {
        return errorReply(id, error.code, error.message, error.data);
      }
      return errorReply(id, -32603, `Internal error: ${error}`);
    } finally {
      inFlight.delete(id);
      listeners.delete(id);
      controller.abort();
    }
  };
}

/** One page of tools/list. A cursor holds all there is to know, so any process can go on from it. */
function page({ name, tools, pageSize = Infinity }: Description, cursor: unknown): Message {
  const cursorOf = (start: number) => btoa(`${name}/tools/${start}`);
  const starts = tools.map((_, index) => index).filter((index) => index % pageSize === 0);
  const start = cursor === undefined
    ? 0
    : starts.find((start) => start > 0 && cursorOf(start) === cursor);
  if (start === undefined) {
    throw new era.Refusal(-32602, `Unknown cursor: ${JSON.stringify(cursor)}`);
  }
  const end = start + pageSize;
  const infos = tools.slice(start, end).map(({ run: _, ...info }) => info);
  return end < tools.length ? { tools: infos, nextCursor: cursorOf(end) } : { tools: infos };
}
