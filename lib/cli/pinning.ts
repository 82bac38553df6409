/** Pins at work: each list is compared with what is kept, and what is new of it is kept and told. @module */
import type { ToolList } from "../client/listing.ts";
import type { Reach } from "../config/config.ts";
import { secretsOf } from "../config/secrets.ts";
import { printableLine } from "../kit/printable.ts";
import { Secrets } from "../kit/secrets.ts";
import type { ToolInfo } from "../protocol/types.ts";
import { isTooDeep } from "../registry/catalog/tool_hash.ts";
import { FrozenPins } from "../registry/failures.ts";
import { compare, type Comparison, type Occasion, type Pinned } from "../registry/pins.ts";
import { pinKey } from "../registry/pins/identity.ts";
import { reset } from "../registry/pins/record.ts";
import type { Pins } from "../registry/server_options.ts";
import { PinFiles, type Reading } from "./pin_files.ts";
import { openState } from "./state.ts";
import type { World } from "./world.ts";

/** What the pins have to say, for people. `held` is told again where tools that are held back are listed. */
export interface PinNews {
  kind: "held" | "renamed" | "problem" | "detail";
  line: string;
}

export interface PinDeskOptions {
  /** Nothing may change in this run, and nothing is pinned anew. */
  frozen: boolean;
  world: World;
  tell: (news: PinNews) => void;
  /** Something has changed after all was settled: whoever waits for anything need not. */
  onBreach: (error: FrozenPins) => void;
}

/** A server, as its pins need to know it. */
export interface PinnedServer {
  alias: string;
  /** As it is written. */
  reach: Reach;
  /** With its `${VAR}`s in place. @throws where that can't be */
  resolved: () => Reach;
  denies: (tool: string) => boolean;
}

/** What is kept of a server, and where. */
interface Looked {
  files: PinFiles;
  key: string;
  reading: Reading;
}

const MAX_NAMED = 10;

/** What the pins of all servers of a run have in common. */
export class PinDesk {
  readonly #options: PinDeskOptions;
  readonly #files: Promise<PinFiles | { why: string }>;
  readonly #told = new Set<string>();
  /** By alias, what of its last list is not as it was pinned. Filled only where nothing may change. */
  readonly #breaches = new Map<string, readonly string[]>();
  #isSettled = false;

  constructor(options: PinDeskOptions) {
    this.#options = options;
    this.#files = this.#open();
  }

  /** The pins of one server. They are read at once: its list is on its way. */
  pinsOf(server: PinnedServer): Pins {
    let ahead: Promise<Looked | undefined> | undefined = this.#look(server);
    return {
      check: async (list, recalled) => {
        const looked = await (ahead ?? this.#look(server));
        ahead = undefined;
        if (!looked) return list;
        const { why } = looked.reading;
        if (why !== undefined) return this.#blind(server.alias, list, why);
        return await this.#check(server, list, looked, recalled);
      },
    };
  }

  async #look({ alias, reach }: PinnedServer): Promise<Looked | undefined> {
    const files = await this.#files;
    if ("why" in files) return undefined;
    const key = await pinKey(alias, reach, this.#options.world.folder);
    return { files, key, reading: await files.read(key) };
  }

  async #check(
    server: PinnedServer,
    list: ToolList,
    { files, key, reading }: Looked,
    recalled: Occasion["recalled"],
  ): Promise<ToolList> {
    const { world, frozen } = this.#options;
    const { alias, denies } = server;
    const { pins } = reading.pinned;
    const isKnown = ({ name }: ToolInfo) =>
      recalled?.hashes?.has(name) && recalled.hashes.get(name) === pins.get(name)?.hash;
    const hide = hider(server);
    const tools = list.tools.map((info) => isKnown(info) ? info : hide(info));
    const now = world.clock.now();
    const occasion: Occasion = { alias, now, denies, ...(recalled && { recalled }) };
    const comparison = await compare(tools, reading.pinned, occasion);
    const pinned = frozen ? onlyWaiting(reading, comparison) : comparison.pinned;
    if (!recalled && (pinned !== reading.pinned || reading.names.length > 1)) {
      await files.write(key, reading, pinned, world.secrets).catch((error) => {
        // Who freezes pins may well have them where nothing can be written.
        const kind = frozen ? "detail" : "problem";
        this.#tell(kind, `Cannot keep the pins of "${alias}": ${error.message}`);
      });
    }
    this.#report(alias, comparison);
    return without(list, tools, comparison.held);
  }

