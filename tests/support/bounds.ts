/** A bound on what a stranger may send: as a row of docs/bounds.md, and as something to be tried. @module */
import assert from "node:assert/strict";
import type { Opener } from "../../lib/client/handshake.ts";
import type { ServerStatus } from "../../lib/registry/status.ts";
import { registryOf } from "./clients.ts";
import type { Json } from "./mutate.ts";
import { inMemory } from "./wire.ts";

export interface Bound {
  what: string;
  limit: string;
  /** What happens beyond it, to that one thing and to nothing else. */
  beyond: string;
  /** The key of the configuration that changes it. */
  key?: string;
  /** Goes beyond it, and up to it. */
  proof(): Promise<void> | void;
}

/** Under a heading. */
export type Bounds = Readonly<Record<string, readonly Bound[]>>;

/** Results by method, in the place of those of an honest server; an error has a `code`. */
export type Answers = Readonly<Record<string, (params: Json) => Json>>;

const HONEST: Answers = {
  "server/discover": () => ({ supportedVersions: ["2026-07-28"] }),
  "tools/list": () => ({ tools: [named("one")] }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: `${name} answers` }] }),
};

/** An answer that never comes. */
export const SILENCE = Symbol("silence");

/** A server that answers so. */
export function stranger(answers: Answers): Opener {
  const all = { ...HONEST, ...answers };
  return () =>
    inMemory(({ id, method, params = {} }) => {
      const answer = id === undefined ? undefined : all[method!]?.(params) ??
        { code: -32601, message: "Method not found" };
      if (!answer || answer === SILENCE) return Promise.resolve(undefined);
      const isError = typeof answer.code === "number";
      return Promise.resolve({ jsonrpc: "2.0", id, [isError ? "error" : "result"]: answer });
    });
}

export const named = (name: string, more: Json = {}): Json => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

/** What is known of a server that answers so, beside a healthy one whose tools are all there. */
export async function met(answers: Answers): Promise<ServerStatus> {
  await using registry = registryOf({ big: stranger(answers), healthy: stranger({}) });
  await registry.attachAll();
  const [big, healthy] = registry.servers();
  assert.deepEqual([healthy!.state, healthy!.problems, healthy!.heldBack], ["online", [], []]);
  assert.equal(registry.find("healthy.one")?.info.name, "one");
  return big!;
}

/** The same of one that lists these tools. */
export const listing = (...tools: Json[]): Promise<ServerStatus> =>
  met({ "tools/list": () => ({ tools }) });

/** `10000` is `10,000`. */
export function amount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

export const MiB = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
export const KiB = (bytes: number): string => `${bytes / 2 ** 10} KiB`;

const HEAD = `# Bounds

Whatever a server sends has an end. Beyond a bound that one thing is cut, held back or failed, with
a sentence that says so; the server's other tools go on, and other servers hear nothing of it.

\`tests/bounds_test.ts\` makes this file from the code's own numbers and fails when it differs;
\`UPDATE_DOCS=1 deno test -A tests/bounds_test.ts\` writes it. Don't edit it by hand. Each line is
tried there. Sizes of JSON and of text are in characters (UTF-16 units), sizes of lines in bytes.
`;

export function render(bounds: Bounds): string {
  const sections = Object.entries(bounds).map(([heading, rows]) => {
    const cells = rows.map(({ what, limit, beyond, key }) => [
      what,
      limit,
      beyond,
      key ? `\`${key}\`` : "–",
    ]);
    return `\n## ${heading}\n\n` + table([["What", "Limit", "Beyond it", "Key"], ...cells]);
  });
  return HEAD + sections.join("");
}

/** Aligned as `deno fmt` aligns it. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |\n`;
  const [head, ...body] = rows;
  return [head!, widths.map((width) => "-".repeat(width)), ...body].map(line).join("");
}
