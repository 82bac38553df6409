/** Every tool of every server under its public name, and the way back. @module */
import type { HeldBack } from "../protocol/tools.ts";
import type { ToolInfo } from "../protocol/types.ts";
import { publicName, type ToolRef } from "./names.ts";

export interface Entry {
  /** The public name. */
  name: string;
  ref: ToolRef;
  /** What the server said, untouched: annotations, outputSchema and title live here. */
  info: ToolInfo;
  /** Why policy keeps it from being offered and run, where it does. */
  denied?: string;
  /** How much of its description a model is told, in UTF-16 units. */
  descriptionChars?: number;
}

/** What the table needs to know of a server. */
export interface Shelf {
  alias: string;
  tools: readonly ToolInfo[];
  /** Tools that are not offered, each with why; only those that have changed are looked at. */
  heldBack?: readonly HeldBack[];
  descriptionChars?: number;
  denies(tool: string): string | undefined;
}

/** A tool that nobody is offered, and why. */
export interface HeldBackTool extends ToolRef {
  why: string;
}

/** Lookup goes through `entries` alone: a public name is never taken apart. */
export interface Table {
  /** By public name, sorted by it. */
  entries: ReadonlyMap<string, Entry>;
  heldBack: readonly HeldBackTool[];
  /** Tools that wait for a person, by public name: a model may have been shown them before they changed. */
  changed: ReadonlyMap<string, HeldBackTool>;
}

export const EMPTY_TABLE: Table = { entries: new Map(), heldBack: [], changed: new Map() };

/**
 * The table of these servers' tools: the same bytes whatever order they come in. A tool whose name
 * `hide` would change is held back: its public name would show what is to be hidden.
 */
export async function buildTable(
  servers: Iterable<Shelf>,
  hide: (text: string) => string = (text) => text,
): Promise<Table> {
  const shelves = [...servers];
  const heldBack: HeldBackTool[] = [];
  const isFit = ({ alias }: Shelf, { name }: ToolInfo) => {
    const tool = hide(name);
    if (tool !== name) {
      heldBack.push({ alias, tool, why: "has a secret of the configuration in its name" });
    }
    return tool === name;
  };
  const all = await Promise.all(
    shelves.flatMap((server) =>
      server.tools.filter((info) => isFit(server, info)).map(async (info): Promise<Entry> => {
        const ref = { alias: server.alias, tool: info.name };
        const { descriptionChars } = server;
        const denied = server.denies(info.name);
        return {
          name: await publicName(ref),
          ref,
          info,
          ...(denied !== undefined && { denied }),
          ...(descriptionChars !== undefined && { descriptionChars }),
        };
      })
    ),
  );
  const alike = Map.groupBy(all, (entry) => entry.name);
  const entries = new Map<string, Entry>();
  for (const name of [...alike.keys()].sort()) {
    const [first, ...others] = alike.get(name)!;
    if (others.length === 0) entries.set(name, first!);
    else {
      // Only a forged suffix gets here. To choose one would be to let the forger choose.
      for (const { ref } of [first!, ...others]) {
        heldBack.push({ ...ref, why: `has the public name ${name} of another tool` });
      }
    }
  }
  return { entries, heldBack: heldBack.sort(byRef), changed: await changedOf(shelves) };
}

async function changedOf(shelves: readonly Shelf[]): Promise<ReadonlyMap<string, HeldBackTool>> {
  const refs = shelves.flatMap(({ alias, heldBack = [] }) =>
    heldBack.filter(({ changed }) => changed).map(({ tool, why }) => ({ alias, tool, why }))
  );
  return new Map(await Promise.all(refs.map(async (ref) => [await publicName(ref), ref] as const)));
}

/** Orders by alias, then by raw name, with `<`: the same on every machine. */
function byRef(a: ToolRef, b: ToolRef): number {
  return compare(a.alias, b.alias) || compare(a.tool, b.tool);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