  /**
   * Where nothing may change: that nothing has, of all that was listed so far. What is listed later is
   * judged as it comes.
   * @throws {FrozenPins}
   */
  async settle(): Promise<void> {
    if (!this.#options.frozen) return;
    const files = await this.#files;
    if ("why" in files) {
      throw new FrozenPins(
        `Cannot keep to --frozen-pins: ${files.why}`,
        "XDG_STATE_HOME, or HOME, says where pins are kept; without them nothing can be vouched for",
      );
    }
    this.#isSettled = true;
    this.#judge([...this.#breaches.values()].flat());
  }

  async #open(): Promise<PinFiles | { why: string }> {
    const opened = await openState(this.#options.world);
    if ("state" in opened) return new PinFiles(opened.state);
    this.#tell("detail", `Tools are not compared with what was pinned: ${opened.why}`);
    return opened;
  }

  /** Nobody knows what was pinned: to offer anything would be to accept whatever has changed. */
  #blind(alias: string, list: ToolList, reason: string): ToolList {
    const why = `can't be compared with what was pinned: ${reason} ` +
      `(${reset(alias)} has it pinned anew)`;
    this.#tell("held", `${alias}: no tool is offered. It ${why}`);
    this.#note(alias, [`${alias} ${why}`]);
    return without(list, list.tools, list.tools.map(({ name }) => ({ tool: name, why })));
  }

  #report(alias: string, { changed, fresh, renamed }: Comparison): void {
    const named = (tool: string) => `${alias}.${printableLine(tool, 100)}`;
    if (changed.length > 0) {
      const are = changed.length === 1 ? "1 tool is" : `${changed.length} tools are`;
      const names = some(changed.map((tool) => printableLine(tool, 100)));
      this.#tell(
        "held",
        `${alias}: ${are} not as pinned, and held back: ${names} (fusebox pins shows what changed)`,
      );
    }
    for (const { from, to } of renamed.slice(0, MAX_NAMED)) {
      this.#tell("renamed", `${alias}: "${printableLine(from, 100)}" is called "${to}" now`);
    }
    this.#note(alias, [
      ...changed.map((tool) => `${named(tool)} has changed`),
      ...renamed.map(({ from, to }) => `${named(from)} is called ${printableLine(to, 100)}`),
      ...fresh.map((tool) => `${named(tool)} is new`),
    ]);
  }

  #note(alias: string, breaches: readonly string[]): void {
    if (!this.#options.frozen) return;
    this.#breaches.set(alias, breaches);
    if (this.#isSettled) this.#judge(breaches);
  }

  #judge(breaches: readonly string[]): void {
    if (breaches.length === 0) return;
    const error = new FrozenPins(
      `Cannot go on with --frozen-pins: ${some(breaches)}`,
      "fusebox pins shows what changed; a run without --frozen-pins pins what is new",
    );
    this.#options.onBreach(error);
    throw error;
  }

  #tell(kind: PinNews["kind"], line: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#options.tell({ kind, line });
  }
}

/** What is not pinned anew, but can be looked at and accepted. */
function onlyWaiting({ pinned }: Reading, { pinned: now, changed }: Comparison): Pinned {
  return changed.length === 0 || now === pinned
    ? pinned
    : { ...pinned, waiting: now.waiting, texts: now.texts };
}

function some(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** What is compared is without the server's own secrets: a new token is no change of a tool. */
function hider({ resolved }: PinnedServer): (tool: ToolInfo) => ToolInfo {
  const secrets = new Secrets();
  try {
    secrets.add(secretsOf(resolved()));
  } catch {
    // It was not started like this, and a list from disk holds none.
  }
  if (secrets.isEmpty) return (tool) => tool;
  return (tool) => {
    if (isTooDeep(tool)) return tool; // It is held back for that.
    const text = JSON.stringify(tool);
    return secrets.hide(text) === text ? tool : secrets.hideIn(tool);
  };
}

/** The list without what is held back; `tools` are those of the list, by the names that are held back. */
function without(
  list: ToolList,
  tools: readonly ToolInfo[],
  held: Comparison["held"],
): ToolList {
  if (held.length === 0) return list;
  const why = new Map(held.map((it) => [it.tool, it.why]));
  const isHeld = (index: number) => why.has(tools[index]!.name);
  return {
    ...list,
    tools: list.tools.filter((_, index) => !isHeld(index)),
    heldBack: [
      ...list.heldBack,
      ...list.tools.flatMap(({ name }, index) =>
        isHeld(index)
          ? [{ tool: name, why: why.get(tools[index]!.name)!, changed: true as const }]
          : []
      ),
    ],
  };
}
