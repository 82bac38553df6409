/** An issue tracker in memory that is strict about dates, so that a model has something to mend. @module */
import type { DialectOptions } from "./dialect.ts";
import { match } from "./match.ts";
import { type Handler, serveMain } from "./serve.ts";
import { refuses, says, server, type Tool } from "./server.ts";

interface Ticket {
  id: string;
  title: string;
  due: string;
  priority: "low" | "normal" | "high";
  state: "open" | "closed";
}

const SEED: readonly Ticket[] = [
  {
    id: "T-1",
    title: "Renew the code signing certificate",
    due: "2026-12-01",
    priority: "high",
    state: "open",
  },
  {
    id: "T-2",
    title: "Upload test fails one run in twenty",
    due: "2026-11-27",
    priority: "normal",
    state: "closed",
  },
  {
    id: "T-3",
    title: "Screenshots for the release notes",
    due: "2026-12-03",
    priority: "normal",
    state: "open",
  },
  {
    id: "T-4",
    title: "Alert on the share of empty search results",
    due: "2026-12-18",
    priority: "high",
    state: "open",
  },
  {
    id: "T-5",
    title: "Descale the office coffee machine",
    due: "2027-01-15",
    priority: "low",
    state: "open",
  },
];

const TICKET = {
  type: "object",
  properties: {
    id: { type: "string" },
    title: { type: "string" },
    due: { type: "string", format: "date" },
    priority: { enum: ["low", "normal", "high"] },
    state: { enum: ["open", "closed"] },
  },
  required: ["id", "title", "due", "priority", "state"],
};

/** A line about a ticket, for people and models. */
function line({ id, title, due, priority, state }: Ticket): string {
  return `${id}  ${title}  (due ${due}, ${priority}, ${state})`;
}

function isoDate(day: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** Whether a text is YYYY-MM-DD, and a day that exists. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  // Date.parse lets 2026-02-30 pass as the 2nd of March.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function tools(tickets: Ticket[], today: () => Date): Tool[] {
  return [
    {
      name: "search",
      title: "Search tickets",
      description: "Finds tickets by words in their title, or by id. Best match first.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "The words to look for, or an id like T-1" },
          state: { type: "string", enum: ["open", "closed", "all"], default: "all" },
        },
        required: ["query"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { tickets: { type: "array", items: TICKET } },
        required: ["tickets"],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
      run({ query, state = "all" }) {
        const named = tickets.filter(({ id }) => id.toLowerCase() === query.trim().toLowerCase());
        const found = (named.length > 0 ? named : match(query, tickets, ({ title }) => [title]))
          .filter((ticket) => state === "all" || ticket.state === state);
        const text = found.length === 0
          ? `No ${state === "all" ? "" : `${state} `}ticket matches "${query}".`
          : found.map(line).join("\n");
        return says(text, { tickets: found.map((ticket) => ({ ...ticket })) });
      },
    },
    {
      name: "create_ticket",
      title: "Create a ticket",
      description: "Opens a ticket. The due date has to be a calendar date, not words.",
      inputSchema: {
        type: "object",
        properties: {
          title: { type: "string", description: "What has to be done, in one line" },
          due: { type: "string", description: "An ISO 8601 date, YYYY-MM-DD" },
          priority: { type: "string", enum: ["low", "normal", "high"], default: "normal" },
        },
        required: ["title", "due"],
        additionalProperties: false,
      },
      outputSchema: TICKET,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run({ title, due, priority = "normal" }) {
        if (title.trim() === "") return refuses('Cannot create a ticket: "title" is empty');
        if (!isDay(due)) {
          const now = today();
          const weekday = now.toLocaleDateString("en-GB", { weekday: "long" });
          return refuses(
            `"due" must be an ISO 8601 date like 2026-12-04 (YYYY-MM-DD), got ${
              JSON.stringify(due)
            }. ` +
              `Today is ${isoDate(now)} (${weekday}).`,
          );
        }
        const id = `T-${tickets.length + 1}`;
        const ticket: Ticket = { id, title, due, priority, state: "open" };
        tickets.push(ticket);
        return says(`Created ${line(ticket)}`, { ...ticket });
      },
    },
    {
      name: "close_ticket",
      title: "Close a ticket",
      description: "Closes a ticket for good. It cannot be opened again.",
      inputSchema: {
        type: "object",
        properties: { id: { type: "string", description: "The id, like T-1" } },
        required: ["id"],
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
      run({ id }) {
        const ticket = tickets.find((ticket) => ticket.id.toLowerCase() === id.toLowerCase());
        if (!ticket) {
          const open = tickets.filter(({ state }) => state === "open").map(({ id }) => id);
          return refuses(`No ticket has the id "${id}". Open are ${open.join(", ") || "none"}.`);
        }
        if (ticket.state === "closed") return says(`${ticket.id} was closed already.`);
        ticket.state = "closed";
        return says(`Closed ${ticket.id} "${ticket.title}".`);
      },
    },
  ];
}

export interface TicketsOptions extends DialectOptions {
  /** The day that error texts call today; the real one if absent. */
  today?: () => Date;
}

/** A new tracker behind a new connection. */
export function tickets(options: TicketsOptions = {}): Handler {
  const { today = () => new Date(), ...dialect } = options;
  return server({
    name: "tickets",
    title: "Tickets",
    version: "1.0.0",
    instructions: "An issue tracker. Dates are ISO 8601; ask before you close a ticket.",
    tools: tools(SEED.map((ticket) => ({ ...ticket })), today),
    ttlMs: 60_000,
    cacheScope: "public",
    ...dialect,
  });
}

if (import.meta.main) await serveMain(tickets);
