/** Bounds on what is kept of servers, found among them, and shown to people and models. @module */
import assert from "node:assert/strict";
import type { Args } from "../../lib/cli/args.ts";
import { LISTED_MAX, Screen, UNREAD_MAX } from "../../lib/cli/screen.ts";
import type { World } from "../../lib/cli/world.ts";
import { fitSchema } from "../../lib/models/schema.ts";
import { RULES } from "../../lib/models/schema/rules.ts";
import type { ToolInfo } from "../../lib/protocol/types.ts";
import { Catalog } from "../../lib/registry/catalog.ts";
import { MAX_BYTES } from "../../lib/registry/catalog/entry.ts";
import { isFresh, MAX_TTL_MS } from "../../lib/registry/catalog/freshness.ts";
import { DEEPEST } from "../../lib/registry/catalog/tool_hash.ts";
import {
  DESCRIPTION_MAX,
  PARAMETERS_MAX,
  QUERY_MAX,
  toolIndex,
} from "../../lib/registry/search.ts";
import { findings } from "../../lib/registry/search/findings.ts";
import { roomOf } from "../../lib/registry/search/room.ts";
import { amount, type Bound, MiB, named } from "./bounds.ts";
import { FakeClock } from "./clock.ts";
import { nested } from "./wild.ts";

const x = (count: number) => "x".repeat(count);

/** What comes back of tools that are kept, and what was noted of them. */
async function kept(tools: readonly ToolInfo[], ttlMs = 0) {
  const files = new Map<string, string>();
  const store = {
    read: (name: string) => Promise.resolve(files.get(name)),
    write: (name: string, text: string) => Promise.resolve(void files.set(name, text)),
    remove: (name: string) => Promise.resolve(void files.delete(name)),
    list: () => Promise.resolve([...files.keys()]),
  };
  const notes: string[] = [];
  const catalog = new Catalog(store, {
    secret: "s",
    clock: new FakeClock(),
    note: (_, message) => notes.push(message),
  });
  await catalog.remember("key", {
    dialect: { era: "modern", version: "2026-07-28" },
    server: {},
    capabilities: {},
    tools,
    heldBack: [],
    pages: [{ ttlMs, scope: "public", tools: tools.length }],
  });
  return { known: await catalog.recall("key"), notes };
}

export const KEPT: readonly Bound[] = [
  {
    what: "what is remembered of a server",
    limit: MiB(MAX_BYTES),
    beyond: "not remembered, with a note",
    async proof() {
      const { known, notes } = await kept([named("one", { description: x(MAX_BYTES) })]);
      assert.equal(known, undefined);
      assert.match(notes.join(), /it takes more than 16 MiB/);
    },
  },
  {
    what: "a tool that is remembered",
    limit: `${DEEPEST} levels`,
    beyond: "that tool is not remembered",
    async proof() {
      const outputSchema = nested(DEEPEST, (inner) => ({ not: inner }));
      const { known } = await kept([named("deep", { outputSchema }), named("one")]);
      assert.deepEqual(known?.tools.map(({ name }) => name), ["one"]);
      assert.match(known!.heldBack[0]!.why, /nested too deep to be remembered/);
    },
  },
  {
    what: "how long a server may have its list believed",
    limit: `${MAX_TTL_MS / 3_600_000} h`,
    beyond: "it is asked again",
    async proof() {
      const { known } = await kept([named("one")], Number.MAX_SAFE_INTEGER);
      assert(isFresh(known!, MAX_TTL_MS - 1) && !isFresh(known!, MAX_TTL_MS));
    },
  },
];

const search = (tool: ToolInfo, query: string) =>
  toolIndex([{ alias: "big", tools: [tool] }]).search(query, 5).length;

