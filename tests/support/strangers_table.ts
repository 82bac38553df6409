/** docs/strangers.md, made from what happened. @module */
import { table } from "./markdown.ts";
import { shapeOf, type Visit } from "./strangers_visit.ts";

const HEAD = `# Strangers

MCP servers that we did not write, from npm, run under Deno and met by fusebox over stdio.

\`deno task test:strangers\` makes this file and fails when it differs from what happened; only the
last column, which depends on the machine, may. \`UPDATE_DOCS=1 deno task test:strangers\` writes it.
Don't edit it by hand.

- **Era**: what fusebox agreed on with the server; **Tools**: how many it lists, in number and name
  the same as in an exchange by hand that shares no code with fusebox.
- **Unknown tool**, **Bad arguments**: in what way the server said no. The model is told by an error
  result whatever the way; nothing throws.
- After all this each server answered the good call again, and when it was detached none of its
  processes was left. Every frame that it was sent passes the schemas of
  \`@modelcontextprotocol/core\` and our own rules.

`;

const COLUMNS = [
  "Stranger",
  "Version",
  "Era",
  "Tools",
  "Call",
  "Unknown tool",
  "Bad arguments",
  "Start",
];

export function render(visits: readonly Visit[]): string {
  return HEAD + table([COLUMNS, ...visits.map(row)]);
}

/** The same file without what depends on the machine. */
export function stable(markdown: string): string {
  const lines = markdown.split("\n").map((line) =>
    line.startsWith("|") ? line.replace(/\|[^|]*\|$/, "|") : line
  );
  return lines.join("\n");
}

function row({ stranger, status, good, unknown, bad }: Visit): string[] {
  const { title, from } = stranger;
  const { dialect, tools, attachMs = Infinity } = status;
  return [
    title,
    from.slice(from.lastIndexOf("@") + 1),
    dialect ? `${dialect.era} ${dialect.version}` : "none",
    String(tools.length),
    `\`${stranger.good.tool}\`: ${good.isError ? shapeOf(good) : "answered"}`,
    shapeOf(unknown),
    shapeOf(bad),
    attachMs < 1_000 ? "under 1 s" : attachMs < 3_000 ? "under 3 s" : "3 s or more",
  ];
}
