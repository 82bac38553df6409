/** A house with a server in every state, for those who look for what keeps people out of the status page. @module */
import { reason, server, type Stage, tool } from "./status_stage.ts";

const LATENCY: readonly [alias: string, tool: string, ms: number][] = [
  ["notes", "search", 4],
  ["tickets", "search", 9],
  ["notes", "read_note", 3],
  ["maps", "route", 140],
  ["tickets", "create_ticket", 22],
  ["weather", "get_forecast", 260],
];

export async function furnish(stage: Stage): Promise<void> {
  const now = stage.clock.now();
  const modern = { era: "modern", version: "2026-07-28" } as const;
  await stage.put(
    server("notes", {
      required: true,
      description: "Personal notes",
      dialect: modern,
      server: { name: "notes", version: "1.0.0" },
      pid: 4711,
      source: "live",
      listedAt: now - 90_000,
      attachMs: 41,
      tools: [
        tool("search", {
          description: "Finds notes by words.",
          annotations: { readOnlyHint: true },
        }),
        tool("read_note", {
          description: "Returns one note in full. Give its title or its id.",
          annotations: { readOnlyHint: true },
        }),
        tool("add_note", { description: "Writes a new note." }),
      ],
    }),
    server("tickets", {
      dialect: { era: "legacy", version: "2025-11-25" },
      attachMs: 38,
      tools: [
        tool("search", { description: "Finds tickets by words, or by an id like T-1." }),
        tool("create_ticket", { title: "Open a ticket", description: "Opens a ticket." }),
        tool("close_ticket", {
          description: "Closes a ticket for good.",
          annotations: { destructiveHint: true },
        }),
      ],
      heldBack: [{
        tool: "drop_all",
        why: "is not what it was when it was seen first: its description is another",
        changed: true,
      }],
    }),
    server("weather", {
      state: "offline",
      fuse: { state: "open", failures: 0, since: now - 3_000, trialAt: now + 9_000, trips: 1 },
      reason: reason("exited", 'Lost "weather": its process exited with code 3', {
        since: now - 3_000,
        tail: ["weather: began", "weather: out of luck", "weather: core dumped"],
      }),
      attaches: 3,
      tools: [tool("get_forecast", {
        description: "Get the weather forecast for a city",
        annotations: { openWorldHint: true, readOnlyHint: true },
      })],
    }),
    server("maps", {
      fuse: { state: "probation", failures: 0, since: now - 12_000, trips: 2 },
      attachMs: 88,
      tools: [tool("route", { description: "Finds the way from one place to another." })],
      heldBack: [{ tool: "geocode", why: 'has an inputSchema of type none, not "object"' }],
    }),
    server("github", {
      state: "idle",
      source: "recalled",
      attaches: 0,
      listedAt: now - 86_400_000,
      tools: [tool("create_issue", { description: "Create a new issue in a repository" })],
    }),
    server("payments", {
      state: "offline",
      attaches: 0,
      reason: reason(
        "spawn_not_found",
        'Cannot attach "payments": no such command "pay-server"',
        { since: now - 90_000 },
      ),
    }),
    server("browser", { state: "attaching", attaches: 0 }),
    server("search", {
      state: "attaching",
      fuse: { state: "half_open", failures: 0, since: now - 22_000, trips: 1 },
    }),
    server("old-crm", {
      state: "offline",
      attaches: 0,
      reason: reason("disabled", 'Cannot attach "old-crm": it is disabled in the configuration'),
    }),
  );
  let seed = 7;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  for (let n = 0; n < 120; n++) {
    const [alias, name, ms] = LATENCY[Math.floor(random() * LATENCY.length)]!;
    const outcome = alias === "weather" && random() < 0.3
      ? "exited"
      : random() < 0.05
      ? "tool_error"
      : "ok";
    stage.call(alias, name, Math.round(ms * (0.6 + random())), outcome);
  }
  for (let n = 0; n < 14; n++) stage.ledger.asked("3f9ac2d81b07e645");
  stage.ledger.spent({ input: 48_213, output: 1_904, cachedInput: 41_120, cacheWrite: 0 });
}
