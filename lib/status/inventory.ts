/** Every tool by its three names, and what may be known of it: the tables that the page searches. @module */
import type { ToolRef } from "../registry/names.ts";
import type { Entry } from "../registry/table.ts";
import { said } from "./said.ts";
import type { StatusView } from "./view.ts";

/** One tool. Whatever a server wrote is printable, on one line, and cut. */
export interface ToolRow {
  alias: string;
  /** The raw name. */
  tool: string;
  /** The public name; absent where it has none. */
  name?: string;
  title?: string;
  description?: string;
  /** What its server says that it does: a stranger's word. */
  hints: readonly string[];
  state: "offered" | "denied" | "held_back" | "quarantined";
  /** Why it is not offered. */
  why?: string;
}

export interface ToolCounts {
  /** All that the server listed. */
  listed: number;
  offered: number;
  /** Kept back by the configuration. */
  denied: number;
  /** Kept back by us: malformed, or of another tool's name. */
  heldBack: number;
  /** Not what it was when it was seen first: it waits for a person. */
  quarantined: number;
}

export const NO_TOOLS: ToolCounts = {
  listed: 0,
  offered: 0,
  denied: 0,
  heldBack: 0,
  quarantined: 0,
};

export interface Stock {
  /** Another number whenever the tools are others. */
  revision: number;
  counts: ReadonlyMap<string, ToolCounts>;
  /** By alias and raw name; at most ten thousand. Made when they are wanted first. */
  rows(): readonly ToolRow[];
  /** How many there are beyond the rows. */
  left: number;
}

/** More than any model is offered; a list without end is not passed on. */
const MOST_ROWS = 10_000;
const NAME_MAX = 200;
const TEXT_MAX = 300;

/** A tool and where it stands, before anything is made of it. */
interface Item extends ToolRef {
  name?: string;
  info?: Entry["info"];
  state: ToolRow["state"];
  why?: string;
}

export class Inventory {
  readonly #view: StatusView;
  #of: readonly unknown[] = [];
  #stock: Stock = { revision: 0, counts: new Map(), rows: () => [], left: 0 };

  constructor(view: StatusView) {
    this.#view = view;
  }

  /** As of now. The same object for as long as no list of a server is another one. */
  stock(): Stock {
    const view = this.#view;
    const of = [view.table(), ...view.servers().flatMap((it) => [it.tools, it.heldBack])];
    if (of.length === this.#of.length && of.every((list, at) => list === this.#of[at])) {
      return this.#stock;
    }
    this.#of = of;
    const items = itemsOf(view);
    let rows: readonly ToolRow[] | undefined;
    return this.#stock = {
      revision: this.#stock.revision + 1,
      counts: countsOf(items),
      rows: () => rows ??= items.slice(0, MOST_ROWS).map((item) => rowOf(item, view)),
      left: Math.max(0, items.length - MOST_ROWS),
    };
  }
}

function itemsOf(view: StatusView): Item[] {
  const { entries, changed } = view.table();
  const names = new Map(changed.entries().map(([name, ref]) => [keyOf(ref), name]));
  const listed = entries.values().map(({ name, ref, info, denied }): Item => ({
    ...ref,
    name,
    info,
    state: denied === undefined ? "offered" : "denied",
    ...(denied !== undefined && { why: denied }),
  }));
  const held = view.heldBack().map(({ alias, tool, why }): Item => {
    const name = names.get(keyOf({ alias, tool }));
    return name === undefined
      ? { alias, tool, state: "held_back", why }
      : { alias, tool, name, state: "quarantined", why };
  });
  const keyed = [...listed, ...held].map((item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
  return keyed.map(({ item }) => item);
}

const KEYS = {
  offered: "offered",
  denied: "denied",
  held_back: "heldBack",
  quarantined: "quarantined",
} as const;

function countsOf(items: readonly Item[]): Map<string, ToolCounts> {
  const counts = new Map<string, ToolCounts>();
  for (const { alias, state } of items) {
    const count = counts.get(alias) ?? { ...NO_TOOLS };
    count.listed++;
    count[KEYS[state]]++;
    counts.set(alias, count);
  }
  return counts;
}

function rowOf({ alias, tool, name, info, state, why }: Item, view: StatusView): ToolRow {
  const title = info?.title ?? info?.annotations?.title;
  const description = info?.description;
  return {
    alias,
    tool: said(tool, NAME_MAX, view),
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title: said(title, NAME_MAX, view) }),
    ...(description !== undefined && { description: said(description, TEXT_MAX, view) }),
    hints: hintsOf(info?.annotations),
    state,
    ...(why !== undefined && { why: said(why, TEXT_MAX, view) }),
  };
}

function keyOf({ alias, tool }: ToolRef): string {
  return `${alias}.${tool}`;
}

function hintsOf(hints: Entry["info"]["annotations"] = {}): string[] {
  return [
    ...(hints.readOnlyHint === true ? ["reads only"] : []),
    ...(hints.destructiveHint === true ? ["may destroy"] : []),
    ...(hints.idempotentHint === true ? ["repeatable"] : []),
    ...(hints.openWorldHint === true ? ["reaches out"] : []),
  ];
}
