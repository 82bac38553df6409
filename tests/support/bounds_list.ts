/** Bounds on what a server says of itself, and on its list of tools. @module */
import assert from "node:assert/strict";
import {
  HELD_BACK_MAX,
  LIST_MAX,
  PAGES_MAX,
  PROBLEMS_MAX,
  TOOLS_MAX,
} from "../../lib/client/listing.ts";
import { BRIEF_MAX } from "../../lib/protocol/brief.ts";
import {
  CAPABILITIES_MAX,
  INSTRUCTIONS_MAX,
  PEER_NAME_MAX,
  VERSION_SHOWN_MAX,
  VERSIONS_SHOWN,
} from "../../lib/protocol/dialect.ts";
import {
  DESCRIPTION_MAX,
  NAME_MAX,
  SCHEMA_DEPTH_MAX,
  SCHEMA_MAX,
  TITLE_MAX,
} from "../../lib/protocol/tools.ts";
import type { ServerStatus } from "../../lib/registry/status.ts";
import { LIMITS, registryOf } from "./clients.ts";
import { FakeClock, settle } from "./clock.ts";
import { amount, type Bound, KiB, listing, met, MiB, named, SILENCE, stranger } from "./bounds.ts";
import type { Json } from "./mutate.ts";
import { nested } from "./wild.ts";

const x = (count: number) => "x".repeat(count);
const seconds = (ms: number) => `${ms / 1_000} s`;

/** Introduces itself so. */
const greeting = (more: Json) =>
  met({ "server/discover": () => ({ supportedVersions: ["2026-07-28"], ...more }) });
const serverInfo = (info: Json) => ({
  _meta: { "io.modelcontextprotocol/serverInfo": info },
});

/** An object schema of about so many characters. */
const schemaOf = (size: number): Json => ({ type: "object", description: x(size) });

export const HANDSHAKE: readonly Bound[] = [
  {
    what: "the server's name, its version",
    limit: `${PEER_NAME_MAX} characters each`,
    beyond: "cut",
    async proof() {
      const most = await greeting(serverInfo({ name: x(PEER_NAME_MAX), version: "1" }));
      assert.deepEqual([most.server?.name?.length, most.problems], [PEER_NAME_MAX, []]);
      const { server, problems, tools } = await greeting(
        serverInfo({ name: x(PEER_NAME_MAX + 1), version: x(1_000_000) }),
      );
      assert.deepEqual([server?.name?.length, server?.version?.length], [
        PEER_NAME_MAX,
        PEER_NAME_MAX,
      ]);
      assert.deepEqual(problems, [
        `its name is cut after ${PEER_NAME_MAX} of ${PEER_NAME_MAX + 1} characters`,
        `its version is cut after ${PEER_NAME_MAX} of 1000000 characters`,
      ]);
      assert.equal(tools.length, 1);
    },
  },
  {
    what: "its instructions",
    limit: `${amount(INSTRUCTIONS_MAX)} characters`,
    beyond: "cut",
    async proof() {
      const most = await greeting({ instructions: x(INSTRUCTIONS_MAX) });
      assert.deepEqual([most.instructions?.length, most.problems], [INSTRUCTIONS_MAX, []]);
      const { instructions, problems } = await greeting({ instructions: x(1_000_000) });
      assert.equal(instructions?.length, INSTRUCTIONS_MAX);
      assert.match(problems.join(), /^its text of instructions is cut after 20000 of 1000000/);
    },
  },
  {
    what: "its capabilities",
    limit: `${KiB(CAPABILITIES_MAX)} of JSON`,
    beyond: "taken for none",
    async proof() {
      const { state, problems } = await greeting({ capabilities: { x: x(CAPABILITIES_MAX) } });
      assert.equal(state, "online");
      assert.deepEqual(problems, ["its capabilities are not taken: they are over 16 KiB"]);
      const deep = nested(100_000, (inner) => ({ a: inner }));
      assert.equal((await greeting({ capabilities: deep })).state, "online");
    },
  },
  {
    what: "versions that a message names",
    limit: `${VERSIONS_SHOWN}, of each ${VERSION_SHOWN_MAX} characters`,
    beyond: "counted",
    async proof() {
      const supportedVersions = Array.from({ length: 100_000 }, (_, n) => `${n}-${x(100)}`);
      const { reason } = await greeting({ supportedVersions });
      assert.equal(reason?.code, "version_mismatch");
      assert.match(reason!.message, / and 99980 more, and fusebox speaks /);
      assert(reason!.message.length < 1_200, `${reason!.message.length} characters`);
    },
  },
  {
    what: "a value that a message shows",
    limit: `${BRIEF_MAX} characters of JSON`,
    beyond: "cut",
    async proof() {
      const legacy = (protocolVersion: Json) =>
        met({
          "server/discover": () => ({ code: -32601, message: "Method not found" }),
          initialize: () => ({ protocolVersion, capabilities: {} }),
        });
      for (const version of [x(1_000_000), nested(100_000, (inner) => [inner]), { a: x(1_000) }]) {
        const { reason } = await legacy(version);
        assert.equal(reason?.code, "version_mismatch");
        assert(reason!.message.length < 400, `${reason!.message.length} characters`);
      }
      const resultType = x(1_000_000);
      const { reason } = await met({ "tools/list": () => ({ resultType, tools: [] }) });
      assert.equal(reason?.code, "garbled");
      assert(reason!.message.length < 400, `${reason!.message.length} characters`);
    },
  },
];

