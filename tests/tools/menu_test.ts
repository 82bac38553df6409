/** The menu: one search over all that is known of servers, whether or not they run. */
import assert from "node:assert/strict";
import { TransportError } from "../../lib/protocol/errors.ts";
import { findings } from "../../lib/registry/search/findings.ts";
import { menu } from "../../lib/tools/menu.ts";
import { notes } from "../../servers/notes.ts";
import { tickets } from "../../servers/tickets.ts";
import { registryOf } from "../support/clients.ts";
import { inMemory, opener } from "../support/wire.ts";

const built = {
  notes: () => inMemory(notes()),
  tickets: () => inMemory(tickets()),
};

Deno.test("menu() is the same whatever order servers stand in", async () => {
  await using one = registryOf(built);
  await using other = registryOf({ tickets: built.tickets, notes: built.notes });
  await Promise.all([one.attachAll(), other.attachAll()]);
  for (const query of ["search", "ticket", "add a note", "xyzzy"]) {
    assert.equal(await findings(menu(one), query, 8), await findings(menu(other), query, 8));
  }
});

Deno.test("menu() holds no denied tool, and the description of the user before the server's", async () => {
  await using registry = registryOf(built, {}, {
    description: "Garden gnomes",
    denies: (tool) => tool === "search" ? "it is denied" : undefined,
  });
  await registry.attachAll();
  const found = menu(registry).search("search", 20).map(({ tool }) => tool.name);
  assert(!found.includes("search"), found.join());
  assert(menu(registry).servers.every(({ description }) => description === "Garden gnomes"));
});

Deno.test("menu() takes in what joined, what changed and who went offline", async () => {
  await using registry = registryOf({
    a: opener("memory", ["list-changed"], { era: "legacy" }),
    dead: () => {
      throw new TransportError("spawn_not_found", "no such command");
    },
  });
  await registry.refresh();
  const has = (name: string) =>
    menu(registry).search(name, 5).some(({ tool }) => tool.name === name);
  assert.equal(has("echo"), false);
  await registry.attachAll();
  assert.equal(has("echo"), true);
  assert.match(menu(registry).servers.find(({ alias }) => alias === "dead")!.reason!, /no such/);
  await registry.call("a.grow", {});
  await registry.refresh();
  assert.equal(has("grown_1"), true);
});

Deno.test("menu() is built once for all searches of a turn, and again only when something changed", async () => {
  await using registry = registryOf(built);
  await registry.attachAll();
  const first = menu(registry);
  assert(menu(registry) === first);
  // Ten thousand tools are not indexed anew for every turn of a conversation.
  await registry.refresh();
  assert(menu(registry) === first, "nothing has changed");
});

Deno.test("menu() of two registries that were never refreshed are two", async () => {
  await using one = registryOf({ notes: built.notes });
  await using other = registryOf({ tickets: built.tickets });
  assert.deepEqual(menu(one).servers.map(({ alias }) => alias), ["notes"]);
  assert.deepEqual(menu(other).servers.map(({ alias }) => alias), ["tickets"]);
});
