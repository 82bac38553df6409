/** Two small servers, some strangers, and a loop that plays the offline model against them. @module */
import assert from "node:assert/strict";
import type { Content, Params } from "../../lib/protocol/types.ts";
import type { Delta, Message, ToolSpec, ToolUse, Turn } from "../../lib/models/model.ts";
import { offlineModel } from "../../lib/models/offline.ts";

export interface Fake {
  spec: ToolSpec;
  run(args: Params): Content[] | string | Refusal;
}

export class Refusal {
  constructor(readonly text: string) {}
}

export function tool(
  alias: string,
  name: string,
  description: string,
  properties: Params,
  required: string[],
  run: Fake["run"] = () => `${name} ran`,
): Fake {
  const inputSchema = { type: "object", properties, required };
  return {
    spec: {
      name: `mcp__${alias}__${name}`,
      description: `[from ${alias}] ${description}`,
      inputSchema,
    },
    run,
  };
}

export const TEXT = { type: "string" };
export const NUMBER = { type: "number" };
const NOTES = new Map([
  ["Release checklist", "Sign the build. Update the download page. Tell support first."],
  ["Groceries", "Oat milk, eggs, rice."],
  ["Q3 offsite", "Lisbon won the vote. Priya collects the receipts."],
]);
const TICKETS = new Map([["T-1", "Renew the certificate"], ["T-3", "Screenshots for the release"], [
  "T-5",
  "Descale the coffee machine",
]]);

function found(items: ReadonlyMap<string, string>, query: unknown): [string, string][] {
  const wanted = String(query).toLowerCase().split(" ");
  return [...items].filter((item) =>
    wanted.some((word) => item.join(" ").toLowerCase().includes(word))
  );
}

export const HOUSE: Fake[] = [
  tool("notes", "search", "Finds notes by words.", { query: TEXT, limit: { type: "integer" } }, [
    "query",
  ], ({ query }) => {
    const lines = found(NOTES, query).map(([title]) =>
      `n-${[...NOTES.keys()].indexOf(title) + 1}  ${title}`
    );
    return lines.join("\n") || `No note matches "${query}".`;
  }),
  tool(
    "notes",
    "read_note",
    "Returns one note in full. Give its title or its id.",
    { title: TEXT, id: TEXT },
    [],
    ({ title, id }) => {
      const names = [...NOTES.keys()];
      const name = names.find((each, at) => each === title || `n-${at + 1}` === id);
      const all = names.map((each) => `"${each}"`).join(", ");
      return name
        ? `# ${name}\n${NOTES.get(name)}`
        : new Refusal(`No note is called "${title}". The notes are called ${all}.`);
    },
  ),
  tool(
    "notes",
    "add_note",
    "Writes a new note.",
    { title: TEXT, body: TEXT, tags: { type: "array", items: TEXT } },
    ["title", "body"],
    ({ title }) => `Added "${title}".`,
  ),
  tool(
    "tickets",
    "search",
    "Finds tickets by words, or by an id like T-1.",
    { query: TEXT, state: { type: "string", enum: ["open", "closed", "all"] } },
    ["query"],
    ({ query }) =>
      found(TICKETS, query).map(([id, title]) => `${id}  ${title}  (open)`).join("\n") ||
      `No ticket matches "${query}".`,
  ),
  tool(
    "tickets",
    "create_ticket",
    "Opens a ticket.",
    {
      title: TEXT,
      due: { type: "string", description: "An ISO 8601 date" },
      priority: { type: "string", enum: ["low", "normal", "high"], default: "normal" },
    },
    ["title", "due"],
    ({ title, due }) =>
      /^\d{4}-\d{2}-\d{2}$/.test(String(due)) ? `Created T-6 "${title}", due ${due}.` : new Refusal(
        `"due" must be an ISO 8601 date like 2026-12-04 (YYYY-MM-DD), got ${
          JSON.stringify(due)
        }. Today is 2026-11-30 (Monday).`,
      ),
  ),
  tool(
    "tickets",
    "close_ticket",
    "Closes a ticket for good.",
    { id: { type: "string", description: "The id, like T-1" } },
    ["id"],
    ({ id }) =>
      TICKETS.has(String(id))
        ? `Closed ${id}.`
        : new Refusal(`No ticket has the id "${id}". Open are ${[...TICKETS.keys()].join(", ")}.`),
  ),
];

