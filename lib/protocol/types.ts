/** The JSON-RPC and MCP shapes we speak, and nothing more. @module */

/** JSON-RPC ids of ours are integers; those of legacy servers may be strings, and 0 is one too. */
export type Id = number | string;
export type Params = Record<string, unknown>;

/** A JSON-RPC request: exactly one {@linkcode Reply} is owed. */
export interface Call {
  jsonrpc: "2.0";
  id: Id;
  method: string;
  params?: Params;
}

/** A JSON-RPC notification: nobody answers. */
export interface Notice {
  jsonrpc: "2.0";
  method: string;
  params?: Params;
}

/** The error member of a JSON-RPC reply. */
export interface WireError {
  code: number;
  message: string;
  data?: unknown;
}

export type Reply =
  | { jsonrpc: "2.0"; id: Id; result: Params }
  | { jsonrpc: "2.0"; id: Id; error: WireError };

/** One part of a result: `text`, `image`, `audio`, `resource`, `resource_link`, or a type of tomorrow. */
export interface Content {
  type: string;
  [key: string]: unknown;
}

/** Hints a server gives about a tool. A stranger's word: they may add a question, never spare one. */
export interface Annotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/** A tool as its server describes it, checked for shape and otherwise untouched. */
export interface ToolInfo {
  name: string;
  title?: string;
  description?: string;
  inputSchema: Params;
  outputSchema?: Params;
  annotations?: Annotations;
}

/** Who the other side says it is. For display only: it decides nothing. */
export interface PeerInfo {
  name?: string;
  version?: string;
}
