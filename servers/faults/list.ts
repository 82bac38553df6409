/** Faults of tools/list: its pages, its cursors, its changes; what is on it is in `tools.ts`. @module */
import { errorReply, type Handler, type Message } from "../serve.ts";
import { says } from "../server.ts";
import { answering, type Fault, type Hooks, whole } from "./fault.ts";
import { echo } from "./healthy.ts";

export const isList = (message: Message): boolean => message.method === "tools/list";

/** One page: the tools on it, and the cursor of the next; `undefined` if there is none such. */
type Page = { tools: Message[]; nextCursor?: string | number | null } | undefined;

export const info = (name: string): Message => {
  const { run: _, ...info } = echo(name);
  return info;
};

/** Calls of these names are answered by `echo`. */
export function echoing(next: Handler, isNamed: (name: unknown) => boolean): Handler {
  return (message, out) =>
    message.method === "tools/call" && isNamed(message.params?.name)
      ? next({ ...message, params: { ...message.params, name: "echo" } }, out)
      : next(message, out);
}

/**
 * Serves pages of our own making. The tools `tool_1`, `tool_2`, … can be called.
 * @param page of a cursor (`undefined` asks for the first), given the healthy tools
 */
function paging(page: (cursor: string | undefined, tools: Message[]) => Page): Hooks {
  return {
    handle: (next) => async (message, out) => {
      const named = echoing(next, (name) => /^tool_\d+$/.test(String(name)));
      if (!isList(message) || message.id === undefined) return named(message, out);
      const { cursor, ...params } = message.params ?? {};
      const reply = await next({ ...message, params }, out);
      if (!reply?.result) return reply;
      const own = page(cursor, reply.result.tools);
      if (!own) return errorReply(message.id, -32602, `Unknown cursor: ${JSON.stringify(cursor)}`);
      return { ...reply, result: { ...reply.result, ...own } };
    },
  };
}

const schema = { type: "object", properties: {} };

export const LIST: Record<string, Fault> = {
  pages: {
    about: "lists tool_1 to tool_N, one per page, and no others (they can still be called)",
    arg: "N",
    hooks(arg) {
      const last = whole(arg);
      return paging((cursor = "page 1") => {
        const at = Number(/^page (\d+)$/.exec(cursor)?.[1]);
        if (!(at >= 1 && at <= last)) return undefined;
        const tools = [info(`tool_${at}`)];
        return at < last ? { tools, nextCursor: `page ${at + 1}` } : { tools };
      });
    },
  },
  "endless-pages": {
    about: "has always one more page, with one more tool",
    hooks: () =>
      paging((cursor, tools) => {
        const at = Number(cursor ?? 1);
        if (!(at >= 1)) return undefined;
        return { tools: at === 1 ? tools : [info(`tool_${at}`)], nextCursor: String(at + 1) };
      }),
  },
  "same-cursor": {
    about: "answers the cursor of page 2 with page 2, for ever",
    hooks: () =>
      paging((cursor, tools) => ({
        tools: cursor === undefined ? tools : [info("tool_2")],
        nextCursor: "same",
      })),
  },
  "empty-cursor": {
    about: 'has the cursor "" for page 2',
    hooks: () =>
      paging((cursor, tools) =>
        cursor === undefined
          ? { tools, nextCursor: "" }
          : cursor === ""
          ? { tools: [info("tool_2")] }
          : undefined
      ),
  },
  "empty-page": {
    about: "has nothing on page 2, but a page 3",
    hooks: () =>
      paging((cursor = "1", tools) =>
        ({
          "1": { tools, nextCursor: "2" },
          "2": { tools: [], nextCursor: "3" },
          "3": { tools: [info("tool_3")] },
        })[cursor]
      ),
  },
  "cursor-expires": {
    about: "rejects the cursor of page 3 with -32602, once",
    hooks() {
      let expired = false;
      return paging((cursor = "1", tools) => {
        if (cursor === "3" && !expired) {
          expired = true;
          return undefined;
        }
        return ({
          "1": { tools, nextCursor: "2" },
          "2": { tools: [info("tool_2")], nextCursor: "3" },
          "3": { tools: [info("tool_3")] },
        })[cursor];
      });
    },
  },
  "stale-cursor": {
    about: "rejects every cursor that it gives out with -32602",
    hooks: () =>
      paging((cursor, tools) => cursor === undefined ? { tools, nextCursor: "2" } : undefined),
  },
  "odd-cursor": {
    about: "ends the list with nextCursor: 42",
    hooks: () => paging((_, tools) => ({ tools, nextCursor: 42 })),
  },
  "null-cursor": {
    about: "ends the list with nextCursor: null",
    hooks: () => paging((_, tools) => ({ tools, nextCursor: null })),
  },
  "list-error": {
    about: "answers tools/list with error CODE",
    arg: "CODE",
    hooks: (arg) => answering(isList, { code: whole(arg) }),
  },
  "list-hang": {
    about: "does not answer tools/list",
    hooks: () => answering(isList),
  },
  "list-late": {
    about: "answers each tools/list MS milliseconds late",
    arg: "MS",
    hooks(arg) {
      const ms = whole(arg);
      return {
        handle: (next) => async (message, out) => {
          if (isList(message)) await new Promise((resolve) => setTimeout(resolve, ms));
          return await next(message, out);
        },
      };
    },
  },
  "list-storm": {
    about: "says every other millisecond that its list has changed, when it has not",
    hooks() {
      const method = "notifications/tools/list_changed";
      let timer: ReturnType<typeof setInterval> | undefined;
      return {
        setup: (description) => void (description.listChanged = true),
        handle: (next) => async (message, out) => {
          const reply = await next(message, out);
          if (isList(message)) timer ??= setInterval(() => out?.({ jsonrpc: "2.0", method }), 2);
          return reply;
        },
        end: () => clearInterval(timer),
      };
    },
  },
  "list-changed": {
    about: "adds the tool grow, which adds a tool grown_N and says so (modern: to who listens)",
    hooks: () => ({
      setup(description) {
        description.listChanged = true;
        let grown = 0;
        description.tools.push({
          name: "grow",
          description: "Adds a tool to this server and says so.",
          inputSchema: schema,
          run(_, call) {
            const name = `grown_${++grown}`;
            description.tools.push(echo(name));
            call.listChanged();
            return says(`Added ${name}.`);
          },
        });
      },
    }),
  },
  "list-same": {
    about:
      "says that its list has changed, when it has not: after the handshake, and by the tool stir",
    hooks: () => ({
      setup(description) {
        description.listChanged = true;
        description.tools.push({
          name: "stir",
          description: "Says that the list of tools has changed.",
          inputSchema: schema,
          run(_, call) {
            call.listChanged();
            return says("Nothing has changed.");
          },
        });
      },
      handle: (next) => async (message, out) => {
        const reply = await next(message, out);
        if (message.method === "notifications/initialized") {
          out?.({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
        }
        return reply;
      },
    }),
  },
};
