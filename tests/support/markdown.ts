/** Tables in Markdown, aligned as `deno fmt` aligns them. @module */

/** The first row is the head. A `|` in a cell stays one. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  const widths = cells[0]!.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |\n`;
  const [head, ...body] = cells;
  return [head!, widths.map((width) => "-".repeat(width)), ...body].map(line).join("");
}
