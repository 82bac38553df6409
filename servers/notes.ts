/** A notebook in memory: three tools over two pages, and seven notes worth asking about. @module */
import type { DialectOptions } from "./dialect.ts";
import { match } from "./match.ts";
import { type Handler, serveMain } from "./serve.ts";
import { refuses, says, server, type Tool } from "./server.ts";

interface Note {
  id: string;
  title: string;
  tags: string[];
  body: string;
}

const SEED: readonly Note[] = [
  {
    id: "n-1",
    title: "Release checklist",
    tags: ["release", "engineering"],
    body: `Release 2.4 ships on Friday.
- [x] Changelog written
- [x] Migration rehearsed on staging
- [ ] Sign the macOS build (Ines)
- [ ] Update the download page
- [ ] Tell support before the announcement, not after
Rollback: redeploy 2.3.6. The migration is backwards compatible, so no data moves.`,
  },
  {
    id: "n-2",
    title: "Standup 2026-11-26",
    tags: ["standup"],
    body: `Ines: Linux and Windows builds are signed. macOS waits for the new certificate.
Tomás: found the flaky upload test. It compared local time with UTC.
Priya: release notes are drafted and need two screenshots.
Blocked: the certificate. IT has had the request since Monday.`,
  },
  {
    id: "n-3",
    title: "Groceries",
    tags: ["home"],
    body: "Oat milk, eggs, dark roast, lemons, rice, dish soap. Ask Jo if there is any cumin left.",
  },
  {
    id: "n-4",
    title: "Q3 offsite",
    tags: ["team", "travel"],
    body: `Lisbon won the vote, 9 to 5. Fourteen people, two nights.
Book the room with the long table. Last year's had no daylight.
Budget: 9,800 EUR including trains. Priya collects the receipts.`,
  },
  {
    id: "n-5",
    title: "Postmortem: search outage",
    tags: ["incident", "engineering"],
    body: `41 minutes of empty search results after the index moved to new disks.
Cause: the health check asked the old host. Nobody was paged, a customer wrote in.
To do: alert on the share of empty results, and page whoever is on call.`,
  },
  {
    id: "n-6",
    title: "1:1 with Tomás",
    tags: ["people"],
    body:
      "Wants to give the testing talk in spring. Prefers mornings without meetings. Ask about it.",
  },
  {
    id: "n-7",
    title: "Books to read",
    tags: ["home", "reading"],
    body: "The Soul of a New Machine. A Pattern Language. The Left Hand of Darkness (again).",
  },
];

const NOTE = {
  type: "object",
  properties: {
    id: { type: "string" },
    title: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    excerpt: { type: "string" },
  },
  required: ["id", "title", "tags", "excerpt"],
};

/** The first three lines. */
function excerpt(body: string): string {
  const lines = body.split("\n");
  return lines.length > 3 ? [...lines.slice(0, 3), "…"].join("\n") : body;
}

function tools(notes: Note[]): Tool[] {
  const titles = () => notes.map(({ title }) => `"${title}"`).join(", ");
  return [
    {
      name: "search",
      title: "Search notes",
      description: "Finds notes by words in their title, tags or text. Best match first.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "The words to look for" },
          limit: {
            type: "integer",
            minimum: 1,
            maximum: 20,
            default: 5,
            description: "How many notes to return at most",
          },
        },
        required: ["query"],
        additionalProperties: false,
      },
      outputSchema: {
        type: "object",
        properties: { total: { type: "integer" }, notes: { type: "array", items: NOTE } },
        required: ["total", "notes"],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
      run({ query, limit = 5 }) {
        const found = match(query, notes, ({ title, tags, body }) => [title, tags.join(" "), body]);
        const shown = found.slice(0, limit).map(({ id, title, tags, body }) => ({
          id,
          title,
          tags,
          excerpt: excerpt(body),
        }));
        const lines = shown.map(({ id, title, tags, excerpt }) =>
          `${id}  ${title}  [${tags.join(", ")}]\n${excerpt}`
        );
        const head = found.length === 0
          ? `No note matches "${query}". The notes are called ${titles()}.`
          : `${shown.length} of ${found.length} matching notes:`;
        return says([head, ...lines].join("\n\n"), { total: found.length, notes: shown });
      },
    },
    {
      name: "read_note",
      title: "Read a note",
      description: "Returns one note in full. Give its title or its id.",
      inputSchema: {
        type: "object",
        properties: {
          title: { type: "string", description: "The title, in upper or lower case" },
          id: { type: "string", description: "The id, like n-1" },
        },
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
      run({ title, id }) {
        if (title === undefined && id === undefined) {
          return refuses('Cannot read a note: give its "title" or its "id"');
        }
        const same = (text: string) => text.toLowerCase() === title?.toLowerCase();
        const note = notes.find((note) => id === undefined ? same(note.title) : note.id === id);
        if (!note) {
          const asked = id === undefined ? `called "${title}"` : `with the id "${id}"`;
          return refuses(`No note is ${asked}. The notes are called ${titles()}.`);
        }
        return says(`# ${note.title}\n${note.id}  [${note.tags.join(", ")}]\n\n${note.body}`);
      },
    },
    {
      name: "add_note",
      title: "Add a note",
      description: "Writes a new note. It never overwrites one.",
      inputSchema: {
        type: "object",
        properties: {
          title: { type: "string", description: "A title no other note has" },
          body: { type: "string", description: "The text, Markdown if you like" },
          tags: { type: "array", items: { type: "string" }, default: [] },
        },
        required: ["title", "body"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      run({ title, body, tags = [] }) {
        if (title.trim() === "") return refuses('Cannot add a note: "title" is empty');
        const twin = notes.find((note) => note.title.toLowerCase() === title.toLowerCase());
        if (twin) return refuses(`Cannot add a note: ${twin.id} is called "${twin.title}" already`);
        const note = { id: `n-${notes.length + 1}`, title, body, tags };
        notes.push(note);
        return says(`Added ${note.id} "${title}".`);
      },
    },
  ];
}

/** A new notebook behind a new connection. */
export function notes(options: DialectOptions = {}): Handler {
  return server({
    name: "notes",
    title: "Notes",
    version: "1.0.0",
    instructions: "A personal notebook. Search first; read a note in full before you act on it.",
    tools: tools([...SEED]),
    pageSize: 2,
    ttlMs: 60_000,
    cacheScope: "public",
    ...options,
  });
}

if (import.meta.main) await serveMain(notes);