export const STRANGERS: Fake[] = [
  tool(
    "everything",
    "echo",
    "Echoes back the input string",
    { message: TEXT },
    ["message"],
    ({ message }) => `Echo: ${message}`,
  ),
  tool("everything", "get-sum", "Returns the sum of two numbers", { a: NUMBER, b: NUMBER }, [
    "a",
    "b",
  ], ({ a, b }) => `${Number(a) + Number(b)}`),
  tool("fs", "read_file", "Read a file. DEPRECATED: Use read_text_file instead.", { path: TEXT }, [
    "path",
  ]),
  tool("fs", "read_text_file", "Read a file as text.", { path: TEXT, head: NUMBER, tail: NUMBER }, [
    "path",
  ]),
  tool("fs", "write_file", "Create a new file or overwrite one.", { path: TEXT, content: TEXT }, [
    "path",
    "content",
  ]),
  tool("fs", "list_directory", "List all files and directories in a path.", { path: TEXT }, [
    "path",
  ]),
  tool("fs", "move_file", "Move or rename files.", { source: TEXT, destination: TEXT }, [
    "source",
    "destination",
  ]),
  tool("hub", "create_issue", "Create a new issue in a repository", {
    owner: TEXT,
    repo: TEXT,
    title: TEXT,
    labels: { type: "array", items: TEXT },
  }, ["owner", "repo", "title"]),
  tool("hub", "get_issue", "Get an issue of a repository", {
    owner: TEXT,
    repo: TEXT,
    issue_number: NUMBER,
  }, ["owner", "repo", "issue_number"]),
  tool("mail", "send_email", "Send an email", {
    to: { type: "string", format: "email" },
    subject: TEXT,
    body: TEXT,
  }, ["to", "subject", "body"]),
  tool("sky", "get_forecast", "Get the weather forecast for a city", {
    city: TEXT,
    days: { type: "integer", default: 3 },
  }, ["city"]),
];

export async function turn(
  messages: readonly Message[],
  tools: readonly ToolSpec[],
  system = "",
): Promise<{ turn: Turn; deltas: Delta[] }> {
  const model = offlineModel().turn({ system, messages, tools });
  const deltas: Delta[] = [];
  for (let next = await model.next();; next = await model.next()) {
    if (next.done) return { turn: next.value as Turn, deltas };
    deltas.push(next.value);
  }
}

export interface Dialogue {
  /** The uses of each turn, without their ids: `name {args}`, the alias prefix cut. */
  steps: string[][];
  answer: string;
  messages: Message[];
}

/** Feeds results back until the model answers. */
export async function talk(
  prompt: string,
  tools: readonly Fake[] = HOUSE,
  before: readonly Message[] = [],
): Promise<Dialogue> {
  const messages: Message[] = [...before, { role: "user", text: prompt }];
  const steps: string[][] = [];
  for (let left = 30; left > 0; left--) {
    const { turn: { text, uses, stop } } = await turn(messages, tools.map(({ spec }) => spec));
    messages.push({ role: "assistant", text, uses });
    assert.equal(stop, uses.length > 0 ? "tools" : "end");
    if (uses.length === 0) return { steps, answer: text, messages };
    steps.push(
      uses.map(({ name, args }) => `${name.replace("mcp__", "")} ${JSON.stringify(args)}`),
    );
    messages.push({ role: "tool", results: uses.map((use) => run(use, tools)) });
  }
  throw new Error(`It never answered: ${JSON.stringify(steps)}`);
}

function run({ id, name, args }: ToolUse, tools: readonly Fake[]) {
  const out = tools.find(({ spec }) => spec.name === name)!.run(args);
  const isError = out instanceof Refusal;
  const content = Array.isArray(out)
    ? out
    : [{ type: "text", text: out instanceof Refusal ? out.text : out }];
  return { id, name, content, isError };
}

export async function uses(prompt: string, tools: readonly Fake[] = HOUSE): Promise<string[]> {
  return (await talk(prompt, tools)).steps.flat();
}
