/** A stranger's schema, read once and wholly, so that no check has to look into it. @module */
import { type Draft, draftNamed } from "./draft.ts";
import { Meter } from "./meter.ts";
import { rulesOf } from "./rules.ts";
import type { Node, Rule } from "./run.ts";
import { at, type Opener, SchemaFault, Site } from "./site.ts";
import { clip, isObject, type Members } from "./value.ts";

/** A schema, read. */
export interface Plan {
  root: Node;
  /** Some subschema asks which members or items the others have evaluated. */
  tracks: boolean;
}

/** A part of the document with an address of its own: the whole, and whatever has an `$id`. */
interface Resource {
  uri: string;
  root: Members;
  anchors: Map<string, Members>;
}

/** Where a subschema is, as seen from the addresses and from the root. */
interface Position {
  home: Resource;
  depth: number;
}

interface Reference {
  keyword: string;
  to: string;
  from: Site;
  arrive: (target: Node) => void;
}

export const MAX_SUBSCHEMAS = 10_000;
export const MAX_DEPTH = 200;
/** Where a schema lives that has no absolute `$id`. */
const NOWHERE = "schema:///";

const ANYTHING: Node = { rules: [], late: [] };
const NOTHING: Node = { rules: [(run) => run.fail(() => "not allowed here")], late: [] };

/**
 * Reads `schema` by the rules of `draft`.
 *
 * @throws {SchemaFault} when a keyword is malformed, a reference leads outside, or there is too much
 * @throws {Exhausted} when reading it alone takes too long
 */
export function planOf(schema: Members, draft: Draft): Plan {
  return new Reader(schema, draft).plan();
}

class Reader implements Opener {
  readonly meter = new Meter();
  readonly #nodes = new Map<Members, Node>();
  readonly #positions = new Map<Site, Position>();
  readonly #resources = new Map<string, Resource>();
  readonly #unread: [Site, Node][] = [];
  readonly #references: Reference[] = [];
  /** How many resources have a dynamic anchor of that name. */
  readonly #dynamic = new Map<string, number>();
  #tracks = false;

  constructor(readonly schema: Members, readonly draft: Draft) {}

  plan(): Plan {
    const root = this.#node(this.schema, "", { home: this.#add(NOWHERE, this.schema), depth: 0 });
    // All the addresses in the document are known before the first reference is followed.
    while (this.#unread.length + this.#references.length > 0) {
      const next = this.#unread.pop();
      if (next) this.#read(...next);
      else this.#follow(this.#references.pop()!);
    }
    return { root, tracks: this.#tracks };
  }

  open(raw: unknown, where: string, site: Site): Node {
    const { home, depth } = this.#positions.get(site)!;
    return this.#node(raw, where, { home, depth: depth + 1 });
  }

  #node(raw: unknown, where: string, position: Position): Node {
    if (raw === true) return ANYTHING;
    if (raw === false) return NOTHING;
    if (!isObject(raw)) throw new SchemaFault(`a subschema must be an object${at(where)}`);
    const known = this.#nodes.get(raw);
    if (known) return known;
    if (this.#nodes.size >= MAX_SUBSCHEMAS) {
      throw new SchemaFault(`the schema has more than ${MAX_SUBSCHEMAS} subschemas`);
    }
    if (position.depth > MAX_DEPTH) {
      throw new SchemaFault(`the schema is nested more than ${MAX_DEPTH} levels deep`);
    }
    const site = new Site(raw, where, this);
    const node: Node = { ...ANYTHING };
    this.#positions.set(site, position);
    this.#nodes.set(raw, node);
    this.#unread.push([site, node]); // And not by recursion: a stranger says how deep it goes.
    return node;
  }

