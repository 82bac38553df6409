/** The nine checks of the self-test: the promises of the spine, each on something that runs. @module */
import { notes } from "../../../servers/notes.ts";
import { tickets } from "../../../servers/tickets.ts";
import { parseScript, scriptModel } from "../../models/script.ts";
import { isObject } from "../../protocol/codec.ts";
import { ProtocolError, TransportError } from "../../protocol/errors.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Entry } from "../../registry/table.ts";
import { toSpec } from "../../tools/full.ts";
import { signalGroup } from "../../transport/process.ts";
import { type Bench, client, expect, house, named, real, run, same, tapped } from "./bench.ts";

export interface Check {
  title: string;
  /** @throws {Error} with the reason when it does not hold */
  run(bench: Bench): Promise<void>;
}

/** Two turns that call each other's tool for ever. */
const PING_PONG = `
- { uses: [{ name: mcp__notes__search, args: { query: ping } }], repeat: true }
- { uses: [{ name: mcp__tickets__search, args: { query: pong } }], repeat: true }
`;

export const CHECKS: readonly Check[] = [
  {
    title: "server/discover is answered and 2026-07-28 is picked",
    async run(bench) {
      for (const alias of ["notes", "tickets"]) {
        await using peer = await client(bench, alias);
        same(peer.hello.dialect.version, "2026-07-28", `the version of ${alias}`);
      }
    },
  },
  {
    title: "an error reply rejects at once, not by a timeout",
    async run(bench) {
      await using peer = await client(bench, "notes");
      const never = { ms: Infinity, key: "none" };
      const ended = await peer.callTool("no_such_tool", {}, {
        idle: never,
        cap: never,
        signal: bench.signal,
      }).catch((error) => error);
      expect(ended instanceof ProtocolError, `an unknown tool gave ${ended}`);
    },
  },
  {
    title: "all three note tools are listed, over two pages",
    async run(bench) {
      let pages = 0;
      const onFrame = (_alias: string, direction: string, line: string) => {
        const message = direction === "received" ? JSON.parse(line) : {};
        if (isObject(message.result) && "tools" in message.result) pages++;
      };
      await using registry = house(bench, real(bench, ["notes"], { onFrame }));
      await registry.attachAll();
      same(registry.table.entries.size, 3, "the number of tools");
      same(pages, 2, "the number of pages");
    },
  },
  {
    title:
      "translation passes the input schema, and keeps hints, output schema and title beside it",
    async run(bench) {
      await using registry = house(bench, real(bench, ["notes"]));
      await registry.attachAll();
      const listed = registry.servers()[0]!.tools.find(({ name }) => name === "search");
      const entry = entryOf(registry, "mcp__notes__search");
      same(toSpec(entry).inputSchema, listed?.inputSchema, "the input schema");
      for (const key of ["annotations", "outputSchema", "title"] as const) {
        expect(entry.info[key] !== undefined, `${key} is gone`);
        expect(!(key in toSpec(entry)), `${key} is sent to the model`);
      }
    },
  },
  {
    title: 'both tools called "search" reach their own server, as "search"',
    async run(bench) {
      const seen = { notes: tapped(notes()), tickets: tapped(tickets()) };
      await using registry = house(bench, { notes: seen.notes.open, tickets: seen.tickets.open });
      await registry.attachAll();
      for (const alias of ["notes", "tickets"] as const) {
        const result = await registry.call(`mcp__${alias}__search`, { query: "release" });
        expect(!result.isError, `mcp__${alias}__search failed`);
        same(seen[alias].called, ["search"], `what ${alias} was asked for`);
      }
    },
  },
  {
    title: "two names of 80 characters stay distinct, legal and callable",
    async run(bench) {
      const raw = ["a", "b"].map((middle) => "x".repeat(40) + middle + "y".repeat(39));
      const long = tapped(named(raw));
      await using registry = house(bench, { long: long.open });
      await registry.attachAll();
      const names = [...registry.table.entries.keys()];
      same(names.length, 2, "the number of names");
      for (const name of names) {
        expect(/^[A-Za-z0-9_-]{1,64}$/.test(name), `${name} is not legal`);
        const result = await registry.call(name, {});
        expect(!result.isError, `${name} failed`);
      }
      same(long.called.toSorted(), raw, "what the server was asked for");
    },
  },
  {
    title: "an isError result reaches the model, which mends the date and succeeds",
    async run(bench) {
      await using registry = house(bench, real(bench, ["tickets"]));
      await registry.attachAll();
      const prompt = 'Create a ticket "Ship it" due next friday';
      const { outcome, results } = await run(bench, registry, prompt);
      same(results.map(({ result }) => result.isError), [true, false], "calls that failed");
      same(outcome.ending, "answered", "the ending");
    },
  },
  {
    title: "a killed server is offline with its reason, its calls say so, and the other one works",
    run: killed,
  },
  {
    title:
      "a full loop: public name chosen, raw name sent, answer given; ping-pong ends at the limit",
    async run(bench) {
      const sent: string[] = [];
      const onFrame = (_alias: string, direction: string, line: string) => {
        const message = direction === "sent" ? JSON.parse(line) : {};
        if (message.method === "tools/call") sent.push(message.params.name);
      };
      await using registry = house(bench, real(bench, ["notes", "tickets"], { onFrame }));
      await registry.attachAll();
      const { outcome, results } = await run(bench, registry, "Search my notes for the release");
      same(results[0]?.use.name, "mcp__notes__search", "the name that the model chose");
      same(sent[0], "search", "the name that the server was sent");
      same(results[0]?.result.isError, false, "whether the tool said no");
      expect(outcome.ending === "answered" && outcome.answer !== "", "there is no answer");
      const script = scriptModel("script:ping-pong", parseScript(PING_PONG, "ping-pong.yaml"));
      const endless = await run(bench, registry, "Play", script, 6);
      same([endless.outcome.ending, endless.outcome.steps], ["step_limit", 6], "the ending");
    },
  },
];

async function killed(bench: Bench): Promise<void> {
  const groups = new Set<number>();
  const own = { ...bench, world: { ...bench.world, groups } };
  let dead = false;
  const openers = {
    ...real(bench, ["notes"]),
    tickets: () => {
      if (dead) throw new TransportError("spawn_denied", "the self-test keeps it down");
      return real(own, ["tickets"]).tickets!();
    },
  };
  const lost = Promise.withResolvers<void>();
  await using registry = house(bench, openers, ({ state }) => {
    if (dead && state === "offline") lost.resolve();
  });
  await registry.attachAll();
  dead = true;
  for (const pid of groups) signalGroup(pid, "SIGKILL");
  await lost.promise;
  const row = registry.servers().find(({ alias }) => alias === "tickets")!;
  same([row.state, row.reason?.code], ["offline", "exited"], "tickets");
  const other = await registry.call("mcp__notes__search", { query: "release" });
  expect(!other.isError, "notes does not work any more");
  const gone = await registry.call("mcp__tickets__search", { query: "release" });
  expect(gone.isError && gone.failure !== undefined, "a call of tickets did not fail");
}

function entryOf(registry: Registry, name: string): Entry {
  const entry = registry.find(name);
  if (!entry) throw new Error(`${name} is not listed`);
  return entry;
}