export const FOUND: readonly Bound[] = [
  {
    what: "a description, as it is searched",
    limit: `${amount(DESCRIPTION_MAX)} characters`,
    beyond: "not found by what comes later",
    proof() {
      const description = `early ${x(DESCRIPTION_MAX)} late`;
      assert.deepEqual(["early", "late"].map((it) => search(named("a", { description }), it)), [
        1,
        0,
      ]);
    },
  },
  {
    what: "parameters of a tool, as they are searched",
    limit: String(PARAMETERS_MAX),
    beyond: "not found by what comes later",
    proof() {
      const names = [...Array.from({ length: PARAMETERS_MAX - 1 }, (_, n) => `p${n}`), "in", "out"];
      const properties = Object.fromEntries(names.map((name) => [`${name}side`, {}]));
      const tool = named("a", { inputSchema: { type: "object", properties } });
      assert.deepEqual(["inside", "outside"].map((it) => search(tool, it)), [1, 0]);
    },
  },
  {
    what: "a query",
    limit: `${QUERY_MAX} characters`,
    beyond: "what comes later counts for nothing",
    proof() {
      assert.equal(search(named("apple"), `apple ${x(1_000_000)}`), 1);
      assert.equal(search(named("apple"), `${x(QUERY_MAX)} apple`), 0);
    },
  },
  {
    what: "what a search tells a model",
    limit: "700 tokens",
    beyond: "in short, then counted",
    async proof() {
      const tools = Array.from(
        { length: 10_000 },
        (_, n) => named(`apple_${n}`, { description: `Apple ${x(1_000)}. ${x(1_000)}` }),
      );
      const told = await findings(toolIndex([{ alias: "big", tools }]), "apple", 10_000);
      assert(roomOf(told) <= 700, `${roomOf(told)} tokens`);
      assert.match(told, /… and \d+ more/);
    },
  },
];

const sizes = Object.values(RULES).map(({ bounds }) => bounds.size);

export const SHOWN: readonly Bound[] = [
  {
    what: "a schema as a model API is sent it",
    limit: `${amount(Math.min(...sizes))} to ${amount(Math.max(...sizes))} characters, by API`,
    beyond: "cut from the inside out, else not offered",
    proof() {
      const wide = (text: string) => ({
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 300 }, (_, n) => [`p${n}`, { type: "string", description: text }]),
        ),
      });
      for (const rules of Object.values(RULES)) {
        const fit = fitSchema(wide(x(8_000)), rules);
        assert("schema" in fit && JSON.stringify(fit.schema).length <= rules.bounds.size);
      }
      const required = Array.from({ length: 9_000 }, (_, n) => `required_${n}`);
      const properties = Object.fromEntries(required.map((name) => [name, {}]));
      for (const rules of Object.values(RULES)) {
        const fit = fitSchema({ type: "object", properties, required }, rules);
        assert("heldBack" in fit || JSON.stringify(fit.schema).length <= rules.bounds.size);
      }
    },
  },
  {
    what: "what servers chatter under `-v`, as long as nobody reads it",
    limit: `${amount(UNREAD_MAX)} characters`,
    beyond: "left out, and counted",
    async proof() {
      const { screen, written, read } = unread({ verbose: true });
      for (let n = 0; n < 100_000; n++) {
        screen.stderr("big", `line ${n}`);
        screen.noise("big", x(100));
        screen.progress(`step ${n}`);
      }
      const length = written.join("").length;
      assert(length > UNREAD_MAX && length < 1.2 * UNREAD_MAX, `${length} characters`);
      await read();
      assert.match(written.at(-1)!, /\d+ lines of servers are left out/);
    },
  },
  {
    what: "lines of what is held back or odd, of one server",
    limit: String(LISTED_MAX),
    beyond: "counted",
    proof() {
      const { screen, written } = unread({});
      screen.sayAll(Array.from({ length: 10_000 }, (_, n) => `line ${n}`));
      assert.equal(written.length, LISTED_MAX + 1);
      assert.match(written.at(-1)!, /9800 more lines like these are left out/);
    },
  },
];

/** A screen whose lines are on their way until somebody reads. */
function unread(args: Partial<Args>) {
  const written: string[] = [];
  let wake = Promise.withResolvers<void>();
  const err = {
    isTerminal: false,
    write(text: string) {
      written.push(text);
      return wake.promise;
    },
  };
  const world = { err, env: {}, clock: new FakeClock() } as unknown as World;
  const screen = new Screen({ verbose: false, quiet: false, ...args } as Args, world);
  const read = async () => {
    wake.resolve();
    wake = Promise.withResolvers();
    await new Promise((resolve) => setTimeout(resolve, 0));
    screen.detail("read");
    written.splice(-1);
  };
  return { screen, written, read };
}
