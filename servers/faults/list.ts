/** Faults of tools/list: its pages, its cursors, its tools, its changes. @module */
import { errorReply, type Handler, type Message } from "../serve.ts";
import { says, type Tool } from "../server.ts";
import { adding, answering, type Fault, type Hooks, whole } from "./fault.ts";
import { echo } from "./healthy.ts";

const isList = (message: Message) => message.method === "tools/list";

/** One page: the tools on it, and the cursor of the next; `undefined` if there is none such. */
type Page = { tools: Message[]; nextCursor?: string | null } | undefined;

const info = (name: string): Message => {
  const { run: _, ...info } = echo(name);
  return info;
};

/** Calls of these names are answered by `echo`. */
function echoing(next: Handler, isNamed: (name: unknown) => boolean): Handler {
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

/** Adds to the list what no server should, and has `echo` answer for it. */
function listing(entries: Message[]): Hooks {
  const names = entries.map((entry) => entry?.name);
  return {
    handle: (next) => async (message, out) => {
      const reply = await echoing(next, (name) => names.includes(name))(message, out);
      if (!isList(message) || !reply?.result) return reply;
      const { result } = reply;
      return { ...reply, result: { ...result, tools: [...result.tools, ...entries] } };
    },
  };
}

const schema = { type: "object", properties: {} };

const BAD: Message[] = [
  info("good_first"),
  { name: "schema_null", description: "Its inputSchema is null.", inputSchema: null },
  { name: "schema_missing", description: "It has no inputSchema." },
  { name: "schema_string", inputSchema: { type: "string" } },
  { name: "properties_array", inputSchema: { type: "object", properties: [] } },
  { name: "required_null", inputSchema: { ...schema, required: null } },
  { name: "", description: "Its name is empty.", inputSchema: schema },
  { description: "It has no name.", inputSchema: schema },
  null,
  { name: "twin", description: "The first of two.", inputSchema: schema },
  { name: "twin", description: "The second of two.", inputSchema: schema },
  info("good_last"),
];

export const ODD_NAMES = [
  "foo.bar",
  "foo/bar",
  "foo_bar",
  "foo bar",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "admin.tools.list",
  "n".repeat(128),
  `${"a".repeat(40)}1${"b".repeat(39)}`,
  `${"a".repeat(40)}2${"b".repeat(39)}`,
  "red\u001b[31malert\u001b[0m\u202Etxt",
  "🚀",
];

/** A tool that says how it is called, for names that differ in what is hard to see. */
function named(name: string): Tool {
  return {
    ...echo(name, "Returns its own name and its arguments."),
    run: (args) => says(name, { tool: name, arguments: args }),
  };
}

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
  "null-cursor": {
    about: "ends the list with nextCursor: null",
    hooks: () => paging((_, tools) => ({ tools, nextCursor: null })),
  },
  "bad-tools": {
    about: "lists good_first, nine entries that are no tools or are malformed, and good_last",
    hooks: () => listing(BAD),
  },
  "odd-names": {
    about: "adds tools whose names are legal but trying; each returns its name",
    hooks: () => adding(...ODD_NAMES.map(named)),
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
