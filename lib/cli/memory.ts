/** What is kept of servers between runs, and where: the catalogue, for the registry's use. @module */
import type { Reach } from "../config/config.ts";
import { secretsOf } from "../config/secrets.ts";
import { legacyDialect } from "../protocol/legacy.ts";
import { modernDialect } from "../protocol/modern.ts";
import type { PeerInfo } from "../protocol/types.ts";
import { Catalog } from "../registry/catalog.ts";
import type { Remembered } from "../registry/catalog/entry.ts";
import { isFresh } from "../registry/catalog/freshness.ts";
import { type Start, startKey } from "../registry/catalog/start.ts";
import type { Known, Memory } from "../registry/server_options.ts";
import { type Cache, executableOf } from "./disk.ts";
import type { World } from "./world.ts";

export interface Catalogue {
  catalog: Catalog;
  secret: string;
}

/** Undefined where there is no cache to be had: every server can still be asked. */
export async function openCatalogue(
  world: World,
  note: (line: string) => void,
): Promise<Catalogue | undefined> {
  let cache: Cache | undefined;
  try {
    cache = await world.openCache();
  } catch (error) {
    note(`There is no catalogue: ${(error as Error).message}`);
  }
  if (!cache) return undefined;
  const { store, secret } = cache;
  const catalog = new Catalog(store, {
    secret,
    clock: world.clock,
    note: (_key, message) => note(message),
  });
  return { catalog, secret };
}

/** How a server is started, as its entry is filed. */
export async function startOf(reach: Reach, world: World): Promise<Start> {
  if (reach.kind === "http") return reach;
  const own = reach.command === "fusebox" ? world.self(reach.args) : reach;
  const executable = await executableOf(own.command, world.env);
  return {
    kind: "stdio",
    command: own.command,
    args: own.args,
    env: reach.env,
    cwd: reach.cwd ?? world.folder,
    ...(executable && { executable }),
  };
}

/** `reach` resolves what the configuration says, and throws where that can't be. */
export function memoryOf(
  reach: () => Reach,
  opened: Promise<Catalogue | undefined>,
  world: World,
): Memory {
  /** Undefined where nothing can be kept: no cache, or a start that does not resolve. */
  const filed = async () => {
    const catalogue = await opened;
    if (!catalogue) return undefined;
    try {
      const start = await startOf(reach(), world);
      world.secrets.add(secretsOf(start));
      return { ...catalogue, key: await startKey(start, catalogue.secret) };
    } catch {
      return undefined; // Attaching it will say why.
    }
  };
  let once: ReturnType<typeof filed> | undefined;
  const place = () => once ??= filed();
  let isNew = false;
  return {
    async recall() {
      const at = await place();
      const remembered = await at?.catalog.recall(at.key);
      isNew = !remembered;
      if (!remembered) return undefined;
      const known = knownFrom(remembered, { name: "fusebox", version: world.version });
      const fresh = isFresh(remembered, world.clock.now());
      return { ...known, listedAt: remembered.fetchedAt, fresh };
    },
    async remember({ hello, list }) {
      const at = await place();
      if (!at) return;
      const { dialect, server, capabilities, instructions } = hello;
      const facts = {
        dialect: { era: dialect.era, version: dialect.version },
        server,
        capabilities,
        ...(instructions !== undefined && { instructions }),
        tools: list.tools,
        heldBack: list.heldBack,
        pages: list.pages,
        typed: list.typed,
      };
      await at.catalog.remember(at.key, facts, world.secrets);
      if (!isNew) return;
      // Whoever is started in another way leaves behind what was known of the way before.
      isNew = false;
      await at.catalog.sweep().catch(() => {}); // The next one will do.
    },
    async blame(reason) {
      const at = await place();
      await at?.catalog.blame(at.key, reason, world.secrets);
    },
  };
}

function knownFrom(remembered: Remembered, client: PeerInfo): Known {
  const {
    dialect,
    server,
    capabilities,
    instructions,
    tools,
    heldBack,
    pages,
    hashes,
    reason,
    typed = false,
  } = remembered;
  return {
    hello: {
      dialect: dialect.era === "modern"
        ? modernDialect(dialect.version, client)
        : legacyDialect(dialect.version),
      server,
      capabilities,
      ...(instructions !== undefined && { instructions }),
    },
    list: { tools, heldBack, pages, problems: [], typed },
    hashes,
    ...(reason && { reason: { ...reason, tail: [] } }),
  };
}
