/** One comparison of a list with what is pinned, under way. @module */
import { printableLine } from "../../kit/printable.ts";
import type { HeldBack } from "../../protocol/tools.ts";
import type { ToolInfo } from "../../protocol/types.ts";
import { toolHash } from "../catalog/tool_hash.ts";
import type { Comparison, Occasion, Pin, Pinned, Waiting } from "../pins.ts";
import { likeness } from "./likeness.ts";
import { reset } from "./record.ts";

/** Twice what one list may hold: one that invents names for ever must not fill a disk. */
export const PINS_MAX = 20_000;
/** So many new tools times tools that are gone are compared: it takes a second at most. */
const MAX_PAIRS = 20_000;

/** A tool on a list, with its hash. */
export interface Seen {
  info: ToolInfo;
  hash: string;
}

export class Comparing {
  readonly #known: Pinned;
  readonly #occasion: Occasion;
  readonly #pins: Map<string, Pin>;
  readonly #waiting: Map<string, Waiting>;
  readonly #texts = new Map<string, ToolInfo>();
  readonly #held: HeldBack[] = [];
  readonly #changed: string[] = [];
  readonly #renamed: { from: string; to: string }[] = [];

  constructor(known: Pinned, occasion: Occasion) {
    this.#known = known;
    this.#occasion = occasion;
    this.#pins = new Map(known.pins);
    this.#waiting = new Map(known.waiting);
  }

  /** False where nothing is known under its name. */
  take(seen: Seen): boolean {
    const { recalled } = this.#occasion;
    const { name } = seen.info;
    const pin = this.#pins.get(name);
    const before = this.#waiting.get(name);
    if (pin?.hash === seen.hash) {
      if (!recalled) this.#waiting.delete(name);
      return true;
    }
    if (recalled && pin?.former.includes(seen.hash)) return true;
    if (!pin && !before) return false;
    this.#wait(seen, before?.was);
    return true;
  }

  /** Those whose names are new: each is another one's heir, or in another one's place, or pinned and returned. */
  async meet(unknown: readonly Seen[], present: ReadonlySet<string>): Promise<string[]> {
    const gone = [...this.#pins].filter(([name, pin]) => !present.has(name) && isFree(pin));
    const names = gone.map(([name]) => name);
    const isTooMuch = unknown.length * gone.length > MAX_PAIRS;
    const places = isTooMuch ? unknown.map(() => names) : likeness(
      unknown.map(({ info }) => info),
      gone.map(([name, { hash }]) => this.#known.texts.get(hash)?.tool ?? name),
    );
    if (!isTooMuch) {
      for (const [index, seen] of unknown.entries()) await this.#inherit(seen, places[index]!);
    }
    const fresh: string[] = [];
    for (const [index, seen] of unknown.entries()) {
      const { name } = seen.info;
      if (this.#pins.has(name)) continue;
      const was = places[index]!.find((it) => isFree(this.#pins.get(it)!));
      if (was !== undefined) this.#wait(seen, was);
      else if (this.#isFull) {
        this.#hold(
          name,
          `can't be pinned, for ${PINS_MAX} tools are (${reset(this.#occasion.alias)})`,
        );
      } else {
        this.#pin(seen);
        fresh.push(name);
      }
    }
    return fresh;
  }

  holdDeep({ name }: ToolInfo): void {
    const key = `servers.${this.#occasion.alias}.pins: off`;
    this.#hold(name, `is nested too deep to be pinned (${key} offers it)`);
  }

  end(fresh: readonly string[]): Comparison {
    const { texts } = this.#known;
    const isSame = this.#texts.size === 0 && this.#waiting.size === this.#known.waiting.size;
    const pinned = isSame
      ? this.#known
      : { pins: this.#pins, waiting: this.#waiting, texts: texts.plus(this.#texts) };
    return {
      pinned,
      held: this.#held,
      changed: this.#changed,
      fresh,
      renamed: this.#renamed,
    };
  }

  get #isFull(): boolean {
    return this.#pins.size + this.#waiting.size >= PINS_MAX;
  }

  /** It takes the pin of one of these that is the same to the last byte but for its name. */
  async #inherit(seen: Seen, names: readonly string[]): Promise<void> {
    const { info } = seen;
    const { denies } = this.#occasion;
    for (const from of names) {
      const pin = this.#pins.get(from)!;
      if (!isFree(pin) || await toolHash({ ...info, name: from }) !== pin.hash) continue;
      if (denies(from) && !denies(info.name)) continue;
      this.#pins.set(from, { ...pin, became: info.name });
      this.#pin(seen);
      this.#renamed.push({ from, to: info.name });
      return;
    }
  }

  #pin({ info, hash }: Seen): void {
    this.#pins.set(info.name, { hash, at: this.#occasion.now, turn: 0, former: [] });
    this.#texts.set(hash, info);
  }

  #wait({ info, hash }: Seen, was: string | undefined): void {
    const { alias, now, recalled } = this.#occasion;
    const { name } = info;
    this.#changed.push(name);
    this.#hold(name, why(alias, name, was));
    const before = this.#waiting.get(name);
    if (recalled || before?.hash === hash || (!before && this.#isFull)) return;
    this.#waiting.set(name, { hash, at: now, ...(was !== undefined && { was }) });
    this.#texts.set(hash, info);
  }

  #hold(tool: string, why: string): void {
    this.#held.push({ tool, why, changed: true });
  }
}

/** Whether its place is still to be taken. */
function isFree({ became }: Pin): boolean {
  return became === undefined;
}

function why(alias: string, tool: string, was: string | undefined): string {
  const name = `${alias}.${printableLine(tool, 100)}`;
  const word = /^[\w./-]+$/.test(name) ? name : `'${name}'`;
  const what = was === undefined
    ? "changed since it was pinned"
    : `takes the place of "${printableLine(was, 100)}", which is gone, with other content`;
  return `${what} (fusebox pins shows how; fusebox pins accept ${word} allows it)`;
}
