/** Where the references inside one schema document lead. @module */
import { isObject } from "../../protocol/codec.ts";
import type { Params } from "../../protocol/types.ts";
import { Fault, MANY, NAMED, ONE } from "./shape.ts";

/** Where a document lives that has no absolute `$id`. */
const NOWHERE = "schema:///";
const MAX_SUBSCHEMAS = 20_000;

export interface Target {
  raw: unknown;
  /** The address that references inside it are relative to. */
  base: string;
  /** What to call it: the last part of the reference. */
  name: string;
}

/** The parts of a document that have an address of their own: `$id`, `$anchor`. */
export class Addresses {
  readonly base: string;
  readonly #resources = new Map<string, Params>();
  readonly #anchors = new Map<string, Target>();
  readonly #bases = new Map<Params, string>();

  /** @throws {Fault} */
  constructor(root: Params) {
    this.#resources.set(NOWHERE, root);
    const open: [Params, string][] = [[root, NOWHERE]];
    for (let next = open.pop(); next; next = open.pop()) {
      const [raw, outer] = next;
      if (this.#bases.has(raw)) continue;
      if (this.#bases.size >= MAX_SUBSCHEMAS) throw new Fault("is too large to be read");
      const base = this.#settle(raw, outer);
      this.#bases.set(raw, base);
      for (const part of partsOf(raw)) open.push([part, base]);
    }
    this.base = this.#bases.get(root)!;
  }

  /** The address that references in `raw` are relative to, given that of what it stands in. */
  baseOf(raw: Params, outer: string): string {
    return this.#bases.get(raw) ?? outer;
  }

  /** @throws {Fault} when the reference leads outside, or nowhere */
  follow(reference: string, base: string, where: string): Target {
    const fault = (why: string) =>
      new Fault(`refers to ${JSON.stringify(reference)}, ${why}`, where);
    let address: URL;
    let fragment: string;
    try {
      address = new URL(reference, base);
      fragment = decodeURIComponent(address.hash.slice(1));
    } catch {
      throw fault("which is no address");
    }
    address.hash = "";
    const root = this.#resources.get(address.href);
    if (!root) throw fault("which is not part of it, and nothing is fetched");
    if (fragment === "") return { raw: root, base: address.href, name: "root" };
    const found = fragment.startsWith("/")
      ? this.#point(root, address.href, fragment)
      : this.#anchors.get(`${address.href}#${fragment}`);
    if (!found) throw fault("which is nowhere in it");
    return found;
  }

  #point(root: Params, base: string, pointer: string): Target | undefined {
    let here: unknown = root;
    let name = "";
    for (const part of pointer.slice(1).split("/")) {
      name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return undefined;
      here = (here as Params)[name];
      if (isObject(here)) base = this.baseOf(here, base);
    }
    return { raw: here, base, name };
  }

  /** Notes the addresses that a subschema gives itself, and returns the one its parts start from. */
  #settle(raw: Params, outer: string): string {
    let base = outer;
    const { $id } = raw;
    // Up to draft-07, `#name` as an $id is an anchor.
    if (typeof $id === "string" && $id.startsWith("#")) this.#anchor(base, $id.slice(1), raw);
    else if (typeof $id === "string" && URL.canParse($id, outer)) {
      const own = new URL($id, outer);
      own.hash = "";
      base = own.href;
      this.#resources.set(base, raw);
    }
    for (const name of [raw.$anchor, raw.$dynamicAnchor]) {
      if (typeof name === "string") this.#anchor(base, name, raw);
    }
    return base;
  }

  #anchor(base: string, name: string, raw: Params): void {
    const address = `${base}#${name}`;
    if (!this.#anchors.has(address)) this.#anchors.set(address, { raw, base, name });
  }
}

function* partsOf(raw: Params): Generator<Params> {
  for (const keyword of Object.keys(raw)) {
    const value = raw[keyword];
    if (ONE.has(keyword) && isObject(value)) yield value;
    if (MANY.has(keyword) && Array.isArray(value)) yield* value.filter(isObject);
    if (NAMED.has(keyword) && isObject(value)) yield* Object.values(value).filter(isObject);
  }
}