/** Its pages are these, each found by the cursor before it. */
const pages = (page: (at: number) => Json) => {
  let at = 0;
  return met({ "tools/list": () => page(++at) });
};
const KEPT = "what was read is kept";

export const LIST: readonly Bound[] = [
  {
    what: "time for all of the list",
    limit: seconds(LIMITS.listMs),
    beyond: "the server is offline: `list_timeout`",
    key: "limits.list",
    async proof() {
      const clock = new FakeClock();
      const hanging = stranger({ "tools/list": () => SILENCE });
      await using registry = registryOf({ hanging, healthy: stranger({}) }, { clock });
      const attached = registry.attachAll();
      await settle();
      await clock.tick(LIMITS.listMs);
      await attached;
      const [{ reason }, healthy] = registry.servers() as [ServerStatus, ServerStatus];
      assert.equal(reason?.code, "list_timeout");
      assert.match(reason.message, /servers\.hanging\.limits\.list raises this limit/);
      assert.equal(healthy.state, "online");
    },
  },
  {
    what: "pages",
    limit: amount(PAGES_MAX),
    beyond: "the rest is not asked for",
    async proof() {
      const { tools, problems } = await pages((at) => ({
        tools: [named(`t${at}`)],
        nextCursor: `${at}`,
      }));
      assert.equal(tools.length, PAGES_MAX);
      assert.deepEqual(problems, [`the list has more than ${PAGES_MAX} pages: ${KEPT}`]);
    },
  },
  {
    what: "tools",
    limit: amount(TOOLS_MAX),
    beyond: "the rest is not taken",
    async proof() {
      const many = Array.from({ length: TOOLS_MAX }, (_, n) => named(`t${n}`));
      const most = await listing(...many);
      assert.deepEqual([most.tools.length, most.problems], [TOOLS_MAX, []]);
      const { tools, problems } = await listing(...many, named("one_more"), null);
      assert.equal(tools.length, TOOLS_MAX);
      assert.deepEqual(problems, [`the list has more than ${TOOLS_MAX} tools: ${KEPT}`]);
    },
  },
  {
    what: "all of the list that is kept, with its cursors",
    limit: `${MiB(LIST_MAX)} of JSON`,
    beyond: "the rest is not taken",
    async proof() {
      const large = schemaOf(SCHEMA_MAX - 1_000);
      const { tools, problems } = await pages((at) => ({
        tools: [{ ...named(`t${at}`), inputSchema: large }],
        nextCursor: `${at}`,
      }));
      assert.equal(tools.length, Math.floor(LIST_MAX / (SCHEMA_MAX - 900)));
      assert.deepEqual(problems, [`the list is over 16 MiB: ${KEPT}`]);
      const cursors = await pages((at) => ({
        tools: [named(`t${at}`)],
        nextCursor: at + x(1_000_000),
      }));
      assert.equal(cursors.tools.length, 17);
      assert.deepEqual(cursors.problems, [`the list is over 16 MiB: ${KEPT}`]);
    },
  },
  {
    what: "tools that are held back, as far as they are named",
    limit: amount(HELD_BACK_MAX),
    beyond: "held back unnamed",
    async proof() {
      const bad = Array.from({ length: 100_000 }, (_, n) => ({ name: `bad${n}` }));
      const { tools, heldBack, problems } = await listing(...bad, named("good"));
      assert.deepEqual(tools.map(({ name }) => name), ["good"]);
      assert.equal(heldBack.length, HELD_BACK_MAX);
      assert.deepEqual(problems, [`more tools are held back than these ${HELD_BACK_MAX}`]);
    },
  },
  {
    what: "what else is odd about the list",
    limit: `${PROBLEMS_MAX} lines`,
    beyond: "a line says that there is more",
    async proof() {
      const long = Array.from(
        { length: 1_000 },
        (_, n) => named(`t${n}`, { title: x(TITLE_MAX + 1) }),
      );
      const { tools, problems } = await listing(...long);
      assert.equal(tools.length, 1_000);
      assert.equal(problems.length, PROBLEMS_MAX + 1);
      assert.equal(problems.at(-1), `more is odd about the list than these ${PROBLEMS_MAX}`);
    },
  },
];

