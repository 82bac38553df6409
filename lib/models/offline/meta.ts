/** The meta tools of lazy and forward mode, as the offline model recognises, uses and remembers them. @module */
import type { Params } from "../../protocol/types.ts";
import type { Message, ToolSpec, ToolUse } from "../model.ts";
import { textOf } from "./hits.ts";
import { list, record } from "./params.ts";

/** How tools that are not in the table are reached: attached, or through one that forwards. */
export type Reach = "lazy" | "forward";

/** Something to be asked of a meta tool: a search, a server's list, one tool's whole schema. */
export interface Ask {
  kind: "search" | "open" | "rouse" | "describe";
  /** The query, the alias, the alias, the public name. */
  what: string;
}

/** What was asked, and what came of it. */
export interface Asked extends Ask {
  /** The message that asked. */
  at: number;
  /** Absent while nothing has come. */
  text: string | undefined;
  isError: boolean;
}

export const FORWARD = "mcp";
const LAZY = {
  search: "search_tools",
  open: "attach_server",
  detach: "detach_server",
  read: "read_result",
};
const ACTIONS = ["search", "describe", "call"];
/** No tool is called so: naming it starts a server whose tools nobody has seen, and runs nothing. */
const ANY_TOOL = ".*";

/** Which of the meta tools are offered; undefined when all tools are. */
export function reachOf(tools: readonly ToolSpec[]): Reach | undefined {
  const takes = (name: string, parameter: string) => {
    const spec = tools.find((tool) => tool.name === name);
    return record(record(record(spec?.inputSchema).properties)[parameter]);
  };
  const actions = list(takes(FORWARD, "action").enum);
  if (ACTIONS.every((action) => actions.includes(action))) return "forward";
  return takes(LAZY.search, "query").type === "string" ? "lazy" : undefined;
}

/** The offered tools that do something themselves. Where all are offered, one may still be ours. */
export function realTools(tools: readonly ToolSpec[], reach: Reach | undefined): ToolSpec[] {
  const isOurs = ({ name, inputSchema }: ToolSpec) => {
    if (reach === "forward") return name === FORWARD;
    if (reach === "lazy") return Object.values(LAZY).includes(name);
    return name === LAZY.read && list(record(inputSchema).required).join() === "result";
  };
  return tools.filter((tool) => !isOurs(tool));
}

/** How an ask is written down as a use. */
export function askingUse({ kind, what }: Ask, reach: Reach): Omit<ToolUse, "id"> {
  if (reach === "lazy") {
    return kind === "search"
      ? { name: LAZY.search, args: { query: what } }
      : { name: LAZY.open, args: { server: what } };
  }
  const args = kind === "search"
    ? { action: "search", query: what }
    : { action: "describe", name: kind === "rouse" ? what + ANY_TOOL : what };
  return { name: FORWARD, args };
}

/** How a call of a real tool is written down. */
export function callingUse(
  name: string,
  args: Params,
  reach: Reach | undefined,
): Omit<ToolUse, "id"> {
  return reach === "forward"
    ? { name: FORWARD, args: { action: "call", name, args } }
    : { name, args };
}

/**
 * A conversation as if every tool had been offered: forwarded calls are calls of the inner tools, and
 * what was asked of meta tools stands beside it. No message is left out, so that places stay the same.
 */
export function untangle(
  messages: readonly Message[],
  reach: Reach,
): { messages: Message[]; asked: Asked[] } {
  const asked: (Asked & { id: string })[] = [];
  const inner = new Map<string, string>();
  const plain = messages.map((message, at): Message => {
    if (message.role === "assistant") {
      const uses = message.uses.flatMap((use): ToolUse[] => {
        const read = readUse(use, reach);
        if ("name" in read) {
          inner.set(use.id, read.name);
          return [{ ...use, ...read }];
        }
        if ("kind" in read) {
          asked.push({ ...read, id: use.id, at, text: undefined, isError: false });
        }
        return [];
      });
      return { ...message, uses };
    }
    if (message.role !== "tool") return message;
    const results = message.results.flatMap((result) => {
      const name = inner.get(result.id);
      if (name !== undefined) return [{ ...result, name }];
      const own = asked.find(({ id, text }) => id === result.id && text === undefined);
      if (own) Object.assign(own, { text: textOf(result.content), isError: result.isError });
      return [];
    });
    return { role: "tool", results };
  });
  return { messages: plain, asked };
}

/** A call of a real tool, an ask, or neither. */
function readUse(
  { name, args }: ToolUse,
  reach: Reach,
): { name: string; args: Params } | Ask | Record<never, never> {
  const said = (key: string) => typeof args[key] === "string" ? args[key] : "";
  if (reach === "lazy") {
    if (name === LAZY.search) return { kind: "search", what: said("query") };
    if (name === LAZY.open) return { kind: "open", what: said("server") };
    return name === LAZY.detach || name === LAZY.read ? {} : { name, args };
  }
  if (name !== FORWARD) return { name, args };
  const of = said("name");
  switch (args.action) {
    case "search":
      return { kind: "search", what: said("query") };
    case "describe":
      if (of.endsWith(ANY_TOOL)) return { kind: "rouse", what: of.slice(0, -ANY_TOOL.length) };
      return { kind: /^mcp__|\./.test(of) ? "describe" : "open", what: of };
    case "call":
      return { name: of, args: record(args.args) };
    default:
      return {};
  }
}