  #read(site: Site, node: Node): void {
    // Up to draft-07, what stands beside a $ref does not count.
    const alone = this.draft <= 7 && site.text("$ref") !== undefined;
    if (!alone || site.raw === this.schema) this.#settle(site);
    for (const keyword of ["$defs", "definitions"]) {
      const given = site.get(keyword);
      for (const [name, raw] of isObject(given) ? Object.entries(given) : []) {
        if (isObject(raw)) site.part(keyword, name, raw);
      }
    }
    const references = ["$ref", "$dynamicRef", "$recursiveRef"].flatMap((keyword) => {
      const to = site.text(keyword);
      return to === undefined ? [] : [this.#reference(keyword, to, site)];
    });
    const { rules, late } = alone ? ANYTHING : rulesOf(site);
    node.rules = [...rules, ...references];
    node.late = late;
    this.#tracks ||= late.length > 0;
  }

  /** Notes the addresses that a subschema gives itself. */
  #settle(site: Site): void {
    const position = this.#positions.get(site)!;
    const id = site.text(this.draft === 4 ? "id" : "$id");
    if (id?.startsWith("#") && this.draft <= 7) {
      this.#anchor(position.home, id.slice(1), site);
    } else if (id !== undefined) {
      const uri = resolved(id, position.home, site);
      uri.hash = "";
      position.home = this.#add(uri.href, site.raw);
      const declared = site.text("$schema");
      if (declared !== undefined && draftNamed(declared) !== this.draft) {
        throw new SchemaFault(`a part of the schema has another $schema${at(site.where)}`);
      }
    }
    const dynamic = site.text("$dynamicAnchor");
    for (const name of [site.text("$anchor"), dynamic]) {
      if (name !== undefined) this.#anchor(position.home, name, site);
    }
    const name = site.flag("$recursiveAnchor") ? "" : dynamic;
    if (name !== undefined) this.#dynamic.set(name, (this.#dynamic.get(name) ?? 0) + 1);
  }

  #add(uri: string, root: Members): Resource {
    if ((this.#resources.get(uri)?.root ?? root) !== root) {
      throw new SchemaFault(`two subschemas have the $id ${quoted(uri)}`);
    }
    const resource = { uri, root, anchors: new Map() };
    this.#resources.set(uri, resource);
    return resource;
  }

  #anchor(home: Resource, name: string, site: Site): void {
    if ((home.anchors.get(name) ?? site.raw) !== site.raw) {
      throw new SchemaFault(`two subschemas have the anchor ${quoted(name)}`);
    }
    home.anchors.set(name, site.raw);
  }

  #reference(keyword: string, to: string, from: Site): Rule {
    let target = NOTHING;
    this.#references.push({ keyword, to, from, arrive: (node) => target = node });
    return (run, value, seen) => run.check(target, value, seen);
  }

  #follow({ keyword, to, from, arrive }: Reference): void {
    const { home, depth } = this.#positions.get(from)!;
    const fail = (why: string) => {
      return new SchemaFault(`${keyword} ${quoted(to)} ${why}${at(from.where)}`);
    };
    const uri = resolved(to, home, from);
    const fragment = decoded(uri.hash.slice(1));
    uri.hash = "";
    const resource = this.#resources.get(uri.href);
    if (!resource) throw fail("leads outside the schema, and nothing is fetched");
    const target = fragment === undefined ? undefined : found(resource, fragment);
    if (target === undefined) throw fail("leads nowhere");
    if (keyword !== "$ref" && (this.#dynamic.get(fragment!) ?? 0) > 1) {
      throw fail("may lead to several places");
    }
    arrive(this.#node(target, fragment!, { home: resource, depth: depth + 1 }));
  }
}

function resolved(reference: string, home: Resource, site: Site): URL {
  try {
    return new URL(reference, home.uri);
  } catch {
    throw new SchemaFault(`${quoted(reference)} is not an address${at(site.where)}`);
  }
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** What a fragment stands for: the root, the target of a JSON pointer, or an anchor. */
function found(resource: Resource, fragment: string): unknown {
  if (fragment === "") return resource.root;
  if (!fragment.startsWith("/")) return resource.anchors.get(fragment);
  let here: unknown = resource.root;
  for (const part of fragment.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Members)[key];
  }
  return here;
}

function quoted(text: string): string {
  return JSON.stringify(clip(text, 80));
}