export const TOOL: readonly Bound[] = [
  {
    what: "its name",
    limit: `${amount(NAME_MAX)} characters`,
    beyond: "held back",
    async proof() {
      const names = [x(NAME_MAX), "y".repeat(NAME_MAX + 1), "z".repeat(1_000_000)];
      const { tools, heldBack } = await listing(...names.map((name) => named(name)), named("last"));
      assert.deepEqual(tools.map(({ name }) => name), [names[0], "last"]);
      assert.deepEqual(heldBack.map(({ why }) => why), [
        `has a name of ${NAME_MAX + 1} characters, over the limit of ${NAME_MAX}`,
        `has a name of 1000000 characters, over the limit of ${NAME_MAX}`,
      ]);
      for (const { tool } of heldBack) assert(tool.length < 100);
    },
  },
  {
    what: "its title",
    limit: `${TITLE_MAX} characters`,
    beyond: "cut",
    async proof() {
      const { tools: [tool], problems } = await listing(
        named("t", { title: x(1_000_000), annotations: { title: x(1_000_000) } }),
      );
      assert.deepEqual([tool!.title?.length, tool!.annotations?.title?.length], [
        TITLE_MAX,
        TITLE_MAX,
      ]);
      assert.deepEqual(problems, ['the title of "t" is cut after 500 of 1000000 characters']);
    },
  },
  {
    what: "its description",
    limit: `${amount(DESCRIPTION_MAX)} characters`,
    beyond: "cut",
    async proof() {
      const { tools, problems } = await listing(
        named("most", { description: x(DESCRIPTION_MAX) }),
        named("more", { description: `${x(DESCRIPTION_MAX - 1)}👋${x(1_000_000)}` }),
      );
      // Never half a character.
      assert.deepEqual(tools.map(({ description }) => description!.length), [
        DESCRIPTION_MAX,
        DESCRIPTION_MAX - 1,
      ]);
      assert.match(problems.join(), /^the description of "more" is cut after 20000 of 1020001/);
    },
  },
  {
    what: "its `inputSchema`",
    limit: `${KiB(SCHEMA_MAX)}, ${SCHEMA_DEPTH_MAX} levels`,
    beyond: "held back",
    async proof() {
      const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`p${n}`, {}]));
      const deep = nested(SCHEMA_DEPTH_MAX, (inner) => ({ properties: { a: inner } }));
      const { tools, heldBack } = await listing(
        { name: "most", inputSchema: schemaOf(SCHEMA_MAX - 100) },
        { name: "text", inputSchema: schemaOf(SCHEMA_MAX) },
        { name: "wide", inputSchema: { type: "object", properties: wide } },
        { name: "list", inputSchema: { type: "object", enum: new Array(1_000_000).fill(0) } },
        { name: "deep", inputSchema: { type: "object", properties: { deep } } },
        named("last"),
      );
      assert.deepEqual(tools.map(({ name }) => name), ["most", "last"]);
      const over = "has an inputSchema over the limit of 256 KiB";
      assert.deepEqual(heldBack.map(({ tool, why }) => [tool, why]), [
        ["text", over],
        ["wide", over],
        ["list", over],
        ["deep", "has an inputSchema that is nested more than 200 levels deep"],
      ]);
    },
  },
  {
    what: "its `outputSchema`",
    limit: KiB(SCHEMA_MAX),
    beyond: "left out: results are not checked",
    async proof() {
      const { tools, heldBack, problems } = await listing(
        named("large", { outputSchema: schemaOf(SCHEMA_MAX) }),
      );
      assert.deepEqual([tools[0]!.name, tools[0]!.outputSchema], ["large", undefined]);
      assert.deepEqual(heldBack, []);
      assert.deepEqual(problems, [
        'the outputSchema of "large" is over 256 KiB: its results are not checked',
      ]);
    },
  },
];
